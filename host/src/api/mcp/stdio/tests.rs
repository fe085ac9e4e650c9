use rmcp::model::{
    ClientJsonRpcMessage, EmptyResult, JsonRpcMessage, NumberOrString, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport as _;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex};

use super::lines::MAX_LINE;
use super::*;
use crate::api::mcp::arguments::RawArguments;

struct Client {
    input: DuplexStream,
    output: BufReader<DuplexStream>,
    gone: CancellationToken,
}

fn connect() -> (Client, Lines<DuplexStream>) {
    let (client_in, server_in) = duplex(64 << 10);
    let (server_out, client_out) = duplex(64 << 10);
    let gone = CancellationToken::new();
    let lines = Lines::new(server_in, server_out, gone.clone(), Duration::from_millis(50));
    (Client { input: client_in, output: BufReader::new(client_out), gone }, lines)
}

impl Client {
    async fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

fn ping(id: i64) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}")
}

fn id(message: Option<ClientJsonRpcMessage>) -> NumberOrString {
    message.unwrap().into_request().unwrap().1
}

fn empty(id: i64) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::response(ServerResult::EmptyResult(EmptyResult {}), NumberOrString::Number(id))
}

#[tokio::test]
async fn messages_are_lines_however_they_arrive() {
    let (mut client, mut lines) = connect();
    let (one, two, three) = (ping(1), ping(2), ping(3));
    client.input.write_all(format!("{one}\r\n\n  \n{two}\n{three}").as_bytes()).await.unwrap();
    drop(client.input);
    for expected in 1..=3 {
        assert_eq!(id(lines.receive().await), NumberOrString::Number(expected));
    }
    assert!(lines.receive().await.is_none());
    assert!(lines.receive().await.is_none());
    client.gone.cancelled().await;
}

#[tokio::test]
async fn a_read_that_is_given_up_loses_nothing() {
    let (mut client, mut lines) = connect();
    for byte in ping(9).bytes() {
        client.input.write_all(&[byte]).await.unwrap();
        // The read is polled, takes what is there, and is dropped.
        tokio::select! {
            biased;
            message = lines.receive() => panic!("{message:?} before its end"),
            () = tokio::task::yield_now() => {}
        }
    }
    client.input.write_all(b"\n").await.unwrap();
    assert_eq!(id(lines.receive().await), NumberOrString::Number(9));
}

#[tokio::test]
async fn arguments_travel_beside_their_request() {
    let (mut client, mut lines) = connect();
    let raw = r#"{"a":1,"a":9007199254740993}"#;
    let line = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"t\",\"arguments\":{raw}}}}}\n"
    );
    client.input.write_all(line.as_bytes()).await.unwrap();
    let message = lines.receive().await.unwrap();
    let JsonRpcMessage::Request(request) = message else { panic!("{message:?}") };
    let extensions = rmcp::model::GetExtensions::extensions(&request.request);
    assert_eq!(extensions.get::<RawArguments>().unwrap().0, raw);
}

#[tokio::test]
async fn a_line_that_is_no_message_is_answered_and_the_next_one_served() {
    let (mut client, mut lines) = connect();
    for (line, code, id) in [
        ("{oops", -32700, Value::Null),
        ("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\",\"method\":\"ping\"}", -32600, 4.into()),
        ("{\"jsonrpc\":\"1.0\",\"id\":\"x\",\"method\":\"ping\"}", -32600, "x".into()),
        ("[]", -32600, Value::Null),
    ] {
        client.input.write_all(format!("{line}\n{}\n", ping(5)).as_bytes()).await.unwrap();
        assert_eq!(super::tests::id(lines.receive().await), NumberOrString::Number(5), "{line}");
        let answer = client.answer().await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert_eq!(answer.get("id").unwrap_or(&Value::Null), &id, "{answer}");
    }
}

#[tokio::test]
async fn a_line_without_end_is_not_kept_in_memory() {
    let (mut client, mut lines) = connect();
    let writer = tokio::spawn(async move {
        let part = vec![b'x'; 64 << 10];
        for _ in 0..(MAX_LINE / part.len() + 2) {
            client.input.write_all(&part).await.unwrap();
        }
        client.input.write_all(format!("\n{}\n", ping(6)).as_bytes()).await.unwrap();
        client
    });
    assert_eq!(id(lines.receive().await), NumberOrString::Number(6));
    let answer = writer.await.unwrap().answer().await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("4194304 bytes"), "{answer}");
}

#[tokio::test]
async fn what_was_cancelled_is_not_answered() {
    let (mut client, mut lines) = connect();
    lines.send(empty(1)).await.unwrap();
    assert_eq!(client.answer().await["id"], 1);
    client.gone.cancel();
    lines.send(empty(2)).await.unwrap();
    lines.close().await.unwrap();
    let mut rest = String::new();
    client.output.read_line(&mut rest).await.unwrap();
    assert_eq!(rest, "");
}

#[tokio::test]
async fn both_eras_are_served_on_one_pipe_until_the_input_ends() {
    let folder = tempfile::tempdir().unwrap();
    let settings = crate::executor::Settings::built_in(folder.path());
    let host = Host::start(settings, std::path::Path::new("nothing-is-compiled")).await.unwrap();
    let tenant = crate::api::identity::local_tenant(&host).unwrap();
    let caller = Caller { tenant, user: None, surface: crate::gate::Surface::Mcp };
    let (mut input, server_in) = duplex(64 << 10);
    let (server_out, output) = duplex(64 << 10);
    let served = tokio::spawn(serve_on(host, caller, server_in, server_out, std::future::pending()));
    let modern = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
                  \"io.modelcontextprotocol/clientCapabilities\":{}}";
    // A first message that no handshake foresees ends nothing.
    let lines = [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":0,"result":{}}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{{modern}}}}}"#),
        r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"nope"}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":5,"method":"no/such"}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{{"name":"nope",{modern}}}}}"#),
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}"#.to_owned(),
    ];
    input.write_all(lines.join("\n").as_bytes()).await.unwrap();
    drop(input);
    let mut answers = std::collections::BTreeMap::new();
    let mut output = BufReader::new(output).lines();
    while let Some(line) = output.next_line().await.unwrap() {
        let answer: Value = serde_json::from_str(&line).unwrap();
        answers.insert(answer["id"].as_i64().unwrap(), answer);
    }
    served.await.unwrap();
    assert_eq!(answers.keys().copied().collect::<Vec<_>>(), (1..=7).collect::<Vec<_>>());
    assert_eq!(answers[&1]["result"]["supportedVersions"][2], "2026-07-28");
    assert_eq!(answers[&2]["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(answers[&3]["result"]["tools"], serde_json::json!([]));
    for id in [4, 6] {
        assert_eq!(answers[&id]["error"]["code"], -32602);
        assert_eq!(answers[&id]["error"]["data"]["code"], "no_such_tool");
    }
    assert_eq!(answers[&5]["error"]["code"], -32601);
    assert_eq!(answers[&7]["error"]["code"], -32602);
}

#[tokio::test]
async fn a_client_that_closed_its_end_is_gone() {
    let (client, mut lines) = connect();
    let Client { input, output, gone } = client;
    drop(output);
    lines.send(empty(1)).await.unwrap();
    gone.cancelled().await;
    drop(input);
}
