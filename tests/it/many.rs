//! Many calls in one request: one outcome for each, in their order, whatever fails.

use std::time::Duration;

use serde_json::Value;
use toolhost::executor::{Host, MOST_CALLS, TooManyCalls};
use toolhost::gate::Call;
use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::{Ground, caller, text};
use toolhost_tests::wire::{Served, http, run};

const CONFIG: &str = r#"
[[component]]
path = "tools/*.wasm"
trust_annotations = true
grants = { directories = [{ host = "effects", guest = "/effects", access = "writable" }] }
"#;

fn ground(samples: &[&str]) -> Ground {
    let mut asks = GuestTool::new("asks");
    asks.requires_approval = true;
    let asks = Guest::of(vec![asks], &Guest::echo()).build();
    let ground = Ground::new().samples(samples).component("asks", &asks).config(CONFIG);
    std::fs::create_dir(ground.path().join("effects")).unwrap();
    ground
}

fn calls(host: &Host, wanted: &[(&str, &str)]) -> Vec<Call> {
    wanted.iter().map(|(tool, arguments)| Call::new(caller(host, "local"), *tool, *arguments)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn effects_come_one_after_the_other_and_a_failure_holds_nobody_up() {
    let ground = ground(&["effects", "math", "chaos"]);
    let host = ground.start().await;
    let wanted = [
        ("append", r#"{"line":"1","pause_ms":50}"#),
        ("multiply", r#"{"a":6,"b":7}"#),
        ("nothing", "{}"),
        ("append", "broken"),
        ("asks", r#"{"a":1}"#),
        ("append", r#"{"line":"2","pause_ms":10}"#),
        ("crash", "{}"),
        ("append", r#"{"line":"3"}"#),
        ("multiply", r#"{"a":2,"b":2}"#),
    ];
    let outcomes = host.call_many(calls(&host, &wanted)).await.unwrap();
    let codes: Vec<&str> = outcomes.iter().map(toolhost::spec::Outcome::code).collect();
    assert_eq!(
        codes,
        ["ok", "ok", "no_such_tool", "bad_json", "needs_approval", "ok", "tool_crashed", "ok", "ok"]
    );
    assert_eq!(text(&outcomes[1]), "42");
    assert_eq!(text(&outcomes[8]), "4");
    assert!(outcomes.iter().zip(wanted).all(|(outcome, (tool, _))| outcome.tool == tool));
    let log = std::fs::read_to_string(ground.path().join("effects/log")).unwrap();
    assert_eq!(log, "1\n2\n3\n", "in the order given");
}

#[tokio::test(flavor = "multi_thread")]
async fn read_only_calls_run_side_by_side() {
    let ground = ground(&["chaos"]);
    let host = ground.start().await;
    // Each waits until the deadline of all has nearly passed: one after the other they would not end in time.
    let wanted = [("sleep", r#"{"ms":1500}"#); 40];
    let many = calls(&host, &wanted);
    let outcomes =
        tokio::time::timeout(Duration::from_secs(30), host.call_many(many)).await.unwrap().unwrap();
    for outcome in &outcomes {
        assert_eq!(text(outcome), "1500", "{outcome:?}");
    }
    assert_eq!(host.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_request_cancels_all_of_it() {
    let ground = ground(&["effects", "chaos"]);
    let host = ground.start().await;
    let wanted = [
        ("spin", "{}"),
        ("sleep", r#"{"ms":60000}"#),
        ("append", r#"{"line":"1","pause_ms":60000}"#),
        ("append", r#"{"line":"2"}"#),
    ];
    let log = ground.path().join("effects/log");
    let effect = async {
        while std::fs::read_to_string(&log).unwrap_or_default().is_empty() || host.running() < 3 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::select! {
        outcomes = host.call_many(calls(&host, &wanted)) => panic!("{outcomes:?}"),
        () = effect => {}
    }
    tokio::time::timeout(Duration::from_secs(20), async {
        while host.running() > 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
    .await
    .expect("every guest is stopped");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "1\n", "what had not had its turn never starts");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_has_an_end() {
    let ground = ground(&["math"]);
    let host = ground.start().await;
    let too_many = calls(&host, &vec![("multiply", r#"{"a":1}"#); MOST_CALLS + 1]);
    assert_eq!(host.call_many(too_many).await, Err(TooManyCalls { found: MOST_CALLS + 1 }));
    let most = calls(&host, &vec![("multiply", r#"{"a":1}"#); MOST_CALLS]);
    for outcome in host.call_many(most).await.unwrap() {
        assert_eq!(text(&outcome), "1", "{outcome:?}");
    }
    assert_eq!(host.call_many(Vec::new()).await, Ok(Vec::new()));
}

#[test]
fn the_command_line_prints_a_line_for_each() {
    let ground = ground(&["math", "effects"]);
    let file = ground.path().join("calls.jsonl");
    std::fs::write(
        &file,
        "{\"tool\":\"append\",\"arguments\":{\"line\":\"x\"},\"idempotency_key\":\"k\"}\n\
         {\"tool\":\"multiply\",\"arguments\":{\"a\":6,\"b\":7}}\n\
         {\"tool\":\"append\",\"arguments\":{\"line\":\"x\"},\"idempotency_key\":\"k\"}\n",
    )
    .unwrap();
    let output = run(ground.path(), &["call", "--many", "calls.jsonl"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3, "{printed} {}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(lines[1]["content"][0]["text"], "42");
    assert_eq!([&lines[0]["replayed"], &lines[2]["replayed"]], [false, true]);
    assert!(output.status.success());
    std::fs::write(&file, "{\"tool\":\"nothing\"}\n{\"tool\":\"multiply\",\"arguments\":{\"a\":1}}\n")
        .unwrap();
    let output = run(ground.path(), &["call", "--many", "calls.jsonl"]);
    assert_eq!(output.status.code(), run(ground.path(), &["call", "nothing"]).status.code());
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2);
    std::fs::write(&file, "{\"tool\":\"multiply\",\"key\":\"k\"}\n").unwrap();
    let output = run(ground.path(), &["call", "--many", "calls.jsonl"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("line 1 cannot be read: unknown field `key`"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_http_request_takes_many_calls() {
    let ground = ground(&["effects", "math"]);
    let served = Served::start(ground.path());
    let post = async |headers: &[(&str, &str)], body: &str| {
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let (status, answer) = http(&served.address, "POST", "/v1/calls", &headers, body).await;
        let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{status}: {answer}"));
        (status, answer)
    };
    let (status, answer) = post(
        &[],
        r#"{"calls":[{"tool":"append","arguments":{"line":"1"},"idempotency_key":"k"},
            {"tool":"multiply","arguments":{"a":9007199254740993,"b":1}},{"tool":"multiply","arguments":{"a":1,"a":2}},
            {"tool":"nothing"},{"tool":"append","arguments":{"line":"1"},"idempotency_key":"k"}]}"#,
    )
    .await;
    let results = answer["results"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let codes: Vec<&str> =
        results.iter().map(|result| result["error"]["code"].as_str().unwrap_or("ok")).collect();
    assert_eq!((status, codes.as_slice()), (200, &["ok", "ok", "bad_json", "no_such_tool", "ok"][..]));
    assert_eq!(results[1]["structured"].to_string(), "9007199254740993", "{answer}");
    assert_eq!(results[4]["replayed"], true);
    let one = r#"{"calls":[{"tool":"append","arguments":{"line":"1"}}]}"#;
    for key in ["k", "\"k\""] {
        let (_, answer) = post(&[("Idempotency-Key", key)], one).await;
        assert_eq!(answer["results"][0]["replayed"], true, "{answer}");
    }
    for run in [false, true] {
        let body = r#"{"calls":[{"tool":"append","arguments":{"line":"2"}}],"run":"r"}"#;
        assert_eq!(post(&[], body).await.1["results"][0]["replayed"], run);
    }
    let body = r#"{"calls":[{"tool":"append","arguments":{"line":"3"}}],"allow":["multiply"]}"#;
    assert_eq!(post(&[], body).await.1["results"][0]["error"]["code"], "not_allowed");
    assert_eq!(std::fs::read_to_string(ground.path().join("effects/log")).unwrap(), "1\n2\n");
    let too_many = format!(r#"{{"calls":[{}]}}"#, vec![r#"{"tool":"a"}"#; MOST_CALLS + 1].join(","));
    for (headers, body, status, said) in [
        (vec![], "{}", 400, "the request cannot be read: missing field `calls`"),
        (
            vec![],
            r#"{"calls":[{"tool":"a","key":"k"}]}"#,
            400,
            "calls[0] cannot be read: unknown field `key`",
        ),
        (
            vec![],
            too_many.as_str(),
            400,
            "calls cannot be read: there are 257 calls in one request; at most 256 are taken",
        ),
        (
            vec![("Idempotency-Key", "k")],
            r#"{"calls":[{"tool":"a"},{"tool":"b"}]}"#,
            409,
            "The header Idempotency-Key is for one call",
        ),
        (vec![], &"x".repeat((4 << 20) + 1), 413, "The body is longer than 4194304 bytes."),
    ] {
        let (seen, answer) = post(&headers, body).await;
        let message = answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(seen == status && message.starts_with(said), "{seen}: {message}");
    }
    assert_eq!(http(&served.address, "PUT", "/v1/calls", &[], "").await.0, 405);
}
