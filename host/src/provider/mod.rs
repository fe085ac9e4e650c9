//! Tools, calls and results in the forms of those who serve models.
//!
//! A model's provider takes tools in a form of its own, answers with calls in that form, and wants results in it. This
//! module owns the three translations, so that a caller can hand a provider's reply to the host as it came and get back
//! what goes into the next request. It judges nothing: whatever a form says or cannot say, the arguments of a call meet
//! all gates, and the tool's own schema is what gate 4 enforces.
//!
//! A tool is written in a form once for each snapshot of the registry. Requests put the texts together.

mod catalogue;
mod export;
mod format;
pub mod mcp;
mod names;
mod report;
mod schema;
mod turn;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;

use std::sync::{Arc, PoisonError, RwLock};

pub use catalogue::{Catalogue, Listed, Wanted};
pub use format::{Format, Strict, UnknownName};
pub use report::{Report, ToolReport};
pub use schema::Note;
pub use turn::{Asked, Turn, TurnFault};

use crate::registry::Snapshot;

/// The tools of the current snapshot in all forms. Holds one snapshot, whatever is asked for.
#[derive(Debug, Default)]
pub struct Exports {
    latest: RwLock<Option<Arc<Catalogue>>>,
}

impl Exports {
    /// The forms of a snapshot's tools. A tool is written in a form when that is first asked for, and kept.
    #[must_use]
    pub fn of(&self, snapshot: &Arc<Snapshot>) -> Arc<Catalogue> {
        let current = |latest: &Option<Arc<Catalogue>>| latest.clone().filter(|it| it.is_of(snapshot));
        if let Some(found) = current(&self.latest.read().unwrap_or_else(PoisonError::into_inner)) {
            return found;
        }
        let mut latest = self.latest.write().unwrap_or_else(PoisonError::into_inner);
        // Another request may have been quicker.
        current(&latest).unwrap_or_else(|| {
            let made = Arc::new(Catalogue::new(snapshot.clone()));
            *latest = Some(made.clone());
            made
        })
    }
}

/// The tools that a caller may call, in a form: JSON text for a request to the provider, and what became of each tool.
///
/// The first list of a snapshot writes each tool of it, which takes up to milliseconds for the largest schemas: it belongs
/// on a thread that may be blocked. Every later one joins texts.
#[must_use]
pub fn tools(exports: &Exports, snapshot: &Arc<Snapshot>, wanted: &Wanted<'_>) -> Listed {
    exports.of(snapshot).list(wanted)
}

/// Reads a provider's reply, for a model that was shown the tools that [`tools`] gives for the same `wanted`.
///
/// # Errors
/// [`TurnFault`] if the text is no reply in that form. Nothing of it can run then.
pub fn turn(
    exports: &Exports,
    snapshot: &Arc<Snapshot>,
    wanted: &Wanted<'_>,
    reply: &[u8],
) -> Result<Turn, TurnFault> {
    Turn::read(&exports.of(snapshot), wanted, reply)
}
