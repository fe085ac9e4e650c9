//! Guests whose answers are no answers, or more than that.

#![deny(dead_code)]

use toolhost::gate::Call;
use toolhost::spec::Code;
use toolhost_tests::host::{Ground, caller};
use toolhost_tests::wire::{Piped, shown};

use super::{Stage, shown, tests};

toolhost_tests::foreach_results_guest!(tests);

const CONFIG: &str = "[[component]]\npath = \"tools/*.wasm\"\ntrust_annotations = true\n";

#[tokio::test(flavor = "multi_thread")]
async fn every_guest_of_the_group_gets_its_end() {
    super::run("results", CONFIG).await;
}

/// What the guest hands over cannot be used, for a reason that says this.
async fn is_bad(stage: &Stage, reason: &str) {
    let said = stage.ends(Code::BadResult).await;
    assert!(said.contains(reason), "{said}");
}

async fn b48_returns_fifty_megabytes(stage: Stage) {
    is_bad(&stage, "").await;
}

async fn b53_dies_with_a_long_last_word(stage: Stage) {
    let said = stage.ends(Code::ToolCrashed).await;
    assert!(said.lines().count() == 1 && said.len() < 200, "{said}");
}

async fn b63_returns_a_million_elements(stage: Stage) {
    is_bad(&stage, "more than 100000 elements").await;
}

async fn b64_returns_a_number_without_end(stage: Stage) {
    is_bad(&stage, "an exponent beyond 1000").await;
}

async fn b65_returns_a_key_twice(stage: Stage) {
    is_bad(&stage, "the key \"path\" appears twice").await;
}

async fn b66_returns_a_hundred_thousand_brackets(stage: Stage) {
    is_bad(&stage, "nested deeper than 64 levels").await;
}

async fn b70_returns_half_a_character(stage: Stage) {
    is_bad(&stage, "").await;
}

async fn b73_breaks_its_own_schema(stage: Stage) {
    is_bad(&stage, "it breaks its own output schema. a: expected an integer").await;
}

async fn b74_promises_a_value_and_gives_text(stage: Stage) {
    is_bad(&stage, "it has an output schema, but returned no structured value").await;
}

async fn b98_wants_to_be_tried_for_ever(stage: Stage) {
    let outcome = stage.call("{}").await;
    let failure = outcome.result.expect_err("it fails");
    assert_eq!((failure.code, failure.retryable), (Code::ToolError, true), "{failure:?}");
    assert_eq!(failure.retry_after_ms, Some(u64::MAX));
    assert_eq!((outcome.attempt, stage.guest.answer().as_str()), (1, "tool_error"));
}

async fn b108_sends_escape_sequences(stage: Stage) {
    stage.answers("a[2J]0;xb31mcd").await;
}

async fn cve_2026_119141_calls_from_its_allocator(stage: Stage) {
    stage.ends(Code::ToolCrashed).await;
}

async fn d12_allocates_where_nothing_is(stage: Stage) {
    is_bad(&stage, "").await;
}

async fn d12_allocates_without_end(stage: Stage) {
    stage.is_stopped().await;
}

async fn d12_answers_at_a_crooked_address(stage: Stage) {
    is_bad(&stage, "align").await;
}

async fn d12_answers_behind_its_memory(stage: Stage) {
    is_bad(&stage, "").await;
}

async fn d12_answers_with_a_kind_that_is_none(stage: Stage) {
    is_bad(&stage, "").await;
}

async fn d12_asks_a_thousand_questions(stage: Stage) {
    is_bad(&stage, "there are 1000 requests; 1 to 16 are taken").await;
}

async fn d12_fails_in_many_lines(stage: Stage) {
    let said = stage.ends(Code::ToolError).await;
    assert_eq!(said.lines().count(), 1, "{said}");
}

async fn d12_has_a_kind_of_three_megabytes(stage: Stage) {
    let said = stage.ends(Code::ToolError).await;
    let kind = "K".repeat(64);
    assert!(said.starts_with(&format!("Error ({kind}): KKKK")), "{}", &said[..100]);
    assert!(said.ends_with(" Narrow the query or request a specific section.]") && said.len() < 17_000);
}

async fn d12_keeps_a_megabyte_of_state(stage: Stage) {
    is_bad(&stage, "its state has more than 65536 bytes").await;
}

async fn d12_points_out_of_its_memory(stage: Stage) {
    is_bad(&stage, "").await;
}

async fn ghsa_394w_lies_about_its_length(stage: Stage) {
    is_bad(&stage, "").await;
}

async fn ghsa_394w_says_half_a_pair(stage: Stage) {
    is_bad(&stage, "").await;
}

async fn ghsa_394w_speaks_utf_16(stage: Stage) {
    stage.answers("Hä😀").await;
}

async fn t_state_counts_its_calls(stage: Stage) {
    for _ in 0..5 {
        stage.answers("11").await;
    }
}

async fn t_stdout_forges_an_answer(stage: Stage) {
    stage.answers("honest").await;
    let ground = Ground::new().component("t", &stage.guest.component());
    let name = stage.guest.name;
    let rest = tokio::task::spawn_blocking(move || {
        let mut piped = Piped::start(ground.path());
        for _ in 0..3 {
            assert_eq!(shown(&piped.call(name, "{}")), "honest");
        }
        piped.rest()
    });
    assert_eq!(rest.await.unwrap(), "");
}

async fn val_api_returns_a_million_blocks(stage: Stage) {
    is_bad(&stage, "").await;
}

async fn val_api_returns_links_without_number(stage: Stage) {
    is_bad(&stage, "is larger than").await;
}

async fn val_api_says_the_same_thousandfold(stage: Stage) {
    is_bad(&stage, "").await;
}

async fn t_invisible_in_every_field(stage: Stage) {
    shown::in_every_class(&stage, shown::hexadecimal).await;
    assert_eq!(stage.guest.answer(), "ok");
}

async fn t_invisible_in_a_failure(stage: Stage) {
    shown::in_every_class(&stage, shown::hexadecimal).await;
    assert_eq!(stage.guest.answer(), "tool_error");
}

async fn t_invisible_in_a_value(stage: Stage) {
    shown::in_every_class(&stage, |hidden| format!(r#"{{"a":{}}}"#, shown::escaped(hidden))).await;
    shown::in_every_class(&stage, |hidden| format!(r#"{{"a":{}}}"#, serde_json::Value::from(hidden))).await;
    assert_eq!(stage.guest.answer(), "ok");
}

async fn t_invisible_in_a_question(stage: Stage) {
    let form = |text: &str| {
        format!(
            r#"{{"a":{{"message":{text},"requestedSchema":{{"type":"object","properties":{{"f":{{"type":"string","title":{text}}}}}}}}}}}"#
        )
    };
    shown::in_every_class(&stage, |hidden| form(&shown::escaped(hidden))).await;
    assert_eq!(stage.guest.answer(), "tool_error");
}

async fn t_invisible_in_its_progress(stage: Stage) {
    for (class, hidden) in shown::classes() {
        let (news, mut told) = tokio::sync::mpsc::channel(4);
        let arguments = shown::hexadecimal(&format!("be{hidden}fore"));
        let mut call = Call::new(caller(&stage.host, "local"), stage.guest.name, arguments);
        call.progress = Some(news);
        assert_eq!(stage.host.execute(call).await.code(), "ok");
        let message = told.recv().await.expect("it reports").message.expect("a message");
        assert_eq!(message, "before", "{class}");
    }
    assert_eq!(stage.guest.answer(), "ok");
}
