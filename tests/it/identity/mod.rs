//! Who calls: keys of the store, signed tokens, the roles of both, and that neither goes any further than the door.

mod keys;
mod roles;
mod tokens;
mod traces;

use std::path::Path;

use serde_json::{Value, json};
use toolhost_tests::Patience;
use toolhost_tests::host::Ground;
use toolhost_tests::wire::{self, REVISION, Served, answer_of, exchange, http};

/// Two tenants, and tools that need no approval.
const TENANTS: &str = "[[component]]\npath = \"tools/*.wasm\"\ntrust_annotations = true\n\
                       [[tenant]]\nid = \"acme\"\n[[tenant]]\nid = \"globex\"\ndeny = [\"multiply\"]\n\
                       [server]\nauthentication = \"required\"\n";

fn ground(further: &str) -> Ground {
    Ground::new().samples(&["math", "web"]).config(&format!("{TENANTS}{further}"))
}

/// Runs `host` to its end, which has to be a good one, and gives the lines of its output without their ends.
fn host(folder: &Path, arguments: &[&str]) -> String {
    let said = wire::run(folder, arguments);
    assert!(said.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8(said.stdout).unwrap().trim_end().to_owned()
}

/// Makes a key by the command.
fn make(folder: &Path, arguments: &[&str]) -> String {
    host(folder, &[&["keys", "create"], arguments].concat())
}

/// The id in a key.
fn id(key: &str) -> &str {
    key.split('_').nth(1).unwrap()
}

fn bearer(key: &str) -> (&'static str, String) {
    ("Authorization", format!("Bearer {key}"))
}

/// A request to the HTTP API: the status and the JSON of its body.
async fn send(served: &Served, key: &str, method: &str, path: &str, body: &str) -> (u16, Value) {
    let (status, answer) = http(&served.address, method, path, &[bearer(key)], body).await;
    (status, serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{status}: {answer}")))
}

/// One call over HTTP.
async fn call(served: &Served, key: &str, tool: &str, arguments: Value) -> Value {
    let body = json!({"calls": [{"tool": tool, "arguments": arguments}]}).to_string();
    let (status, mut answer) = send(served, key, "POST", "/v1/calls", &body).await;
    assert_eq!(status, 200, "{answer}");
    answer["results"][0].take()
}

/// Whether a key may call: the status.
async fn status(served: &Served, key: &str) -> u16 {
    send(served, key, "POST", "/v1/calls", r#"{"calls":[]}"#).await.0
}

/// In whose name a tool is called: tenant and user.
async fn whoami(served: &Served, key: &str) -> Value {
    let outcome = call(served, key, "whoami", json!({})).await;
    assert_eq!(outcome["ok"], true, "{outcome}");
    outcome["structured"].clone()
}

/// Waits until a key may call, or may not.
async fn until(served: &Served, key: &str, wanted: u16) {
    let what = format!("the key is answered with {wanted}");
    let patience = Patience::new(&what);
    while status(served, key).await != wanted {
        patience.wait().await;
    }
}

/// One request over MCP: the status, the head, and the JSON-RPC answer if it is one.
async fn over_mcp(
    served: &Served,
    key: Option<&str>,
    method: &str,
    params: &Value,
) -> (u16, String, Option<Value>) {
    let name = params["name"].as_str().map(|name| ("Mcp-Name", name.to_owned()));
    let mut params = params.clone();
    let meta = params["_meta"].as_object().cloned().unwrap_or_default();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params["_meta"].as_object_mut().unwrap().extend(meta);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let mut headers = vec![
        ("Accept", "application/json, text/event-stream".to_owned()),
        ("MCP-Protocol-Version", REVISION.to_owned()),
        ("Mcp-Method", method.to_owned()),
    ];
    headers.extend(key.map(bearer));
    headers.extend(name);
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let answer = exchange(&served.address, "POST", "/mcp", &headers, &body).await;
    let said = answer_of(&answer.body);
    (answer.status, answer.head, said)
}

/// The names that `tools/list` gives.
async fn listed(served: &Served, key: &str, meta: Value) -> Vec<String> {
    let (_, _, answer) = over_mcp(served, Some(key), "tools/list", &json!({"_meta": meta})).await;
    let answer = answer.unwrap();
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// The challenge in the head of an answer.
fn challenge(head: &str) -> &str {
    let line = head.lines().find_map(|line| {
        line.split_once(": ").filter(|(name, _)| name.eq_ignore_ascii_case("www-authenticate"))
    });
    line.unwrap_or_else(|| panic!("there is no challenge: {head}")).1
}
