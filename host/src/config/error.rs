//! What is wrong with a configuration file, and where.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A fault in the configuration, at a place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; 0 if the fault is not at one place, such as a file that cannot be read.
    pub line: usize,
    /// The column in characters, from 1; 0 as for the line.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it, where that is known: the nearest valid key, or a way out.
    pub help: Option<String>,
    /// The whole text of the file; empty if it was not read.
    pub source_text: Arc<str>,
    start: u32,
    length: u32,
}

impl ConfigError {
    pub(super) fn unreadable(file: PathBuf, message: String) -> Self {
        Self { file, line: 0, column: 0, message, help: None, source_text: "".into(), start: 0, length: 0 }
    }

    pub(super) fn at(file: PathBuf, text: &Arc<str>, span: &Range<usize>, message: String) -> Self {
        let before = text.get(..span.start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let figure = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            file,
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).map_or(0, |line| line.chars().count()) + 1,
            message,
            help: None,
            source_text: Arc::clone(text),
            start: figure(before.len()),
            length: figure(span.end.min(text.len()).saturating_sub(before.len())),
        }
    }

    pub(super) fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// The same with this help, unless it has a better one.
    pub(super) fn or_help(self, help: impl Into<String>) -> Self {
        if self.help.is_some() { self } else { self.with_help(help) }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for ConfigError {}

impl miette::Diagnostic for ConfigError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        (self.line > 0).then_some(&self.source_text as &dyn miette::SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        if self.line == 0 {
            return None;
        }
        let place = (usize::try_from(self.start).ok()?, usize::try_from(self.length).ok()?);
        Some(Box::new(std::iter::once(miette::LabeledSpan::underline(place))))
    }
}
