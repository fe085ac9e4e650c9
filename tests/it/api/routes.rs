//! Each route, each status, and the document that describes them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolhost_tests::host::Ground;
use toolhost_tests::wire::{Served, exchange, run};

use super::{ACME, APPROVER, GLOBEX, assert_fault, get, post, send, two_tenants};

fn names(list: &Value) -> Vec<&str> {
    list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_what_may_be_called_and_has_a_tag_of_its_caller() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let all = get(&served, ACME, "/v1/tools").await;
    assert_eq!(names(&all.json()), ["asks", "echo", "hidden", "spin"]);
    assert_eq!(all.body, get(&served, ACME, "/v1/tools?format=mcp").await.body);
    let shown = run(ground.path(), &["tools", "--format", "mcp", "--tenant", "acme"]);
    assert_eq!(
        all.json(),
        serde_json::from_slice::<Value>(&shown.stdout).unwrap(),
        "the same as on the command line"
    );
    let fewer = get(&served, GLOBEX, "/v1/tools").await;
    assert_eq!(names(&fewer.json()), ["asks", "echo", "spin"]);
    let narrowed = get(&served, GLOBEX, "/v1/tools?allow=e*&allow=hid%64en").await;
    assert_eq!(names(&narrowed.json()), ["echo"]);

    let tag = |answer: &toolhost_tests::wire::Answer| answer.header("etag").unwrap().to_owned();
    let tags = [tag(&all), tag(&fewer), tag(&narrowed)];
    assert!(tags[0] != tags[1] && tags[1] != tags[2], "{tags:?}");
    let again = async |key: &str, tag: &str| {
        let key = format!("Bearer {key}");
        let headers = [("Authorization", key.as_str()), ("If-None-Match", tag)];
        exchange(&served.address, "GET", "/v1/tools", &headers, "").await
    };
    let known = again(ACME, &tags[0]).await;
    assert_eq!((known.status, known.body.as_str()), (304, ""));
    assert_eq!(tag(&known), tags[0]);
    assert_eq!(again(GLOBEX, &tags[0]).await.body, fewer.body, "another caller's tag is not known");
    drop(served);
    let served = Served::start(ground.path());
    assert_eq!(tag(&get(&served, ACME, "/v1/tools").await), tags[0], "a tag outlives the process");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_may_not_be_called_is_one_that_never_was() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let shown = get(&served, ACME, "/v1/tools/hidden").await;
    assert_eq!((shown.status, &shown.json()["name"]), (200, &json!("hidden")));
    assert_eq!(shown.json(), get(&served, ACME, "/v1/tools").await.json()["tools"][2]);
    let hidden = get(&served, GLOBEX, "/v1/tools/hidden").await;
    assert_fault(&hidden, 404, "no_such_tool");
    assert_eq!(hidden.body, get(&served, GLOBEX, "/v1/tools/never").await.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_ends_with_the_same_object_by_every_way_in() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    for (tool, arguments, code) in [
        ("echo", r#"{"a":9007199254740993}"#, "ok"),
        ("ecko", "{}", "no_such_tool"),
        ("hidden", "{}", "not_allowed"),
        ("echo", "[1]", "bad_json"),
        ("echo", r#"{"a":1,"a":2}"#, "bad_json"),
        ("echo", r#"{"b":1}"#, "bad_args"),
    ] {
        let body = format!(r#"{{"arguments":{arguments}}}"#);
        let alone = post(&served, GLOBEX, &format!("/v1/tools/{tool}/call"), &body).await;
        assert_eq!(alone.status, 200, "{alone:?}");
        let body = format!(r#"{{"calls":[{{"tool":"{tool}","arguments":{arguments}}}]}}"#);
        let many = post(&served, GLOBEX, "/v1/calls", &body).await.json()["results"][0].take();
        let told = run(ground.path(), &["call", "--json", "--tenant", "globex", tool, arguments]);
        let told: Value = serde_json::from_slice(&told.stdout).unwrap();
        let same = |mut outcome: Value| {
            for own in ["call_id", "usage"] {
                assert!(!outcome[own].take().is_null(), "{own}");
            }
            outcome.to_string()
        };
        let seen = alone.json();
        assert_eq!(seen["error"]["code"].as_str().unwrap_or("ok"), code, "{seen}");
        let seen = same(seen);
        assert_eq!(seen, same(many));
        assert_eq!(seen, same(told));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_no_answer_has_one_form_and_a_fitting_status() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let json = ("Content-Type", "application/json");
    let long = "x".repeat((4 << 20) + 1);
    for (key, method, path, headers, body, status, code) in [
        ("", "GET", "/v1/tools", &[][..], "", 401, "unauthenticated"),
        ("no-key", "GET", "/v1/tools/echo", &[], "", 401, "unauthenticated"),
        ("no-key", "POST", "/v1/tools/echo/call", &[], "{}", 401, "unauthenticated"),
        ("no-key", "POST", "/v1/calls", &[], r#"{"calls":[]}"#, 401, "unauthenticated"),
        ("no-key", "GET", "/v1/calls", &[], "", 401, "unauthenticated"),
        ("no-key", "GET", "/v1/calls/x", &[], "", 401, "unauthenticated"),
        ("no-key", "GET", "/v1/events", &[], "", 401, "unauthenticated"),
        ("no-key", "POST", "/v1/explain", &[], r#"{"tool":"echo"}"#, 401, "unauthenticated"),
        ("no-key", "GET", "/v1/approvals", &[], "", 401, "unauthenticated"),
        ("no-key", "GET", "/v1/approvals/x", &[], "", 401, "unauthenticated"),
        ("no-key", "POST", "/v1/approvals/x", &[], r#"{"approve":true}"#, 401, "unauthenticated"),
        ("no-key", "POST", "/mcp", &[], "{}", 401, "unauthenticated"),
        (APPROVER, "GET", "/v1/tools", &[], "", 403, "forbidden"),
        (APPROVER, "GET", "/v1/tools/echo", &[], "", 403, "forbidden"),
        (APPROVER, "POST", "/v1/tools/echo/call", &[], "{}", 403, "forbidden"),
        (APPROVER, "POST", "/v1/calls", &[], r#"{"calls":[]}"#, 403, "forbidden"),
        (APPROVER, "GET", "/v1/events", &[], "", 403, "forbidden"),
        (APPROVER, "POST", "/mcp", &[], "{}", 403, "forbidden"),
        (ACME, "POST", "/v1/explain", &[], r#"{"tool":"echo"}"#, 403, "forbidden"),
        (ACME, "GET", "/v1/components", &[], "", 403, "forbidden"),
        (ACME, "GET", "/v1/tools?format=xml", &[], "", 400, "unsupported_format"),
        (ACME, "GET", "/v1/tools/echo?format=yaml", &[], "", 400, "unsupported_format"),
        (ACME, "GET", "/v1/tools/", &[], "", 404, "no_such_path"),
        (ACME, "GET", "/v1", &[], "", 404, "no_such_path"),
        (ACME, "GET", "/v1/calls/never", &[], "", 404, "no_such_call"),
        (ACME, "GET", "/v1/approvals/never", &[], "", 404, "no_such_approval"),
        (ACME, "GET", "/v1/tools", &[("Accept", "text/html")], "", 406, "not_acceptable"),
        (ACME, "GET", "/v1/events", &[("Accept", "application/json")], "", 406, "not_acceptable"),
        (ACME, "POST", "/v1/tools/echo/call", &[("Content-Type", "text/plain")], "{}", 415, "not_json"),
        (ACME, "POST", "/v1/tools/echo/call", &[], "", 415, "not_json"),
        (ACME, "POST", "/v1/tools/echo/call", &[json], "", 400, "bad_request"),
        (ACME, "POST", "/v1/tools/echo/call", &[], &long, 413, "too_large"),
        (ACME, "POST", "/v1/calls", &[], &long, 413, "too_large"),
        (ACME, "POST", "/v1/approvals/x", &[], &long, 413, "too_large"),
        (ACME, "POST", "/v1/approvals/x", &[("Content-Type", "text/plain")], "{}", 415, "not_json"),
        (ACME, "GET", "/healthz", &[("Host", "evil.test")], "", 403, "host_not_allowed"),
        (ACME, "GET", "/v1/tools", &[("Origin", "http://evil.test")], "", 403, "origin_not_allowed"),
    ] {
        let authorization = format!("Bearer {key}");
        let mut all = headers.to_vec();
        if !key.is_empty() {
            all.push(("Authorization", &authorization));
        }
        let answer = exchange(&served.address, method, path, &all, body).await;
        assert_fault(&answer, status, code);
        assert_eq!(answer.header("content-type"), Some("application/json"), "{answer:?}");
        assert_eq!(
            answer.header("www-authenticate").is_some(),
            status == 401 || code == "forbidden",
            "{answer:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_sees_the_records_of_its_own_calls_and_of_no_others() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let mut ids = Vec::new();
    for (tool, key) in [("echo", ACME), ("ecko", ACME), ("echo", GLOBEX)] {
        let body = r#"{"arguments":{"a":"told once"},"run":"r1"}"#;
        let outcome = post(&served, key, &format!("/v1/tools/{tool}/call"), body).await.json();
        ids.push(outcome["call_id"].as_str().unwrap().to_owned());
    }
    let list = get(&served, ACME, "/v1/calls").await.json();
    let listed: Vec<&str> =
        list["calls"].as_array().unwrap().iter().map(|call| call["call_id"].as_str().unwrap()).collect();
    let mut own = [ids[0].as_str(), ids[1].as_str()];
    own.sort_unstable_by(|one, other| other.cmp(one));
    assert_eq!((listed.as_slice(), &list["next"]), (own.as_slice(), &Value::Null));
    for (query, found) in [
        ("?tool=ecko", 1),
        ("?code=ok", 1),
        ("?code=no_such_tool", 1),
        ("?tool=ecko&code=ok", 0),
        ("?limit=1", 1),
        (&format!("?before={}", own[1]), 0),
        (&format!("?before={}", own[0]), 1),
    ] {
        let page = get(&served, ACME, &format!("/v1/calls{query}")).await.json();
        assert_eq!(page["calls"].as_array().unwrap().len(), found, "{query}: {page}");
        assert_eq!(page["next"].is_string(), query == "?limit=1", "{query}: {page}");
    }
    for (key, id, is_own) in
        [(ACME, &ids[0], true), (APPROVER, &ids[1], true), (ACME, &ids[2], false), (GLOBEX, &ids[0], false)]
    {
        let answer = get(&served, key, &format!("/v1/calls/{id}")).await;
        if is_own {
            let trace = answer.json();
            assert_eq!((answer.status, &trace["run"], &trace["tenant"]), (200, &json!("r1"), &json!("acme")));
            assert!(trace["arguments"].as_str().unwrap().contains("told once"), "{trace}");
            assert!(trace.get("operator").is_none(), "that is for operators: {trace}");
        } else {
            assert_fault(&answer, 404, "no_such_call");
            assert_eq!(answer.body, get(&served, key, "/v1/calls/never").await.body);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_tenants_question_is_one_that_never_was() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let waits = post(&served, ACME, "/v1/tools/asks/call", "{}").await.json();
    let path = format!("/v1/approvals/{}", waits["error"]["approval"].as_str().unwrap());
    assert_eq!(get(&served, ACME, &path).await.status, 200);
    assert_eq!(get(&served, GLOBEX, "/v1/approvals").await.json()["approvals"], json!([]));
    assert_fault(&get(&served, GLOBEX, &path).await, 404, "no_such_approval");
    assert_fault(&post(&served, GLOBEX, &path, r#"{"approve":true}"#).await, 404, "no_such_approval");
    assert_fault(&post(&served, ACME, &path, r#"{"approve":true}"#).await, 403, "forbidden");
    assert_eq!(post(&served, APPROVER, &path, r#"{"approve":true}"#).await.json()["state"], "approved");
    assert_fault(&post(&served, APPROVER, &path, r#"{"approve":true}"#).await, 409, "not_pending");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_is_told_which_rule_decides_and_sees_all_records() {
    let ground = Ground::new().samples(&["math"]).config(
        "[[component]]\npath = \"tools/*.wasm\"\n[[tenant]]\nid = \"local\"\n[[tenant]]\nid = \"other\"\ndeny = [\"mul*\"]\n",
    );
    let served = Served::start(ground.path());
    let explain = async |body: &str| exchange(&served.address, "POST", "/v1/explain", &[], body).await;
    let arguments = r#""arguments":{"a":6,"b":7}"#;
    let passes = explain(&format!(r#"{{"tool":"multiply",{arguments}}}"#)).await;
    let shown = run(ground.path(), &["explain", "--json", "multiply", r#"{"a":6,"b":7}"#]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    // The two name the same file from different folders.
    let verdicts = |value: &Value| {
        let all = value.as_array().unwrap();
        all.iter().map(|verdict| (verdict["name"].clone(), verdict["passed"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&passes.json()["verdicts"]), verdicts(&shown));
    assert_eq!(shown.as_array().unwrap().len(), 5);
    let refused = explain(&format!(r#"{{"tool":"multiply","tenant":"other",{arguments}}}"#)).await.json();
    assert_eq!(refused["verdicts"][1]["rule"], "the tenant's deny pattern mul*", "{refused}");
    assert_eq!(refused["verdicts"][4]["passed"], Value::Null, "{refused}");
    assert_fault(&explain(r#"{"tool":"multiply","tenant":"nobody"}"#).await, 404, "no_such_tenant");
    assert_eq!(served.running().await, 0);
    let other = run(ground.path(), &["call", "--json", "--tenant", "other", "multiply", "{}"]);
    let other: Value = serde_json::from_slice(&other.stdout).unwrap();
    let path = format!("/v1/calls/{}", other["call_id"].as_str().unwrap());
    let trace = exchange(&served.address, "GET", &path, &[], "").await.json();
    assert_eq!(trace["tenant"], "other", "{trace}");
    assert!(trace.get("operator").is_some(), "{trace}");
}

/// The methods of a path, as the document has them.
fn described(document: &Value) -> BTreeMap<String, Vec<String>> {
    let paths = document["paths"].as_object().unwrap();
    let methods = |item: &Value| {
        let mut names: Vec<String> =
            item.as_object().unwrap().keys().map(|name| name.to_uppercase()).collect();
        names.sort_unstable();
        names
    };
    paths.iter().map(|(path, item)| (path.clone(), methods(item))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_has_every_path_with_its_methods_and_no_other() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let document = exchange(&served.address, "GET", "/openapi.json", &[], "").await.json();
    let described = described(&document);
    assert!(described.len() >= 13, "{described:?}");
    for (path, methods) in &described {
        let path = path.replace("{name}", "echo").replace("{id}", "never");
        for method in ["GET", "PUT", "POST", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY"] {
            // An event stream has no end.
            let accept = if path == "/v1/events" && method == "GET" { "text/html" } else { "*/*" };
            let authorization = format!("Bearer {ACME}");
            let headers = [("Authorization", authorization.as_str()), ("Accept", accept)];
            let answer = exchange(&served.address, method, &path, &headers, "").await;
            let is_taken = methods.iter().any(|known| known == method);
            assert_eq!(answer.status != 405, is_taken, "{method} {path}: {answer:?}");
            if !is_taken {
                assert_eq!(answer.header("allow"), Some(methods.join(", ").as_str()), "{method} {path}");
            }
        }
    }
    assert_eq!(document["security"], json!([{"key": []}]));
    assert_eq!(document["paths"]["/healthz"]["get"]["security"], json!([{}]));
    // Every shape that is named is there.
    let text = document.to_string();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for (_, rest) in
        text.match_indices("#/components/schemas/").map(|(at, found)| text.split_at(at + found.len()))
    {
        let name = rest.split('"').next().unwrap();
        assert!(schemas.contains_key(name), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_without_keys_describes_itself_without_them() {
    let ground = Ground::new().samples(&["math"]);
    let served = Served::start(ground.path());
    let document = exchange(&served.address, "GET", "/openapi.json", &[], "").await.json();
    assert!(document.get("security").is_none() && document["components"].get("securitySchemes").is_none());
    assert_eq!(send(&served, "any", "GET", "/v1/tools", "").await.status, 200);
}
