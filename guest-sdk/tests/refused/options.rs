use toolhost_sdk::tool;

/// Unknown option.
#[tool(readonly)]
fn unknown() {}

/// Every bad value is told at once.
#[tool(delivery = "exactly_once", timeout = "10", pool = "a b", read_only = "yes", title = 5, idempotent(true))]
fn values() {}

/// Doubled option.
#[tool(read_only, read_only)]
fn doubled() {}

/// Contradiction.
#[tool(read_only, destructive)]
fn contradiction() {}

/// Timeouts.
#[tool(timeout = "0s")]
fn zero() {}

/// Timeouts.
#[tool(timeout = "+1s")]
fn signed() {}

/// Timeouts.
#[tool(timeout = "99999999999999999999s")]
fn huge() {}

/// Text missing.
#[tool(name)]
fn nameless() {}

/// Not an option at all.
#[tool(a::b)]
fn path() {}

fn main() {}
