//! What the macros refuse, each with the message that its author reads.

#[test]
fn each_mistake_is_a_compile_error_that_names_it() {
    trybuild::TestCases::new().compile_fail("tests/refused/*.rs");
}
