//! The ticket without which nothing runs.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use toolhost_check::Arguments;

use super::call::{Call, Caller, Progress};
use super::key::Key;
use crate::id::{ApprovalId, CallId, RunId};
use crate::policy::Limits;
use crate::registry::Entry;
use crate::store::Keyed;

/// A call that passed every gate. Its fields are private and it can be made by the gates alone, so that running
/// without being checked does not compile.
#[derive(Debug)]
pub struct Admitted {
    call_id: CallId,
    run: RunId,
    caller: Caller,
    entry: Arc<Entry>,
    arguments: Arguments,
    key: Option<Key>,
    limits: Limits,
    progress: Option<mpsc::Sender<Progress>>,
    approval: Option<ApprovalId>,
}

impl Admitted {
    pub(super) fn new(
        call: &Call,
        call_id: CallId,
        run: RunId,
        entry: Arc<Entry>,
        arguments: Arguments,
        key: Option<Key>,
        approval: Option<ApprovalId>,
    ) -> Self {
        let limits = limits(call, &entry);
        Self {
            call_id,
            run,
            caller: call.caller.clone(),
            entry,
            arguments,
            key,
            limits,
            progress: call.progress.clone(),
            approval,
        }
    }

    /// The call.
    #[must_use]
    pub fn call_id(&self) -> &CallId {
        &self.call_id
    }

    /// The run that the call belongs to.
    #[must_use]
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Who calls.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The tool.
    #[must_use]
    pub fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }

    /// The arguments, which meet the schema.
    #[must_use]
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// The limits in force for this call.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How long the whole call may take.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        self.limits.deadline
    }

    /// The key under which the side effect happens once: the caller's, else the template's, else the run and the
    /// call. A read-only call has none.
    #[must_use]
    pub fn idempotency_key(&self) -> Option<&str> {
        self.key.as_ref().map(|key| key.text.as_str())
    }

    /// What the ledger keeps the key under; none for a read-only call, and for a key that nobody can repeat.
    #[must_use]
    pub fn keyed(&self) -> Option<&Keyed> {
        self.key.as_ref()?.keyed.as_ref()
    }

    /// Where news goes.
    #[must_use]
    pub fn progress(&self) -> Option<&mpsc::Sender<Progress>> {
        self.progress.as_ref()
    }

    /// The approval that was used up to get here.
    #[must_use]
    pub fn approval(&self) -> Option<&ApprovalId> {
        self.approval.as_ref()
    }
}

/// The tool's limits, lowered by the tenant's and the caller's own.
pub(super) fn limits(call: &Call, entry: &Entry) -> Limits {
    let mut limits = entry.policy.limits.lowered(&call.caller.tenant.ceilings);
    if let Some(own) = call.deadline {
        limits.deadline = limits.deadline.min(own);
    }
    limits
}
