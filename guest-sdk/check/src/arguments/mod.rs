//! The arguments of one call: the text as it came, and the value it means.
//!
//! A value of this type has passed gate 3. The text is kept, because numbers and key order must reach the guest as
//! they were written.

use serde_json::Value;

use crate::canonical;
use crate::json::{self, Limits};
use crate::refusal::Refusal;

#[cfg(test)]
mod tests;

/// One JSON object within the bounds, as text and as a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments {
    raw: String,
    value: Value,
}

impl Arguments {
    /// Parses the arguments for `tool` within [`Limits::ARGUMENTS`].
    ///
    /// # Errors
    ///
    /// A `bad_json` refusal that names the first fault and its place.
    pub fn parse(tool: &str, raw: &str) -> Result<Self, Refusal> {
        Self::parse_within(tool, raw.as_bytes(), &Limits::ARGUMENTS)
    }

    /// Like [`Arguments::parse`], for bytes that may not even be UTF-8.
    ///
    /// # Errors
    ///
    /// A `bad_json` refusal that names the first fault and its place.
    pub fn parse_bytes(tool: &str, raw: &[u8]) -> Result<Self, Refusal> {
        Self::parse_within(tool, raw, &Limits::ARGUMENTS)
    }

    /// Like [`Arguments::parse_bytes`], within other bounds. More than 127 levels are refused whatever they say.
    ///
    /// # Errors
    ///
    /// A `bad_json` refusal that names the first fault and its place.
    pub fn parse_within(tool: &str, raw: &[u8], limits: &Limits) -> Result<Self, Refusal> {
        parse_object(raw, limits).map_err(|fault| Refusal::bad_json(tool, &fault))
    }

    /// The text exactly as it came.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The value; its root is an object.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The canonical text, equal for equal arguments and different for different ones.
    #[must_use]
    pub fn canonical(&self) -> String {
        canonical::canonical(&self.value)
    }

    /// The SHA-256 of the canonical text.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        canonical::digest(&self.value)
    }
}

fn parse_object(raw: &[u8], limits: &Limits) -> Result<Arguments, json::Fault> {
    json::scan_object(raw, limits)?;
    let text = std::str::from_utf8(raw).map_err(|error| json::not_utf8(raw, error.valid_up_to()))?;
    let value = serde_json::from_str(text).map_err(|error| json::unreadable(raw, &error))?;
    Ok(Arguments { raw: text.to_owned(), value })
}
