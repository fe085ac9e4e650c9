//! Tools that ask before they go on: what the client keeps is sealed, good for that call alone, and taken once.

use std::time::Duration;

use serde_json::{Value, json};
use toolhost::id::Digest;
use toolhost_tests::wire::{Served, answering_params, call_params, http, run, shown};

use super::ledger::{ground, ground_with, lines, outcome};

const X: &str = r#"{"line":"x"}"#;

async fn send(served: &Served, tool: &str, arguments: &str, meta: &str, members: &Value) -> Value {
    let params = answering_params(tool, arguments, meta, members);
    served.request("tools/call", Some(tool), &params).await
}

async fn confirm(served: &Served, arguments: &str, members: &Value) -> Value {
    send(served, "confirm", arguments, "", members).await
}

/// What the client has to keep.
fn kept(answer: &Value) -> String {
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    answer["result"]["requestState"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// Has the call approved, and gives what the client has to keep when the tool asks then.
async fn approved(served: &Served) -> String {
    let may = kept(&confirm(served, X, &json!({})).await);
    let yes = json!({
        "inputResponses": {"approval": {"action": "accept", "content": {"approve": true}}}, "requestState": may,
    });
    kept(&confirm(served, X, &yes).await)
}

fn says(sure: bool, state: &str) -> Value {
    json!({"inputResponses": {"sure": {"action": "accept", "content": {"sure": sure}}}, "requestState": state})
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_taken_once_on_any_node() {
    let ground = ground();
    let folders = [ground.another(), ground.another()];
    let nodes = folders.each_ref().map(|folder| Served::start(folder.path()));
    let asked = confirm(&nodes[0], X, &json!({})).await;
    let question = &asked["result"]["inputRequests"]["sure"];
    assert_eq!(question["method"], "elicitation/create", "{asked}");
    assert_eq!(question["params"]["message"], "Append x?");
    assert_eq!(asked["result"]["_meta"]["toolhost/outcome"]["type"], "InputRequired", "{asked}");
    let state = kept(&asked);
    assert!(!state.contains("asked about"), "what the tool keeps cannot be read");
    assert_eq!(lines(ground.path()), 0);
    let done = confirm(&nodes[1], X, &says(true, &state)).await;
    assert_eq!(shown(&done), "appended, asked about x");
    for node in &nodes {
        let again = confirm(node, X, &says(true, &state)).await;
        assert_eq!(
            (shown(&again).as_str(), &outcome(&again)["replayed"]),
            ("appended, asked about x", &json!(true))
        );
        // The first answer counts.
        let changed = confirm(node, X, &says(false, &state)).await;
        assert_eq!(shown(&changed), "appended, asked about x");
    }
    assert_eq!(lines(ground.path()), 1);
    let state = kept(&confirm(&nodes[0], X, &json!({})).await);
    let left = confirm(&nodes[0], X, &says(false, &state)).await;
    assert_eq!(shown(&left), "left, asked about x, after [\"sure\"]");
    assert_eq!(lines(ground.path()), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_rounds_of_a_call_have_its_key() {
    let ground = ground();
    let served = Served::start(ground.path());
    let meta = r#""toolhost/idempotency-key":"k""#;
    // A client that cannot answer is in nobody's way.
    let params = call_params("confirm", X, meta);
    let unable = served.request("tools/call", Some("confirm"), &params).await;
    assert_eq!(outcome(&unable)["type"], "InputRequired", "{unable}");
    let states = [
        kept(&send(&served, "confirm", X, meta, &json!({})).await),
        kept(&send(&served, "confirm", X, meta, &json!({})).await),
    ];
    // Answers without the key are answers to the call with it.
    for state in &states {
        let done = send(&served, "confirm", X, "", &says(true, state)).await;
        assert_eq!(shown(&done), "appended, asked about x");
    }
    let again = send(&served, "confirm", X, meta, &json!({})).await;
    assert_eq!(
        (shown(&again).as_str(), &outcome(&again)["replayed"]),
        ("appended, asked about x", &json!(true))
    );
    assert_eq!(lines(ground.path()), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_ends_and_answers_nobody_asked_for_are_left_out() {
    let ground = ground();
    let file = ground.path().join("host.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("[ledger]\napproval_lifetime = \"1s\"\n{text}")).unwrap();
    let served = Served::start(ground.path());
    let state = kept(&confirm(&served, X, &json!({})).await);
    // Nothing that was asked is answered: the tool asks again, or does what it does without an answer.
    let members = json!({"inputResponses": {"other": {"action": "accept"}}, "requestState": state});
    assert_eq!(shown(&confirm(&served, X, &members).await), "left, asked about x, after []");
    let state = kept(&confirm(&served, X, &json!({})).await);
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let late = confirm(&served, X, &says(true, &state)).await;
    assert_eq!(late["error"]["code"], -32602, "{late}");
    assert!(shown(&late).contains("it is too old"), "{late}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_of_a_tool_that_asks_is_good_for_one_call() {
    // Read-only, so that nothing but the approval makes its rounds count.
    let ground = ground_with("tool.confirm = { requires_approval = true, read_only = true }\n");
    let served = Served::start(ground.path());
    let state = approved(&served).await;
    for _ in 0..3 {
        assert_eq!(shown(&confirm(&served, X, &says(true, &state)).await), "appended, asked about x");
    }
    assert_eq!(lines(ground.path()), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_keeps_is_good_for_that_call_alone() {
    let ground = ground();
    let mut served = Served::start(ground.path());
    let state = kept(&confirm(&served, X, &json!({})).await);
    // Forged, cut off, empty.
    let other = if state.ends_with('A') { "B" } else { "A" };
    let forged = format!("{}{other}", &state[..state.len() - 1]);
    for wrong in [forged.as_str(), &state[..state.len() / 2], &format!("{state}A"), "", "é"] {
        let refused = confirm(&served, X, &says(true, wrong)).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert!(shown(&refused).starts_with("The requestState cannot be used"), "{refused}");
    }
    // Another call's.
    let refused = confirm(&served, r#"{"line":"y"}"#, &says(true, &state)).await;
    assert_eq!(outcome(&refused)["code"], "bad_args", "{refused}");
    let refused = send(&served, "append", X, "", &says(true, &state)).await;
    assert_eq!(outcome(&refused)["code"], "bad_args", "{refused}");
    // Answers that are none.
    for wrong in [json!({"sure": 1}), json!({"sure": null}), json!([])] {
        let members = json!({"inputResponses": wrong, "requestState": state});
        assert_eq!(confirm(&served, X, &members).await["error"]["code"], -32602);
    }
    // Answers to what was never asked: it is asked now.
    let members = json!({"inputResponses": {"sure": {"action": "accept", "content": {"sure": true}}}});
    kept(&confirm(&served, X, &members).await);
    // Another component of the same name.
    served.terminate();
    served.ended().await;
    let file = ground.path().join("tools/effects.wasm");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.extend_from_slice(&[0, 2, 1, b'n']);
    std::fs::write(&file, &bytes).unwrap();
    let digest = Digest::of(&bytes).to_string();
    assert!(run(ground.path(), &["components", "accept", "effects", "--digest", &digest]).status.success());
    let served = Served::start(ground.path());
    let refused = confirm(&served, X, &says(true, &state)).await;
    assert_eq!(outcome(&refused)["code"], "bad_args", "{refused}");
    assert_eq!(lines(ground.path()), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_tenant_cannot_use_it() {
    let digest = |key: &str| toolhost::id::Digest::of(key.as_bytes()).to_string();
    let tenant = |id: &str| format!("[[tenant]]\nid = \"{id}\"\nkeys = [\"{}\"]\n", digest(id));
    let ground = ground_with(&format!("{}{}", tenant("acme"), tenant("globex")));
    let served = Served::start(ground.path());
    let as_tenant = async |id: &str, members: &Value| {
        let params = answering_params("confirm", X, "", members);
        let body = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{params}}}"#);
        let headers = [
            ("Accept", "application/json, text/event-stream".to_owned()),
            ("MCP-Protocol-Version", toolhost_tests::wire::REVISION.to_owned()),
            ("Mcp-Method", "tools/call".to_owned()),
            ("Mcp-Name", "confirm".to_owned()),
            ("Authorization", format!("Bearer {id}")),
        ];
        let (status, answer) = http(&served.address, "POST", "/mcp", &headers, &body).await;
        toolhost_tests::wire::answer_of(&answer).unwrap_or_else(|| panic!("{status}: {answer}"))
    };
    let state = kept(&as_tenant("acme", &json!({})).await);
    let stolen = as_tenant("globex", &says(true, &state)).await;
    assert_eq!(outcome(&stolen)["code"], "bad_args", "{stolen}");
    assert_eq!(shown(&as_tenant("acme", &says(true, &state)).await), "appended, asked about x");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_cannot_be_asked_is_told_what_is_missing() {
    let ground = ground();
    let served = Served::start(ground.path());
    let said = "The tool 'confirm' needs input before it can go on: sure (elicitation/create). This client did not say that \
                it can give it; one that speaks MCP 2026-07-28 with that capability can.";
    let answer = served.call("confirm", X).await;
    assert_eq!(shown(&answer), format!("Error (InputRequired): {said}"));
    assert_eq!(
        (&answer["result"]["isError"], &outcome(&answer)["code"]),
        (&json!(true), &json!("tool_error"))
    );
    let body = format!(r#"{{"calls":[{{"tool":"confirm","arguments":{X}}}]}}"#);
    let (_, answer) = http(&served.address, "POST", "/v1/calls", &[], &body).await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["results"][0]["error"]["message"], said, "{answer}");
    let called = run(ground.path(), &["call", "confirm", X]);
    assert_eq!(String::from_utf8(called.stderr).unwrap().trim(), format!("Error (InputRequired): {said}"));
    assert_eq!(lines(ground.path()), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_is_not_asked_for_again_in_the_middle_of_a_call() {
    let ground = ground_with("tool.confirm = { requires_approval = true }\n");
    let served = Served::start(ground.path());
    let state = approved(&served).await;
    assert_eq!(shown(&confirm(&served, X, &says(true, &state)).await), "appended, asked about x");
    assert_eq!(lines(ground.path()), 1);
}
