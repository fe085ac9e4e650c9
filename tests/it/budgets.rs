//! What a call may use of the network, and when its requests end.

use std::time::Duration;

use serde_json::json;
use toolhost::gate::Call;
use toolhost_tests::host::caller;
use toolhost_tests::peer::{FakeNetwork, Peer, Script};
use toolhost_tests::until;

use super::egress::{PUBLIC, fetch, get, ground, one};

#[tokio::test(flavor = "multi_thread")]
async fn a_call_has_so_many_requests_and_so_many_bytes() {
    let body = vec![b'x'; 40_000];
    let large = [b"HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n".to_vec(), body].concat();
    let peer = Peer::start(Script::Pieces(vec![large])).await;
    let network = FakeNetwork::to(peer.address);
    network.name("ok.test", &[PUBLIC]);
    let limits = "[egress]\nrequests = 4\nbytes = 100_000\n";
    let host = ground(&json!(["http://ok.test"]), limits).start_on(network.clone()).await;
    let request = get("http", "ok.test");
    let answers = fetch(&host, &vec![request.clone(); 5]).await;
    assert!(answers[..2].iter().all(|answer| answer.starts_with("200 x")), "two fit");
    assert!(
        answers[2].ends_with("HTTP response body size exceeds limit: 100000 bytes"),
        "the third does not"
    );
    assert!(answers[4].contains("ConnectionLimitReached"), "{}", answers[4]);
    // The next call begins anew.
    assert!(one(&host, &request).await.starts_with("200 x"));
    // What is sent counts too, and a write of nothing is not for nothing.
    let upload = |body: &str, writes: u32| json!({"scheme": "http", "authority": "ok.test", "method": "POST", "body": body, "writes": writes});
    let answer = one(&host, &upload(&"y".repeat(4_000), 40)).await;
    assert!(!answer.starts_with("200"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_stalls_is_left() {
    let silent = Peer::start(Script::Silence).await;
    // It takes the connection, and says nothing to a TLS hello.
    let deaf = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let deaf_at = deaf.local_addr().unwrap();
    let limits = "[egress]\nconnect_timeout = \"300ms\"\nfirst_byte_timeout = \"400ms\"\n";
    let rules = json!(["http://ok.test", "https://ok.test"]);
    let network = FakeNetwork::to(silent.address);
    network.name("ok.test", &[PUBLIC]);
    let host = ground(&rules, limits).start_on(network).await;
    let answer = one(&host, &get("http", "ok.test")).await;
    assert!(answer.contains("HttpResponseTimeout"), "{answer}");
    let network = FakeNetwork::to(deaf_at);
    network.name("ok.test", &[PUBLIC]);
    let host = ground(&rules, limits).start_on(network).await;
    for nanoseconds in [None, Some(0), Some(1), Some(u64::MAX)] {
        let mut request = get("https", "ok.test");
        request["connect_ns"] = json!(nanoseconds);
        let answer = one(&host, &request).await;
        assert!(answer.contains("ConnectionTimeout"), "{nanoseconds:?}: {answer}");
    }
    // One that begins and stops.
    let slow = Peer::start(Script::Forever(b"drip".to_vec(), 60_000)).await;
    let network = FakeNetwork::to(slow.address);
    network.name("ok.test", &[PUBLIC]);
    let host = ground(&rules, limits).start_on(network).await;
    let answer = one(&host, &get("http", "ok.test")).await;
    assert_eq!(answer, "after 4 bytes: connection read timeout");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_ends_with_its_call() {
    let drip = Peer::start(Script::Forever(b"x".to_vec(), 5)).await;
    let silent = Peer::start(Script::Silence).await;
    for peer in [drip, silent] {
        let network = FakeNetwork::to(peer.address);
        network.name("ok.test", &[PUBLIC]);
        let host = ground(&json!(["http://ok.test"]), "").start_on(network).await;
        let arguments = json!({"requests": [get("http", "ok.test")]}).to_string();
        let late = Call {
            deadline: Some(Duration::from_millis(700)),
            ..Call::new(caller(&host, "local"), "fetch", arguments.clone())
        };
        let outcome = host.execute(late).await;
        assert_eq!(outcome.code(), "timeout", "{outcome:?}");
        until("the peer sees the end", || peer.open() == 0).await;
        // The same when the caller goes away.
        let gone = host.execute(Call::new(caller(&host, "local"), "fetch", arguments));
        tokio::select! {
            outcome = gone => panic!("{outcome:?}"),
            () = until("it is connected", || peer.open() > 0) => {}
        }
        until("the peer sees the end", || peer.open() == 0).await;
        assert_eq!(host.running(), 0);
    }
}
