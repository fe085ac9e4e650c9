//! Which tools there are now. A snapshot never changes: a call sees one world from its first gate to its end.
//!
//! Holds no compiled code, so that reading the list needs no engine.

mod entry;
mod nearest;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

pub use entry::{Entry, Source};

use crate::id::{ToolName, hex};
use crate::policy::{Access, Pattern};

/// Two tools of one name: the later is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the tool {name} is already offered by {first}, so that of {second} is refused; give one of the two \
     components a `prefix`"
)]
pub struct NameTaken {
    /// The name.
    pub name: ToolName,
    /// The file that has it.
    pub first: String,
    /// The file that wanted it.
    pub second: String,
}

/// A frozen view of all tools, sorted by name.
#[derive(Debug, Default)]
pub struct Snapshot {
    sorted: Vec<Arc<Entry>>,
    by_name: HashMap<String, Arc<Entry>>,
    hash: String,
}

impl Snapshot {
    /// Builds a view. Of two tools of one name the first is kept.
    #[must_use]
    pub fn new(entries: Vec<Entry>) -> (Self, Vec<NameTaken>) {
        let mut by_name: HashMap<String, Arc<Entry>> = HashMap::with_capacity(entries.len());
        let mut sorted = Vec::with_capacity(entries.len());
        let mut refused = Vec::new();
        for entry in entries {
            if let Some(first) = by_name.get(entry.name.as_str()) {
                refused.push(NameTaken {
                    name: entry.name.clone(),
                    first: first.source.path.display().to_string(),
                    second: entry.source.path.display().to_string(),
                });
                continue;
            }
            let entry = Arc::new(entry);
            by_name.insert(entry.name.as_str().to_owned(), entry.clone());
            sorted.push(entry);
        }
        sorted.sort_by(|one, two| one.name.cmp(&two.name));
        let mut hash = Sha256::new();
        for entry in &sorted {
            hash.update(line_of(entry));
        }
        (Self { sorted, by_name, hash: hex(&hash.finalize()) }, refused)
    }

    /// The tool of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Entry>> {
        self.by_name.get(name)
    }

    /// All tools, by name.
    #[must_use]
    pub fn all(&self) -> &[Arc<Entry>] {
        &self.sorted
    }

    /// A hash of all tools: their names, what their components say and are, and what is in force. Hosts with the same
    /// hash answer the same calls alike.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Whether a call of that name could have a side effect. A tool that is not there has none.
    #[must_use]
    pub fn has_side_effect(&self, name: &str) -> bool {
        self.get(name).is_some_and(|entry| entry.has_side_effect())
    }

    /// The tools that a caller may see, by name: those and only those that it may call.
    pub fn visible<'a>(
        &'a self,
        access: &'a Access,
        narrowed: Option<&'a [Pattern]>,
    ) -> impl Iterator<Item = &'a Arc<Entry>> + 'a {
        self.sorted.iter().filter(move |entry| access.permits(entry.name.as_str(), narrowed))
    }

    /// A hash of the tools that a caller may see: of their names, what their components say and are, and what is in force.
    #[must_use]
    pub fn visible_hash(&self, access: &Access) -> String {
        let mut hash = Sha256::new();
        for entry in self.visible(access, None) {
            hash.update(line_of(entry));
        }
        hex(&hash.finalize())
    }

    /// At most `most` names that a caller may see, the one nearest to a wrong name first.
    #[must_use]
    pub fn nearest(
        &self,
        wrong: &str,
        access: &Access,
        narrowed: Option<&[Pattern]>,
        most: usize,
    ) -> Vec<ToolName> {
        let names = self.visible(access, narrowed).map(|entry| &entry.name);
        nearest::nearest(wrong, names, most)
    }
}

fn line_of(entry: &Entry) -> String {
    format!("{} {} {}\n", entry.name, entry.source.digest, entry.policy_hash)
}

/// The tools that there are now.
#[derive(Debug, Default)]
pub struct Registry {
    current: RwLock<Arc<Snapshot>>,
    published: watch::Sender<()>,
}

impl Registry {
    /// The view of this moment.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts another view in place, at once and as a whole.
    pub fn publish(&self, snapshot: Snapshot) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
        self.published.send_replace(());
    }

    /// Changes with each view that is put in place from now on.
    #[must_use]
    pub fn published(&self) -> watch::Receiver<()> {
        self.published.subscribe()
    }
}
