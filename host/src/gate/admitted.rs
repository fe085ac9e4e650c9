//! The ticket without which nothing runs.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use toolhost_check::Arguments;

use super::call::{Call, Caller, Hearer, Progress};
use super::edit;
use super::key::Key;
use super::round::{Answered, Kept, Round, fingerprint};
use crate::id::{ApprovalId, CallId, RunId};
use crate::policy::{Granted, Limits};
use crate::registry::Entry;
use crate::spec::InputAnswer;
use crate::store::Keyed;

/// A call that passed every gate. Its fields are private and it can be made by the gates alone, so that running
/// without being checked does not compile.
#[derive(Debug)]
pub struct Admitted {
    call_id: CallId,
    run: RunId,
    caller: Caller,
    checked: Checked,
    limits: Limits,
    progress: Option<mpsc::Sender<Progress>>,
    hearer: Option<Hearer>,
    edit: Option<String>,
}

/// What the gates found.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) entry: Arc<Entry>,
    pub(super) arguments: Arguments,
    /// The call's own arguments, where a reviewer put others in their place.
    pub(super) asked: Option<Arguments>,
    pub(super) answered: Answered,
    pub(super) key: Option<Key>,
    /// The key of the effect of a reviewer's arguments, where it is another.
    pub(super) effect: Option<Key>,
    /// The approval that was used up.
    pub(super) approval: Option<ApprovalId>,
    /// A reviewer agreed before the tool asked for input.
    pub(super) is_approved: bool,
}

impl Admitted {
    pub(super) fn new(call: &Call, call_id: CallId, run: RunId, checked: Checked) -> Self {
        let limits = limits(call, &checked.entry);
        let (caller, progress) = (call.caller.clone(), call.progress.clone());
        let hearer = call.hearer.clone();
        let edit = checked.asked.as_ref().map(|own| edit::told(own.value(), checked.arguments.value()));
        Self { call_id, run, caller, checked, limits, progress, hearer, edit }
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
        &self.checked.entry
    }

    /// The arguments that run, which meet the schema.
    #[must_use]
    pub fn arguments(&self) -> &Arguments {
        &self.checked.arguments
    }

    /// What the component was granted, as far as the tenant is left it.
    #[must_use]
    pub fn granted(&self) -> Granted<'_> {
        Granted::new(&self.checked.entry.source.grants, &self.caller.tenant.narrowing)
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
        let key = self.checked.effect.as_ref().or(self.checked.key.as_ref());
        key.map(|key| key.text.as_str())
    }

    /// What the ledger keeps the key under; none for a read-only call, and for a key that nobody can repeat.
    fn keyed(&self) -> Option<&Keyed> {
        self.checked.key.as_ref()?.keyed.as_ref()
    }

    /// All keys that the call has to claim in the ledger: its own, and that of its effect where a reviewer made another of
    /// it. None for a read-only call, and for a key that nobody can repeat.
    pub fn keys(&self) -> impl Iterator<Item = &Keyed> {
        let keys = [self.checked.key.as_ref(), self.checked.effect.as_ref()];
        keys.into_iter().flatten().filter_map(|key| key.keyed.as_ref())
    }

    /// What the call is known by, however often it is started and through all its rounds.
    #[must_use]
    pub fn identity(&self) -> String {
        match (self.keyed(), &self.checked.answered.round) {
            (_, Some(round)) => round.identity.clone(),
            (Some(keyed), _) => format!("{}\u{1f}{}", keyed.tool, keyed.key),
            (None, _) => self.call_id.to_string(),
        }
    }

    /// Where news goes.
    #[must_use]
    pub fn progress(&self) -> Option<&mpsc::Sender<Progress>> {
        self.progress.as_ref()
    }

    /// Who else hears of the guest's news.
    #[must_use]
    pub fn hearer(&self) -> Option<&Hearer> {
        self.hearer.as_ref()
    }

    /// The approval that was used up to get here.
    #[must_use]
    pub fn approval(&self) -> Option<&ApprovalId> {
        self.checked.approval.as_ref()
    }

    /// The arguments that the caller gave, which a reviewer may have put others in the place of.
    #[must_use]
    pub fn own_arguments(&self) -> &Arguments {
        self.checked.asked.as_ref().unwrap_or(&self.checked.arguments)
    }

    /// What a reviewer changed in the arguments, in one sentence.
    #[must_use]
    pub fn edit(&self) -> Option<&str> {
        self.edit.as_deref()
    }

    /// Answers to what the tool asked for in an earlier round.
    #[must_use]
    pub fn answers(&self) -> &[InputAnswer] {
        &self.checked.answered.given
    }

    /// What the tool kept when it asked.
    #[must_use]
    pub fn state(&self) -> Option<&[u8]> {
        self.checked.answered.state()
    }

    /// Whether the rounds of the call have to be told from those of others: it has a side effect, or was approved.
    #[must_use]
    pub fn counts_rounds(&self) -> bool {
        self.checked.entry.has_side_effect() || self.is_approved()
    }

    fn is_approved(&self) -> bool {
        self.checked.approval.is_some() || self.checked.is_approved
    }

    /// What the client keeps while it looks for answers to what was asked by these names, with the tool's own state.
    #[must_use]
    pub fn round(&self, ids: Vec<String>, state: Option<Vec<u8>>) -> Kept {
        let Checked { entry, arguments, asked, answered, key, .. } = &self.checked;
        let (ledger_key, key) = match (&answered.round, key) {
            (Some(earlier), _) => (earlier.ledger_key.clone(), earlier.key.clone()),
            (None, key) => Round::keys(&self.call_id, key.as_ref()),
        };
        Kept::Round(Round {
            identity: self.identity(),
            ledger_key,
            key,
            binding: fingerprint(&self.caller, entry, self.own_arguments()),
            approved: self.is_approved(),
            edited: asked.as_ref().map(|_| arguments.raw().to_owned()),
            ids,
            state,
        })
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
