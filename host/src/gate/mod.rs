//! May this call run? Five gates, in one order, on every way in: exists, allowed, parseable JSON, matches the
//! schema, approved. Only this module can make an [`Admitted`], and nothing runs without one.

mod admitted;
mod approval;
mod call;
mod edit;
mod explain;
mod key;
mod round;

use std::sync::Arc;

use tokio::time::Instant;

pub use admitted::Admitted;
use admitted::Checked;
use approval::Review;
pub use approval::expired;
pub use call::{Call, Caller, Hearer, Progress, Surface, Within};
pub use edit::check_edit;
pub use explain::{Explained, explain};
pub use key::{Replay, replay};
pub use round::{Answers, Kept, Round};
use toolhost_check::{Arguments, Refusal, json};

use crate::id::{CallId, RunId, ToolName};
use crate::policy::{Disclosure, MOST_NESTED};
use crate::registry::{Entry, Snapshot};
use crate::spec::{Code, Failure, Gate, clean};
use crate::store::Store;

/// How many names a wrong name is answered with.
const NAMES_SHOWN: usize = 20;

/// Characters of a wrong name that are shown.
const SHOWN: usize = 64;

/// How the gates go about a call.
#[derive(Debug, Clone, Copy)]
pub struct Asking {
    /// Since when the call's deadline runs.
    pub since: Instant,
    /// Whether a reviewer is asked, if nobody was.
    pub asks: bool,
}

/// What the gates make of a call.
#[derive(Debug)]
pub enum Passed {
    /// It may run.
    Ticket(Box<Admitted>),
    /// A call with its key ran already, and this is what became of it.
    Replay(Replay),
}

/// Passes a call through all five gates. Before the fifth the ledger is asked, so that a replay asks nobody again; a call
/// with a key that is running is waited for.
///
/// The first gate that refuses decides, and nothing has run then. What is admitted keeps the tool, grants and limits
/// that it was admitted with. Dropping the future admits nothing; a question that was already put to a reviewer
/// stays open.
///
/// # Errors
/// The refusal, with its gate. [`Code::Internal`] if a question could not be put to a reviewer.
pub async fn admit(
    call: &Call,
    call_id: &CallId,
    snapshot: &Snapshot,
    disclosure: Disclosure,
    asking: Asking,
    store: &Store,
) -> Result<Passed, Failure> {
    let entry = exists(call, snapshot, disclosure)?;
    allowed(call, &entry)?;
    shallow(call, &entry)?;
    let arguments = parseable(call, &entry)?;
    matches(&entry, &arguments)?;
    let answered = round::answered(call, &entry, &arguments)?;
    let run = call.run.clone().unwrap_or_else(|| RunId::of_call(call_id));
    let key = key::key(call, &entry, &arguments, &answered, &run, call_id);
    let ends = asking.since + admitted::limits(call, &entry).deadline;
    if let Some(replay) = known(key.as_ref(), call, &entry, ends, call_id, store).await? {
        return Ok(Passed::Replay(replay));
    }
    let is_approved = answered.round.as_ref().is_some_and(|round| round.approved);
    let review = Review::of(call, &entry, &arguments, is_approved);
    let edit = match &review {
        Some(review) => review.edit(call_id, store).await?,
        None => answered.round.as_ref().and_then(|round| round.edited.clone()),
    };
    let edited = match (&edit, &review) {
        (None, _) => None,
        (Some(text), None) => Some(edit::edited(text, &entry)?),
        (Some(text), Some(review)) => match edit::edited(text, &entry) {
            Ok(arguments) => Some(arguments),
            Err(refusal) => return Err(review.cannot_be(refusal, store).await),
        },
    };
    let effect = edited
        .as_ref()
        .and_then(|arguments| key::of_effect(call, &entry, arguments, &run, call_id, key.as_ref()));
    if let Some(replay) = known(effect.as_ref(), call, &entry, ends, call_id, store).await? {
        return Ok(Passed::Replay(replay));
    }
    // Nothing stands between the approval and the ticket, so that none is used up for nothing.
    let approval = match review {
        Some(review) => {
            Some(review.approved(&entry, &arguments, edit.as_deref(), asking.asks, call_id, store).await?)
        }
        None => None,
    };
    let (arguments, asked) = match edited {
        Some(edited) => (edited, Some(arguments)),
        None => (arguments, None),
    };
    let passed = Checked { entry, arguments, asked, answered, key, effect, approval, is_approved };
    Ok(Passed::Ticket(Box::new(Admitted::new(call, call_id.clone(), run, passed))))
}

/// What the ledger says of a call.
async fn known(
    key: Option<&key::Key>,
    call: &Call,
    entry: &Entry,
    ends: Instant,
    call_id: &CallId,
    store: &Store,
) -> Result<Option<Replay>, Failure> {
    let Some(keyed) = key.and_then(|key| key.keyed.as_ref()) else { return Ok(None) };
    replay(keyed, ends, admitted::limits(call, entry).deadline, call_id, store).await
}

/// Gate 1. With strict disclosure a forbidden tool is missing, in the same words and after the same work.
fn exists(call: &Call, snapshot: &Snapshot, disclosure: Disclosure) -> Result<Arc<Entry>, Failure> {
    let found = snapshot.get(&call.tool);
    let hidden = |entry: &&Arc<Entry>| {
        disclosure == Disclosure::Strict
            && !call.caller.tenant.access.permits(entry.name.as_str(), narrowed(call))
    };
    if let Some(entry) = found.filter(|entry| !hidden(entry)) {
        return Ok(entry.clone());
    }
    let names = snapshot.nearest(&call.tool, &call.caller.tenant.access, narrowed(call), NAMES_SHOWN);
    let names: Vec<&str> = names.iter().map(crate::id::ToolName::as_str).collect();
    let wrong = shown(&call.tool);
    let message = if names.is_empty() {
        format!("There is no tool named '{wrong}'. No tools are available. Answer without a tool.")
    } else {
        format!(
            "There is no tool named '{wrong}'. Available tools: {}. Pick one of those or answer without a tool.",
            names.join(", ")
        )
    };
    Err(Failure::new(Code::NoSuchTool, message).at(Gate::Exists))
}

/// Gate 2, by the evaluator that also made the caller's list.
fn allowed(call: &Call, entry: &Entry) -> Result<(), Failure> {
    if call.caller.tenant.access.permits(entry.name.as_str(), narrowed(call)) {
        return Ok(());
    }
    Err(not_allowed())
}

/// The refusal of gate 2.
#[must_use]
pub fn not_allowed() -> Failure {
    let message = "You are not permitted to use that tool in this context. \
                   Continue with the tools you have been given.";
    Failure::new(Code::NotAllowed, message).at(Gate::Allowed)
}

/// A chain of calls between tools has an end.
fn shallow(call: &Call, entry: &Entry) -> Result<(), Failure> {
    let Some(within) = &call.within else { return Ok(()) };
    let waiting: Vec<&str> = within.tools.iter().map(ToolName::as_str).collect();
    let message = if within.tools.contains(&entry.name) {
        format!(
            "The tool '{}' was called by itself, through: {}. Nothing ran.",
            entry.name,
            waiting.join(", ")
        )
    } else if within.tools.len() > usize::try_from(MOST_NESTED).unwrap_or(usize::MAX) {
        format!(
            "The tool '{}' was called through {} tools that wait for each other; at most {MOST_NESTED} may. Nothing ran.",
            entry.name,
            waiting.len()
        )
    } else {
        return Ok(());
    };
    Err(Failure::new(Code::InvokeLimit, message))
}

/// Gate 3, on the bytes as they came in.
fn parseable(call: &Call, entry: &Entry) -> Result<Arguments, Failure> {
    parsed(&call.arguments, entry)
}

fn parsed(text: &[u8], entry: &Entry) -> Result<Arguments, Failure> {
    let limits = json::Limits { bytes: entry.policy.limits.arguments_bytes, ..json::Limits::ARGUMENTS };
    Arguments::parse_within(entry.name.as_str(), text, &limits)
        .map_err(|refusal| refused(Code::BadJson, Gate::Json, refusal))
}

/// Gate 4.
fn matches(entry: &Entry, arguments: &Arguments) -> Result<(), Failure> {
    entry
        .input
        .check(entry.name.as_str(), arguments)
        .map_err(|refusal| refused(Code::BadArgs, Gate::Schema, refusal))
}

fn refused(code: Code, gate: Gate, refusal: Refusal) -> Failure {
    Failure { pointers: refusal.pointers, ..Failure::new(code, refusal.message).at(gate) }
}

fn narrowed(call: &Call) -> Option<&[crate::policy::Pattern]> {
    call.allow.as_deref()
}

/// A wrong name as it may be shown: short, and without what could forge a line.
pub(crate) fn shown(name: &str) -> String {
    // What could name a tool is shown as it is.
    if name.len() <= SHOWN && name.bytes().all(|byte| byte.is_ascii_graphic()) {
        return name.to_owned();
    }
    let short: String = name.chars().take(SHOWN).collect();
    clean(short).replace(['\n', '\t'], " ")
}
