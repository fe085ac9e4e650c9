use toolhost_sdk::{Context, tool};

/// Reserved names.
#[tool]
fn reserved(
    tenant_id: String,
    user_id: String,
    run_id: String,
    call_id: String,
    idempotency_key: String,
    requires_approval: bool,
    side_effect: bool,
) {
}

/// Patterns.
#[tool]
fn pattern((a, b): (u8, u8), _: u8, c @ _: u8, ref d: u8) {}

/// Two contexts.
#[tool]
fn contexts(a: &Context, b: &Context) {}

/// A context that is not borrowed, and one that could be changed.
#[tool]
fn owned(ctx: Context) {}

/// A context that is not borrowed, and one that could be changed.
#[tool]
fn mutable(ctx: &mut Context) {}

/// Borrowed arguments.
#[tool]
fn borrowed(query: &str, list: &[u8]) {}

/// No type of its own.
#[tool]
fn opaque(text: impl Into<String>) {}

/// Depends on the build.
#[tool]
fn conditional(#[cfg(unix)] a: u8) {}

fn main() {}
