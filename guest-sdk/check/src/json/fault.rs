//! What can be wrong with a JSON text, and where.
//!
//! A fault carries a reason with a stable slug and a place that a person can find: line and column, both counted
//! from one, the column in characters. Echoed text is short and escaped, since the text is hostile.

use std::fmt;

/// The longest piece of a key that a reason repeats, in characters.
const KEY_ECHO_CHARS: usize = 40;

/// One thing wrong with a JSON text. Displayed as `REASON at line L, column C`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at line {line}, column {column}")]
pub struct Fault {
    /// What is wrong.
    pub reason: Reason,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The byte offset in the text that was scanned.
    pub offset: usize,
}

impl Fault {
    /// Places a reason in its text by counting lines and characters up to the offset.
    pub(crate) fn place(text: &[u8], offset: usize, reason: Reason) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        // Continuation bytes do not begin a character.
        let column = 1 + before.iter().skip(line_start).filter(|&&byte| byte & 0xC0 != 0x80).count();
        Self { reason, line, column, offset }
    }
}

/// What is wrong with a JSON text. Displayed as a fragment without a full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Nothing but white space.
    Empty,
    /// More bytes than the bound.
    TooLong {
        /// The bound, in bytes.
        limit: usize,
    },
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// Something else stands where the grammar wants one thing.
    Expected {
        /// What the grammar wants here.
        wanted: &'static str,
        /// What stands here; `None` is the end of the text.
        found: Option<char>,
    },
    /// A word other than `true`, `false` and `null`.
    UnknownWord,
    /// Text after the end of the value.
    Trailing,
    /// The whole text is a valid value, but not an object.
    NotObject {
        /// What it is instead, with its article.
        found: &'static str,
    },
    /// A key that an object has twice, compared after unescaping.
    DuplicateKey {
        /// The key, cut to a short length.
        key: String,
    },
    /// A key that the JSON library gives a meaning of its own.
    ReservedKey,
    /// Arrays and objects inside each other beyond the bound.
    TooDeep {
        /// The bound, in levels.
        limit: usize,
    },
    /// More array items and object members than the bound.
    TooManyElements {
        /// The bound.
        limit: usize,
    },
    /// Half of a surrogate pair in a `\u` escape.
    LoneSurrogate,
    /// An escape that JSON does not know.
    BadEscape,
    /// A control character that is not escaped.
    ControlCharacter,
    /// A string without its closing quote.
    OpenString,
    /// A number with a leading zero.
    LeadingZero,
    /// A number written with more characters than the bound.
    NumberTooLong {
        /// The bound, in characters.
        limit: usize,
    },
    /// A number with an exponent beyond the bound.
    ExponentTooLarge {
        /// The bound on the magnitude.
        limit: u32,
    },
}

impl Reason {
    /// A stable name for logs and tests, such as `duplicate_key`.
    #[must_use]
    pub fn slug(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong { .. } => "too_long",
            Self::NotUtf8 => "not_utf8",
            Self::Expected { .. } | Self::UnknownWord | Self::LeadingZero | Self::OpenString => "syntax",
            Self::Trailing => "trailing",
            Self::NotObject { .. } => "not_object",
            Self::DuplicateKey { .. } => "duplicate_key",
            Self::ReservedKey => "reserved_key",
            Self::TooDeep { .. } => "depth",
            Self::TooManyElements { .. } => "too_many_elements",
            Self::LoneSurrogate => "lone_surrogate",
            Self::BadEscape => "bad_escape",
            Self::ControlCharacter => "control_character",
            Self::NumberTooLong { .. } => "number_too_long",
            Self::ExponentTooLarge { .. } => "exponent",
        }
    }

    /// The reason for a doubled key, with the key cut to a short length.
    pub(crate) fn duplicate(key: &[u8]) -> Self {
        let text = String::from_utf8_lossy(key);
        let mut echo: String = text.chars().take(KEY_ECHO_CHARS).collect();
        if echo.len() < text.len() {
            echo.push_str("...");
        }
        Self::DuplicateKey { key: echo }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the text is empty"),
            Self::TooLong { limit } => write!(f, "longer than {limit} bytes"),
            Self::NotUtf8 => f.write_str("invalid UTF-8"),
            Self::Expected { wanted, found: Some(found) } => write!(f, "expected {wanted}, found {found:?}"),
            Self::Expected { wanted, found: None } => {
                write!(f, "expected {wanted}, found the end of the text")
            }
            Self::UnknownWord => f.write_str("unknown word; JSON has only true, false and null"),
            Self::Trailing => f.write_str("more text after the end of the JSON value"),
            Self::NotObject { found } => write!(f, "expected an object, found {found}"),
            Self::DuplicateKey { key } => write!(f, "the key {key:?} appears twice in one object"),
            Self::ReservedKey => f.write_str("a key begins with the reserved text \"$serde_json::\""),
            Self::TooDeep { limit } => write!(f, "nested deeper than {limit} levels"),
            Self::TooManyElements { limit } => write!(f, "more than {limit} elements"),
            Self::LoneSurrogate => f.write_str("a \\u escape is half of a surrogate pair"),
            Self::BadEscape => f.write_str("invalid escape in a string"),
            Self::ControlCharacter => f.write_str("unescaped control character in a string"),
            Self::OpenString => f.write_str("a string without its closing quote"),
            Self::LeadingZero => f.write_str("a number with a leading zero"),
            Self::NumberTooLong { limit } => write!(f, "a number with more than {limit} characters"),
            Self::ExponentTooLarge { limit } => write!(f, "a number with an exponent beyond {limit}"),
        }
    }
}
