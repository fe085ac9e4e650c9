//! Reviewers over HTTP: who may decide, what a decision is good for, and that it is used once.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use toolhost::id::Digest;
use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::Ground;
use toolhost_tests::wire::{REVISION, Served, answer_of, answering_params, http, shown};

use super::ledger::outcome;

const CALLER: &str = "key-of-acme";
const APPROVER: &str = "key-of-its-approver";
const STRANGER: &str = "key-of-another-approver";

fn ground() -> Ground {
    let digest = |key: &str| Digest::of(key.as_bytes()).to_string();
    let mut asks = GuestTool::new("asks");
    asks.requires_approval = true;
    let asks = Guest::of(vec![asks], &Guest::echo()).build();
    Ground::new().component("asks", &asks).config(&format!(
        "[[tenant]]\nid = \"acme\"\nkeys = [\"{}\"]\napprover_keys = [\"{}\"]\n\
         [[tenant]]\nid = \"globex\"\nkeys = [\"{}\"]\napprover_keys = [\"{}\"]\n\
         [[component]]\npath = \"tools/asks.wasm\"\n",
        digest(CALLER),
        digest(APPROVER),
        digest("key-of-globex"),
        digest(STRANGER),
    ))
}

async fn send(served: &Served, key: &str, method: &str, path: &str, body: &str) -> (u16, Value) {
    let headers = [("Authorization", format!("Bearer {key}"))];
    let (status, answer) = http(&served.address, method, path, &headers, body).await;
    (status, serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{status}: {answer}")))
}

async fn call(served: &Served, number: usize) -> Value {
    let body = format!(r#"{{"calls":[{{"tool":"asks","arguments":{{"a":{number}}}}}]}}"#);
    let (status, mut answer) = send(served, CALLER, "POST", "/v1/calls", &body).await;
    assert_eq!(status, 200, "{answer}");
    answer["results"][0].take()
}

async fn decide(served: &Served, key: &str, id: &str, body: &str) -> (u16, Value) {
    send(served, key, "POST", &format!("/v1/approvals/{id}"), body).await
}

/// The id of the approval that a call waits for.
fn asked(result: &Value) -> String {
    assert_eq!(result["error"]["code"], "needs_approval", "{result}");
    result["error"]["approval"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approver_decides_by_id_and_a_caller_does_not() {
    let ground = ground();
    let served = Served::start(ground.path());
    let id = asked(&call(&served, 1).await);
    assert_eq!(asked(&call(&served, 1).await), id, "one question, however often it is asked");
    for key in [CALLER, APPROVER] {
        let (status, list) = send(&served, key, "GET", "/v1/approvals", "").await;
        assert_eq!((status, &list["approvals"][0]["id"]), (200, &Value::from(id.as_str())), "{list}");
    }
    let yes = r#"{"approve":true}"#;
    for (key, id, body, status, code) in [
        ("no-key", id.as_str(), yes, 401, "unauthenticated"),
        (CALLER, &id, yes, 403, "forbidden"),
        (STRANGER, &id, yes, 404, "no_such_approval"),
        (APPROVER, "apr_0", yes, 404, "no_such_approval"),
        (APPROVER, &id, r#"{"approve":false}"#, 400, "bad_request"),
        (APPROVER, &id, r#"{"approve":true,"ids":[]}"#, 400, "bad_request"),
    ] {
        let (seen, answer) = decide(&served, key, id, body).await;
        assert_eq!((seen, &answer["error"]["code"]), (status, &Value::from(code)), "{answer}");
    }
    let (status, _) = send(&served, APPROVER, "POST", "/v1/calls", r#"{"calls":[]}"#).await;
    assert_eq!(status, 401, "an approver calls nothing");
    assert_eq!(asked(&call(&served, 1).await), id, "nothing was decided so far");
    let (status, decided) = decide(&served, APPROVER, &id, yes).await;
    assert_eq!((status, &decided["state"]), (200, &Value::from("approved")), "{decided}");
    assert_eq!(decided["decided_by"], "an approver of acme");
    let (status, answer) = decide(&served, APPROVER, &id, r#"{"approve":false,"reason":"No."}"#).await;
    assert_eq!((status, &answer["error"]["code"]), (409, &Value::from("not_pending")), "{answer}");
    assert_eq!(call(&served, 1).await["ok"], true);
    let next = asked(&call(&served, 1).await);
    assert_ne!(next, id, "used once");
    decide(&served, APPROVER, &next, r#"{"approve":false,"reason":"The parcel has left."}"#).await;
    let denied = call(&served, 1).await;
    assert_eq!(denied["error"]["code"], "approval_denied", "{denied}");
    assert!(denied["error"]["message"].as_str().unwrap().contains("The parcel has left."), "{denied}");
    let (_, list) = send(&served, CALLER, "GET", "/v1/approvals?all=true", "").await;
    let states: Vec<&str> =
        list["approvals"].as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["denied", "used"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_that_redeem_one_approval_on_two_nodes_one_runs() {
    let ground = ground();
    let other = ground.another();
    let nodes = [Served::start(ground.path()), Served::start(other.path())];
    let nodes = std::sync::Arc::new(nodes);
    for round in 0..toolhost_tests::rounds(3, 200) {
        let id = asked(&call(&nodes[0], round).await);
        // What one node asked is decided on the other.
        assert_eq!(decide(&nodes[1], APPROVER, &id, r#"{"approve":true}"#).await.0, 200);
        let mut callers = JoinSet::new();
        for caller in 0..64 {
            let nodes = nodes.clone();
            callers.spawn(async move { call(&nodes[caller % 2], round).await });
        }
        let mut ran = 0;
        while let Some(result) = callers.join_next().await {
            let result = result.unwrap();
            if result["ok"] == true {
                ran += 1;
            } else {
                assert_ne!(asked(&result), id);
            }
        }
        assert_eq!(ran, 1);
    }
}

/// A local host, whose callers may decide about their own calls.
fn local() -> Ground {
    let mut asks = GuestTool::new("asks");
    asks.requires_approval = true;
    Ground::new()
        .component("asks", &Guest::of(vec![asks], &Guest::echo()).build())
        .config("[[component]]\npath = \"tools/asks.wasm\"\n[limits]\ndeadline = \"1s\"\n")
}

async fn over_mcp(served: &Served, meta: &str, members: &Value) -> Value {
    let params = answering_params("asks", r#"{"a":1}"#, meta, members);
    served.request("tools/call", Some("asks"), &params).await
}

fn kept(answer: &Value) -> String {
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    answer["result"]["requestState"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_may_decide_is_asked_over_mcp() {
    let ground = local();
    let other = ground.another();
    let nodes = [Served::start(ground.path()), Served::start(other.path())];
    let answer =
        |state: &str, answer: Value| json!({"inputResponses": {"approval": answer}, "requestState": state});
    let asked = over_mcp(&nodes[0], "", &json!({})).await;
    let question = &asked["result"]["inputRequests"]["approval"];
    assert_eq!(
        question["params"]["message"], "May the tool 'asks' run with these arguments? {\"a\":1}",
        "{asked}"
    );
    assert_eq!(outcome(&asked)["code"], "needs_approval");
    let state = kept(&asked);
    // What is neither yes nor no is asked again, and what is put off is not.
    for neither in
        [json!({"action": "accept"}), json!({"action": "accept", "content": {"approve": "yes"}}), json!({})]
    {
        let again = over_mcp(&nodes[0], "", &answer(&state, neither)).await;
        assert_eq!(outcome(&again)["code"], "needs_approval", "{again}");
        assert!(again["result"]["inputRequests"].is_null(), "{again}");
    }
    let later = over_mcp(&nodes[0], "", &answer(&state, json!({"action": "cancel"}))).await;
    assert_eq!(
        (&later["result"]["isError"], &outcome(&later)["code"]),
        (&json!(true), &json!("needs_approval"))
    );
    let yes = json!({"action": "accept", "content": {"approve": true}});
    assert_eq!(shown(&over_mcp(&nodes[1], "", &answer(&state, yes.clone())).await), r#"{"a":1}"#);
    // An approval that was used approves nothing more.
    let state = kept(&over_mcp(&nodes[0], "", &answer(&state, yes.clone())).await);
    let no = json!({"action": "accept", "content": {"approve": false, "reason": "The parcel has left."}});
    let denied = over_mcp(&nodes[1], "", &answer(&state, no)).await;
    assert_eq!(outcome(&denied)["code"], "approval_denied", "{denied}");
    assert!(shown(&denied).contains("The parcel has left."), "{denied}");
    let denied = over_mcp(&nodes[0], "", &answer(&state, yes)).await;
    assert_eq!(outcome(&denied)["code"], "approval_denied", "of two answers the first counts: {denied}");
    let plain = nodes[0].call("asks", r#"{"a":2}"#).await;
    assert_eq!(
        (&plain["result"]["isError"], &outcome(&plain)["code"]),
        (&json!(true), &json!("needs_approval"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_who_may_not_decide_are_not_asked() {
    let ground = ground();
    let served = Served::start(ground.path());
    let params = answering_params("asks", r#"{"a":1}"#, "", &json!({}));
    let body = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{params}}}"#);
    let headers = [
        ("Accept", "application/json, text/event-stream".to_owned()),
        ("MCP-Protocol-Version", REVISION.to_owned()),
        ("Mcp-Method", "tools/call".to_owned()),
        ("Mcp-Name", "asks".to_owned()),
        ("Authorization", format!("Bearer {CALLER}")),
    ];
    let (_, answer) = http(&served.address, "POST", "/mcp", &headers, &body).await;
    let answer = answer_of(&answer).unwrap();
    assert_eq!(
        (&answer["result"]["isError"], &outcome(&answer)["code"]),
        (&json!(true), &json!("needs_approval"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reviewer_changes_the_arguments_and_the_caller_is_told() {
    let ground = ground();
    let served = Served::start(ground.path());
    let keyed = r#"{"calls":[{"tool":"asks","arguments":{"a":7},"idempotency_key":"k"}]}"#;
    let send_keyed = async || {
        let (status, mut answer) = send(&served, CALLER, "POST", "/v1/calls", keyed).await;
        assert_eq!(status, 200, "{answer}");
        answer["results"][0].take()
    };
    let id = asked(&send_keyed().await);
    for (body, said) in [
        (r#"{"approve":true,"arguments":{"b":1}}"#, "do not match its schema"),
        (r#"{"approve":true,"arguments":{"a":1,"b":2}}"#, "do not match its schema"),
        (r#"{"approve":true,"arguments":[1]}"#, "not valid JSON"),
        (r#"{"approve":true,"arguments":{"a":1,"a":2}}"#, "not valid JSON"),
        (r#"{"approve":false,"reason":"No.","arguments":{"a":1}}"#, "a denial changes no arguments"),
    ] {
        let (status, answer) = decide(&served, APPROVER, &id, body).await;
        assert_eq!(status, 400, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(said), "{answer}");
    }
    let (status, decided) =
        decide(&served, APPROVER, &id, r#"{"approve":true,"arguments":{"a": 9007199254740993}}"#).await;
    assert_eq!(
        (status, &decided["edited_arguments"]),
        (200, &json!("{\"a\": 9007199254740993}")),
        "{decided}"
    );
    let ran = send_keyed().await;
    let texts: Vec<&str> =
        ran["content"].as_array().unwrap().iter().map(|block| block["text"].as_str().unwrap()).collect();
    assert_eq!(
        texts,
        [
            "A reviewer changed the arguments of this call: /a from 7 to 9007199254740993.",
            r#"{"a": 9007199254740993}"#
        ]
    );
    let again = send_keyed().await;
    assert_eq!((&again["replayed"], &again["content"]), (&json!(true), &ran["content"]), "{again}");
    // It is good for the call that was asked about, and for no other.
    asked(&call(&served, 8).await);
}

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
