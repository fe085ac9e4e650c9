//! The keys that were shown lately, so that a request need not wait for the database. Only keys that exist are in it, and
//! no more than a bound, so that nobody makes it grow by guessing.
//!
//! What it knows counts for a moment only. Where other processes tell of changes, it counts until they do, or until it is
//! doubtful whether they can.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::StoredKey;
use crate::id::KeyId;
use crate::store::bells::{LOOK_ANYWAY, LOOK_UNTOLD};

/// The most keys that are remembered. When there are more, all are looked up again.
const MOST: usize = 4_096;

/// A key with the digest that proves it.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) key: Arc<StoredKey>,
    pub(super) digest: Arc<str>,
}

/// The keys that were shown lately.
#[derive(Debug, Default)]
pub(in super::super) struct KeyCache {
    known: Mutex<HashMap<KeyId, Entry>>,
    /// How often something was heard of a change.
    changes: AtomicU64,
    /// Whether other processes can tell of changes at present.
    told: AtomicBool,
}

#[derive(Debug)]
struct Entry {
    known: Known,
    seen: Instant,
    change: u64,
}

impl KeyCache {
    /// How many changes were heard of. What is read from now on is remembered under this number.
    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// A key that was seen a moment ago, and was not changed since as far as is known.
    pub(super) fn get(&self, id: &KeyId) -> Option<Known> {
        let counts_for = if self.told.load(Ordering::Acquire) { LOOK_ANYWAY } else { LOOK_UNTOLD };
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = known.get(id)?;
        let counts = entry.change == self.changes() && entry.seen.elapsed() < counts_for;
        counts.then(|| entry.known.clone())
    }

    /// Remembers a key as it was read after so many changes.
    pub(super) fn put(&self, id: KeyId, known: Known, change: u64) {
        let entry = Entry { known, seen: Instant::now(), change };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST && !known.contains_key(&id) {
            known.clear();
        }
        known.insert(id, entry);
    }

    /// Something changed: nothing that was read before counts any more.
    pub(in super::super) fn changed(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// From now on other processes can tell of changes, or cannot. What they told meanwhile was not heard.
    pub(in super::super) fn set_told(&self, told: bool) {
        self.told.store(told, Ordering::Release);
        self.changed();
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
