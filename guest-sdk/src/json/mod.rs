//! Values of Rust as JSON and back, with no digit lost and no value without a JSON form.

mod de;
mod number;
mod ser;

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use self::de::from_value;

/// Any value as JSON. NaN and the infinities become the strings `NaN`, `Infinity` and `-Infinity`; integers beyond
/// 64 bit become strings of their digits.
///
/// # Errors
/// If the value's own `Serialize` fails, or a map has keys that cannot be strings.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, JsonError> {
    value.serialize(ser::ToValue)
}

/// JSON text as a value.
pub(crate) fn from_text<T: DeserializeOwned>(text: &[u8]) -> Result<T, JsonError> {
    let value: Value = serde_json::from_slice(text).map_err(JsonError::new)?;
    from_value(&value)
}

/// A value's text for a model: a string as itself, anything else as JSON.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Why a value has no JSON form, or JSON is not of the type that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    path: String,
    reason: String,
}

impl JsonError {
    pub(crate) fn new(reason: impl fmt::Display) -> Self {
        Self { path: String::new(), reason: reason.to_string() }
    }

    /// Where in the value, such as `items[2].name`; empty for the value itself.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong there.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    pub(crate) fn in_field(mut self, name: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{name}{dot}{}", self.path);
        self
    }

    pub(crate) fn in_element(mut self, index: usize) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("[{index}]{dot}{}", self.path);
        self
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.reason)
        } else {
            write!(f, "{}: {}", self.path, self.reason)
        }
    }
}

impl std::error::Error for JsonError {}

impl serde::ser::Error for JsonError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self::new(reason)
    }
}

impl serde::de::Error for JsonError {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self::new(reason)
    }
}
