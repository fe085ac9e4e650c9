//! The bounded way of audit records from running calls to disk.
//!
//! A call takes a [`Slot`] before anything runs; when there is none, it is not run. So every call that ran has a
//! record, and the memory that waiting records take is bounded: rows strictly, bytes but for what the calls that
//! run at that moment return. Records are committed in groups by one task.

mod queue;
mod row;
#[cfg(test)]
mod tests;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::error::StoreError;
use super::node::Node;
use super::record::{CallStart, EXECUTING};

pub(super) use queue::Queue;
pub use row::{Figures, Row, Text};
pub(super) use writer::spawn;

/// How long a call waits for its row to be durable.
const DURABLE_WITHIN: Duration = Duration::from_secs(5);

/// How much may wait, calls that still run included.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) rows: usize,
    pub(super) bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { rows: 65_536, bytes: 64 << 20 }
    }
}

/// The log of calls. A cheap handle; clones share one log.
#[derive(Debug, Clone)]
pub struct CallLog {
    handle: Arc<Handle>,
}

/// What all handles and slots hold together. When the last is gone the writer commits what waits and ends.
#[derive(Debug)]
struct Handle {
    queue: Arc<Queue>,
    /// Calls that run keep this process alive in the store.
    _node: Arc<Node>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl CallLog {
    pub(super) fn new(queue: Arc<Queue>, node: Arc<Node>) -> Self {
        Self { handle: Arc::new(Handle { queue, _node: node }) }
    }

    /// Takes a place for one call, which weighs at least `bytes`; none when the log is full. Never waits.
    #[must_use]
    pub fn try_reserve(&self, bytes: usize) -> Option<Slot> {
        let row = Some(self.handle.queue.reserve(bytes)?);
        Some(Slot { handle: Arc::clone(&self.handle), bytes, row, begun: None })
    }

    /// Waits until everything that was handed over before is on disk.
    ///
    /// # Errors
    /// [`StoreError::Timeout`] after 5 s. The records are kept and written when the store answers again.
    pub async fn flush(&self) -> Result<(), StoreError> {
        match self.handle.queue.when_committed() {
            Some(committed) => self.durable(committed, "write the call log").await,
            None => Ok(()),
        }
    }

    async fn durable(&self, committed: oneshot::Receiver<()>, what: &'static str) -> Result<(), StoreError> {
        let within = DURABLE_WITHIN;
        match tokio::time::timeout(within, committed).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => {
                Err(StoreError::Timeout { what, within, last_fault: self.handle.queue.last_fault() })
            }
        }
    }
}

/// One call's place in the log.
///
/// Dropped without [`finish`](Self::finish) it frees the place: nothing ran. If it was [begun](Self::begin), the
/// call is recorded as `outcome_unknown` instead.
#[derive(Debug)]
#[must_use = "a dropped slot records nothing"]
pub struct Slot {
    handle: Arc<Handle>,
    bytes: usize,
    /// What is known of the call so far; none once it was handed over.
    row: Option<Row>,
    begun: Option<Box<CallStart>>,
}

impl Slot {
    /// Writes the row of a side-effecting call, with the code [`EXECUTING`], and returns once it is on disk. Only
    /// then may the tool start. Calls that begin at the same time share a commit. A further attempt of the same
    /// call may begin in the same slot.
    ///
    /// Dropping the future may leave the row written; finish the slot as a call that did not run.
    ///
    /// # Errors
    /// [`StoreError::Timeout`] if the row is not on disk within 5 s. The tool must not start, and the slot is to be
    /// finished with what the caller was told instead.
    pub async fn begin(&mut self, start: CallStart) -> Result<(), StoreError> {
        let mut row = Row::default();
        row.fill(&start.clone().into_record(EXECUTING));
        let committed = self.handle.queue.push_durable(row);
        self.begun = Some(Box::new(start));
        let log = CallLog { handle: Arc::clone(&self.handle) };
        log.durable(committed, "record the beginning of a call").await
    }

    /// Holds no more than so many bytes from now on, of those that it was made with. What its row weighs beyond them is
    /// charged when it is handed over.
    pub fn shrink(&mut self, bytes: usize) {
        let less = self.bytes.saturating_sub(bytes);
        self.bytes -= less;
        self.handle.queue.freed(0, less);
    }

    /// The row of the call, to be filled before its end.
    pub fn row(&mut self) -> &mut Row {
        self.row.get_or_insert_default()
    }

    /// Hands the call's row over, once it is filled. Never waits and never loses it: it is on disk within about 100 ms, or as
    /// soon as the store answers again.
    pub fn finish(mut self, fill: impl FnOnce(&mut Row)) {
        fill(self.row());
        if let Some(row) = self.row.take() {
            self.handle.queue.push(row, self.bytes);
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let Some(mut row) = self.row.take() else { return };
        match self.begun.take() {
            Some(start) => {
                let mut record = start.into_record("outcome_unknown");
                record.operator = Some("the call was dropped between its beginning and its end".to_owned());
                row.fill(&record);
                self.handle.queue.push(row, self.bytes);
            }
            None => self.handle.queue.release(row, self.bytes),
        }
    }
}
