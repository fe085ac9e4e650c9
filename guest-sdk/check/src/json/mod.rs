//! The look at raw JSON bytes before any library parses them.
//!
//! It owns the grammar of RFC 8259 and the bounds on what may pass. It refuses what libraries disagree about or
//! choke on: duplicate keys, lone surrogates, deep nesting, millions of elements, absurd exponents, and keys that
//! the JSON library itself reads as something else. It builds no value: one pass over the bytes, an explicit stack,
//! no recursion.

mod fault;
mod keys;
mod scanner;
mod tokens;

#[cfg(test)]
mod tests;

use std::ops::Range;

pub use fault::{Fault, Reason};
use scanner::Scanner;

/// Bounds on one JSON text. Reaching a bound is fine, passing it is a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the whole text.
    pub bytes: usize,
    /// Arrays and objects inside each other.
    pub depth: usize,
    /// Array items plus object members.
    pub elements: usize,
    /// Characters of one number.
    pub number_chars: usize,
    /// Magnitude of a written exponent.
    pub exponent: u32,
}

impl Limits {
    /// The bounds for the arguments of a call.
    ///
    /// The two bounds on numbers keep exact decimal arithmetic to a few thousand digits; every finite `f64` fits.
    pub const ARGUMENTS: Self =
        Self { bytes: 1 << 20, depth: 64, elements: 100_000, number_chars: 1_000, exponent: 1_000 };
}

impl Default for Limits {
    fn default() -> Self {
        Self::ARGUMENTS
    }
}

/// The kind of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number
    Number,
    /// A string
    String,
    /// An array
    Array,
    /// An object
    Object,
}

impl Kind {
    /// The kind with its article, as in `an array`.
    #[must_use]
    pub fn with_article(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// Scans one whole JSON text of any kind.
///
/// A text that passes is UTF-8, is accepted by every RFC 8259 parser, and means the same to each of them.
///
/// # Errors
///
/// The first fault in the text.
pub fn scan(text: &[u8], limits: &Limits) -> Result<Kind, Fault> {
    Scanner::strict(text, limits).finish()
}

/// Scans one whole JSON text that must be an object.
///
/// # Errors
///
/// The first fault in the text, or [`Reason::NotObject`] for a valid text of another kind.
pub fn scan_object(text: &[u8], limits: &Limits) -> Result<(), Fault> {
    match scan(text, limits)? {
        Kind::Object => Ok(()),
        other => {
            let start = text.iter().position(|byte| !is_space(*byte)).unwrap_or(0);
            Err(Fault::place(text, start, Reason::NotObject { found: other.with_article() }))
        }
    }
}

/// What [`locate`] found in a body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Located {
    /// The bytes of the value at the path, without white space around it. `None` if the path does not exist, or
    /// if broken syntax hides its end.
    pub span: Option<Range<usize>>,
    /// The first fault inside that value; line, column and offset count from the value's own start.
    pub inside: Option<Fault>,
    /// The first fault anywhere else in the body; line, column and offset count from the body's start.
    pub outside: Option<Fault>,
}

/// Finds the raw bytes of the value at `path` (object keys, from the root) in a JSON body.
///
/// A fault that leaves the structure readable (a duplicate key, too much depth, a lone surrogate, ...) is recorded
/// and the scan goes on, so that a request with bad arguments can still be answered as that request. Broken syntax
/// ends the scan. Of a key that appears twice on the path the first wins, and `outside` holds the duplicate.
///
/// The limits are applied to the value at the path by itself, and once more to everything around it, except that
/// the length of the body is the caller's to bound. An empty path means the whole body.
#[must_use]
pub fn locate(body: &[u8], path: &[&str], limits: &Limits) -> Located {
    Scanner::tolerant(body, path, limits).finish_located()
}

/// White space in the sense of RFC 8259.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The fault for bytes that stop being UTF-8 at an offset.
pub(crate) fn not_utf8(text: &[u8], offset: usize) -> Fault {
    Fault::place(text, offset, Reason::NotUtf8)
}

/// The fault for a text that passed the scan and that the JSON library still refuses, which only depth can cause.
pub(crate) fn unreadable(text: &[u8], error: &serde_json::Error) -> Fault {
    /// The library's own bound.
    const LIBRARY_DEPTH: usize = 127;
    let (line, column) = (error.line().max(1), error.column().max(1));
    Fault { reason: Reason::TooDeep { limit: LIBRARY_DEPTH }, line, column, offset: text.len() }
}
