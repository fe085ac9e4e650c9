//! Many clients at once: how many of one tenant are let in, what those who leave or never read cost, and that a call ends
//! with its client.

use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use toolhost_tests::Patience;
use toolhost_tests::process::Held;
use toolhost_tests::wire::Served;

use super::{ACME, GLOBEX, assert_fault, get, post, two_tenants};

/// Opens a connection and sends the beginning of a request, whose body never comes.
async fn begun(served: &Served, key: &str, path: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&served.address).await.unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
         Content-Length: 100\r\n\r\n{body}",
        served.address
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

/// Fills a tenant's places in one group of routes, and looks what is left to whom.
async fn fill(path: &str, places: usize, asks: impl AsyncFn(&Served, &str) -> u16) {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let idle = Held::idle(&served).await;
    let mut begun_requests = Vec::new();
    for _ in 0..places {
        begun_requests.push(begun(&served, ACME, path, "{").await);
    }
    let patience = Instant::now();
    loop {
        // What was asked meanwhile may have had the place of one of them, which was refused then.
        let mut all_in = true;
        for stream in &mut begun_requests {
            if stream.try_read(&mut [0; 64]).is_ok() {
                all_in = false;
                *stream = begun(&served, ACME, path, "{").await;
            }
        }
        if asks(&served, ACME).await == 429 && all_in {
            break;
        }
        assert!(patience.elapsed() < Duration::from_secs(25), "there are other places than {places}");
    }
    assert_eq!(asks(&served, GLOBEX).await, 200, "another tenant has its own places");
    assert_eq!(served.health().await, 200);
    drop(begun_requests);
    let patience = Patience::new("whoever leaves makes room");
    while asks(&served, ACME).await != 200 {
        patience.wait().await;
    }
    Held::idle(&served).await.assert_no_more_than(&idle);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_has_so_many_requests_with_calls_at_once() {
    fill("/v1/tools/echo/call", 448, async |served, key| {
        let answer = post(served, key, "/v1/tools/echo/call", "{}").await;
        if answer.status == 429 {
            assert_fault(&answer, 429, "too_many_requests");
        }
        answer.status
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_has_so_many_questions_at_once() {
    fill("/v1/approvals/x", 32, async |served, key| get(served, key, "/v1/tools").await.status).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_ends_with_its_client() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    for round in 1..=4 {
        let body = format!("{:100}", "{}");
        let stream = begun(&served, ACME, "/v1/tools/spin/call", &body).await;
        let patience = Patience::new("the call runs");
        while served.running().await == 0 {
            patience.wait().await;
        }
        drop(stream);
        Held::idle(&served).await;
        let cancelled = get(&served, ACME, "/v1/calls?tool=spin&code=cancelled").await.json();
        assert_eq!(cancelled["calls"].as_array().unwrap().len(), round, "{cancelled}");
    }
    assert_eq!(
        get(&served, ACME, "/v1/calls?tool=spin").await.json()["calls"].as_array().map(Vec::len),
        Some(4)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_never_read_or_leave_early_cost_nothing_for_long() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let once = async || {
        let mut clients = Vec::new();
        for number in 0..64 {
            let path =
                ["/v1/tools/spin/call", "/v1/tools/echo/call", "/v1/calls", "/v1/approvals/x"][number % 4];
            clients.push(begun(&served, [ACME, GLOBEX][number % 2], path, &"{".repeat(number)).await);
        }
        let mut deaf = Vec::new();
        for _ in 0..64 {
            let mut stream = TcpStream::connect(&served.address).await.unwrap();
            let request = format!(
                "GET /v1/tools HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {GLOBEX}\r\n\r\n",
                served.address
            );
            // Each asks often, and reads nothing.
            stream.write_all(request.repeat(64).as_bytes()).await.unwrap();
            deaf.push(stream);
        }
        let answer = post(&served, ACME, "/v1/tools/echo/call", r#"{"arguments":{"a":1}}"#).await;
        assert_eq!(answer.json()["ok"], Value::Bool(true), "the others are served meanwhile");
        drop((clients, deaf));
        Held::idle(&served).await
    };
    once().await;
    let before = once().await;
    once().await.assert_no_more_than(&before);
}
