//! Trying again: after a failure that was seen, of a tool that may be called again, within the deadline.

use std::time::{Duration, Instant};

use toolhost::executor::{Host, StartError};
use toolhost::gate::Call;
use toolhost::spec::Code;
use toolhost_tests::host::{Ground, call, caller, program, text};

use super::ledger::ground_with;

fn attempts(ground: &Ground) -> Vec<String> {
    let log = std::fs::read_to_string(ground.path().join("effects/log")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

const QUICK: &str = "[retry]\nfirst_pause = \"1ms\"\n";
const TRUSTED: &str = "trust_annotations = true\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_that_may_pass_is_tried_again_and_the_guest_is_told() {
    let ground = ground_with(&format!("{TRUSTED}{QUICK}"));
    let host = ground.start().await;
    let outcome = call(&host, "flaky", r#"{"fails":2}"#).await;
    assert_eq!((text(&outcome).as_str(), outcome.attempt), ("3", 3));
    assert_eq!(attempts(&ground), ["attempt 1", "attempt 2", "attempt 3"]);
    let outcome = call(&host, "flaky", r#"{"fails":9}"#).await;
    assert_eq!(text(&outcome), "Error (Flaky): Attempt 3 failed.", "two retries, and no more");
    assert_eq!(attempts(&ground).len(), 6);
    host.store().log().flush().await.unwrap();
    let record =
        host.store().trace(toolhost::store::View::Operator, &outcome.call_id).await.unwrap().unwrap();
    let failed = record.events.iter().filter(|event| event.name == "failed").count();
    assert_eq!((record.attempt, failed), (3, 2), "{:?}", record.events);
    assert_eq!(host.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_not_be_called_again_is_not() {
    // Nobody trusts the component's word, so that the tool is taken to write each time.
    let ground = ground_with(QUICK);
    let host = ground.start().await;
    let outcome = call(&host, "flaky", r#"{"fails":1}"#).await;
    assert_eq!((outcome.code(), outcome.attempt), ("tool_error", 1));
    assert_eq!(attempts(&ground), ["attempt 1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idempotent_write_keeps_its_key_over_all_attempts() {
    let ground = ground_with(&format!("tool.flaky = {{ idempotent = true }}\n{QUICK}"));
    let host = ground.start().await;
    let keyed = || Call {
        key: Some("k".parse().unwrap()),
        ..Call::new(caller(&host, "local"), "flaky", r#"{"fails":1}"#)
    };
    let first = host.execute(keyed()).await;
    assert_eq!((text(&first).as_str(), first.attempt, first.replayed), ("2", 2, false));
    let second = host.execute(keyed()).await;
    assert_eq!((text(&second).as_str(), second.attempt, second.replayed), ("2", 2, true));
    assert_eq!(attempts(&ground), ["attempt 1", "attempt 2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_that_was_asked_for_is_kept_and_one_beyond_the_deadline_is_left_to_the_caller() {
    let ground = ground_with(&format!("{TRUSTED}{QUICK}"));
    let host = ground.start().await;
    let began = Instant::now();
    let outcome = call(&host, "flaky", r#"{"fails":1,"retry_after_ms":300}"#).await;
    assert_eq!((text(&outcome).as_str(), outcome.attempt), ("2", 2));
    assert!(began.elapsed() >= Duration::from_millis(300), "{:?}", began.elapsed());
    let outcome = call(&host, "flaky", r#"{"fails":1,"retry_after_ms":3600000}"#).await;
    assert_eq!(outcome.attempt, 1);
    let failure = outcome.result.unwrap_err();
    assert_eq!((failure.code, failure.retryable), (Code::ToolError, true));
    assert_eq!(failure.retry_after_ms, Some(3_600_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_that_took_too_long_is_tried_again_and_the_deadline_is_the_end() {
    let ground = Ground::new().samples(&["chaos"]).config(
        "[[component]]\npath = \"tools/chaos.wasm\"\ntrust_annotations = true\n\
         tool.sleep = { attempt_timeout = \"50ms\" }\n[retry]\nfirst_pause = \"1ms\"\n",
    );
    let host = ground.start().await;
    let outcome = call(&host, "sleep", r#"{"ms":60000}"#).await;
    assert_eq!((outcome.code(), outcome.attempt), ("timeout", 3));
    let short = Call {
        deadline: Some(Duration::from_millis(20)),
        ..Call::new(caller(&host, "local"), "sleep", r#"{"ms":60000}"#)
    };
    let outcome = host.execute(short).await;
    assert_eq!((outcome.code(), outcome.attempt), ("timeout", 1));
    assert_eq!(host.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn to_try_a_plain_write_again_is_refused_at_start() {
    let ground = ground_with("trust_annotations = true\ntool.append = { retries = 1 }\n");
    let settings = toolhost::config::load(None, ground.path()).unwrap();
    let fault = Host::start(settings, &program()).await.unwrap_err();
    assert!(matches!(fault, StartError::Tool { .. }), "{fault:?}");
    assert!(
        fault.to_string().contains(
            "the configuration asks to try its tool append again, which has a side effect and is not idempotent"
        ),
        "{fault}"
    );
}
