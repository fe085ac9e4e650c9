//! The same call by every way in: the command line, MCP over standard streams, MCP over HTTP.

use serde_json::{Value, json};
use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::Ground;
use toolhost_tests::wire::{Piped, Served, call_params, run, shown};

const CONFIG: &str = r#"
[[component]]
path = "tools/*.wasm"
trust_annotations = true

[[tenant]]
id = "local"
deny = ["hidden"]
"#;

/// The text that the command line shows, of a result or of a failure.
fn spoken(ground: &Ground, tool: &str, arguments: &str) -> String {
    let output = run(ground.path(), &["call", tool, arguments]);
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    if output.status.success() {
        return out.trim_end().to_owned();
    }
    // What follows a failure is advice for the operator at the terminal.
    err.lines().next().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_gate_says_the_same_words_by_every_way_in() {
    let mut asks = GuestTool::new("asks");
    asks.requires_approval = true;
    let mut strict = GuestTool::new("strict");
    strict.input_schema = r#"{"type":"object","additionalProperties":false,"required":["id"],
        "properties":{"id":{"type":"string"},"n":{"type":"integer","maximum":3}}}"#
        .into();
    let tools = vec![GuestTool::new("open"), asks, strict, GuestTool::new("hidden")];
    let ground = Ground::new().component("t", &Guest::of(tools, &Guest::echo()).build()).config(CONFIG);
    let served = Served::start(ground.path());
    let mut piped = Piped::start(ground.path());
    let deep = format!(r#"{{"a":{}1{}}}"#, "[".repeat(64), "]".repeat(64));
    for (tool, arguments, code, words) in [
        (
            "opne",
            "{}",
            "no_such_tool",
            "There is no tool named 'opne'. Available tools: open, asks, strict. Pick one of those or answer without a tool.",
        ),
        (
            "hidden",
            "{}",
            "not_allowed",
            "Error (NotAllowed): You are not permitted to use that tool in this context. Continue with the tools you have been given.",
        ),
        ("open", r#"{"a":1,"a":2}"#, "bad_json", ""),
        ("open", r#"{"a":"\ud800"}"#, "bad_json", ""),
        ("open", "[1]", "bad_json", ""),
        ("open", &deep, "bad_json", ""),
        ("strict", r#"{"n":4,"x":1}"#, "bad_args", ""),
        ("asks", r#"{"a":1}"#, "needs_approval", ""),
        ("open", r#"{"a":9007199254740993}"#, "ok", r#"{"a":9007199254740993}"#),
    ] {
        let over_http = served.call(tool, arguments).await;
        let over_pipe = piped.call(tool, arguments);
        let on_command = spoken(&ground, tool, arguments);
        let text = shown(&over_http);
        assert_eq!(text, shown(&over_pipe), "{tool} {arguments}");
        let prefix = if code == "no_such_tool" { "Error (UnknownTool): " } else { "" };
        assert_eq!(format!("{prefix}{text}"), on_command, "{tool} {arguments}");
        if !words.is_empty() {
            assert_eq!(text, words);
        }
        for answer in [&over_http, &over_pipe] {
            let said = answer
                .pointer("/result/_meta/toolhost~1outcome/code")
                .or_else(|| answer.pointer("/error/data/code"))
                .unwrap_or_else(|| panic!("{answer}"));
            assert_eq!(said, code, "{answer}");
            let is_error = answer.pointer("/result/isError").and_then(Value::as_bool).unwrap_or(false);
            assert_eq!(is_error, code != "ok" && code != "no_such_tool", "{answer}");
        }
        let whole = run(ground.path(), &["call", "--json", tool, arguments]);
        let whole: Value = serde_json::from_slice(&whole.stdout).unwrap();
        assert_eq!(whole["ok"], json!(code == "ok"), "{whole}");
        if code != "ok" {
            assert_eq!(whole["error"]["code"], code, "{whole}");
            assert_eq!(whole["content"][0]["text"], on_command.as_str(), "{whole}");
        }
    }
    let unknown = served.call("nothing", "{}").await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_shows_what_may_be_called_sorted_and_the_same_every_time() {
    let ground = Ground::new().samples(&["math", "chaos", "orders"]).config(
        "[[component]]\npath = \"tools/*.wasm\"\ntrust_annotations = true\n[[tenant]]\nid = \"local\"\ndeny = [\"cancel_*\"]\n",
    );
    let served = Served::start(ground.path());
    let params = call_params("x", "{}", "").replace(r#""name":"x","arguments":{},"#, "");
    let list = served.request("tools/list", None, &params).await;
    assert_eq!(list, served.request("tools/list", None, &params).await);
    assert_eq!(list["result"]["cacheScope"], "private", "{list}");
    let tools = list["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(names, sorted);
    assert!(names.contains(&"multiply") && !names.contains(&"cancel_order"), "{names:?}");
    for tool in tools {
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{tool}");
        }
    }
    let narrowed =
        call_params("x", "{}", r#""toolhost/allow":["multi*"]"#).replace(r#""name":"x","arguments":{},"#, "");
    let list = served.request("tools/list", None, &narrowed).await;
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 1, "{list}");
    let shown = run(ground.path(), &["tools", "--format", "mcp", "--allow", "multi*"]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let first = shown.get("tools").unwrap_or(&shown)[0].clone();
    assert_eq!(first, list["result"]["tools"][0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_narrows_its_own_list_and_a_strict_host_hides_what_is_forbidden() {
    let ground = Ground::new().samples(&["math", "chaos"]).config(
        "[server]\ndisclosure = \"strict\"\n[[component]]\npath = \"tools/*.wasm\"\n[[tenant]]\nid = \"local\"\nallow = [\"multiply\", \"fail\"]\n",
    );
    let served = Served::start(ground.path());
    let forbidden = served.call("spin", "{}").await;
    let missing = served.call("spon", "{}").await;
    let same = |text: String| text.replace("spin", "T").replace("spon", "T");
    assert_eq!(same(shown(&forbidden)), same(shown(&missing)));
    assert_eq!(forbidden["error"]["code"], missing["error"]["code"]);
    let params = call_params("multiply", r#"{"a":1}"#, r#""toolhost/allow":["fail"]"#);
    let narrowed = served.request("tools/call", Some("multiply"), &params).await;
    assert!(
        shown(&narrowed).contains("There is no tool named 'multiply'. Available tools: fail."),
        "{narrowed}"
    );
}

#[test]
fn standard_output_carries_frames_only_whatever_guests_print() {
    let ground = Ground::new()
        .samples(&["chaos", "math"])
        .config("[limits]\nattempt_timeout = \"300ms\"\n[[component]]\npath = \"tools/*.wasm\"\n");
    let mut piped = Piped::start(ground.path());
    assert!(shown(&piped.call("flood", "{}")).contains("Timeout"));
    assert_eq!(shown(&piped.call("multiply", r#"{"a":6,"b":7}"#)), "42");
    piped.send("this is not JSON");
    piped.send(r#"{"jsonrpc":"2.0","id":9,"method":"no/such/method","params":{}}"#);
    for line in piped.rest().lines() {
        let frame: Value = serde_json::from_str(line).unwrap_or_else(|fault| panic!("{fault}: {line:?}"));
        assert_eq!(frame["jsonrpc"], "2.0");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_clients_with_the_same_id_get_their_own_answers() {
    let ground = Ground::new().samples(&["math"]);
    let served = Served::start(ground.path());
    let ask = async |a: u32| shown(&served.call("multiply", &format!(r#"{{"a":{a},"b":2}}"#)).await);
    let (one, two, three) = tokio::join!(ask(1), ask(10), ask(100));
    assert_eq!([one, two, three], ["2", "20", "200"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_hangs_up_stops_its_guest() {
    use tokio::io::AsyncWriteExt as _;
    let ground = Ground::new().samples(&["chaos", "math"]);
    let served = Served::start(ground.path());
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}}"#,
        call_params("spin", "{}", "")
    );
    for _ in 0..4 {
        let mut stream = tokio::net::TcpStream::connect(&served.address).await.unwrap();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: spin\r\nContent-Length: {}\r\n\r\n{body}",
            served.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        drop(stream);
    }
    assert_eq!(shown(&served.call("multiply", r#"{"a":6,"b":7}"#).await), "42");
    toolhost_tests::process::Held::idle(&served).await;
}
