//! Guests that lie, flood or change their mind while they describe themselves.

#![deny(dead_code)]

use toolhost::spec::Code;
use toolhost_tests::host::{Ground, call, text};

use super::{Stage, tests};

toolhost_tests::foreach_describe_guest!(tests);

#[tokio::test(flavor = "multi_thread")]
async fn every_guest_of_the_group_gets_its_end() {
    super::run("describe", "").await;
}

/// The guest, whose name is its own doing, has the same name in each host. Gives what it answers to two calls.
async fn has_one_name(stage: &Stage) -> [String; 2] {
    let mut names = Vec::new();
    for _ in 0..3 {
        let host = Ground::new().component("t", &stage.guest.component()).start().await;
        let report = host.load_report();
        let [loaded] = report.loaded.as_slice() else { panic!("{report:?}") };
        assert!(!loaded.from_cache, "it has to be asked anew");
        names.push(loaded.tools[0].to_string());
    }
    assert!(names.iter().all(|name| *name == names[0]), "{names:?}");
    assert_eq!(stage.guest.answer(), "ok");
    let say = async || text(&call(&stage.host, &names[0], "{}").await);
    [say().await, say().await]
}

async fn t_describe_pure_counts_up(stage: Stage) {
    assert_eq!(has_one_name(&stage).await, ["t", "t"]);
}

async fn t_describe_pure_goes_by_the_clock(stage: Stage) {
    has_one_name(&stage).await;
}

async fn t_describe_pure_throws_dice(stage: Stage) {
    let [one, other] = has_one_name(&stage).await;
    assert_ne!(one, other, "the dice of a call are real");
}

async fn t_describe_pure_asks_who_calls(stage: Stage) {
    stage.is_refused("its `describe` failed: ");
}

async fn d12_describes_itself_without_end(stage: Stage) {
    stage.is_refused("its `describe` failed: ");
}

async fn d12_describes_a_thousand_and_one_tools(stage: Stage) {
    stage.is_refused("the component describes 1001 tools; at most 1000 are taken");
}

async fn d12_says_the_same_ten_megabytes_often(stage: Stage) {
    stage.is_refused("its `describe` failed: ");
}

async fn d12_has_a_name_that_is_no_text(stage: Stage) {
    stage.is_refused("its `describe` failed: ");
}

async fn d12_describes_itself_out_of_bounds(stage: Stage) {
    stage.is_refused("its `describe` failed: ");
}

async fn b59_has_a_schema_that_holds_itself(stage: Stage) {
    let reason = stage.refusal();
    assert!(reason.contains("leads back to itself"), "{reason}");
}

async fn b61_has_a_pattern_that_looks_ahead(stage: Stage) {
    let reason = stage.refusal();
    assert!(reason.contains("(?=(a+)+$)"), "{reason}");
}

async fn b61_has_a_pattern_that_doubles(stage: Stage) {
    let outcome = stage.call(&format!(r#"{{"a":"{}!"}}"#, "a".repeat(50_000))).await;
    stage.verdict(&outcome, Code::BadArgs);
}
