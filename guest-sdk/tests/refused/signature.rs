use toolhost_sdk::tool;

/// A receiver.
#[tool]
fn method(self) {}

/// Generic.
#[tool]
fn generic<T, const N: usize>(a: u8) {}

/// A lifetime.
#[tool]
fn lifetime<'a>(a: u8) {}

/// Unsafe.
#[tool]
unsafe fn dangerous() {}

/// Foreign.
#[tool]
extern "C" fn foreign() {}

/// Not a function.
#[tool]
struct Thing;

fn main() {}
