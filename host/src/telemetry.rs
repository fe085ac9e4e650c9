//! Logs: where they go, which are kept, and how they are written. They go to standard error alone, since standard
//! output carries results and protocol frames.
//!
//! Guests, clients and files write parts of what is logged. Every control character in it is written as an escape, so
//! that one event is one line and no terminal obeys it.

use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use toolhost::spec::is_clean;
use tracing::Subscriber;
use tracing::field::Field;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::{Writer, debug_fn};

/// A filter that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error(
    "the variable TOOLHOST_LOG is not a filter: {0}; write a level, such as debug, or toolhost=debug,warn"
)]
pub(crate) struct FilterError(#[from] tracing_subscriber::filter::ParseError);

/// How many lines wait for a reader of standard error. What comes on top is lost: a guest that logs may not stop a host
/// whose log nobody reads.
const WAITING: usize = 4_096;
/// How long the end of the process waits for them.
const LAST_LINES: Duration = Duration::from_millis(500);

/// Starts logging for the life of the process, in colour on a terminal unless `NO_COLOR` is set. A filter that is wrong
/// is refused rather than replaced.
///
/// # Errors
/// [`FilterError`] says what is wrong with the filter.
pub(crate) fn start(filter: &str) -> Result<Logging, FilterError> {
    let filter = EnvFilter::builder().parse(filter)?;
    let (lines, waiting) = sync_channel(WAITING);
    std::thread::spawn(move || {
        for line in waiting {
            match line {
                // Nobody is left to be told that a log cannot be written.
                Waiting::Line(line) => drop(io::stderr().write_all(&line)),
                Waiting::Flush(done) => drop(done.try_send(())),
            }
        }
    });
    let to = Lines(lines.clone());
    let subscriber =
        subscriber(filter, io::stderr().is_terminal(), move || Line { bytes: Vec::new(), to: to.clone() });
    // Only a second start can fail, and the first one holds then.
    let _ = tracing::subscriber::set_global_default(subscriber);
    Ok(Logging(lines))
}

/// The log of the process. Dropped at its end it waits a moment for the last lines.
#[derive(Debug)]
pub(crate) struct Logging(SyncSender<Waiting>);

impl Drop for Logging {
    fn drop(&mut self) {
        let (done, flushed) = sync_channel(1);
        if self.0.try_send(Waiting::Flush(done)).is_ok() {
            // A reader that does not read is not waited for any longer.
            let _ = flushed.recv_timeout(LAST_LINES);
        }
    }
}

#[derive(Debug)]
enum Waiting {
    Line(Vec<u8>),
    Flush(SyncSender<()>),
}

#[derive(Clone)]
struct Lines(SyncSender<Waiting>);

/// One line under construction, sent when it is dropped.
struct Line {
    bytes: Vec<u8>,
    to: Lines,
}

impl io::Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        drop(self.to.0.try_send(Waiting::Line(std::mem::take(&mut self.bytes))));
    }
}

fn subscriber<W>(filter: EnvFilter, terminal: bool, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let builder = tracing_subscriber::fmt().with_env_filter(filter);
    // On a terminal the builder's own answer holds, which is to obey NO_COLOR.
    let builder = if terminal { builder } else { builder.with_ansi(false) };
    builder.fmt_fields(debug_fn(field).delimited(" ")).with_writer(writer).finish()
}

/// Writes one field: the message as it is, others with their names.
fn field(writer: &mut Writer<'_>, field: &Field, value: &dyn fmt::Debug) -> fmt::Result {
    if field.name() != "message" {
        write!(writer, "{}=", field.name())?;
    }
    let mut text = Inert(writer);
    write!(text, "{value:?}")
}

/// Passes text on with every character escaped that a reader's terminal may obey, or that would begin a line.
struct Inert<'a, 'w>(&'a mut Writer<'w>);

impl fmt::Write for Inert<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            match c {
                _ if c.is_control() => write!(self.0, "{}", c.escape_default())?,
                _ if !is_clean(c.encode_utf8(&mut [0; 4])) => write!(self.0, "{}", c.escape_unicode())?,
                _ => self.0.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Captured(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Captured {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(filter: &str, log: impl FnOnce()) -> String {
        let captured = Captured::default();
        let writer = captured.clone();
        let filter = EnvFilter::builder().parse(filter).unwrap();
        tracing::subscriber::with_default(subscriber(filter, false, move || writer.clone()), log);
        let bytes = captured.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_guest_forges_no_line_and_no_escape_sequence() {
        let hostile = "done\r\n2026-07-28T00:00:00Z ERROR toolhost: forged \u{1b}[2J\u{9b}31m\u{202e}";
        let text = logged("info", || {
            let span = tracing::info_span!("call", tool = %hostile);
            let _entered = span.enter();
            tracing::info!(guest = %hostile, quoted = hostile, "{hostile}");
        });
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(!text.trim_end().contains(|c: char| c.is_control() || c == '\u{202e}'), "{text}");
        assert!(text.contains("done\\r\\n2026"), "{text}");
    }

    #[test]
    fn the_filter_decides_what_is_kept() {
        let log = || {
            tracing::info!(target: "toolhost::executor", "ours");
            tracing::info!(target: "sqlx", "theirs");
        };
        let text = logged("warn,toolhost=info", log);
        assert!(text.contains("ours") && !text.contains("theirs"), "{text}");
        assert_eq!(logged("warn", log), "");
    }

    #[test]
    fn a_wrong_filter_is_refused() {
        assert!(start("toolhost=loud").is_err());
    }
}
