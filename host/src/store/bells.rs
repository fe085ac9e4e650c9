//! Who waits for a row to change, and is told when it does. A few bells serve all rows, so that whoever waits for one is
//! woken by few others.

use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use super::Store;
use super::database::Kind;

const BELLS: u64 = 64;

/// The channels on which processes on one PostgreSQL tell each other.
pub(super) const SETTLED: &str = "toolhost_settled";
pub(super) const DECIDED: &str = "toolhost_decided";
pub(super) const KEYS: &str = "toolhost_keys";
pub(super) const COMPONENTS: &str = "toolhost_components";

/// How often to look whether another process changed a row, where nobody tells.
pub(super) const LOOK_UNTOLD: Duration = Duration::from_millis(100);
/// How often to look all the same, in case that the news was lost.
pub(super) const LOOK_ANYWAY: Duration = Duration::from_secs(5);

/// The bells of a process.
#[derive(Debug)]
pub(super) struct Bells(Vec<Notify>);

impl Default for Bells {
    fn default() -> Self {
        Self((0..BELLS).map(|_| Notify::new()).collect())
    }
}

impl Bells {
    /// The bell of a row, the same in every process of this version.
    pub(super) fn of(row: &impl Hash) -> usize {
        let mut hash = DefaultHasher::new();
        row.hash(&mut hash);
        usize::try_from(hash.finish() % BELLS).unwrap_or(0)
    }

    /// Ends when the bell rings from now on; never for a bell that there is not.
    pub(super) fn rung(&self, bell: usize) -> Option<Notified<'_>> {
        self.0.get(bell).map(Notify::notified)
    }

    pub(super) fn ring(&self, bell: usize) {
        if let Some(bell) = self.0.get(bell) {
            bell.notify_waiters();
        }
    }
}

impl Store {
    /// The bells of a channel.
    pub(super) fn bells(&self, channel: &str) -> &Bells {
        match channel {
            DECIDED => &self.inner.decided,
            COMPONENTS => &self.inner.components,
            _ => &self.inner.settled,
        }
    }

    /// Passes on what another process told on a channel.
    pub(super) fn heard(&self, channel: &str, payload: &str) {
        if channel == KEYS {
            self.inner.keys.changed();
        } else if let Ok(bell) = payload.parse() {
            self.bells(channel).ring(bell);
        }
    }

    /// Tells all processes that a row changed.
    pub(super) async fn tell(&self, channel: &'static str, bell: usize) {
        self.bells(channel).ring(bell);
        if self.inner.database.kind() == Kind::Postgres {
            // Who is not told looks for itself, only later.
            let tell = sqlx::query("SELECT pg_notify($1, $2)").bind(channel).bind(bell.to_string());
            if let Err(fault) = self.inner.database.write("tell other processes", tell).await {
                tracing::warn!(%fault, "other processes are not told of a change");
            }
        }
    }
}
