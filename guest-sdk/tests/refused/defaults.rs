use toolhost_sdk::tool;

/// Literals of the wrong kind.
#[tool]
fn kinds(
    #[arg(default = "one")] a: u8,
    #[arg(default = 1)] b: String,
    #[arg(default = 1.5)] c: i32,
    #[arg(default = true)] d: f64,
    #[arg(default = 1)] e: bool,
    #[arg(default = "x")] f: Option<i64>,
) {
}

/// Numbers that do not fit.
#[tool]
fn ranges(
    #[arg(default = 256)] a: u8,
    #[arg(default = -1)] b: u32,
    #[arg(default = 18446744073709551616)] c: u64,
    #[arg(default = 4294967296)] d: usize,
    #[arg(default = 1e999)] e: f64,
) {
}

/// Bad attributes.
#[tool]
fn attributes(
    #[arg(defualt = 1)] a: u8,
    #[arg(default = 1, default = 2)] b: u8,
    #[arg(description = "")] c: u8,
    #[arg(default)] d: u8,
) {
}

fn main() {}
