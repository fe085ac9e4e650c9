//! What the fuzzer found interesting, tried again: no input breaks a promise. `just fuzz` looks for further ones.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use toolhost_tests::host::repository;

#[expect(unreachable_pub, reason = "they are another crate's, which is built for the fuzzer alone")]
#[path = "../fuzz/src/lib.rs"]
mod targets;

/// Tries every file of a target's corpus.
fn each_of(target: &str, run: fn(&[u8])) {
    let folder = repository().join("tests/fuzz/corpus").join(target);
    let files: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().flatten().map(|file| file.path()).collect();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    let broken: Vec<&PathBuf> = files.iter().filter(|file| is_broken(file, run)).collect();
    assert!(broken.is_empty(), "inputs break a promise: {broken:?}");
}

/// Whether an input breaks a promise.
fn is_broken(file: &Path, run: fn(&[u8])) -> bool {
    let input = std::fs::read(file).unwrap();
    catch_unwind(AssertUnwindSafe(|| run(&input))).is_err()
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
