//! What changes while a host runs: files, uploads and acceptances of other processes, and who is told.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::Command;

use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::task::block_in_place;
use toolhost::gate::Call;
use toolhost::id::Digest;
use toolhost_tests::guest::Guest;
use toolhost_tests::host::{Ground, call, caller, text};
use toolhost_tests::until;
use toolhost_tests::wire::{Piped, REVISION, Served, http, run, shown};

use super::components::version;

const ACCEPTING: &str =
    "[[component]]\npath = \"tools/*.wasm\"\ntrust_annotations = true\non_change = \"accept\"\n";
const UPLOADS: &str = "[[component]]\nuploaded = \"*\"\ntrust_annotations = true\n";

fn write(ground: &Ground, name: &str, bytes: &[u8]) {
    std::fs::write(ground.path().join("tools").join(format!("{name}.wasm")), bytes).unwrap();
}

/// Waits until a tool answers so.
async fn until_it_says(served: &Served, tool: &str, wanted: &str) {
    until(&format!("{tool} says {wanted}"), || {
        let answer = block_in_place(|| Handle::current().block_on(served.call(tool, "{}")));
        shown(&answer).starts_with(wanted)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_change_come_and_go_are_seen_by_a_server_behind_its_wall() {
    let ground = Ground::new().component("a", &version("t", "v1 does it.")).config(ACCEPTING);
    let served = Served::start(ground.path());
    until_it_says(&served, "t", "v1").await;
    write(&ground, "a", &version("t", "v2 does it."));
    until_it_says(&served, "t", "v2").await;
    write(&ground, "b", &version("u", "v1 does it."));
    until_it_says(&served, "u", "v1").await;
    // What has a fault is served on as it was.
    write(&ground, "a", b"\0asm and nothing that follows");
    write(&ground, "c", &version("w", "v1 does it."));
    until_it_says(&served, "w", "v1").await;
    assert_eq!(shown(&served.call("t", "{}").await), "v2");
    std::fs::remove_file(ground.path().join("tools/a.wasm")).unwrap();
    until_it_says(&served, "t", "There is no tool named 't'").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_is_accepted_beside_a_running_server() {
    let config = ACCEPTING.replace("\"accept\"", "\"quarantine\"");
    let ground = Ground::new().component("a", &version("t", "v1 does it.")).config(&config);
    let served = Served::start(ground.path());
    write(&ground, "a", &version("t", "v2 does it."));
    write(&ground, "b", &version("u", "v1 does it."));
    // Whoever has seen the later change has seen the earlier one.
    until_it_says(&served, "u", "v1").await;
    assert_eq!(shown(&served.call("t", "{}").await), "v1");
    let digest = Digest::of(&version("t", "v2 does it.")).to_string();
    assert!(run(ground.path(), &["components", "accept", "a", "--digest", &digest]).status.success());
    until_it_says(&served, "t", "v2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_host_on_a_store_serves_what_one_of_them_took() {
    let ground =
        Ground::new().component("a", &version("t", "v1 does it.")).config(&format!("{ACCEPTING}{UPLOADS}"));
    let other = ground.another();
    let servers = [Served::start(ground.path()), Served::start(other.path())];
    std::fs::write(ground.path().join("up.wasm"), version("u", "v1 does it.")).unwrap();
    std::fs::write(ground.path().join("up2.wasm"), version("u", "v2 does it.")).unwrap();
    let does = |arguments: &[&str]| {
        let output = run(ground.path(), &[&["components"], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    does(&["add", "up.wasm"]);
    for served in &servers {
        assert!(shown(&served.call("u", "{}").await).starts_with("There is no tool named 'u'"));
    }
    let digest = |says: &str| Digest::of(&version("u", says)).to_string();
    does(&["accept", "up", "--digest", &digest("v1 does it.")]);
    for served in &servers {
        until_it_says(served, "u", "v1").await;
    }
    does(&["add", "up2.wasm", "--name", "up"]);
    for served in &servers {
        assert_eq!(shown(&served.call("u", "{}").await), "v1");
    }
    does(&["accept", "up", "--digest", &digest("v2 does it.")]);
    for served in &servers {
        until_it_says(served, "u", "v2").await;
    }
    does(&["remove", "up"]);
    for served in &servers {
        until_it_says(served, "u", "There is no tool named 'u'").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hang_up_signal_asks_for_a_reload_and_ends_nothing() {
    let (first, second) = (version("t", "v1 does it."), version("t", "v2 does it."));
    assert_eq!(first.len(), second.len());
    let ground = Ground::new().component("a", &first).config(ACCEPTING);
    let file = ground.path().join("tools/a.wasm");
    let seen = std::fs::metadata(&file).unwrap().modified().unwrap();
    let served = Served::start(ground.path());
    // A change that nobody sees who looks at size and time alone.
    let changed = ground.path().join("changed.wasm");
    std::fs::write(&changed, &second).unwrap();
    std::fs::File::options().append(true).open(&changed).unwrap().set_modified(seen).unwrap();
    std::fs::rename(&changed, &file).unwrap();
    let hang_up = || Command::new("kill").args(["-HUP", &served.id().to_string()]).status().unwrap();
    assert!(hang_up().success());
    until_it_says(&served, "t", "v2").await;
    assert_eq!(served.health().await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_keeps_the_tool_that_it_was_admitted_with() {
    let ground = Ground::new()
        .component("a", &version("t", "v1 does it."))
        .component("busy", &Guest::new("busy", "(loop (br 0)) (unreachable)").build())
        .config(&format!("{ACCEPTING}[pools.default]\nsize = 1\n"));
    let host = ground.start().await;
    let busy = tokio::spawn({
        let host = host.clone();
        async move { call(&host, "busy", "{}").await }
    });
    until("the only place is taken", || host.running() == 1).await;
    let mut waits = std::pin::pin!(host.execute(Call::new(caller(&host, "local"), "t", "{}")));
    tokio::select! {
        biased;
        outcome = &mut waits => panic!("{outcome:?}"),
        () = std::future::ready(()) => {}
    }
    write(&ground, "a", &version("t", "v2 does it."));
    assert_eq!(host.reload().await.unwrap().changed.len(), 1);
    // Whatever is let go of is gone by the second one.
    assert!(host.reload().await.unwrap().is_empty());
    busy.abort();
    assert_eq!(text(&waits.await), "v1");
    assert_eq!(text(&call(&host, "t", "{}").await), "v2");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_of_the_configuration_changes_nothing() {
    let config = format!("{ACCEPTING}[component.tool.t]\nretries = 2\nread_only = true\n");
    let ground = Ground::new().component("a", &version("t", "v1 does it.")).config(&config);
    let host = ground.start().await;
    let report = host.load_report();
    write(&ground, "a", &version("other", "v1 does it."));
    // The configuration speaks of a tool that is gone.
    assert!(host.reload().await.unwrap().is_empty());
    assert_eq!(text(&call(&host, "t", "{}").await), "v1");
    let refused = &host.load_report().refused;
    assert!(refused[0].reason.contains("which it does not have") && refused[0].reason.contains("served on"));
    assert!(report.refused.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_served_is_served_on_unless_it_is_gone_or_another_is_pinned() {
    let entry = "[[component]]\npath = \"tools/a.wasm\"\n";
    let ground = Ground::new().component("a", &version("t", "v1 does it.")).config(entry);
    let (host, file) = (ground.start().await, ground.path().join("tools/a.wasm"));
    std::fs::write(&file, b"\0asm and nothing that follows").unwrap();
    assert!(host.reload().await.unwrap().is_empty());
    assert_eq!(text(&call(&host, "t", "{}").await), "v1");
    let mut settings = host.settings().clone();
    settings.components[0].digest = Some(toolhost::id::Digest::of(b"another"));
    host.reconfigure(settings).await.unwrap();
    assert_eq!(call(&host, "t", "{}").await.code(), "no_such_tool");
    drop(host);
    std::fs::write(&file, version("t", "v1 does it.")).unwrap();
    let host = ground.start().await;
    assert_eq!(text(&call(&host, "t", "{}").await), "v1");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(host.reload().await.unwrap().removed.len(), 1);
    assert_eq!(call(&host, "t", "{}").await.code(), "no_such_tool");
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_whose_files_differ_do_not_take_each_others_tools_away() {
    let ground = Ground::new()
        .component("a", &version("t", "v1 does it."))
        .config(&ACCEPTING.replace("\"accept\"", "\"quarantine\""));
    let other = ground.another();
    let one = ground.start().await;
    write(&other, "a", &version("t", "v2 does it."));
    let two = other.start().await;
    two.components().accept("a", None, "anna").await.unwrap();
    assert_eq!(text(&call(&two, "t", "{}").await), "v2");
    let changes = one.store().components().changes().await.unwrap();
    assert!(one.reload().await.unwrap().is_empty() && two.reload().await.unwrap().is_empty());
    assert_eq!(text(&call(&one, "t", "{}").await), "v1");
    assert_eq!(one.store().components().changes().await.unwrap(), changes, "nor is anything written for it");
}

/// Listens for news over HTTP, and gives the messages of the stream one by one.
struct Listening(BufReader<TcpStream>);

impl Listening {
    fn start(served: &Served) -> Self {
        let body = json!({
            "jsonrpc": "2.0", "id": 5, "method": "subscriptions/listen",
            "params": {
                "notifications": {"toolsListChanged": true, "promptsListChanged": true},
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": REVISION,
                    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                    "io.modelcontextprotocol/clientCapabilities": {},
                },
            },
        })
        .to_string();
        let mut stream = TcpStream::connect(&served.address).unwrap();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nMCP-Protocol-Version: {REVISION}\r\n\
             Mcp-Method: subscriptions/listen\r\nContent-Length: {}\r\n\r\n{body}",
            served.address,
            body.len()
        )
        .unwrap();
        Self(BufReader::new(stream))
    }

    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        while self.0.read_line(&mut line).unwrap() > 0 {
            let data = line.strip_prefix("data:").and_then(|data| serde_json::from_str(data.trim()).ok());
            if data.is_some() {
                return data;
            }
            line.clear();
        }
        None
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_listens_over_http_is_told_and_told_when_it_ends() {
    let ground = Ground::new().component("a", &version("t", "v1 does it.")).config(ACCEPTING);
    let mut served = Served::start(ground.path());
    let mut listening = Listening::start(&served);
    let told = listening.next().unwrap();
    assert_eq!(told["method"], "notifications/subscriptions/acknowledged", "{told}");
    assert_eq!(told["params"]["notifications"], json!({"toolsListChanged": true}), "{told}");
    write(&ground, "b", &version("u", "v1 does it."));
    let told = listening.next().unwrap();
    assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 5, "{told}");
    assert_eq!(shown(&served.call("u", "{}").await), "v1", "what is told is so already");
    served.terminate();
    let last = listening.next().unwrap();
    assert_eq!(last["id"], 5, "the end is an answer: {last}");
    assert!(last["result"].is_object(), "{last}");
    assert!(served.ended().await.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_elder_client_on_a_pipe_is_told_of_what_it_may_see() {
    let config = format!("{ACCEPTING}[[tenant]]\nid = \"local\"\ndeny = [\"hidden\"]\nself_approve = true\n");
    let ground = Ground::new().component("a", &version("t", "v1 does it.")).config(&config);
    let mut piped = Piped::start(ground.path());
    piped.send(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#,
    );
    let answer = piped.frame();
    assert_eq!(answer["result"]["capabilities"]["tools"], json!({"listChanged": true}), "{answer}");
    piped.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    piped.send(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert_eq!(piped.frame()["id"], 2);
    write(&ground, "b", &version("hidden", "v1 does it."));
    // It is there, and says so only to those who ask for it by name.
    until("the hidden one is there", || {
        piped.send(
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"hidden","arguments":{}}}"#,
        );
        let answer = piped.frame();
        assert_eq!(answer["id"], 4, "nobody is told of it: {answer}");
        shown(&answer).starts_with("Error (NotAllowed)")
    })
    .await;
    write(&ground, "c", &version("u", "v1 does it."));
    let told = piped.frame();
    assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    piped.send(r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#);
    let answer = piped.frame();
    assert_eq!(answer["id"], 3, "one change that it may see is told once: {answer}");
    assert_eq!(answer["result"]["tools"].as_array().unwrap().len(), 2, "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_configuration_is_followed_and_one_that_is_wrong_changes_nothing() {
    let open = format!("{ACCEPTING}[[tenant]]\nid = \"local\"\n");
    let closed = format!("{open}deny = [\"t\"]\n");
    let ground = Ground::new().component("a", &version("t", "v1 does it.")).config(&open);
    let served = Served::start(ground.path());
    let mut piped = Piped::start(ground.path());
    assert_eq!(shown(&piped.call("t", "{}")), "v1");
    let ground = ground.config(&closed);
    until_it_says(&served, "t", "Error (NotAllowed)").await;
    let calls = r#"{"calls":[{"tool":"t"}]}"#;
    let (_, answer) = http(&served.address, "POST", "/v1/calls", &[], calls).await;
    assert!(answer.contains("\"not_allowed\""), "{answer}");
    until("the client on the pipe is refused too", || {
        shown(&piped.call("t", "{}")).starts_with("Error (NotAllowed)")
    })
    .await;
    // What is granted anew needs another start, and the rest counts.
    let folder = ground.path().join("more");
    std::fs::create_dir(&folder).unwrap();
    let ground = ground.config(&format!(
        "{open}{UPLOADS}prefix = \"up_\"\ngrants = {{ directories = [{{ host = \"more\", guest = \"/m\", access = \"read_only\" }}] }}\n\
         [limits]\nfuel = 1\n"
    ));
    until_it_says(&served, "t", "v1").await;
    let ground = ground.config("nonsense = true\n");
    write(&ground, "b", &version("u", "v1 does it."));
    until_it_says(&served, "u", "v1").await;
    assert_eq!(shown(&served.call("t", "{}").await), "v1");
    // The last sound one is in force, also where the signal asks for it.
    Command::new("kill").args(["-HUP", &served.id().to_string()]).status().unwrap();
    let ground = ground.config(&closed);
    until_it_says(&served, "t", "Error (NotAllowed)").await;
    drop(ground);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_that_is_gone_calls_nothing_and_what_needs_a_start_is_named() {
    let tenants = "[[tenant]]\nid = \"local\"\n[[tenant]]\nid = \"other\"\n";
    let ground = Ground::new()
        .component("a", &version("t", "v1 does it."))
        .config(&format!("{ACCEPTING}{tenants}quotas = {{ calls_per_second = 1 }}\n"));
    let host = ground.start().await;
    let other = caller(&host, "other");
    let code = async || host.execute(Call::new(other.clone(), "t", "{}")).await.code();
    assert_eq!(code().await, "ok");
    let mut settings = host.settings().clone();
    settings.limits.fuel = 1;
    let done = host.reconfigure(settings).await.unwrap();
    assert_eq!(done.needs_restart, ["[limits]"]);
    assert!(done.reloaded.is_empty(), "{done:?}");
    let spent: Vec<&str> = vec![code().await, code().await];
    assert!(spent.contains(&"quota_exceeded"), "what was used stays used: {spent:?}");
    let mut settings = host.settings().clone();
    settings.tenants.retain(|id, _| id.as_str() == "local");
    host.reconfigure(settings).await.unwrap();
    assert!(host.tenant(&"other".parse().unwrap()).is_none());
    assert_eq!(text(&call(&host, "t", "{}").await), "v1");
}
