//! One value of the document, and its conversion to what is wanted.

use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use super::units::{duration, show_duration, show_size, size};
use super::{Source, Table, kind};
use crate::config::error::ConfigError;

/// A value with its name and place.
#[derive(Debug)]
pub(in super::super) struct Value<'a> {
    source: &'a Source,
    path: String,
    span: Range<usize>,
    value: &'a DeValue<'a>,
}

impl<'a> Value<'a> {
    pub(super) fn of(source: &'a Source, path: String, value: &'a Spanned<DeValue<'a>>) -> Self {
        Self { source, path, span: value.span(), value: value.get_ref() }
    }

    /// A fault at this value.
    pub(in super::super) fn fault(&self, message: impl Display) -> ConfigError {
        self.source.fault(&self.span, format!("{} {message}", self.path))
    }

    pub(in super::super) fn string(&self) -> Result<&'a str, ConfigError> {
        self.value.as_str().ok_or_else(|| self.wrong("a string"))
    }

    pub(in super::super) fn boolean(&self) -> Result<bool, ConfigError> {
        self.value.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    /// A text that is parsed into what it names.
    pub(in super::super) fn parsed<T: FromStr<Err: Display>>(&self) -> Result<T, ConfigError> {
        self.string()?.parse().map_err(|fault| self.fault(format!("cannot be used: {fault}")))
    }

    /// One of some words.
    pub(in super::super) fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, ConfigError> {
        let text = self.string()?;
        if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == text) {
            return Ok(*meaning);
        }
        let all: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
        let fault = self.fault(format!("must be {}, and is {text:?}", all.join(" or ")));
        Err(match super::nearest(text, words.iter().map(|(word, _)| *word)) {
            Some(near) => fault.with_help(format!("did you mean {near:?}?")),
            None => fault,
        })
    }

    /// A whole number from 1 to a ceiling.
    pub(in super::super) fn count(&self, most: u64) -> Result<u64, ConfigError> {
        let number = self.integer()?.ok_or_else(|| self.wrong("a whole number"))?;
        self.bounded(number, most, &most.to_string())
    }

    /// A whole number from 0 to a ceiling.
    pub(in super::super) fn count_or_none(&self, most: u64) -> Result<u64, ConfigError> {
        match self.integer()?.ok_or_else(|| self.wrong("a whole number"))? {
            0 => Ok(0),
            number => self.bounded(number, most, &most.to_string()),
        }
    }

    /// A weight against others: a whole number from 1 to 1,000.
    pub(in super::super) fn weight(&self) -> Result<u32, ConfigError> {
        self.count(1_000).map(|weight| u32::try_from(weight).unwrap_or(u32::MAX))
    }

    /// A number of bytes from 1 to a ceiling: a whole number, or a string with a unit.
    pub(in super::super) fn size(&self, most: u64) -> Result<u64, ConfigError> {
        let wrong = || {
            self.wrong("a size")
                .with_help("write a number of bytes, or a string with B, KiB, MiB or GiB, as \"128MiB\"")
        };
        let bytes = match self.value.as_str() {
            Some(text) => size(text).ok_or_else(wrong)?,
            None => self.integer()?.ok_or_else(wrong)?,
        };
        self.bounded(bytes, most, &show_size(most))
    }

    /// A duration from 1 ms to a ceiling.
    pub(in super::super) fn duration(&self, most: Duration) -> Result<Duration, ConfigError> {
        let read = self.value.as_str().and_then(duration).ok_or_else(|| {
            self.wrong("a duration")
                .with_help("write a string with ms, s, m, h or d, as \"10s\" or \"250ms\"")
        })?;
        if read.is_zero() {
            return Err(self.fault("must not be zero: nothing could run"));
        }
        if read > most {
            return Err(self.fault(format!(
                "is {}, and may be at most {}",
                show_duration(read),
                show_duration(most)
            )));
        }
        Ok(read)
    }

    /// A list of values.
    pub(in super::super) fn list(&self) -> Result<Vec<Value<'a>>, ConfigError> {
        let items = self.value.as_array().ok_or_else(|| self.wrong("a list"))?;
        Ok(items
            .iter()
            .enumerate()
            .map(|(number, item)| Value::of(self.source, format!("{}[{number}]", self.path), item))
            .collect())
    }

    /// A table.
    pub(in super::super) fn table(&self) -> Result<Table<'a>, ConfigError> {
        let entries = self.value.as_table().ok_or_else(|| self.wrong("a table"))?;
        Ok(Table::of(self.source, self.path.clone(), self.span.clone(), entries))
    }

    fn bounded(&self, number: u64, most: u64, shown: &str) -> Result<u64, ConfigError> {
        if number == 0 {
            return Err(self.fault("must not be zero: nothing could run"));
        }
        if number > most {
            return Err(self.fault(format!("is {number}, and may be at most {shown}")));
        }
        Ok(number)
    }

    /// The number that is written, if it is one; a fault if it is negative or has too many digits.
    fn integer(&self) -> Result<Option<u64>, ConfigError> {
        let Some(number) = self.value.as_integer() else { return Ok(None) };
        let number = u64::from_str_radix(number.as_str(), number.radix())
            .map_err(|_| self.fault("must be a whole number that is not negative and has at most 64 bits"))?;
        Ok(Some(number))
    }

    fn wrong(&self, wanted: &str) -> ConfigError {
        let held = match self.value {
            DeValue::String(text) => format!("{:?}", text.chars().take(80).collect::<String>()),
            other => kind(other).to_owned(),
        };
        self.fault(format!("must be {wanted}, and is {held}"))
    }
}
