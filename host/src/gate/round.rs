//! A call between a tool's questions and the client's answers. What the client keeps meanwhile is sealed, and good for
//! the very call that the questions came of: the same tenant, caller, tool, component, arguments and policy.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use toolhost_check::Arguments;
use toolhost_check::canonical::canonical;

use super::approval::binding;
use super::call::{Call, Caller};
use crate::id::{ApprovalId, CallId, TenantId, hex};
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

/// A call that waits for answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    asked_by: CallId,
    binding: String,
    approved: bool,
    edited: Option<String>,
    state: Option<Vec<u8>>,
}

/// The form inside the seal.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Body {
    Round {
        asked_by: String,
        binding: String,
        approved: bool,
        edited: Option<String>,
        state: Option<Vec<u8>>,
    },
    Approval {
        id: String,
        tenant: String,
    },
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
            Self::Round(round) => Body::Round {
                asked_by: round.asked_by.to_string(),
                binding: round.binding.clone(),
                approved: round.approved,
                edited: round.edited.clone(),
                state: round.state.clone(),
            },
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
            Body::Round { asked_by, binding, approved, edited, state } => {
                let asked_by = asked_by.parse().map_err(|_| SealError::Forged)?;
                Self::Round(Round { asked_by, binding, approved, edited, state })
            }
            Body::Approval { id, tenant } => Self::Approval {
                id: id.parse().map_err(|_| SealError::Forged)?,
                tenant: tenant.parse().map_err(|_| SealError::Forged)?,
            },
        })
    }
}

impl Round {
    /// The round that a call's questions open.
    pub(super) fn of(
        asked_by: CallId,
        binding: String,
        approved: bool,
        edited: Option<String>,
        state: Option<Vec<u8>>,
    ) -> Self {
        Self { asked_by, binding, approved, edited, state }
    }

    /// A reviewer agreed to the call before the tool asked.
    pub(super) const fn is_approved(&self) -> bool {
        self.approved
    }

    /// What a reviewer made of the arguments.
    pub(super) fn edited(&self) -> Option<&str> {
        self.edited.as_deref()
    }

    pub(super) const fn asked_by(&self) -> &CallId {
        &self.asked_by
    }
}

impl Answered {
    /// What the tool kept.
    pub(super) fn state(&self) -> Option<&[u8]> {
        self.round.as_ref()?.state.as_deref()
    }

    /// The hash of the answers, equal for equal ones in any order.
    pub(super) fn digest(&self, arguments: &Arguments) -> String {
        let mut answers: Vec<(&str, String)> = self
            .given
            .iter()
            .map(|answer| {
                let value = serde_json::from_str(&answer.value);
                (answer.id.as_str(), value.map_or_else(|_| answer.value.clone(), |value| canonical(&value)))
            })
            .collect();
        answers.sort();
        let mut hash = Sha256::new();
        hash.update(arguments.digest());
        for part in answers.iter().flat_map(|(id, value)| [*id, value.as_str()]) {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }
        hex(&hash.finalize())
    }
}

/// The answers of a call as far as they count.
///
/// A tool with a side effect gets answers to what it asked for alone: without a state it is asked anew.
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
        None if entry.has_side_effect() => Ok(Answered::default()),
        round => Ok(Answered { given: answers.given.clone(), round: round.clone() }),
    }
}

/// The hash of all that decides what a call would do.
pub(super) fn fingerprint(caller: &Caller, entry: &Entry, arguments: &Arguments) -> String {
    binding(caller, entry, arguments).hash()
}
