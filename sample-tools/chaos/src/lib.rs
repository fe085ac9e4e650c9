//! Tools that misbehave on purpose, to see the host's limits at work. Nothing here gets out of the sandbox.

use std::hint::black_box;
use std::io::Write;
use std::time::Duration;

use toolhost_sdk::{ToolError, tool};

const MIB: usize = 1 << 20;
const PAGE: usize = 4096;

/// Computes for ever and never returns. For testing the host's time limit; do not use it for real work. To wait for a
/// known time without computing use `sleep`. It has no side effect.
#[tool(title = "Spin", read_only)]
fn spin() -> u64 {
    let mut rounds = 0_u64;
    loop {
        rounds = black_box(rounds).wrapping_add(1);
    }
}

/// Waits, then returns how long it was asked to wait. For testing what the host does while a tool waits; to keep the
/// processor busy instead use `spin`. It has no side effect.
#[tool(title = "Sleep", read_only, idempotent)]
fn sleep(
    /// How long to wait, in milliseconds.
    ms: u64,
) -> u64 {
    std::thread::sleep(Duration::from_millis(ms));
    ms
}

/// Takes memory and writes to all of it, then returns how many MiB it took. Without `mb` it takes more until the host
/// stops it. For testing the memory limit; to use up the stack instead use `recurse`. It has no side effect.
#[tool(title = "Allocate memory", read_only)]
fn allocate(
    /// How much to take, in MiB; without it, all there is.
    mb: Option<u32>,
) -> u32 {
    let mut taken = Vec::new();
    let mut count = 0;
    while mb.is_none_or(|wanted| count < wanted) {
        let mut block = vec![0_u8; MIB];
        // Memory that was never written to may not be real.
        for byte in block.iter_mut().step_by(PAGE) {
            *byte = 1;
        }
        taken.push(black_box(block));
        count += 1;
    }
    count
}

/// Calls itself for ever, until the stack is used up and the host stops it. For testing the stack limit; to use up
/// other memory use `allocate`. It has no side effect.
#[tool(title = "Recurse", read_only)]
fn recurse() -> u64 {
    deeper(0)
}

#[expect(unconditional_recursion, reason = "this is what the tool is for")]
fn deeper(depth: u64) -> u64 {
    // What is done with the result keeps the compiler from making a loop of the call.
    let frame = black_box([depth; 16]);
    black_box(deeper(depth.wrapping_add(1))).wrapping_add(frame.iter().sum())
}

/// Writes to standard output for ever. For testing the limit on what a tool may print; it returns nothing to read. It
/// has no side effect.
#[tool(title = "Flood the output", read_only)]
fn flood() -> u64 {
    let block = [b'~'; 64 * 1024];
    let mut output = std::io::stdout();
    let mut blocks = 0_u64;
    loop {
        // A tool that wants to do harm does not stop when it is told that nobody reads.
        if output.write_all(&block).is_ok() {
            blocks = black_box(blocks).wrapping_add(1);
        }
    }
}

/// Crashes: the tool ends in the middle of its work, without a result. For testing what the host makes of a crash; for
/// an orderly failure use `fail`. It has no side effect.
#[tool(title = "Crash", read_only)]
fn crash() -> u64 {
    std::process::abort()
}

/// Fails in an orderly way, with a failure that may be retried. For testing retries; for a crash use `crash`. It has no
/// side effect.
#[tool(title = "Fail", read_only, idempotent)]
fn fail() -> Result<(), ToolError> {
    Err(ToolError::new(
        "The tool failed because it was asked to. Calling it again may be tried, but it fails each time.",
    )
    .retryable())
}

toolhost_sdk::export!(spin, sleep, allocate, recurse, flood, crash, fail);

#[cfg(test)]
mod tests {
    use toolhost_sdk::testing::{self, FakeContext};

    use super::*;

    // The tools that never return are tested in the sandbox: nothing else stops them.

    #[test]
    fn the_host_takes_all_of_them() {
        assert_eq!(
            testing::admit(&[&spin {}, &sleep {}, &allocate {}, &recurse {}, &flood {}, &crash {}, &fail {}]),
            Ok(())
        );
    }

    #[test]
    fn a_failure_may_be_retried() {
        let seen = testing::call(&fail {}, &FakeContext::new(), "{}");
        assert_eq!((seen.kind.as_deref(), seen.is_error, seen.retryable), (Some("ToolError"), true, true));
    }

    #[test]
    fn memory_and_time_are_taken_as_asked() {
        assert_eq!(testing::call(&allocate {}, &FakeContext::new(), r#"{"mb": 3}"#).text, "3");
        let before = std::time::Instant::now();
        assert_eq!(testing::call(&sleep {}, &FakeContext::new(), r#"{"ms": 20}"#).text, "20");
        assert!(before.elapsed() >= Duration::from_millis(20));
    }
}
