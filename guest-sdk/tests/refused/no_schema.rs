use toolhost_sdk::tool;

struct Plain;

/// A parameter without a schema.
#[tool]
fn parameter(plain: Plain) {}

/// An integer beyond 64 bit.
#[tool]
fn wide(number: u128) {}

/// A result without a schema.
#[tool]
fn result() -> Plain {
    Plain
}

fn main() {}
