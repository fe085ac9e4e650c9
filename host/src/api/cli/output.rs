//! The two ways out: results to standard output, notes about them to standard error.
//!
//! A reader that went away (`host tools | head -1`) is no fault: what comes after is dropped without a word. Every
//! text for people is cleaned of control characters here, since guests wrote much of it and a terminal obeys it.

use std::io::{self, Write};

use serde_json::Value;

use crate::spec::clean;

/// Where a command writes.
pub struct Output<'a> {
    results: &'a mut dyn Write,
    notes: &'a mut dyn Write,
    reader_left: bool,
}

impl<'a> Output<'a> {
    /// Results go to the one, notes to the other.
    pub fn new(results: &'a mut dyn Write, notes: &'a mut dyn Write) -> Self {
        Self { results, notes, reader_left: false }
    }

    /// Writes a result for people, and a line end where it has none.
    ///
    /// # Errors
    /// The fault of the writer, unless it is that the reader went away.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        let mut text = clean(text.to_owned());
        if !text.ends_with('\n') {
            text.push('\n');
        }
        self.result(text.as_bytes())
    }

    /// Writes a result for programs: one JSON value, indented, without any character that a terminal obeys.
    ///
    /// # Errors
    /// The fault of the writer, unless it is that the reader went away.
    pub fn json(&mut self, value: &Value) -> io::Result<()> {
        let mut text = inert(&serde_json::to_string_pretty(value)?);
        text.push('\n');
        self.result(text.as_bytes())
    }

    /// The same on one line, for programs that read line by line.
    ///
    /// # Errors
    /// The fault of the writer, unless it is that the reader went away.
    pub fn line(&mut self, value: &Value) -> io::Result<()> {
        let mut text = inert(&serde_json::to_string(value)?);
        text.push('\n');
        self.result(text.as_bytes())
    }

    /// Writes a result exactly as it is. Not for anything that a guest wrote.
    ///
    /// # Errors
    /// The fault of the writer, unless it is that the reader went away.
    pub fn result(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.reader_left {
            return Ok(());
        }
        match self.results.write_all(bytes).and_then(|()| self.results.flush()) {
            Err(fault) if fault.kind() == io::ErrorKind::BrokenPipe => {
                self.reader_left = true;
                Ok(())
            }
            written => written,
        }
    }

    /// Writes one line about what is going on. Nobody can be told that it could not be written.
    pub fn note(&mut self, text: &str) {
        let _ = writeln!(self.notes, "{}", clean(text.to_owned()));
    }
}

impl std::fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output").field("reader_left", &self.reader_left).finish_non_exhaustive()
    }
}

/// A text on one line, as a table or a list needs it.
#[must_use]
pub(super) fn one_line(text: &str) -> String {
    clean(text.to_owned()).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// JSON text in which every character that `clean` would remove is written as an escape. They stand in strings
/// alone, so that the text means the same.
fn inert(json: &str) -> String {
    if clean(json.to_owned()) == json {
        return json.to_owned();
    }
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii_graphic() || !clean(c.to_string()).is_empty() {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Gone(io::ErrorKind);

    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_went_away_is_no_fault_and_a_full_disk_is() {
        let mut notes = Vec::new();
        let mut gone = Gone(io::ErrorKind::BrokenPipe);
        assert!(Output::new(&mut gone, &mut notes).text("x").is_ok());
        let mut full = Gone(io::ErrorKind::StorageFull);
        assert!(Output::new(&mut full, &mut notes).text("x").is_err());
    }

    #[test]
    fn a_terminal_is_never_given_what_it_obeys() {
        let (mut results, mut notes) = (Vec::new(), Vec::new());
        let mut output = Output::new(&mut results, &mut notes);
        let hostile = "a\u{1b}[2Jb\u{9b}31mc\u{202e}d\u{e0041}";
        output.text(hostile).unwrap();
        output.json(&json!({ "text": hostile })).unwrap();
        output.note(hostile);
        let results = String::from_utf8(results).unwrap();
        assert!(results.starts_with("a[2Jb31mcd\n"), "{results}");
        assert!(!results.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{e0041}']), "{results}");
        let (_, json) = results.split_once('\n').unwrap();
        assert_eq!(serde_json::from_str::<Value>(json).unwrap(), json!({ "text": hostile }));
        assert_eq!(notes, b"a[2Jb31mcd\n");
    }
}
