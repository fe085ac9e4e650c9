use toolhost_sdk::tool;

/// A name with a space.
#[tool(name = "get order")]
fn spaced() {}

/// A name that begins with a digit.
#[tool(name = "1st")]
fn digit() {}

/// A name of other letters.
#[tool]
fn größe() {}

/// A name of 49 characters.
#[tool]
fn a23456789_a23456789_a23456789_a23456789_a23456789() {}

fn main() {}
