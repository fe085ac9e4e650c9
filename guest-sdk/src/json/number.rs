//! What a JSON number is worth, read from its digits: 1, 1.0 and 10e-1 are the same integer, and no integer passes
//! through a float.

use serde_json::Number;

/// How many digits an integer of 64 bit can have. A longer one is out of range, whatever its exponent.
const MAX_DIGITS: usize = 20;

/// A number as the narrowest type that holds it exactly, or as a float.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Worth {
    Unsigned(u64),
    Negative(i64),
    Float(f64),
    /// An integer or a float beyond what 64 bit can hold.
    Beyond,
}

pub(super) fn worth(number: &Number) -> Worth {
    let text = number.to_string();
    if let Some(integer) = integer(&text) {
        return integer;
    }
    match text.parse::<f64>() {
        Ok(float) if float.is_finite() => Worth::Float(float),
        _ => Worth::Beyond,
    }
}

/// The number as an integer, if it is one by value and fits 64 bit.
fn integer(text: &str) -> Option<Worth> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Some(Worth::Unsigned(0));
    }
    let trimmed = significant.trim_end_matches('0');
    let trailing = i64::try_from(significant.len() - trimmed.len()).ok()?;
    let zeros = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?.checked_add(trailing)?;
    let zeros =
        usize::try_from(zeros).ok().filter(|zeros| zeros.saturating_add(trimmed.len()) <= MAX_DIGITS)?;
    let exact = format!("{}{trimmed}{}", if negative { "-" } else { "" }, "0".repeat(zeros));
    if negative { exact.parse().ok().map(Worth::Negative) } else { exact.parse().ok().map(Worth::Unsigned) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Worth {
        worth(&serde_json::from_str(text).expect("a JSON number"))
    }

    #[test]
    fn an_integer_is_one_however_it_is_written() {
        for text in ["1", "1.0", "10e-1", "0.1e1", "1E0", "1.000", "0.01e+2"] {
            assert_eq!(of(text), Worth::Unsigned(1), "{text}");
        }
        assert_eq!(of("-0"), Worth::Unsigned(0));
        assert_eq!(of("0e999999999"), Worth::Unsigned(0));
        assert_eq!(of("-1.50e2"), Worth::Negative(-150));
    }

    #[test]
    fn no_digit_is_lost() {
        assert_eq!(of("9007199254740993"), Worth::Unsigned(9_007_199_254_740_993));
        assert_eq!(of("18446744073709551615"), Worth::Unsigned(u64::MAX));
        assert_eq!(of("18446744073709551615.0"), Worth::Unsigned(u64::MAX));
        assert_eq!(of("-9223372036854775808"), Worth::Negative(i64::MIN));
    }

    #[test]
    fn what_does_not_fit_is_a_float_or_beyond() {
        assert_eq!(of("0.5"), Worth::Float(0.5));
        assert_eq!(of("18446744073709551616"), Worth::Float(18_446_744_073_709_551_616.0));
        assert_eq!(of("1e400"), Worth::Beyond);
        assert_eq!(of("1e99999999999999999999"), Worth::Beyond);
        assert_eq!(of("1e-400"), Worth::Float(0.0));
    }
}
