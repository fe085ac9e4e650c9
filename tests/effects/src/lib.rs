//! Tools whose effects can be counted from outside of the host: each adds lines to a file in a granted directory.

#![expect(
    clippy::disallowed_methods,
    reason = "a guest opens what it was granted, and nothing else is there"
)]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::time::Duration;

use toolhost_sdk::{Context, InputRequired, Outcome, ToolError, json, tool};

/// Adds a line to the log, then waits. For testing that a side effect happens once. It has a side effect. A test holds
/// it before or after that with a file, and lets it go by taking that away.
#[tool]
fn append(
    context: &Context,
    /// The line.
    line: String,
    /// How long to wait afterwards, in milliseconds.
    #[arg(default = 0)]
    pause_ms: u64,
    /// How long to wait before, in milliseconds.
    #[arg(default = 0)]
    wait_ms: u64,
) -> Result<String, ToolError> {
    let key = context.idempotency_key().unwrap_or_default();
    held("before");
    std::thread::sleep(Duration::from_millis(wait_ms));
    log(&line)?;
    // The last call, for a test to find it.
    std::fs::write("/effects/call", context.call_id()).map_err(|fault| ToolError::new(fault.to_string()))?;
    held("after");
    std::thread::sleep(Duration::from_millis(pause_ms));
    Ok(format!("appended {line} under {key}"))
}

/// Fails until enough attempts were made, and adds a line to the log with each. For testing retries. It has no side
/// effect that matters.
#[tool(read_only, idempotent)]
fn flaky(
    context: &Context,
    /// How many attempts fail.
    fails: u32,
    /// The pause to ask for, in milliseconds.
    retry_after_ms: Option<u64>,
) -> Result<u32, ToolError> {
    let attempt = context.attempt();
    log(&format!("attempt {attempt}"))?;
    if attempt > fails {
        return Ok(attempt);
    }
    let error = ToolError::with_kind("Flaky", format!("Attempt {attempt} failed."));
    Err(match retry_after_ms {
        Some(pause) => error.retryable_after(Duration::from_millis(pause)),
        None => error.retryable(),
    })
}

/// Calls another tool and returns what it says. For testing calls between tools. It has the side effects of that tool.
#[tool]
fn relay(
    context: &Context,
    /// The other tool.
    tool: String,
    /// Its arguments, as the text of a JSON object.
    arguments: String,
) -> Result<String, ToolError> {
    let arguments: serde_json::Value = serde_json::from_str(&arguments).map_err(ToolError::from_error)?;
    Ok(match context.invoke(&tool, &arguments) {
        Ok(answer) => answer.text(),
        Err(error) => format!("{}: {}", error.code, error.message),
    })
}

/// Calls another tool twice, and fails at the first attempt. For testing what is attempted again.
#[tool(idempotent)]
fn stumble(
    context: &Context,
    /// The other tool.
    tool: String,
    /// Its arguments, as the text of a JSON object.
    arguments: String,
) -> Result<String, ToolError> {
    let arguments: serde_json::Value = serde_json::from_str(&arguments).map_err(ToolError::from_error)?;
    for _ in 0..2 {
        context.invoke(&tool, &arguments).map_err(ToolError::from_error)?;
    }
    if context.attempt() == 1 {
        return Err(ToolError::new("The first attempt stumbles.").retryable());
    }
    Ok("twice".to_owned())
}

/// Asks whether it shall, and then adds a line to the log. For testing input requests. It has a side effect.
#[tool]
fn confirm(
    context: &Context,
    /// The line.
    line: String,
) -> Result<Outcome<String>, ToolError> {
    let Some(state) = context.state() else {
        let form = json!({ "type": "object", "properties": { "sure": { "type": "boolean" } }, "required": ["sure"] });
        let question = json!({ "message": format!("Append {line}?"), "requestedSchema": form });
        let question = InputRequired::new().ask("sure", "elicitation/create", question);
        return Ok(Outcome::Ask(question.with_state(format!("asked about {line}"))));
    };
    let kept = String::from_utf8_lossy(state).into_owned();
    if context.answer("sure").is_some_and(|answer| answer.pointer("/content/sure") == Some(&json!(true))) {
        log(&line)?;
        return Ok(Outcome::Done(format!("appended, {kept}")));
    }
    let answered: Vec<&str> = context.answers().iter().map(|answer| answer.id.as_str()).collect();
    Ok(Outcome::Done(format!("left, {kept}, after {answered:?}")))
}

/// Waits for as long as a test wants it here, and says that it does.
fn held(moment: &str) {
    let hold = format!("/effects/hold-{moment}");
    let held = || std::fs::exists(&hold).unwrap_or_default();
    if held() {
        // The test would wait in vain for it, and say so.
        let _ = std::fs::write(format!("/effects/at-{moment}"), "");
    }
    while held() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn log(line: &str) -> Result<(), ToolError> {
    let written = OpenOptions::new().create(true).append(true).open("/effects/log").and_then(|mut log| {
        // One write, so that lines of several processes do not mix.
        log.write_all(format!("{line}\n").as_bytes())
    });
    written.map_err(|fault| ToolError::new(fault.to_string()))
}

toolhost_sdk::export!(append, flaky, relay, stumble, confirm);
