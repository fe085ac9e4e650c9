//! Messages as lines. Reading is bounded and can be interrupted at any point; one task alone writes, so that a frame
//! is never cut.

use std::io;
use std::time::Duration;

use axum::body::Bytes;
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::api::mcp::arguments::{self, Unreadable};

/// The longest line, in bytes: what the HTTP endpoint takes as a body.
pub(super) const MAX_LINE: usize = 4 << 20;

/// How many frames wait for a client that does not read.
const FRAMES: usize = 16;

/// A pair of streams that carries one message a line.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// The rest of the current line belongs to a message that was too long.
    skipping: bool,
    /// When the input ended, and until when answers are still waited for.
    ended: Option<Instant>,
    /// Requests that were read and not yet answered.
    open: watch::Sender<usize>,
    /// A frame that was to be sent when reading was interrupted.
    unsent: Option<Vec<u8>>,
    frames: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    gone: CancellationToken,
    after_input: Duration,
}

impl<R: AsyncRead + Send + Unpin> Lines<R> {
    /// Reads from `input` and writes to `output`. After the input has ended, open requests have `after_input` to be
    /// answered. Then, or at once if the output can no longer be written, `gone` is cancelled, and nothing more is
    /// sent.
    pub(super) fn new(
        input: R,
        output: impl AsyncWrite + Send + Unpin + 'static,
        gone: CancellationToken,
        after_input: Duration,
    ) -> Self {
        let (frames, waiting) = mpsc::channel(FRAMES);
        let writer = tokio::spawn(write_all(output, waiting, gone.clone()));
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            skipping: false,
            ended: None,
            open: watch::Sender::new(0),
            unsent: None,
            frames: Some(frames),
            writer: Some(writer),
            gone,
            after_input,
        }
    }

    /// The next line without its end; `None` at the end of the input. `Err` is a line that was too long.
    async fn next_line(&mut self) -> Option<Result<Bytes, ()>> {
        loop {
            let available = match self.input.fill_buf().await {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    tracing::warn!(%error, "standard input cannot be read");
                    return None;
                }
            };
            // Nothing below waits, so that no byte is lost if this future is dropped above.
            if available.is_empty() {
                let last = std::mem::take(&mut self.line);
                return (!last.is_empty()).then(|| Ok(last.into()));
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
            let too_long = !self.skipping && self.line.len() + part.len() > MAX_LINE;
            if too_long {
                self.line = Vec::new();
                self.skipping = true;
            } else if !self.skipping {
                self.line.extend_from_slice(part);
            }
            let consumed = part.len() + usize::from(end.is_some());
            self.input.consume(consumed);
            if end.is_some() {
                let skipped = std::mem::take(&mut self.skipping);
                let line = std::mem::take(&mut self.line);
                return Some(if skipped { Err(()) } else { Ok(line.into()) });
            }
        }
    }

    async fn send_unsent(&mut self) {
        if self.unsent.is_none() {
            return;
        }
        // Room is waited for with the frame still in its place.
        if let Some(frames) = &self.frames
            && let Ok(room) = frames.reserve().await
            && let Some(frame) = self.unsent.take()
        {
            room.send(frame);
        }
        self.unsent = None;
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (frames, gone, open) = (self.frames.clone(), self.gone.clone(), self.open.clone());
        async move {
            // What was cancelled is not answered.
            if gone.is_cancelled() {
                return Ok(());
            }
            let frame = frame(&item)?;
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            frames.ok_or_else(closed)?.send(frame).await.map_err(|_| closed())?;
            if matches!(item, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) {
                open.send_modify(|open| *open = open.saturating_sub(1));
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        while self.ended.is_none() {
            self.send_unsent().await;
            let Some(line) = self.next_line().await else {
                self.ended = Some(Instant::now() + self.after_input);
                break;
            };
            match line.map_or_else(|()| Err(too_long()), message) {
                Ok(Some(message)) => {
                    if matches!(message, JsonRpcMessage::Request(_)) {
                        self.open.send_modify(|open| *open += 1);
                    }
                    return Some(message);
                }
                Ok(None) => {}
                Err(Unreadable { id, error }) => {
                    self.unsent = frame(&ServerJsonRpcMessage::error(*error, id)).ok();
                }
            }
        }
        self.send_unsent().await;
        if let Some(until) = self.ended {
            let mut open = self.open.subscribe();
            // An answer that never comes, because its request was cancelled, is not waited for any longer either.
            let _ = tokio::time::timeout_at(until, open.wait_for(|open| *open == 0)).await;
        }
        self.gone.cancel();
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        self.frames = None;
        // The writer ends when all that hold a sender are done. It has nothing to wait for but the client.
        if let Some(writer) = self.writer.take()
            && tokio::time::timeout(self.after_input, writer).await.is_err()
        {
            tracing::warn!("the client did not read its last answers");
        }
        Ok(())
    }
}

/// The message in a line; `None` if there is nothing in it.
fn message(line: Bytes) -> Result<Option<ClientJsonRpcMessage>, Unreadable> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let lifted = arguments::lift(line)?;
    let mut message: ClientJsonRpcMessage = serde_json::from_slice(&lifted.message)
        .map_err(|_| Unreadable::new(arguments::id(&lifted.message), arguments::not_a_message()))?;
    if let (JsonRpcMessage::Request(_), Some(raw)) = (&message, lifted.arguments) {
        message.insert_extension(raw);
    }
    Ok(Some(message))
}

fn too_long() -> Unreadable {
    let text = format!("The message is longer than {MAX_LINE} bytes.");
    Unreadable::new(None, ErrorData::invalid_request(text, None))
}

fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    // JSON text never has a raw line break in it.
    let mut frame = serde_json::to_vec(message).map_err(io::Error::other)?;
    frame.push(b'\n');
    Ok(frame)
}

async fn write_all(
    mut output: impl AsyncWrite + Send + Unpin,
    mut frames: mpsc::Receiver<Vec<u8>>,
    gone: CancellationToken,
) {
    while let Some(frame) = frames.recv().await {
        let written = async {
            output.write_all(&frame).await?;
            output.flush().await
        };
        if let Err(error) = written.await {
            tracing::warn!(%error, "standard output cannot be written");
            gone.cancel();
            return;
        }
    }
}
