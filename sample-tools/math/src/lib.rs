//! Arithmetic: a plain function as a tool.

use toolhost_sdk::{ToolError, tool};

/// Multiplies two whole numbers and returns the exact product. Use it for any product that has to be right to the
/// last digit; do not use it for fractions or for amounts of money with a decimal point. It has no side effect.
#[tool(title = "Multiply", read_only, idempotent)]
fn multiply(
    /// The first factor.
    a: i64,
    /// The second factor.
    #[arg(default = 1)]
    b: i64,
) -> Result<i64, ToolError> {
    // A wrapped or rounded product would look right to a model, so that one which does not fit is an error.
    a.checked_mul(b).ok_or_else(|| {
        ToolError::with_kind(
            "Overflow",
            format!("The product of {a} and {b} does not fit into 64 bits. Use smaller factors."),
        )
    })
}

toolhost_sdk::export!(multiply);

#[cfg(test)]
mod tests {
    use toolhost_sdk::testing::{self, FakeContext};

    use super::*;

    fn ask(arguments: &str) -> String {
        testing::call(&multiply {}, &FakeContext::new(), arguments).text
    }

    #[test]
    fn the_host_takes_it() {
        assert_eq!(testing::admit(&[&multiply {}]), Ok(()));
    }

    #[test]
    fn products_are_exact() {
        assert_eq!(ask(r#"{"a": 6, "b": 7}"#), "42");
        assert_eq!(ask(r#"{"a": 9007199254740993}"#), "9007199254740993");
        assert_eq!(ask(r#"{"a": 3037000499, "b": 3037000499}"#), "9223372030926249001");
        assert_eq!(ask(r#"{"a": -9223372036854775808, "b": 1}"#), "-9223372036854775808");
    }

    #[test]
    fn a_product_that_does_not_fit_is_an_error() {
        assert_eq!(
            ask(r#"{"a": -9223372036854775808, "b": -1}"#),
            "Error (Overflow): The product of -9223372036854775808 and -1 does not fit into 64 bits. Use smaller factors."
        );
    }

    #[test]
    fn fractions_are_refused() {
        assert!(
            ask(r#"{"a": 1.5, "b": 2}"#)
                .starts_with("Error (InvalidArguments): The arguments for 'multiply'")
        );
    }
}
