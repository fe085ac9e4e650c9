//! What the fuzzer found interesting, tried again: no input breaks a promise. `just fuzz` looks for further ones.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use toolhost_tests::host::repository;

#[expect(unreachable_pub, reason = "they are another crate's, which is built for the fuzzer alone")]
#[path = "../fuzz/src/lib.rs"]
mod targets;

/// Tries every file of a target's corpus.
fn each_of(target: &str, run: fn(&[u8])) {
    let folder = repository().join("tests/fuzz/corpus").join(target);
    let tried =
        std::fs::read_dir(&folder).unwrap().flatten().filter(|file| broken(&file.path(), run)).count();
    assert_eq!(tried, 0, "inputs of {} break a promise", folder.display());
    assert!(std::fs::read_dir(&folder).unwrap().count() > 0, "{} is empty", folder.display());
}

/// Whether an input breaks a promise, and says which.
fn broken(file: &Path, run: fn(&[u8])) -> bool {
    let input = std::fs::read(file).unwrap();
    let broken = catch_unwind(AssertUnwindSafe(|| run(&input))).is_err();
    if broken {
        eprintln!("it was {}", file.display());
    }
    broken
}

#[test]
fn no_input_breaks_a_promise() {
    each_of("arguments", targets::arguments::run);
    each_of("schema", targets::schema::run);
    each_of("component", targets::component::run);
    each_of("egress", targets::egress::run);
    each_of("texts", targets::texts::run);
    each_of("scrub", targets::scrub::run);
}
