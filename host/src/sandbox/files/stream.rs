//! Writing to a file: the library's stream, with the quota charged before each write.

use std::fs::File;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;
use wasmtime_wasi::p2::{DynOutputStream, OutputStream, Pollable, StreamError, StreamResult};
use wasmtime_wasi::runtime::{AbortOnDropJoinHandle, spawn};

use super::Place;
use super::folder::Turn;
use super::usage::Amount;

/// What may be written at once, in bytes.
const AT_ONCE: usize = 64 << 10;

/// Where the next byte goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Position {
    At(u64),
    End,
}

impl Position {
    /// Where a file ends after a write of some bytes to it.
    pub(super) fn end_after(self, length: u64, size: u64) -> Result<u64, ErrorCode> {
        match self {
            _ if length == 0 => Ok(size),
            Self::At(position) => Ok(position.checked_add(length).ok_or(ErrorCode::FileTooLarge)?.max(size)),
            Self::End => size.checked_add(length).ok_or(ErrorCode::FileTooLarge),
        }
    }
}

/// The size of an open file.
pub(super) async fn size_of(file: &Arc<File>) -> Result<u64, ErrorCode> {
    let file = Arc::clone(file);
    let size = tokio::task::spawn_blocking(move || Ok(file.metadata()?.len())).await;
    Ok(size.map_err(io::Error::other).flatten()?)
}

/// An output stream into a file of a folder that has a quota.
pub(super) struct FileStream {
    place: Place,
    file: Arc<File>,
    position: Position,
    state: State,
}

enum State {
    Ready(DynOutputStream),
    Writing(AbortOnDropJoinHandle<Option<Written>>),
    Failed(StreamError),
    Closed,
}

/// A write that is over: the library's stream, where the next byte goes, and what became of it.
type Written = (DynOutputStream, Position, StreamResult<()>);

impl FileStream {
    /// Wraps a stream of the library's to the same file and position.
    pub(super) fn new(place: Place, file: Arc<File>, position: Position, inner: DynOutputStream) -> Self {
        Self { place, file, position, state: State::Ready(inner) }
    }

    /// The failure of the last write, which is told once.
    fn failure(&mut self) -> StreamError {
        match std::mem::replace(&mut self.state, State::Closed) {
            State::Failed(fault) => fault,
            _ => StreamError::Closed,
        }
    }
}

/// Writes in a turn of its own. Dropping the future takes back a write that waits for its turn; one that has it goes on
/// to its end, so that what it writes is what is counted.
async fn write(
    place: Place,
    file: Arc<File>,
    position: Position,
    inner: DynOutputStream,
    bytes: Bytes,
) -> Option<Written> {
    let turn = place.root.turn().await;
    tokio::spawn(in_turn(turn, place, file, position, inner, bytes)).await.ok()
}

async fn in_turn(
    mut turn: Turn,
    place: Place,
    file: Arc<File>,
    position: Position,
    mut inner: DynOutputStream,
    bytes: Bytes,
) -> Written {
    let length = bytes.len() as u64;
    let charged = async {
        let before = size_of(&file).await?;
        let after = position.end_after(length, before)?;
        place.root.charge(&mut turn, Amount::bytes(after - before)).await?;
        Ok::<_, ErrorCode>((before, after))
    };
    let (before, after) = match charged.await {
        Ok(charged) => charged,
        Err(code) => return (inner, position, Err(StreamError::LastOperationFailed(code.into()))),
    };
    let wrote = inner.blocking_write_and_flush(bytes).await;
    // A write that failed may have come a part of the way.
    let is = if wrote.is_ok() { after } else { size_of(&file).await.unwrap_or(after) };
    turn.usage().resized(place.file, after - before, before, is);
    let next = match position {
        Position::At(position) => Position::At(position.saturating_add(length)),
        Position::End => Position::End,
    };
    (inner, next, wrote)
}

#[wasmtime_wasi::async_trait]
impl OutputStream for FileStream {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        match std::mem::replace(&mut self.state, State::Closed) {
            State::Ready(inner) => {
                let (place, file, position) = (self.place.clone(), Arc::clone(&self.file), self.position);
                self.state = State::Writing(spawn(write(place, file, position, inner, bytes)));
                Ok(())
            }
            State::Closed => Err(StreamError::Closed),
            State::Writing(_) | State::Failed(_) => {
                Err(StreamError::trap("a write that check-write did not permit"))
            }
        }
    }

    fn flush(&mut self) -> StreamResult<()> {
        match self.state {
            // Nothing is kept back but what is being written.
            State::Ready(_) | State::Writing(_) => Ok(()),
            State::Failed(_) | State::Closed => Err(self.failure()),
        }
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        match self.state {
            State::Ready(_) => Ok(AT_ONCE),
            State::Writing(_) => Ok(0),
            State::Failed(_) | State::Closed => Err(self.failure()),
        }
    }

    async fn cancel(&mut self) {
        self.ready().await;
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for FileStream {
    async fn ready(&mut self) {
        if let State::Writing(task) = &mut self.state {
            self.state = match task.await {
                Some((inner, position, Ok(()))) => {
                    self.position = position;
                    State::Ready(inner)
                }
                Some((_, _, Err(fault))) => State::Failed(fault),
                None => State::Closed,
            };
        }
    }
}
