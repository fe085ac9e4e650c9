//! Reviewers over HTTP: who may decide, what a decision is good for, and that it is used once.

use serde_json::{Value, json};
use tokio::task::JoinSet;
use toolhost::id::Digest;
use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::Ground;
use toolhost_tests::wire::{REVISION, Served, answer_of, answering_params, http, run, shown};

use super::ledger::{ground_with, lines, outcome};

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
pub(super) fn asked(result: &Value) -> String {
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
    assert_eq!(status, 403, "an approver calls nothing");
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
pub(super) fn local() -> Ground {
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
    let message = question["params"]["message"].as_str().unwrap_or_else(|| panic!("{asked}"));
    assert!(
        message.starts_with("May the tool 'asks' run with these arguments? {\"a\":1} (apr_"),
        "{message}"
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
    // The question is about that call, and about no other.
    let params = answering_params("asks", r#"{"a":2}"#, "", &answer(&state, yes.clone()));
    let other = nodes[0].request("tools/call", Some("asks"), &params).await;
    assert_eq!(other["error"]["code"], -32602, "{other}");
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
async fn an_edited_call_is_known_by_its_own_key_and_by_that_of_its_effect() {
    // By a key that is made of an argument, and by the signature in a run.
    let template = r#"tool.append = { requires_approval = true, idempotency_key = "append:{line}" }"#;
    let plain = "tool.append = { requires_approval = true }";
    for (tool, run) in [(template, ""), (plain, r#","run":"r""#)] {
        let ground = ground_with(tool);
        let served = Served::start(ground.path());
        let append = async |line: &str| {
            let body = format!(r#"{{"calls":[{{"tool":"append","arguments":{{"line":"{line}"}}}}]{run}}}"#);
            let (status, answer) = http(&served.address, "POST", "/v1/calls", &[], &body).await;
            let mut answer: Value =
                serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{status}: {answer}"));
            answer["results"][0].take()
        };
        let decide = async |id: &str, body: &str| {
            http(&served.address, "POST", &format!("/v1/approvals/{id}"), &[], body).await.0
        };
        let id = asked(&append("a").await);
        assert_eq!(decide(&id, r#"{"approve":true,"arguments":{"line":"b"}}"#).await, 200);
        let ran = append("a").await;
        assert_eq!((&ran["ok"], &ran["replayed"]), (&json!(true), &json!(false)), "{ran}");
        for line in ["a", "b"] {
            let again = append(line).await;
            assert_eq!(
                (&again["replayed"], &again["content"]),
                (&json!(true), &ran["content"]),
                "{line}: {again}"
            );
        }
        // Another call that is edited to what was done is that.
        let id = asked(&append("c").await);
        assert_eq!(decide(&id, r#"{"approve":true,"arguments":{"line":"b"}}"#).await, 200);
        assert_eq!(append("c").await["replayed"], true);
        assert_eq!(lines(ground.path()), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_the_tool_does_not_take_means_no() {
    let ground = local();
    let served = Served::start(ground.path());
    let id = asked_over_mcp(&served).await;
    // The command line does not know the tools.
    let said = run(ground.path(), &["approvals", "approve", &id, "--arguments", r#"{"b":1}"#]);
    assert!(said.status.success(), "{said:?}");
    let shown_there = run(ground.path(), &["approvals", "show", &id]);
    assert!(String::from_utf8(shown_there.stdout).unwrap().contains(r#"with other arguments: {"b":1}"#));
    let refused = served.call("asks", r#"{"a":1}"#).await;
    assert_eq!(outcome(&refused)["code"], "bad_args", "{refused}");
    assert!(shown(&refused).contains("a reviewer's"), "{refused}");
    assert_ne!(asked_over_mcp(&served).await, id, "it is asked anew");
    for wrong in ["[]", "{", r#"{"a":1,"a":2}"#] {
        let said = run(ground.path(), &["approvals", "approve", &id, "--arguments", wrong]);
        assert_eq!(said.status.code(), Some(2), "{said:?}");
    }
}

async fn asked_over_mcp(served: &Served) -> String {
    let answer = served.call("asks", r#"{"a":1}"#).await;
    assert_eq!(outcome(&answer)["code"], "needs_approval", "{answer}");
    outcome(&answer)["approval"].as_str().unwrap().to_owned()
}
