//! A reviewer's answer.

use super::{Approval, ApprovalState, Approvals};
use crate::id::ApprovalId;
use crate::store::StoreError;
use crate::store::bells::DECIDED;
use crate::store::clock::column;

/// A reviewer's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision<'a> {
    /// The call may run.
    Approve {
        /// Why.
        reason: Option<&'a str>,
        /// The arguments that it is to run with instead of its own; checked by the gates when it does.
        edited: Option<&'a str>,
    },
    /// It may not.
    Deny {
        /// Why, for the caller.
        reason: &'a str,
    },
}

/// A decision that has been taken down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// The question, as it stands now.
    pub approval: Approval,
}

/// Why a decision was not taken down.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecideError {
    /// There is no such question.
    #[error("there is no approval {0}")]
    NotFound(ApprovalId),
    /// Somebody was faster, or the question has expired.
    #[error("the approval {id} cannot be decided: it is {}", .state.as_str())]
    NotPending {
        /// The question.
        id: ApprovalId,
        /// What became of it.
        state: ApprovalState,
    },
    /// The store failed. Nobody knows whether the decision was taken down.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ApprovalState {
    /// The state in one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Used => "used",
            Self::Expired => "expired",
        }
    }
}

impl Approvals {
    /// Takes a reviewer's decision down, if the question is open. Of two reviewers the first decides. Whether the
    /// reviewer may decide is checked before.
    ///
    /// # Errors
    /// [`DecideError`] says why nothing was decided.
    pub async fn decide(
        &self,
        id: &ApprovalId,
        approver: &str,
        decision: Decision<'_>,
    ) -> Result<Decided, DecideError> {
        const WHAT: &str = "decide an approval";
        let (state, reason, edited) = match decision {
            Decision::Approve { reason, edited } => ("approved", reason, edited),
            Decision::Deny { reason } => ("denied", Some(reason), None),
        };
        let now = self.store.inner.database.now().await?;
        let decided = self
            .transact(WHAT, id.as_str(), async |transaction| {
                sqlx::query(
                    "UPDATE approvals SET state = $1, decided_by = $2, reason = $3, decided_unix_ms = $4, \
                     edited_arguments = $5 WHERE id = $6 AND state = 'pending' AND expires_unix_ms > $7",
                )
                .bind(state)
                .bind(approver.to_owned())
                .bind(reason.map(ToOwned::to_owned))
                .bind(column(now))
                .bind(edited.map(ToOwned::to_owned))
                .bind(id.as_str().to_owned())
                .bind(column(now))
                .execute(&mut **transaction)
                .await
                .map(|done| done.rows_affected())
            })
            .await?;
        self.store.tell(DECIDED, Self::bell(id)).await;
        let approval = self.get(id).await?.ok_or_else(|| DecideError::NotFound(id.clone()))?;
        if decided == 1 {
            Ok(Decided { approval })
        } else {
            Err(DecideError::NotPending { id: id.clone(), state: approval.state })
        }
    }
}
