//! Who waits for a key, and is told when it is let go of. A few bells serve all keys, so that whoever waits for one is woken
//! by few others.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use super::Keyed;

const BELLS: u64 = 64;

/// The bells of a process.
#[derive(Debug)]
pub(in super::super) struct Bells(Vec<Notify>);

impl Default for Bells {
    fn default() -> Self {
        Self((0..BELLS).map(|_| Notify::new()).collect())
    }
}

impl Bells {
    /// The bell of a key, the same in every process of this version.
    pub(super) fn of(keyed: &Keyed) -> usize {
        let mut hash = DefaultHasher::new();
        (keyed.tenant.as_str(), keyed.tool.as_str(), &keyed.key).hash(&mut hash);
        usize::try_from(hash.finish() % BELLS).unwrap_or(0)
    }

    /// Ends when the bell rings from now on; never for a bell that there is not.
    pub(super) fn rung(&self, bell: usize) -> Option<Notified<'_>> {
        self.0.get(bell).map(Notify::notified)
    }

    pub(in super::super) fn ring(&self, bell: usize) {
        if let Some(bell) = self.0.get(bell) {
            bell.notify_waiters();
        }
    }
}
