//! Guests that attack the compiler, the validator and the linker, or use what is switched off.

#![deny(dead_code)]

use super::{Stage, tests};

toolhost_tests::foreach_load_guest!(tests);

/// How a refusal by the compiler begins.
const COMPILER: &str = "it is not a component that this host can compile: ";

#[tokio::test(flavor = "multi_thread")]
async fn every_guest_of_the_group_gets_its_end() {
    super::run("load", "").await;
}

/// The compiler refuses the guest, and says this about it.
fn is_off(stage: &Stage, feature: &str) {
    let reason = stage.refusal();
    assert!(reason.starts_with(COMPILER) && reason.contains(feature), "{reason}");
}

async fn b25_has_a_hundred_instances(stage: Stage) {
    stage.is_refused("the sandbox cannot hold it: ");
}

async fn b33_has_a_function_too_large(stage: Stage) {
    is_off(&stage, "size");
}

async fn b33_has_many_custom_sections(stage: Stage) {
    stage.is_refused("it has 20000");
}

async fn b34_has_forty_thousand_data_segments(stage: Stage) {
    stage.answers("b34").await;
}

async fn b34_has_many_instructions(stage: Stage) {
    stage.answers("b34").await;
}

async fn b34_is_cut_off_in_the_middle(stage: Stage) {
    is_off(&stage, "");
}

async fn b35_nests_blocks_deeply(stage: Stage) {
    stage.answers("b35").await;
}

async fn b35_nests_components_deeply(stage: Stage) {
    stage.is_refused("it does not fit the contract toolhost:tool@0.1.0: ");
}

async fn b37_imports_a_function_of_another_type(stage: Stage) {
    let reason = stage.refusal();
    assert!(reason.starts_with("it does not fit the contract toolhost:tool@0.1.0: "), "{reason}");
    assert!(reason.contains("toolhost:tool/context@0.1.0") && reason.contains("tenant-id"), "{reason}");
}

async fn b37_imports_a_function_too_many(stage: Stage) {
    let reason = stage.refusal();
    assert!(reason.starts_with("it does not fit the contract toolhost:tool@0.1.0: "), "{reason}");
    assert!(reason.contains("toolhost:tool/log@0.1.0") && reason.contains("erase"), "{reason}");
}

async fn b37_imports_a_hundred_thousand_things(stage: Stage) {
    is_off(&stage, "instances count exceeds limit of 1000");
}

async fn b37_imports_what_nobody_has(stage: Stage) {
    let both =
        "it imports wasi:http/incoming-handler@0.2.12, other:thing/api@1.0.0, which this host does not offer";
    assert_eq!(stage.refusal(), both);
}

async fn d3_calls_by_typed_references(stage: Stage) {
    is_off(&stage, "function references");
}

async fn d3_has_pages_of_one_byte(stage: Stage) {
    is_off(&stage, "custom page sizes");
}

async fn d3_multiplies_wide_numbers(stage: Stage) {
    is_off(&stage, "wide arithmetic");
}

async fn d3_switches_stacks(stage: Stage) {
    is_off(&stage, "stack switching");
}

async fn d3_uses_relaxed_vectors(stage: Stage) {
    is_off(&stage, "relaxed SIMD");
}

async fn ghsa_2674_shares_its_memory(stage: Stage) {
    is_off(&stage, "threads");
}

async fn ghsa_3982_makes_31_bit_references(stage: Stage) {
    is_off(&stage, "gc");
}

async fn ghsa_43j2_has_collected_types(stage: Stage) {
    is_off(&stage, "gc");
}

async fn ghsa_5hhx_waits_in_its_start_function(stage: Stage) {
    stage.is_refused("its start function and `describe` ");
}

async fn ghsa_cfhf_throws_exceptions(stage: Stage) {
    is_off(&stage, "exceptions");
}

async fn ghsa_jxcf_imports_the_next_wasi(stage: Stage) {
    stage.is_refused("it imports ");
}

async fn ghsa_p8xm_has_a_64_bit_memory(stage: Stage) {
    is_off(&stage, "memory64");
}

async fn ghsa_xrvr_passes_streams(stage: Stage) {
    is_off(&stage, "async");
}
