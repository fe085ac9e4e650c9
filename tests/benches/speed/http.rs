//! P3: calls per second over HTTP on loopback against a bare `axum` route that answers with its body, as ratios at 1 and at 16
//! connections. The route is served by a process of its own, as the host is, with the same allocator.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use axum::serve::ListenerExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use toolhost_tests::host::Ground;
use toolhost_tests::wire::{REVISION, Served, call_params};

use super::{ARGUMENTS, TRUSTED};

/// The word under which this program serves the bare route.
pub(crate) const ECHO: &str = "--echo";

/// How often the servers take turns, and for how long each has its turn.
const ROUNDS: usize = 6;
const TURN: Duration = Duration::from_millis(700);

/// Serves the bare route, and says where.
pub(crate) async fn echo() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    // As the host has it.
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    let router = Router::new().route("/echo", post(async |body: Bytes| body));
    axum::serve(listener, router).await.unwrap();
}

/// The process with the bare route. Killed when it is dropped.
struct Echo {
    child: Child,
    address: String,
}

impl Echo {
    fn start() -> Self {
        use std::io::BufRead as _;
        let program = std::env::current_exe().unwrap();
        let mut child = Command::new(program).arg(ECHO).stdout(Stdio::piped()).spawn().unwrap();
        let mut address = String::new();
        std::io::BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self { child, address: address.trim().to_owned() }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// One way of answering: where, with which request, and what the answer has in it.
struct Way {
    name: &'static str,
    address: String,
    request: String,
    expected: &'static str,
}

/// All ways, in turns, at 1 and at 16 connections.
pub(crate) async fn lean_path() {
    println!("P3  `multiply` over HTTP on loopback, {} turns of {} ms each", ROUNDS - 1, TURN.as_millis());
    let ground = Ground::new().samples(&["math"]).plain_config(TRUSTED);
    let (served, echo) = (Served::start(ground.path()), Echo::start());
    let body = format!(r#"{{"arguments":{ARGUMENTS}}}"#);
    let rpc = call_params("multiply", ARGUMENTS, "");
    let rpc = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{rpc}}}"#);
    let headers = format!(
        "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {REVISION}\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: multiply\r\n"
    );
    let ways = [
        way("bare axum echo", &echo.address, "/echo", "", &body, "\"a\":6"),
        way(
            "POST /v1/tools/multiply/call",
            &served.address,
            "/v1/tools/multiply/call",
            "",
            &body,
            "\"ok\":true",
        ),
        way("MCP tools/call", &served.address, "/mcp", &headers, &rpc, "\"text\":\"42\""),
    ];
    for connections in [1, 16] {
        let mut rates = [0.0; 3];
        for round in 0..ROUNDS {
            for (way, rate) in ways.iter().zip(&mut rates) {
                let calls = turn(way, connections).await;
                // The first round warms everything.
                if round > 0 {
                    *rate += calls / (ROUNDS - 1) as f64;
                }
            }
        }
        println!("  {connections} connection{}", if connections == 1 { "" } else { "s" });
        for (way, rate) in ways.iter().zip(rates) {
            let bar = if connections == 16 { " (bar 0.40)" } else { "" };
            println!("    {:<34} {rate:>9.0} calls/s   {:.2} of the echo{bar}", way.name, rate / rates[0]);
        }
    }
}

fn way(
    name: &'static str,
    address: &str,
    path: &str,
    headers: &str,
    body: &str,
    expected: &'static str,
) -> Way {
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\n{headers}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    Way { name, address: address.to_owned(), request, expected }
}

/// Calls per second of one turn.
async fn turn(way: &Way, connections: usize) -> f64 {
    let calls = Arc::new(AtomicU64::new(0));
    let began = Instant::now();
    let mut clients = JoinSet::new();
    for _ in 0..connections {
        let (calls, address) = (calls.clone(), way.address.clone());
        let (request, expected) = (way.request.clone(), way.expected);
        clients.spawn(async move {
            let mut stream = TcpStream::connect(&address).await.unwrap();
            stream.set_nodelay(true).unwrap();
            let mut buffer = Vec::new();
            while began.elapsed() < TURN {
                stream.write_all(request.as_bytes()).await.unwrap();
                let answer = answer(&mut stream, &mut buffer).await;
                assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(expected), "{answer}");
                calls.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    while let Some(client) = clients.join_next().await {
        client.unwrap();
    }
    calls.load(Ordering::Relaxed) as f64 / began.elapsed().as_secs_f64()
}

/// The next answer on a connection, whose length it says itself.
async fn answer<'a>(stream: &mut TcpStream, buffer: &'a mut Vec<u8>) -> &'a str {
    buffer.clear();
    loop {
        assert!(stream.read_buf(buffer).await.unwrap() > 0, "the connection ended");
        let text = std::str::from_utf8(buffer).unwrap();
        let Some(head) = text.find("\r\n\r\n") else { continue };
        let length = text[..head]
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            .map(|(_, value)| value.parse::<usize>().unwrap())
            .unwrap();
        if buffer.len() >= head + 4 + length {
            break;
        }
    }
    std::str::from_utf8(buffer).unwrap()
}
