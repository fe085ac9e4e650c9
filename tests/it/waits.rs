//! Calls that wait for their reviewer.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::process::Command;
use toolhost_tests::host::program;
use toolhost_tests::wire::{Served, call_params, http, shown};

use super::approvals::{asked, local};
use super::ledger::{ground_with, lines, outcome};

#[tokio::test(flavor = "multi_thread")]
async fn a_call_waits_for_its_reviewer_without_a_place_or_its_deadline() {
    let ground = local();
    let other = ground.another();
    let nodes = [Served::start(ground.path()), Served::start(other.path())];
    let waits = |number: usize| {
        let (address, body) = (
            nodes[0].address.clone(),
            format!(r#"{{"wait":true,"calls":[{{"tool":"asks","arguments":{{"a":{number}}}}}]}}"#),
        );
        tokio::spawn(async move {
            let (status, answer) = http(&address, "POST", "/v1/calls", &[], &body).await;
            let mut answer: Value =
                serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{status}: {answer}"));
            answer["results"][0].take()
        })
    };
    let open = async |tool_calls: usize| loop {
        let (_, list) = http(&nodes[1].address, "GET", "/v1/approvals", &[], "").await;
        let list: Value = serde_json::from_str(&list).unwrap();
        let open = list["approvals"].as_array().unwrap().clone();
        if open.len() == tool_calls {
            return open;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    let (first, second) = (waits(1), waits(2));
    let questions = open(2).await;
    assert_eq!(nodes[0].running().await, 0, "whoever waits holds no place");
    // Longer than the deadline of the call.
    tokio::time::sleep(Duration::from_millis(1_300)).await;
    assert!(!first.is_finished() && !second.is_finished());
    for question in questions {
        let body = match question["arguments"].as_str().unwrap() {
            r#"{"a":1}"# => r#"{"approve":true}"#,
            _ => r#"{"approve":false,"reason":"Not this one."}"#,
        };
        let path = format!("/v1/approvals/{}", question["id"].as_str().unwrap());
        assert_eq!(http(&nodes[1].address, "POST", &path, &[], body).await.0, 200);
    }
    assert_eq!(first.await.unwrap()["ok"], true);
    let second = second.await.unwrap();
    assert_eq!(second["error"]["code"], "approval_denied", "{second}");
    // A host that ends keeps nobody waiting.
    let third = waits(3);
    open(1).await;
    nodes[0].terminate();
    asked(&third.await.unwrap());
    let two = r#"{"wait":true,"calls":[{"tool":"asks"},{"tool":"asks"}]}"#;
    assert_eq!(http(&nodes[1].address, "POST", "/v1/calls", &[], two).await.0, 400);
}

/// The questions that are open, once there are so many.
async fn questions(served: &Served, number: usize) -> Vec<String> {
    loop {
        let (_, list) = http(&served.address, "GET", "/v1/approvals", &[], "").await;
        let list: Value = serde_json::from_str(&list).unwrap();
        let open: Vec<String> = list["approvals"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["id"].as_str().unwrap().to_owned())
            .collect();
        if open.len() == number {
            return open;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn approve(served: &Served, id: &str) {
    let (status, answer) =
        http(&served.address, "POST", &format!("/v1/approvals/{id}"), &[], r#"{"approve":true}"#).await;
    assert_eq!(status, 200, "{answer}");
}

fn waiting(served: &Served, tool: &str, arguments: &str, meta: &str) -> tokio::task::JoinHandle<Value> {
    let params = call_params(tool, arguments, &format!(r#""toolhost/wait":true{meta}"#));
    let (address, tool) = (served.address.clone(), tool.to_owned());
    tokio::spawn(
        async move { toolhost_tests::wire::request(&address, "tools/call", Some(&tool), &params).await },
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_that_wait_for_one_approval_one_runs_and_the_other_is_told() {
    let ground = ground_with("tool.append = { requires_approval = true }");
    let served = Served::start(ground.path());
    // With one key both get its outcome; without, the other one is told to ask again.
    for (round, meta) in ["", r#","toolhost/idempotency-key":"k""#].into_iter().enumerate() {
        let line = format!(r#"{{"line":"{round}"}}"#);
        let both = [waiting(&served, "append", &line, meta), waiting(&served, "append", &line, meta)];
        let open = questions(&served, 1).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        approve(&served, &open[0]).await;
        let mut codes = Vec::new();
        for call in both {
            let answer = call.await.unwrap();
            codes.push(format!("{} {}", outcome(&answer)["code"], outcome(&answer)["replayed"]));
        }
        codes.sort();
        let expected = [[r#""needs_approval" false"#, r#""ok" false"#], [r#""ok" false"#, r#""ok" true"#]];
        assert_eq!(codes, expected[round]);
        assert_eq!(questions(&served, 0).await.len(), 0, "nobody is asked twice");
        assert_eq!(lines(ground.path()), round + 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_ends_with_its_question() {
    let ground = local();
    let file = ground.path().join("host.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("[ledger]\napproval_lifetime = \"1s\"\n{text}")).unwrap();
    let served = Served::start(ground.path());
    for call in [1, 2].map(|_| waiting(&served, "asks", r#"{"a":1}"#, "")) {
        let answer = call.await.unwrap();
        assert_eq!(outcome(&answer)["code"], "approval_denied", "{answer}");
        assert!(shown(&answer).contains("Nobody decided in time."), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_waits_for_a_decision_beside_it() {
    let ground = local();
    let served = Served::start(ground.path());
    let mut command = Command::new(program());
    command.args(["call", "asks", r#"{"a":1}"#, "--wait"]).current_dir(ground.path()).kill_on_drop(true);
    let called = tokio::spawn(async move { command.output().await.unwrap() });
    let open = questions(&served, 1).await;
    approve(&served, &open[0]).await;
    let called = called.await.unwrap();
    assert_eq!(String::from_utf8(called.stdout).unwrap().trim(), r#"{"a":1}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_has_so_many_calls_wait_and_no_more() {
    const WAITING_OF_A_TENANT: usize = 64;
    let ground = local();
    let served = Served::start(ground.path());
    let calls: Vec<_> = (0..WAITING_OF_A_TENANT)
        .map(|number| waiting(&served, "asks", &format!(r#"{{"a":{number}}}"#), ""))
        .collect();
    questions(&served, WAITING_OF_A_TENANT).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let further = waiting(&served, "asks", r#"{"a":"further"}"#, "").await.unwrap();
    assert_eq!(outcome(&further)["code"], json!("needs_approval"), "{further}");
    assert!(calls.iter().all(|call| !call.is_finished()));
    served.terminate();
    for call in calls {
        assert_eq!(outcome(&call.await.unwrap())["code"], "needs_approval");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_connection_is_asked_whether_its_peer_is_there() {
    const KEEP_ALIVE_TIMER: &str = "02";
    let ground = local();
    let served = Served::start(ground.path());
    let stream = tokio::net::TcpStream::connect(&served.address).await.unwrap();
    let hex = |port: u16| format!(":{port:04X}");
    let (ours, theirs) = (stream.local_addr().unwrap().port(), stream.peer_addr().unwrap().port());
    loop {
        // proc_pid_net(5): the server's end of the connection, and the timer that runs on it.
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        let timer = table.lines().find_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let is_ours = fields.get(1)?.ends_with(&hex(theirs)) && fields.get(2)?.ends_with(&hex(ours));
            is_ours.then(|| fields[5].starts_with(KEEP_ALIVE_TIMER))
        });
        if timer == Some(true) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
