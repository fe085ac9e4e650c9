//! Where a guest's standard output and error go: into a short text for the operator. What is over the bound is
//! counted and thrown away, so that a flood costs time and fuel, and no memory.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamError, StreamResult};

/// How much of a guest's output is kept, in bytes.
const KEPT: usize = 4 << 10;
/// How much a guest may write at all before its output is closed, in bytes.
const TAKEN: usize = 16 << 20;
/// How many writes a guest may make, empty ones included.
const WRITES: usize = 1 << 20;

#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    taken: usize,
    writes: usize,
}

/// A bounded sink, shared by a guest's standard output and error.
#[derive(Debug, Clone, Default)]
pub(super) struct Sink(Arc<Mutex<Kept>>);

impl Sink {
    /// What was kept, and how many bytes were thrown away.
    pub(super) fn text(&self) -> Option<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.taken == 0 {
            return None;
        }
        let mut text = String::from_utf8_lossy(&kept.bytes).into_owned();
        let lost = kept.taken.saturating_sub(kept.bytes.len());
        if lost > 0 {
            text.push_str(&format!("...[{lost} more bytes were thrown away]"));
        }
        Some(text)
    }

    /// Takes bytes. False once the guest has used up what it may write.
    fn take(&self, bytes: &[u8]) -> bool {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.writes += 1;
        if kept.writes > WRITES || kept.taken > TAKEN {
            return false;
        }
        kept.taken += bytes.len();
        let room = KEPT.saturating_sub(kept.bytes.len()).min(bytes.len());
        kept.bytes.extend_from_slice(bytes.get(..room).unwrap_or_default());
        true
    }
}

impl IsTerminal for Sink {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Sink {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Sink {
    async fn ready(&mut self) {
        // A flood of output has to give others a turn, and its own deadline a look.
        tokio::task::yield_now().await;
    }
}

impl OutputStream for Sink {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        if self.take(&bytes) { Ok(()) } else { Err(StreamError::Closed) }
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(64 << 10)
    }
}

impl AsyncWrite for Sink {
    fn poll_write(self: Pin<&mut Self>, _cx: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        if self.take(bytes) {
            Poll::Ready(Ok(bytes.len()))
        } else {
            Poll::Ready(Err(std::io::ErrorKind::BrokenPipe.into()))
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_keeps_a_short_text_and_is_closed_in_the_end() {
        let sink = Sink::default();
        let block = vec![b'x'; 64 << 10];
        let mut taken = 0;
        while sink.take(&block) {
            taken += block.len();
        }
        assert!((TAKEN..TAKEN + 2 * block.len()).contains(&taken), "{taken}");
        let text = sink.text().unwrap();
        assert!(text.len() < KEPT + 100 && text.ends_with("more bytes were thrown away]"));
    }

    #[test]
    fn empty_writes_are_counted_too() {
        let sink = Sink::default();
        let writes = (0..=WRITES).take_while(|_| sink.take(b"")).count();
        assert_eq!(writes, WRITES);
        assert_eq!(sink.text(), None);
    }
}
