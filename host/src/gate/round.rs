//! A call between a tool's questions and the client's answers. What the client keeps meanwhile is sealed, and good for
//! the very call that the questions came of: the same tenant, caller, tool, component, arguments and policy.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolhost_check::Arguments;

use super::approval::binding;
use super::call::{Call, Caller};
use super::key::Key;
use crate::id::{ApprovalId, CallId, TenantId};
use crate::registry::Entry;
use crate::spec::{Code, Failure, Gate, InputAnswer};
use crate::store::{SealError, Store, StoreError};

/// What a client kept for the host, opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// A tool asked it for input.
    Round(Round),
    /// It was asked to decide about a call of its own.
    Approval {
        /// The question.
        id: ApprovalId,
        /// Whose it is.
        tenant: TenantId,
    },
}

/// A call that waits for answers. All its rounds are one call: they go by the same key, and its effect happens once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// What the calls that the tool makes are known by.
    pub(super) identity: String,
    /// What the ledger knows all rounds by.
    pub(super) ledger_key: String,
    /// The idempotency key that the guest is told in all of them.
    pub(super) key: String,
    /// The fingerprint of the call.
    pub(super) binding: String,
    /// A reviewer agreed before the tool asked.
    pub(super) approved: bool,
    /// What a reviewer made of the arguments.
    pub(super) edited: Option<String>,
    /// What was asked, by name.
    pub(super) ids: Vec<String>,
    /// What the tool kept.
    pub(super) state: Option<Vec<u8>>,
}

/// The form inside the seal.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Body {
    Round(Round),
    Approval { id: String, tenant: String },
}

/// The answers that a call brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    /// The answers, at most one for each name.
    pub given: Vec<InputAnswer>,
    /// The call that asked; none for a tool that keeps no state.
    pub round: Option<Round>,
}

/// The answers as the guest gets them.
#[derive(Debug, Clone, Default)]
pub(super) struct Answered {
    pub(super) given: Vec<InputAnswer>,
    pub(super) round: Option<Round>,
}

impl Kept {
    /// A text that a client can keep and send back until the lifetime is over.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn seal(&self, store: &Store, lifetime: Duration) -> Result<String, StoreError> {
        let body = match self {
            Self::Round(round) => Body::Round(round.clone()),
            Self::Approval { id, tenant } => {
                Body::Approval { id: id.to_string(), tenant: tenant.to_string() }
            }
        };
        // Texts and bytes always become JSON.
        store.seal(&serde_json::to_vec(&body).unwrap_or_default(), lifetime).await
    }

    /// Opens what a client sent back.
    ///
    /// # Errors
    /// [`SealError`] for anything that this host's processes did not make, and for what is too old.
    pub async fn open(store: &Store, text: &str) -> Result<Self, SealError> {
        let body = store.unseal(text).await?;
        let body = serde_json::from_slice(&body).map_err(|_| SealError::Forged)?;
        Ok(match body {
            Body::Round(round) => Self::Round(round),
            Body::Approval { id, tenant } => Self::Approval {
                id: id.parse().map_err(|_| SealError::Forged)?,
                tenant: tenant.parse().map_err(|_| SealError::Forged)?,
            },
        })
    }
}

impl Round {
    /// What all rounds of a call are known by in the ledger, and the key that the guest is told, from the first round on.
    pub(super) fn keys(call_id: &CallId, key: Option<&Key>) -> (String, String) {
        let keyed = key.and_then(|key| key.keyed.as_ref()).map(|keyed| keyed.key.clone());
        // A control character keeps it apart from every key that a caller or a template can make.
        let ledger_key = keyed.unwrap_or_else(|| format!("\u{1f}answers\u{1f}{call_id}"));
        let key = key.map_or_else(|| format!("{call_id}/answers"), |key| key.text.clone());
        (ledger_key, key)
    }
}

impl Answered {
    /// What the tool kept.
    pub(super) fn state(&self) -> Option<&[u8]> {
        self.round.as_ref()?.state.as_deref()
    }
}

/// The answers of a call as far as they count.
///
/// Of answers to a round those count that were asked for. Without one a tool with a side effect is asked anew, and any other
/// gets whatever the client sends.
pub(super) fn answered(call: &Call, entry: &Entry, arguments: &Arguments) -> Result<Answered, Failure> {
    let Some(answers) = &call.answers else { return Ok(Answered::default()) };
    match &answers.round {
        Some(round) if round.binding != fingerprint(&call.caller, entry, arguments) => {
            let message = format!(
                "The answers belong to another call of '{}', or the tool has changed since. Nothing ran. Make the call \
                 again without them.",
                entry.name
            );
            Err(Failure::new(Code::BadArgs, message).at(Gate::Schema))
        }
        Some(round) => {
            let asked = |answer: &&InputAnswer| round.ids.contains(&answer.id);
            let given = answers.given.iter().filter(asked).cloned().collect();
            Ok(Answered { given, round: Some(round.clone()) })
        }
        None if entry.has_side_effect() => Ok(Answered::default()),
        None => Ok(Answered { given: answers.given.clone(), round: None }),
    }
}

/// The hash of all that decides what a call would do.
pub(super) fn fingerprint(caller: &Caller, entry: &Entry, arguments: &Arguments) -> String {
    binding(caller, entry, arguments).hash()
}
