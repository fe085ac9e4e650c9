//! A tool that sends what a test wants, and says what came back by the way that the test wants.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a guest tries every way out that there is"
)]

mod bindings;
mod request;

use request::{Answer, Request, send};
use toolhost_sdk::{Content, Context, ToolError, tool};

/// Sends requests one after the other, and gives each answer or what went wrong. For testing. It reaches the web.
#[tool(read_only)]
fn fetch(
    context: &Context,
    /// The requests.
    requests: Vec<Request>,
) -> Vec<String> {
    let told = |answer: Result<Answer, String>| match answer {
        Ok(Answer { status, body, .. }) => format!("{status} {body}"),
        Err(fault) => fault,
    };
    requests.iter().map(|request| told(send(context, request))).collect()
}

/// Sends one request, and gives all of the answer. For testing. It reaches the web.
#[tool(read_only)]
fn fetch_whole(
    context: &Context,
    /// The request.
    request: Request,
) -> Result<Answer, ToolError> {
    send(context, &request).map_err(ToolError::new)
}

/// Sends one request, and says what came back in every way that a tool has. For testing. It reaches the web.
#[tool(read_only)]
fn blab(
    context: &Context,
    /// The request.
    request: Request,
    /// How it ends: result, failure or panic.
    end: String,
) -> Result<Content, ToolError> {
    let answer = send(context, &request).map_err(ToolError::new)?;
    let said = format!("{answer:?}");
    context.error(&said);
    context.progress(1.0, None, Some(&said));
    println!("{said}");
    eprintln!("{said}");
    match end.as_str() {
        "result" => Ok(Content::text(said)),
        "failure" => Err(ToolError::with_kind(said.clone(), said)),
        _ => panic!("{said}"),
    }
}

/// Asks for a secret, sends a request with it, and looks for the value in all of its own memory. For testing. It reaches
/// the web.
#[tool(read_only)]
fn look(
    context: &Context,
    /// The request.
    request: Request,
    /// The value, backwards.
    backwards: String,
) -> Result<u32, ToolError> {
    let placeholder = context.secret("key").map_err(ToolError::from_error)?;
    send(context, &request).map_err(ToolError::new)?;
    let backwards = backwards.into_bytes();
    let arguments: Vec<String> = std::env::args().chain(std::env::vars().map(|(_, value)| value)).collect();
    let found = arguments.iter().any(|text| text.bytes().rev().eq(backwards.iter().copied()));
    let found = u32::from(found) + occurrences(&backwards);
    // It stands in memory until here.
    drop(placeholder);
    Ok(found)
}

/// Says in whose name it is called. For testing. It has no side effect.
#[tool(read_only)]
fn whoami(context: &Context) -> Vec<String> {
    let user = context.user_id().map(|user| user.to_string());
    vec![context.tenant_id().to_string(), user.unwrap_or_default()]
}

/// How often the reverse of some bytes stands in this guest's memory.
#[cfg_attr(
    target_arch = "wasm32",
    expect(unsafe_code, reason = "all of the guest's own memory is read, which is what is looked through")
)]
fn occurrences(backwards: &[u8]) -> u32 {
    #[cfg(target_arch = "wasm32")]
    {
        let end = core::arch::wasm32::memory_size(0) << 16;
        let byte = |at: usize| {
            // SAFETY: every address below the size of the memory can be read.
            unsafe { core::ptr::read_volatile(at as *const u8) }
        };
        let last = backwards.len();
        let mut found = 0;
        // Nothing stands at address 0.
        for at in 1..end.saturating_sub(last) {
            found += u32::from((0..last).all(|i| byte(at + i) == backwards[last - 1 - i]));
        }
        found
    }
    #[cfg(not(target_arch = "wasm32"))]
    {
        let _ = backwards;
        0
    }
}

toolhost_sdk::export!(fetch, fetch_whole, blab, look, whoami);
