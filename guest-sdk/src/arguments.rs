//! From a call's JSON text to the parameters of a function.
//!
//! The host has checked the arguments against the input schema before the guest is started. What still slips past,
//! such as a number that no float can hold, becomes the same failure in the same words.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::failure::ToolError;
use crate::json::from_value;
use crate::schema::ToolType;

/// The arguments of one call. Parameters are taken out by name; what is wrong is gathered, and told at once.
#[derive(Debug)]
pub struct Arguments<'t> {
    tool: &'t str,
    fields: Map<String, Value>,
    faults: Vec<String>,
}

impl<'t> Arguments<'t> {
    /// Reads one JSON object.
    ///
    /// # Errors
    /// A failure of kind `InvalidJson` or `InvalidArguments`.
    pub fn parse(tool: &'t str, text: &str) -> Result<Self, ToolError> {
        match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => Ok(Self { tool, fields, faults: Vec::new() }),
            Ok(_) => Err(invalid(tool, &["(arguments): expected an object".to_owned()])),
            Err(error) => Err(ToolError::with_kind(
                "InvalidJson",
                format!("The arguments for '{tool}' are not valid JSON: {error}. Send one JSON object."),
            )),
        }
    }

    /// The parameter's value. If it is missing, or not of its type, that is noted for [`Arguments::finish`].
    pub fn take<T: ToolType + DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        match self.fields.shift_remove(name) {
            Some(value) => self.read(name, &value),
            // An optional type reads nothing as null, and gives its empty value.
            None if T::OPTIONAL => self.read(name, &Value::Null),
            None => {
                self.faults.push(format!("{name}: required, but missing"));
                None
            }
        }
    }

    /// The parameter's value, or the default if it is missing.
    pub fn take_or<T, D>(&mut self, name: &str, default: D) -> Option<T>
    where
        T: ToolType + DeserializeOwned,
        D: FnOnce() -> T,
    {
        match self.fields.shift_remove(name) {
            Some(value) => self.read(name, &value),
            None => Some(default()),
        }
    }

    /// The parameter's value, or a default that was written as a literal.
    pub fn take_or_literal<T>(&mut self, name: &str, default: Value) -> Option<T>
    where
        T: ToolType + DeserializeOwned,
    {
        let value = self.fields.shift_remove(name).unwrap_or(default);
        self.read(name, &value)
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// A failure of kind `InvalidArguments` that names every fault, unknown arguments included.
    pub fn finish(mut self) -> Result<(), ToolError> {
        self.faults.extend(
            self.fields.keys().map(|name| format!("{name}: unknown; the tool takes no such argument")),
        );
        if self.faults.is_empty() { Ok(()) } else { Err(invalid(self.tool, &self.faults)) }
    }

    fn read<T: DeserializeOwned>(&mut self, name: &str, value: &Value) -> Option<T> {
        match from_value(value) {
            Ok(value) => Some(value),
            Err(error) => {
                self.faults.push(error.in_field(name).to_string());
                None
            }
        }
    }
}

fn invalid(tool: &str, faults: &[String]) -> ToolError {
    ToolError::invalid_arguments(format!(
        "The arguments for '{tool}' do not match its schema. {}. Fix those fields and call the tool again.",
        faults.join(". ")
    ))
}
