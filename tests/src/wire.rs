//! The surfaces as a client sees them: a real `host` process, spoken to over HTTP and over standard streams.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::host::program;

/// The newest revision that the host speaks.
pub const REVISION: &str = "2026-07-28";

/// A `host serve` process on a free port. Killed when it is dropped.
#[derive(Debug)]
pub struct Served {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub address: String,
}

impl Served {
    /// Serves from a folder, and returns when the server has printed its address.
    pub fn start(folder: &Path) -> Self {
        Self::start_by(Command::new(program()), folder)
    }

    /// The same with all that it can log, into a file.
    pub fn start_logging(folder: &Path, file: &Path) -> Self {
        let mut program = Command::new(program());
        program.env("TOOLHOST_LOG", "trace").stderr(std::fs::File::create(file).expect("a file"));
        Self::start_by(program, folder)
    }

    /// The same by a clock that is minutes ahead.
    pub fn start_ahead(folder: &Path, minutes: u32) -> Self {
        // The wrapper would stand between this process and the host; what it sets does as well.
        let said = Command::new("faketime")
            .args(["--exclude-monotonic", "-f", &format!("+{minutes}m"), "env"])
            .output()
            .expect("faketime is there");
        let said = String::from_utf8(said.stdout).expect("an environment");
        let ours = |name: &&str| name.contains("FAKE") && *name != "FAKETIME_SHARED" || *name == "LD_PRELOAD";
        let mut program = Command::new(program());
        program.envs(said.lines().filter_map(|line| line.split_once('=')).filter(|(name, _)| ours(name)));
        Self::start_by(program, folder)
    }

    /// The same, and a file that may not grow any more is an error to it, where it would be the end of most programs.
    pub fn start_unkilled_by_limits(folder: &Path) -> Self {
        let mut shell = Command::new("bash");
        shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(program());
        Self::start_by(shell, folder)
    }

    fn start_by(mut program: Command, folder: &Path) -> Self {
        let mut child = program
            .args(["serve", "--listen", "127.0.0.1:0"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the host starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let address = loop {
            let line = lines.next().expect("the host says where it serves").expect("a line");
            if let Some((_, rest)) = line.split_once("http://") {
                break rest.split('/').next().expect("an address").to_owned();
            }
        };
        // Whatever it says later must have a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address }
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Calls a tool over MCP and gives the whole JSON-RPC answer.
    pub async fn call(&self, tool: &str, arguments: &str) -> Value {
        self.request("tools/call", Some(tool), &call_params(tool, arguments, "")).await
    }

    /// Sends one request, whose parameters are JSON text, and gives the JSON-RPC answer.
    pub async fn request(&self, method: &str, name: Option<&str>, params: &str) -> Value {
        request(&self.address, method, name, params).await
    }

    /// Calls a tool in a task of its own, which needs this server no longer.
    pub fn detached(&self, tool: &str, arguments: &str) -> tokio::task::JoinHandle<Value> {
        let (address, tool, arguments) = (self.address.clone(), tool.to_owned(), arguments.to_owned());
        tokio::spawn(async move {
            request(&address, "tools/call", Some(&tool), &call_params(&tool, &arguments, "")).await
        })
    }

    /// How many executions hold a place in a pool.
    pub async fn running(&self) -> u64 {
        let (status, body) = http(&self.address, "GET", "/readyz", &[], "").await;
        let body: Value =
            serde_json::from_str(&body).unwrap_or_else(|fault| panic!("{status}: {fault}: {body}"));
        body["n_running"].as_u64().unwrap_or_else(|| panic!("{body}"))
    }

    /// Asks the process to end.
    pub fn terminate(&self) {
        let signalled = Command::new("kill").arg(self.child.id().to_string()).status().expect("kill");
        assert!(signalled.success());
    }

    /// Kills the process, as `kill -9` does.
    pub fn kill(&self) {
        let signalled =
            Command::new("kill").args(["-9", &self.child.id().to_string()]).status().expect("kill");
        assert!(signalled.success());
    }

    /// Waits for the end of the process.
    pub async fn ended(&mut self) -> std::process::ExitStatus {
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Asks `/healthz` and gives the status.
    pub async fn health(&self) -> u16 {
        http(&self.address, "GET", "/healthz", &[], "").await.0
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Sends one request to an address, and gives the JSON-RPC answer.
pub async fn request(address: &str, method: &str, name: Option<&str>, params: &str) -> Value {
    let body = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"{method}","params":{params}}}"#);
    let mut headers = vec![
        ("Accept", "application/json, text/event-stream".to_owned()),
        ("MCP-Protocol-Version", REVISION.to_owned()),
        ("Mcp-Method", method.to_owned()),
    ];
    headers.extend(name.map(|name| ("Mcp-Name", name.to_owned())));
    let (status, answer) = http(address, "POST", "/mcp", &headers, &body).await;
    answer_of(&answer).unwrap_or_else(|| panic!("{status}: {answer}"))
}

/// The parameters of `tools/call`, with the arguments as they are and further members of `_meta`.
pub fn call_params(tool: &str, arguments: &str, meta: &str) -> String {
    params(tool, arguments, "{}", meta, "")
}

/// The same from a client that can ask people, with further members: answers, and what it kept.
pub fn answering_params(tool: &str, arguments: &str, meta: &str, members: &Value) -> String {
    let members: String = members
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| format!(",{}:{value}", json!(name)))
        .collect();
    params(tool, arguments, r#"{"elicitation":{}}"#, meta, &members)
}

fn params(tool: &str, arguments: &str, capabilities: &str, meta: &str, members: &str) -> String {
    let comma = if meta.is_empty() { "" } else { "," };
    format!(
        r#"{{"name":{},"arguments":{arguments}{members},"_meta":{{"io.modelcontextprotocol/protocolVersion":"{REVISION}","io.modelcontextprotocol/clientInfo":{{"name":"test","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{capabilities}{comma}{meta}}}}}"#,
        json!(tool)
    )
}

/// One HTTP/1.1 exchange on a connection of its own. Gives the status and the body.
pub async fn http(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, String)],
    body: &str,
) -> (u16, String) {
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let Answer { status, body, .. } = exchange(address, method, path, &headers, body).await;
    (status, body)
}

/// An answer over HTTP.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The status line and the headers, as they came.
    pub head: String,
    /// The body.
    pub body: String,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|fault| panic!("{fault}: {self:?}"))
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

/// The same with the headers of the answer.
pub async fn exchange(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    let named = |wanted: &str| headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
    let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !named("host") {
        request.push_str(&format!("Host: {address}\r\n"));
    }
    if !body.is_empty() && !named("content-type") {
        request.push_str("Content-Type: application/json\r\n");
    }
    if !body.is_empty() && !named("content-length") {
        request.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str("\r\n");
    request.push_str(body);
    raw_exchange(address, request.as_bytes()).await
}

/// Sends bytes as they are, and reads to the end of the connection.
pub async fn raw_exchange(address: &str, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.set_nodelay(true).expect("a socket");
    // A server that refuses a request need not read all of it.
    let _ = stream.write_all(request).await;
    let mut answer = Vec::new();
    tokio::time::timeout(Duration::from_secs(150), stream.read_to_end(&mut answer))
        .await
        .expect("an answer in time")
        .expect("an answer");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status =
        head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_else(|| panic!("{head}"));
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { unchunked(body) } else { body.to_owned() };
    Answer { status, head: head.to_owned(), body }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 {
            break;
        }
        whole.push_str(rest.get(..size).unwrap_or(rest));
        body = rest.get(size + 2..).unwrap_or("");
    }
    whole
}

/// The JSON-RPC answer in a body, which is JSON or an event stream.
pub fn answer_of(body: &str) -> Option<Value> {
    let is_answer = |value: &Value| value.get("result").is_some() || value.get("error").is_some();
    let whole = serde_json::from_str(body).ok().filter(is_answer);
    whole.or_else(|| {
        body.lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .filter_map(|data| serde_json::from_str(data.trim()).ok())
            .find(is_answer)
    })
}

/// A `host serve --stdio` process. Killed when it is dropped.
#[derive(Debug)]
pub struct Piped {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Piped {
    /// Serves from a folder.
    pub fn start(folder: &Path) -> Self {
        Self::start_by(Command::new(program()), folder)
    }

    /// Serves the bearer of a key.
    pub fn start_with_key(folder: &Path, key: &str) -> Self {
        let mut program = Command::new(program());
        program.env("TOOLHOST_KEY", key);
        Self::start_by(program, folder)
    }

    fn start_by(mut program: Command, folder: &Path) -> Self {
        let mut child = program
            .args(["serve", "--stdio"])
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the host starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Self { child, input, output }
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends one line.
    pub fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("an open input");
        writeln!(input, "{line}").expect("the host reads");
        input.flush().expect("the host reads");
    }

    /// The next frame.
    pub fn frame(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|fault| panic!("no frame ({fault}): {line:?}"))
    }

    /// Calls a tool and gives the whole JSON-RPC answer.
    pub fn call(&mut self, tool: &str, arguments: &str) -> Value {
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}}"#,
            call_params(tool, arguments, "")
        ));
        loop {
            let frame = self.frame();
            if frame.get("id") == Some(&json!(7)) {
                return frame;
            }
        }
    }

    /// Closes the input and gives all that is left of the output once the host has ended.
    pub fn rest(mut self) -> String {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("text");
        self.child.wait().expect("the host ends");
        rest
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Runs the `host` program to its end in a folder.
pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(program()).args(arguments).current_dir(folder).output().expect("the host runs")
}

/// The text that a model is shown by an answer of either transport: the result's text, or the protocol error's.
pub fn shown(answer: &Value) -> String {
    match answer.pointer("/result/content/0/text").or_else(|| answer.pointer("/error/message")) {
        Some(text) => text.as_str().expect("a text").to_owned(),
        None => panic!("{answer}"),
    }
}
