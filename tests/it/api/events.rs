//! Server-sent events: what is told to whom, and what becomes of those who do not listen.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpSocket, TcpStream};
use toolhost_tests::Patience;
use toolhost_tests::host::Ground;
use toolhost_tests::process::Held;
use toolhost_tests::wire::{Served, http};

use super::{ACME, GLOBEX, assert_fault, get, post, two_tenants};

/// A client of `/v1/events`.
struct Ear(BufReader<TcpStream>);

impl Ear {
    /// Connects, and returns when the server has said that it listens.
    async fn open(served: &Served, key: &str) -> Self {
        let mut ear = Self::deaf(served, key).await;
        ear.hears().await;
        ear
    }

    /// The same with little room for what it does not read, and without reading anything.
    async fn deaf(served: &Served, key: &str) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4 << 10).unwrap();
        let mut stream = socket.connect(served.address.parse().unwrap()).await.unwrap();
        let request = format!(
            "GET /v1/events HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\nAccept: text/event-stream\r\n\r\n",
            served.address
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        Self(BufReader::new(stream))
    }

    async fn hears(&mut self) {
        let status = self.line().await.unwrap();
        assert!(status.contains("200"), "{status}");
        while self.line().await.is_some_and(|line| !line.trim().is_empty()) {}
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = tokio::time::timeout(Duration::from_secs(60), self.0.read_line(&mut line)).await;
        (read.expect("something is said in time").unwrap() > 0).then_some(line)
    }

    /// The next event: its name and its data.
    async fn next(&mut self) -> Option<(String, Value)> {
        let mut name = None;
        loop {
            let line = self.line().await?;
            if let Some(rest) = line.strip_prefix("event: ") {
                name = Some(rest.trim().to_owned());
            } else if let Some(rest) = line.strip_prefix("data: ") {
                return Some((name.expect("a name"), serde_json::from_str(rest).unwrap()));
            }
        }
    }

    /// The events of the next call, up to its end.
    async fn call(&mut self) -> Vec<(String, Value)> {
        let mut events = Vec::new();
        while events.last().is_none_or(|(name, _)| name != "ended") {
            events.push(self.next().await.expect("a further event"));
        }
        events
    }
}

fn names(events: &[(String, Value)]) -> Vec<&str> {
    events.iter().map(|(name, _)| name.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_hears_of_its_own_calls_from_beginning_to_end() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let mut acme = Ear::open(&served, ACME).await;
    let mut globex = Ear::open(&served, GLOBEX).await;
    let ran = post(&served, ACME, "/v1/tools/echo/call", r#"{"run":"r1"}"#).await.json();
    let events = acme.call().await;
    assert_eq!(names(&events), ["started", "gate", "gate", "gate", "gate", "gate", "ended"]);
    assert!(events.iter().all(|(_, data)| data["call_id"] == ran["call_id"] && data["tool"] == "echo"));
    assert_eq!((&events[0].1["run"], &events[0].1["surface"]), (&json!("r1"), &json!("http")));
    assert_eq!((&events[6].1["code"], &events[6].1["attempt"]), (&json!("ok"), &json!(1)));
    for (body, gates, code) in [
        (r#"{"arguments":{"b":1}}"#, vec![true, true, true, false], "bad_args"),
        (r#"{"allow":["asks"]}"#, vec![true, false], "not_allowed"),
    ] {
        post(&served, ACME, "/v1/tools/echo/call", body).await;
        let events = acme.call().await;
        let verdicts: Vec<bool> =
            events.iter().filter_map(|(_, data)| data.get("passed")?.as_bool()).collect();
        assert_eq!(verdicts, gates);
        assert_eq!(events.last().unwrap().1["code"], code);
    }
    // Had anything of the other tenant been told, it would stand before this.
    let own = post(&served, GLOBEX, "/v1/tools/echo/call", "{}").await.json();
    assert_eq!(globex.call().await[0].1["call_id"], own["call_id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_guest_says_about_its_progress_is_heard_in_order_by_every_way_in() {
    let ground = Ground::new().samples(&["conformance"]);
    let served = Served::start(ground.path());
    let mut ear = Ear::open(&served, "").await;
    http(&served.address, "POST", "/v1/tools/test_tool_with_progress/call", &[], "{}").await;
    served.call("test_tool_with_progress", "{}").await;
    for surface in ["http", "mcp"] {
        let events = ear.call().await;
        let told: Vec<&Value> =
            events.iter().filter(|(name, _)| name == "progress").map(|(_, data)| &data["done"]).collect();
        assert_eq!(told, [&json!(0.0), &json!(50.0), &json!(100.0)], "{events:?}");
        assert_eq!(events[0].1["surface"], surface);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_that_does_not_read_holds_up_nobody_and_is_let_go() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let mut deaf = Ear::deaf(&served, ACME).await;
    // The server has said that it listens; what follows is not read.
    deaf.hears().await;
    let long = "\u{1F980}".repeat(128);
    let calls = vec![json!({"tool": "never"}); 256];
    let body = json!({"calls": calls, "run": long}).to_string();
    for _ in 0..40 {
        let answer = post(&served, ACME, "/v1/calls", &body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let mut last = None;
    while let Some(event) = deaf.next().await {
        last = Some(event);
    }
    let (name, data) = last.expect("it was told something");
    assert_eq!(name, "lost");
    assert!(data["n_events"].as_u64().unwrap() > 0, "{data}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_has_so_many_listeners_and_leaves_room_for_others() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let idle = Held::idle(&served).await;
    let mut ears = Vec::new();
    for _ in 0..16 {
        ears.push(Ear::open(&served, ACME).await);
    }
    let crowded = get(&served, ACME, "/v1/events").await;
    assert_fault(&crowded, 429, "too_many_requests");
    assert_eq!(crowded.header("retry-after"), Some("1"));
    let other = Ear::open(&served, GLOBEX).await;
    drop((ears, other));
    let patience = Patience::new("whoever leaves makes room");
    loop {
        let mut again = Ear::deaf(&served, ACME).await;
        let mut status = [0; 12];
        again.0.read_exact(&mut status).await.unwrap();
        if status.ends_with(b"200") {
            break;
        }
        patience.wait().await;
    }
    Held::idle(&served).await.assert_no_more_than(&idle);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_the_host_ends_its_streams() {
    let ground = two_tenants();
    let mut served = Served::start(ground.path());
    let mut ear = Ear::open(&served, ACME).await;
    served.terminate();
    assert_eq!(ear.next().await, None);
    assert!(served.ended().await.success());
}
