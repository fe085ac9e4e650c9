use toolhost_sdk::{Context, tool};

/// Names that are not parameters; the context is none either.
#[tool(idempotency_key = "refund:{order}:{ctx}")]
fn unknown(ctx: &Context, order_id: String) {}

/// No name at all.
#[tool(idempotency_key = "refund")]
fn constant(order_id: String) {}

/// Braces that do not match.
#[tool(idempotency_key = "refund:{order_id")]
fn open(order_id: String) {}

/// Braces that do not match.
#[tool(idempotency_key = "refund:order_id}")]
fn close(order_id: String) {}

/// Braces that do not match.
#[tool(idempotency_key = "refund:{{order_id}}")]
fn doubled(order_id: String) {}

fn main() {}
