//! A tool with a side effect that can be counted from outside of the host: it adds a line to a file in a granted
//! directory.

#![expect(
    clippy::disallowed_methods,
    reason = "a guest opens what it was granted, and nothing else is there"
)]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::time::Duration;

use toolhost_sdk::{Context, ToolError, tool};

/// Adds a line to the log, then waits. For testing that a side effect happens once. It has a side effect.
#[tool]
fn append(
    context: &Context,
    /// The line.
    line: String,
    /// How long to wait afterwards, in milliseconds.
    #[arg(default = 0)]
    pause_ms: u64,
) -> Result<String, ToolError> {
    let key = context.idempotency_key().unwrap_or_default();
    let written = OpenOptions::new().create(true).append(true).open("/effects/log").and_then(|mut log| {
        // One write, so that lines of several processes do not mix.
        log.write_all(format!("{line}\n").as_bytes())
    });
    written.map_err(|fault| ToolError::new(fault.to_string()))?;
    std::thread::sleep(Duration::from_millis(pause_ms));
    Ok(format!("appended {line} under {key}"))
}

toolhost_sdk::export!(append);
