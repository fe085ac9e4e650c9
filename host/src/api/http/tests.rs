#![allow(clippy::disallowed_methods, reason = "a test makes its own files and connections")]

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::*;
use crate::executor::Settings;
use crate::id::TenantId;
use crate::policy::Tenant;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// A server on a free port, on a host without components.
struct Running {
    address: SocketAddr,
    stop: CancellationToken,
    ended: JoinHandle<()>,
    _folder: tempfile::TempDir,
}

impl Running {
    async fn start(change: impl FnOnce(&mut Settings)) -> Self {
        Self::patient(Patience::default(), change).await
    }

    async fn patient(patience: Patience, change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings::built_in(folder.path());
        settings.server.listen = "127.0.0.1:0".parse().unwrap();
        change(&mut settings);
        let host = Host::start(settings, std::path::Path::new("nothing-is-compiled")).await.unwrap();
        let server = Server { patience, ..Server::bind(host).await.unwrap() };
        let address = server.address();
        let stop = CancellationToken::new();
        let ended = tokio::spawn(server.run(stop.clone().cancelled_owned()));
        Self { address, stop, ended, _folder: folder }
    }

    /// Sends the bytes of a request and reads to the end of the connection. `HOST` stands for the right host.
    async fn exchange(&self, request: &str) -> (u16, String, Value) {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.replace("HOST", &self.address.to_string()).as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.get(9..12).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, head.to_owned(), serde_json::from_str(body).unwrap_or(Value::Null))
    }

    async fn post(&self, headers: &str, body: &str) -> (u16, String, Value) {
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        );
        self.exchange(&request).await
    }

    async fn get(&self, path: &str, headers: &str) -> (u16, String, Value) {
        self.exchange(&format!("GET {path} HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n{headers}\r\n"))
            .await
    }
}

fn with_key(settings: &mut Settings, key: &str) {
    use sha2::{Digest as _, Sha256};
    let id: TenantId = "acme".parse().unwrap();
    let digest = Sha256::digest(key).iter().map(|byte| format!("{byte:02x}")).collect();
    let tenant = Tenant { keys: vec![digest], ..Tenant::local(id.clone()) };
    settings.tenants = [(id, tenant)].into();
}

#[tokio::test]
async fn every_route_checks_host_and_origin() {
    let server = Running::start(|_| {}).await;
    for path in ["/mcp", "/healthz", "/readyz", "/no-such-path"] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n");
        let (status, _, body) = server.exchange(&request).await;
        assert_eq!(status, 403, "{path}");
        assert_eq!(body["error"]["value"], "evil.test");
        assert_eq!(body["error"]["setting"], "server.allowed_hosts");
        let (status, _, body) = server.get(path, "Origin: null\r\n").await;
        assert_eq!(status, 403, "{path}");
        assert_eq!(body["error"]["value"], "null");
        assert_eq!(body["error"]["setting"], "server.allowed_origins");
    }
    assert_eq!(server.post("", PING).await.2["result"], serde_json::json!({}));
    assert_eq!(server.get("/no-such-path", "").await.0, 404);
}

#[tokio::test]
async fn a_host_without_tools_is_healthy_and_not_ready() {
    let server = Running::start(|_| {}).await;
    let (status, _, body) = server.get("/healthz", "").await;
    assert_eq!((status, &body["ok"]), (200, &Value::Bool(true)));
    let (status, _, body) = server.get("/readyz", "").await;
    assert_eq!(status, 503);
    assert_eq!(body["reasons"][0]["code"], "no_tools", "{body}");
}

#[tokio::test]
async fn with_keys_nobody_is_served_without_one_and_nobody_learns_why() {
    let server = Running::start(|settings| with_key(settings, "secret")).await;
    let mut bodies = Vec::new();
    for header in
        ["", "Authorization: Bearer wrong\r\n", "Authorization: Basic secret\r\n", "X-Tenant: acme\r\n"]
    {
        let (status, head, body) = server.post(header, PING).await;
        assert_eq!(status, 401, "{header}");
        assert!(head.to_ascii_lowercase().contains("www-authenticate: bearer"), "{head}");
        bodies.push(body);
    }
    assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "{bodies:?}");
    assert_eq!(server.post("Authorization: Bearer secret\r\n", PING).await.0, 200);
    // Who only asks whether the server lives needs no key.
    assert_eq!(server.get("/healthz", "").await.0, 200);
}

#[tokio::test]
async fn what_is_refused_before_the_protocol_is_refused_in_its_form() {
    let server = Running::start(|_| {}).await;
    let long = " ".repeat((4 << 20) + 1);
    for (headers, body, status, code) in [
        ("", "{", 400, -32700),
        ("", r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}"#, 400, -32600),
        ("", "[]", 400, -32600),
        ("", r#"{"id":1}"#, 400, -32600),
        ("MCP-Protocol-Version: 1999-01-01\r\n", PING, 400, -32600),
        ("", long.as_str(), 413, -32600),
    ] {
        let (got, _, answer) = server.post(headers, body).await;
        assert_eq!((got, &answer["error"]["code"]), (status, &Value::from(code)), "{answer}");
    }
    let (status, head, answer) = server.get("/mcp", "").await;
    assert_eq!((status, &answer["jsonrpc"]), (405, &Value::from("2.0")));
    assert!(head.to_ascii_lowercase().contains("allow: post"), "{head}");
}

#[tokio::test]
async fn headers_are_bounded() {
    let server = Running::start(|_| {}).await;
    let many: String = (0..200).map(|n| format!("X-{n}: y\r\n")).collect();
    assert_eq!(server.get("/healthz", &many).await.0, 431);
}

#[tokio::test]
async fn a_peer_that_never_ends_its_headers_is_let_go() {
    let short = Patience { headers: Duration::from_millis(100), ..Patience::default() };
    let server = Running::patient(short, |_| {}).await;
    let mut slow = TcpStream::connect(server.address).await.unwrap();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nHost: ").await.unwrap();
    let mut rest = Vec::new();
    let closed = tokio::time::timeout(Duration::from_secs(10), slow.read_to_end(&mut rest)).await;
    assert!(closed.is_ok(), "the connection is still open");
}

#[tokio::test]
async fn a_body_that_never_ends_is_not_waited_for() {
    let short = Patience { body: Duration::from_millis(100), ..Patience::default() };
    let server = Running::patient(short, |_| {}).await;
    for path in ["/v1/tools/x/call", "/v1/calls", "/v1/explain", "/v1/approvals/x"] {
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: 10\r\n\r\n{{"
        );
        let (status, _, body) = server.exchange(&request).await;
        assert_eq!((status, &body["error"]["code"]), (408, &Value::from("slow_body")), "{path}");
    }
}

#[tokio::test]
async fn a_peer_that_never_reads_is_let_go() {
    let short = Patience { unread: Duration::from_millis(100), ..Patience::default() };
    let server = Running::patient(short, |_| {}).await;
    let mut deaf = TcpStream::connect(server.address).await.unwrap();
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).repeat(100);
    // Once all buffers are full, a server that waited for ever would never read again either.
    let refused = async { while deaf.write_all(request.as_bytes()).await.is_ok() {} };
    assert!(tokio::time::timeout(Duration::from_secs(20), refused).await.is_ok(), "it is still open");
    assert_eq!(server.get("/healthz", "").await.0, 200);
}

#[tokio::test]
async fn idle_connections_do_not_hold_up_the_end() {
    let server = Running::start(|_| {}).await;
    let mut idle = TcpStream::connect(server.address).await.unwrap();
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    idle.write_all(request.as_bytes()).await.unwrap();
    let mut answer = [0; 64];
    assert!(idle.read(&mut answer).await.unwrap() > 0);
    server.stop.cancel();
    // Well below the grace, which is for requests that still run.
    tokio::time::timeout(Duration::from_secs(5), server.ended).await.unwrap().unwrap();
}

#[tokio::test]
async fn nothing_listens_where_anybody_could_call() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings::built_in(folder.path());
    settings.server.listen = "0.0.0.0:0".parse().unwrap();
    let host = Host::start(settings, std::path::Path::new("nothing-is-compiled")).await.unwrap();
    assert!(matches!(Server::bind(host).await, Err(BindError::Unprotected(_))));
}
