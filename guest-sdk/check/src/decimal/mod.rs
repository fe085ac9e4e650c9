//! JSON numbers as exact decimals.
//!
//! It owns the normal form (sign, digits without zeros at either end, power of ten) in which equal numbers are equal
//! texts, the order, and exact divisibility. Nothing here is ever a float.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

#[cfg(test)]
mod tests;

/// Above this many digits before the point a whole number is written with an exponent, as ECMAScript does.
const PLAIN_DIGITS: i64 = 21;
/// Down to this many zeros after the point a fraction is written without an exponent, as ECMAScript does.
const PLAIN_ZEROS: i64 = 6;

/// The longest divisor for [`Decimal::is_multiple_of`], in digits; remainders then fit 128 bits.
pub(crate) const DIVISOR_DIGITS: usize = 18;

/// An exact decimal number: `0.DIGITS * 10^point`, with neither leading nor trailing zeros in the digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal<'t> {
    negative: bool,
    digits: Cow<'t, str>,
    point: i64,
}

impl<'t> Decimal<'t> {
    /// Reads a number as JSON writes it. Zero has no sign. `None` if the text is no number, or if its exponent does
    /// not fit 63 bits.
    #[must_use]
    pub fn parse(text: &'t str) -> Option<Self> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let mut point = i64::try_from(whole.len()).ok()?.checked_add(exponent)?;
        let digits: Cow<'t, str> = if fraction.is_empty() {
            Cow::Borrowed(whole)
        } else if whole == "0" {
            point = point.checked_sub(1)?;
            Cow::Borrowed(fraction)
        } else {
            Cow::Owned(format!("{whole}{fraction}"))
        };
        let without_leading = digits.trim_start_matches('0');
        if without_leading.is_empty() {
            return Some(Self { negative: false, digits: Cow::Borrowed(""), point: 0 });
        }
        point = point.checked_sub(i64::try_from(digits.len() - without_leading.len()).ok()?)?;
        let digits = match &digits {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim_matches('0')),
            Cow::Owned(text) => Cow::Owned(text.trim_matches('0').to_owned()),
        };
        Some(Self { negative, digits, point })
    }

    /// The same number without a borrow.
    #[must_use]
    pub fn into_owned(self) -> Decimal<'static> {
        Decimal { negative: self.negative, digits: Cow::Owned(self.digits.into_owned()), point: self.point }
    }

    /// How many digits the number has between its first and its last that is not zero.
    #[must_use]
    pub fn digits_len(&self) -> usize {
        self.digits.len()
    }

    /// Whether the number is whole: `1.0` and `10e-1` are.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.digits.is_empty() || self.n_digits() <= self.point
    }

    /// Whether the number is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether this number divided by `divisor` is whole. `None` if the divisor is zero or has too many digits.
    #[must_use]
    pub fn is_multiple_of(&self, divisor: &Decimal<'_>) -> Option<bool> {
        if divisor.is_zero() || divisor.digits.len() > DIVISOR_DIGITS {
            return None;
        }
        if self.is_zero() {
            return Some(true);
        }
        // self / divisor = (digits * 10^own) / (modulus * 10^other), all of them whole numbers. The digits never end
        // in zero, so they have no factor ten, and a missing power of ten cannot be made up.
        let own = self.point.checked_sub(self.n_digits())?;
        let other = divisor.point.checked_sub(divisor.n_digits())?;
        let Ok(shift) = u64::try_from(own.checked_sub(other)?) else { return Some(false) };
        let modulus: u128 = divisor.digits.parse().ok()?;
        let remainder = self.digits.bytes().fold(0_u128, |remainder, digit| {
            (remainder * 10 + u128::from(digit.wrapping_sub(b'0'))) % modulus
        });
        Some((remainder * power_of_ten(shift, modulus)).is_multiple_of(modulus))
    }

    fn n_digits(&self) -> i64 {
        i64::try_from(self.digits.len()).unwrap_or(i64::MAX)
    }

    fn cmp_magnitude(&self, other: &Decimal<'_>) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits)),
        }
    }
}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
        }
    }
}

/// The normal form: as ECMAScript writes a number, but with every digit that is there.
impl fmt::Display for Decimal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        if self.negative {
            f.write_str("-")?;
        }
        let (digits, point) = (&*self.digits, self.point);
        if (1..=PLAIN_DIGITS).contains(&point) {
            let whole = usize::try_from(point).unwrap_or(digits.len());
            return match digits.split_at_checked(whole) {
                Some((whole, "")) => f.write_str(whole),
                Some((whole, fraction)) => write!(f, "{whole}.{fraction}"),
                None => write!(f, "{digits:0<whole$}"),
            };
        }
        if (-PLAIN_ZEROS + 1..=0).contains(&point) {
            let zeros = usize::try_from(-point).unwrap_or(0);
            return write!(f, "0.{:0<zeros$}{digits}", "");
        }
        let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
        let dot = if rest.is_empty() { "" } else { "." };
        let exponent = point.saturating_sub(1);
        let sign = if exponent < 0 { "" } else { "+" };
        write!(f, "{first}{dot}{rest}e{sign}{exponent}")
    }
}

/// `10^exponent mod modulus` by squaring; the modulus has at most [`DIVISOR_DIGITS`] digits.
fn power_of_ten(mut exponent: u64, modulus: u128) -> u128 {
    let mut base = 10 % modulus;
    let mut power = 1 % modulus;
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power * base % modulus;
        }
        base = base * base % modulus;
        exponent >>= 1;
    }
    power
}
