//! The tokens of JSON that are more than one character: strings, numbers and words.

use std::ops::Range;

use super::keys::hex4;
use super::scanner::{Hit, Scanner};
use super::{Limits, Reason};

impl Scanner<'_> {
    /// Reads the string that begins here; gives the range between the quotes and whether it has escapes.
    pub(super) fn string(&mut self) -> Result<(Range<usize>, bool), Hit> {
        let open = self.at;
        self.at += 1;
        let mut escaped = false;
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let Some(plain) = rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\')
            else {
                return Err((open, Reason::OpenString));
            };
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok((open + 1..self.at - 1, escaped));
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                _ => {
                    self.soft((self.at, Reason::ControlCharacter))?;
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self) -> Result<(), Hit> {
        let start = self.at;
        match self.text.get(start + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let unit = self.text.get(start + 2..start + 6).and_then(hex4);
                let Some(unit) = unit else { return Err((start, Reason::BadEscape)) };
                self.at += 6;
                if (0xD800..0xE000).contains(&unit) {
                    let rest = self.text.get(self.at..).unwrap_or_default();
                    let low = rest.strip_prefix(b"\\u").and_then(|low| low.get(..4)).and_then(hex4);
                    if unit < 0xDC00 && low.is_some_and(|low| (0xDC00..0xE000).contains(&low)) {
                        self.at += 6;
                    } else {
                        self.soft((start, Reason::LoneSurrogate))?;
                    }
                }
            }
            _ => return Err((start, Reason::BadEscape)),
        }
        Ok(())
    }

    pub(super) fn number(&mut self) -> Result<(), Hit> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let first = self.peek();
        let whole = self.digits();
        if whole == 0 {
            return Err(self.expected("a digit"));
        }
        if first == Some(b'0') && whole > 1 {
            return Err((start, Reason::LeadingZero));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.expected("a digit"));
            }
        }
        let mut exponent = 0_u32;
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            let digits_at = self.at;
            if self.digits() == 0 {
                return Err(self.expected("a digit"));
            }
            let digits = self.text.get(digits_at..self.at).unwrap_or_default();
            exponent = digits.iter().fold(0, |sum: u32, &digit| {
                sum.saturating_mul(10).saturating_add(u32::from(digit.wrapping_sub(b'0')))
            });
        }
        let Limits { number_chars, exponent: exponent_limit, .. } = self.limits;
        if self.at - start > number_chars {
            self.soft((start, Reason::NumberTooLong { limit: number_chars }))?;
        }
        if exponent > exponent_limit {
            self.soft((start, Reason::ExponentTooLarge { limit: exponent_limit }))?;
        }
        Ok(())
    }

    fn digits(&mut self) -> usize {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let n_digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += n_digits;
        n_digits
    }

    pub(super) fn word(&mut self) -> Result<(), Hit> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        match rest.get(..length) {
            Some(b"true" | b"false" | b"null") => {
                self.at += length;
                Ok(())
            }
            _ => Err((self.at, Reason::UnknownWord)),
        }
    }

    pub(super) fn expected(&self, wanted: &'static str) -> Hit {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let head = rest.get(..4).unwrap_or(rest);
        let found = match head.utf8_chunks().next() {
            Some(chunk) => chunk.valid().chars().next().or(Some(char::REPLACEMENT_CHARACTER)),
            None => None,
        };
        (self.at, Reason::Expected { wanted, found })
    }
}
