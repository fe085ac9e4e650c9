use toolhost_sdk::tool;

#[tool]
fn silent(a: u8) -> u8 {
    a
}

///
#[tool]
fn blank() {}

/// Described.
#[tool(description = " ")]
fn empty() {}

fn main() {}
