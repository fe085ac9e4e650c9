//! A tool written with the macro, called by hand.
#![allow(missing_docs)]
use toolhost_sdk::{Date, Tool, tool};

/// Multiplies two numbers. No side effect.
#[tool(read_only)]
pub fn multiply(
    /// The first factor
    a: f64,
    #[arg(default = 1)] b: f64,
) -> f64 {
    a * b
}

/// Waits.
#[tool(timeout = "10s", idempotency_key = "x:{day}")]
async fn later(day: Option<Date>, ctx: &toolhost_sdk::Context) -> Result<String, std::num::ParseIntError> {
    let _ = ctx.tenant_id();
    let _: i32 = "x".parse()?;
    Ok(format!("{day:?}"))
}

toolhost_sdk::export!(multiply, later);

#[test]
fn specs() {
    println!("{:#?}", (multiply {}).spec());
    println!("{:#?}", (later {}).spec());
}
