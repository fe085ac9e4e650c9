//! Reading a TOML document key by key, with the place of everything that is wrong.
//!
//! A table is asked for the keys that it may have, and then closed: what it was not asked for is an error that names
//! the nearest key it may have. Nothing is read by accident, and nothing is passed over.

mod nearest;
mod units;
mod value;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::ConfigError;
pub(super) use nearest::nearest;
pub(super) use value::Value;

/// The text that is read, and where it is from.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) file: PathBuf,
    pub(super) text: Arc<str>,
}

impl Source {
    pub(super) fn fault(&self, span: &Range<usize>, message: impl Into<String>) -> ConfigError {
        ConfigError::at(self.file.clone(), &self.text, span, message.into())
    }
}

/// One table of the document.
#[derive(Debug)]
pub(super) struct Table<'a> {
    source: &'a Source,
    /// The name as it stands in messages; empty for the document itself.
    path: String,
    span: Range<usize>,
    entries: &'a DeTable<'a>,
    asked: Vec<&'static str>,
}

impl<'a> Table<'a> {
    pub(super) fn document(source: &'a Source, document: &'a Spanned<DeTable<'a>>) -> Self {
        Self { source, path: String::new(), span: 0..0, entries: document.get_ref(), asked: Vec::new() }
    }

    fn of(source: &'a Source, path: String, span: Range<usize>, entries: &'a DeTable<'a>) -> Self {
        Self { source, path, span, entries, asked: Vec::new() }
    }

    /// The value of a key that the table may have.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Value<'a>> {
        self.asked.push(key);
        let (_, value) = self.entries.iter().find(|(name, _)| name.get_ref() == key)?;
        Some(Value::of(self.source, self.child(key), value))
    }

    /// The value of a key that the table must have.
    pub(super) fn need(&mut self, key: &'static str, help: &str) -> Result<Value<'a>, ConfigError> {
        self.take(key).ok_or_else(|| {
            self.source.fault(&self.span, format!("{} has no {key}", self.named())).with_help(help)
        })
    }

    /// The table under a key, an empty one if it is not there.
    pub(super) fn table(&mut self, key: &'static str) -> Result<Option<Table<'a>>, ConfigError> {
        self.take(key).map(|value| value.table()).transpose()
    }

    /// All entries of a table whose keys are names that the operator chose.
    pub(super) fn named_entries(&self) -> impl Iterator<Item = (&'a str, Range<usize>, Value<'a>)> {
        self.entries.iter().map(|(name, value)| {
            let key: &'a str = name.get_ref();
            (key, name.span(), Value::of(self.source, self.child(key), value))
        })
    }

    /// Refuses every key that was not asked for.
    pub(super) fn close(self) -> Result<(), ConfigError> {
        let unknown = self.entries.iter().find(|(name, _)| !self.asked.contains(&&**name.get_ref()));
        let Some((name, _)) = unknown else { return Ok(()) };
        let place = if self.path.is_empty() { "the file".to_owned() } else { self.named() };
        let fault = self.source.fault(&name.span(), format!("{place} has no key {:?}", name.get_ref()));
        Err(match nearest(name.get_ref(), self.asked.iter().copied()) {
            Some(near) => fault.with_help(format!("did you mean {near:?}?")),
            None => fault.with_help(format!("valid keys are: {}", self.asked.join(", "))),
        })
    }

    pub(super) fn fault(&self, message: impl Into<String>) -> ConfigError {
        self.source.fault(&self.span, message)
    }

    pub(super) fn fault_at(&self, span: &Range<usize>, message: impl Into<String>) -> ConfigError {
        self.source.fault(span, message)
    }

    fn named(&self) -> String {
        format!("[{}]", self.path)
    }

    fn child(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

/// What a value is, for a reader.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
