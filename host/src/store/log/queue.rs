//! Records that wait to be written, the count of what is reserved, and who waits for a commit.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use super::Bounds;
use super::row::Row;

/// So many waiting records are written at once, whatever their age.
const FULL_GROUP: usize = 512;
/// No transaction is larger, so that other writers get their turn.
const LARGEST_GROUP: usize = 4096;
const LARGEST_GROUP_BYTES: usize = 16 << 20;
/// How many rows' memory is kept for the next ones.
const SPARE: usize = 2048;

/// The queue between calls and the writer.
#[derive(Debug)]
pub(in super::super) struct Queue {
    bounds: Bounds,
    rows: AtomicUsize,
    bytes: AtomicUsize,
    waiting: Mutex<Waiting>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    entries: VecDeque<Entry>,
    /// When the oldest entry came.
    since: Option<Instant>,
    /// How many entries were ever handed over, and committed.
    handed: u64,
    committed: u64,
    /// Who waits until `committed` reaches a number. In order, since `handed` only grows.
    waiters: VecDeque<(u64, oneshot::Sender<()>)>,
    closed: bool,
    last_fault: Option<String>,
    /// Memory of rows that were written, for the next ones.
    spare: Vec<Vec<u8>>,
}

/// One row, and what its commit frees.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) row: Row,
    rows: usize,
    bytes: usize,
}

/// What the writer has to do next.
pub(super) enum Next {
    /// Write these.
    Write(Vec<Entry>),
    /// Wait until then, or until woken.
    Until(Instant),
    /// Wait until woken.
    Idle,
    /// Nothing will come any more.
    End,
}

impl Queue {
    pub(in super::super) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            rows: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            waiting: Mutex::default(),
            wake: Notify::new(),
        }
    }

    /// Takes a place for a row; none if there is none.
    pub(super) fn reserve(&self, bytes: usize) -> Option<Row> {
        if !take(&self.rows, 1, self.bounds.rows) {
            return None;
        }
        if !take(&self.bytes, bytes, self.bounds.bytes) {
            self.rows.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(Row::in_memory(self.lock().spare.pop().unwrap_or_default()))
    }

    /// Gives a place back that was not used.
    pub(super) fn release(&self, row: Row, bytes: usize) {
        self.freed(1, bytes);
        self.lock().keep(row);
    }

    pub(super) fn freed(&self, rows: usize, bytes: usize) {
        self.rows.fetch_sub(rows, Ordering::Relaxed);
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Adds the last row of a slot, and charges what it weighs beyond what was reserved.
    pub(super) fn push(&self, row: Row, reserved: usize) {
        let bytes = row.weight().max(reserved);
        self.bytes.fetch_add(bytes - reserved, Ordering::Relaxed);
        let mut waiting = self.lock();
        waiting.add(Entry { row, rows: 1, bytes });
        let wake = matches!(waiting.entries.len(), 1 | FULL_GROUP) || waiting.closed;
        drop(waiting);
        // Between the first record and a full group the writer sleeps on: a wake-up for each call would cost more
        // than the record itself.
        if wake {
            self.wake.notify_one();
        }
    }

    /// Adds a row that a slot will add to, and has it written at once.
    pub(super) fn push_durable(&self, row: Row) -> oneshot::Receiver<()> {
        let bytes = row.weight();
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let mut waiting = self.lock();
        waiting.add(Entry { row, rows: 0, bytes });
        let committed = waiting.wait();
        drop(waiting);
        self.wake.notify_one();
        committed
    }

    /// A signal for the moment when all that was handed over so far is committed; none if it is already.
    pub(super) fn when_committed(&self) -> Option<oneshot::Receiver<()>> {
        let mut waiting = self.lock();
        if waiting.committed == waiting.handed {
            return None;
        }
        let committed = waiting.wait();
        drop(waiting);
        self.wake.notify_one();
        Some(committed)
    }

    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.wake.notify_one();
    }

    pub(super) fn last_fault(&self) -> Option<String> {
        self.lock().last_fault.clone()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    pub(super) async fn woken(&self) {
        self.wake.notified().await;
    }

    /// What the writer has to do now.
    pub(super) fn next(&self, linger: std::time::Duration) -> Next {
        let mut waiting = self.lock();
        let Some(since) = waiting.since else {
            return if waiting.closed { Next::End } else { Next::Idle };
        };
        let due = since + linger;
        let urgent = waiting.closed || !waiting.waiters.is_empty() || waiting.entries.len() >= FULL_GROUP;
        if !urgent && Instant::now() < due {
            return Next::Until(due);
        }
        let mut bytes = 0;
        let group = waiting
            .entries
            .iter()
            .take(LARGEST_GROUP)
            .take_while(|entry| {
                let fits = bytes < LARGEST_GROUP_BYTES;
                bytes += entry.bytes;
                fits
            })
            .count();
        let group: Vec<Entry> = waiting.entries.drain(..group).collect();
        if waiting.entries.is_empty() {
            waiting.since = None;
        }
        Next::Write(group)
    }

    pub(super) fn failed(&self, fault: String) {
        self.lock().last_fault = Some(fault);
    }

    pub(super) fn written(&self, group: Vec<Entry>) {
        let (rows, bytes) =
            group.iter().fold((0, 0), |(rows, bytes), entry| (rows + entry.rows, bytes + entry.bytes));
        self.freed(rows, bytes);
        let mut waiting = self.lock();
        waiting.last_fault = None;
        waiting.committed += u64::try_from(group.len()).unwrap_or(u64::MAX);
        while waiting.waiters.front().is_some_and(|(number, _)| *number <= waiting.committed) {
            if let Some((_, waiter)) = waiting.waiters.pop_front() {
                // Whoever gave up waiting has been answered already.
                let _ = waiter.send(());
            }
        }
        group.into_iter().for_each(|entry| waiting.keep(entry.row));
    }

    /// No holder of the lock can panic between two changes that belong together.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Keeps a row's memory for the next ones.
    fn keep(&mut self, row: Row) {
        if self.spare.len() < SPARE {
            self.spare.extend(row.into_memory());
        }
    }

    fn add(&mut self, entry: Entry) {
        self.since.get_or_insert_with(Instant::now);
        self.entries.push_back(entry);
        self.handed += 1;
    }

    fn wait(&mut self) -> oneshot::Receiver<()> {
        // While nothing can be written, those who gave up waiting must not pile up.
        while self.waiters.front().is_some_and(|(_, waiter)| waiter.is_closed()) {
            self.waiters.pop_front();
        }
        let (sender, receiver) = oneshot::channel();
        self.waiters.push_back((self.handed, sender));
        receiver
    }
}

/// Adds to a count unless that would pass the bound.
fn take(count: &AtomicUsize, amount: usize, bound: usize) -> bool {
    count
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| {
            held.checked_add(amount).filter(|sum| *sum <= bound)
        })
        .is_ok()
}
