//! Questions to reviewers and their answers.
//!
//! An answer is good for one [`Binding`], which names everything that decides what would happen. The life of a
//! question:
//!
//! | state | becomes | when |
//! |---|---|---|
//! | pending | approved or denied | a reviewer decides, before it expires |
//! | pending, approved | expired | its lifetime is over |
//! | approved | used | the call is repeated: once, however many repeats arrive |
//! | expired | told | the call is repeated: that repeat alone is told of it |
//!
//! A denial stands for the rest of the question's lifetime: every repeat is answered with it, so that a model cannot
//! wear a reviewer down by asking again. After that, and after an expiry has been told, a new question may be asked.

mod binding;
mod decide;
mod rows;
#[cfg(test)]
mod tests;
mod wait;

use std::time::Duration;

use sqlx::{Any, AssertSqlSafe, Transaction};

use super::clock::{column, millis};
use super::{Store, StoreError, within};
use crate::id::{ApprovalId, TenantId};

pub use binding::Binding;
pub use decide::{DecideError, Decided, Decision};
use rows::{approval, cut, expire, find, parse_id};

/// All columns that are read. They are named, since a statement that is prepared is bound to what it gave at first.
const COLUMNS: &str = "id, state, binding, tenant, user_id, tool, component, arguments_digest, policy_hash, arguments, \
    created_unix_ms, expires_unix_ms, decided_unix_ms, decided_by, reason, edited_arguments";
/// Rows of one list.
const LONGEST_LIST: i64 = 1_000;
/// Open questions of one tenant. So a list of them is whole.
const MOST_OPEN: i64 = 1_000;
/// Characters of arguments that a list shows.
const LISTED_ARGUMENTS: u64 = 2_000;

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalState {
    /// Nobody has decided yet.
    Pending,
    /// A reviewer agreed, and the call has not been repeated yet.
    Approved,
    /// A reviewer did not agree.
    Denied,
    /// The call ran on it.
    Used,
    /// Nobody decided in time, or the call was not repeated in time.
    Expired,
}

/// One question, as reviewers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The id.
    pub id: ApprovalId,
    /// What became of it.
    pub state: ApprovalState,
    /// What an answer is good for.
    pub binding: Binding,
    /// The arguments as they were given, or their beginning.
    pub arguments: String,
    /// They are cut.
    pub arguments_cut: bool,
    /// The arguments that the reviewer wants instead, or their beginning.
    pub edited_arguments: Option<String>,
    /// When it was asked, in milliseconds since 1970 by the store's clock.
    pub created_unix_ms: u64,
    /// Until when it may be decided and used.
    pub expires_unix_ms: u64,
    /// When it was decided.
    pub decided_unix_ms: Option<u64>,
    /// Who decided.
    pub decided_by: Option<String>,
    /// The reviewer's reason.
    pub reason: Option<String>,
}

/// What a call finds when it looks for an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Redeemed {
    /// A reviewer agreed. The approval is used up by this answer.
    Approved {
        /// The question.
        id: ApprovalId,
        /// The arguments that the reviewer wants instead.
        edited: Option<String>,
    },
    /// The question is open.
    Pending(ApprovalId),
    /// A reviewer did not agree, or the question expired.
    Denied {
        /// The question.
        id: ApprovalId,
        /// Why, for the caller.
        reason: String,
    },
    /// There is no question.
    None,
}

/// The questions of a store.
#[derive(Debug, Clone)]
pub struct Approvals {
    store: Store,
}

impl Approvals {
    pub(super) fn new(store: Store) -> Self {
        Self { store }
    }

    /// Asks for an approval. An open question with the same binding is the one that is answered; it keeps its own
    /// lifetime. On disk when it returns. None if too many questions of the tenant are open.
    ///
    /// # Errors
    /// Any [`StoreError`]. The question may have been asked all the same; asking again finds it.
    pub async fn ask(
        &self,
        binding: &Binding,
        arguments: &str,
        lifetime: Duration,
    ) -> Result<Option<ApprovalId>, StoreError> {
        const WHAT: &str = "ask for an approval";
        let hash = binding.hash();
        let now = self.store.inner.database.now().await?;
        self.transact(WHAT, &hash, async |transaction| {
            expire(transaction, &hash, now).await?;
            if let Some(id) = find(transaction, &hash, "pending").await? {
                return Ok(Some(id));
            }
            let open: i64 = sqlx::query_scalar(
                "SELECT count(*) FROM approvals WHERE tenant = $1 AND state = 'pending' AND expires_unix_ms > $2",
            )
            .bind(binding.tenant.as_str().to_owned())
            .bind(column(now))
            .fetch_one(&mut **transaction)
            .await?;
            if open >= MOST_OPEN {
                return Ok(None);
            }
            let id = ApprovalId::fresh();
            sqlx::query(
                "INSERT INTO approvals (id, state, binding, tenant, user_id, tool, component, arguments_digest, \
                 policy_hash, arguments, created_unix_ms, expires_unix_ms) \
                 VALUES ($1, 'pending', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            )
            .bind(id.as_str().to_owned())
            .bind(hash.clone())
            .bind(binding.tenant.as_str().to_owned())
            .bind(binding.user.as_ref().map(|user| user.as_str().to_owned()))
            .bind(binding.tool.as_str().to_owned())
            .bind(binding.digest.to_string())
            .bind(binding.arguments_digest.clone())
            .bind(binding.policy_hash.clone())
            .bind(arguments.to_owned())
            .bind(column(now))
            .bind(column(now.saturating_add(millis(lifetime))))
            .execute(&mut **transaction)
            .await?;
            Ok(Some(id.as_str().to_owned()))
        })
        .await?
        .map(parse_id)
        .transpose()
    }

    /// Looks for an answer to the binding's question, and uses it up if it is an approval: of any number of calls at
    /// once, in any number of processes, one gets it. On disk when it returns.
    ///
    /// # Errors
    /// Any [`StoreError`]. An approval may be used up all the same.
    pub async fn redeem(&self, binding: &Binding) -> Result<Redeemed, StoreError> {
        const WHAT: &str = "redeem an approval";
        let hash = binding.hash();
        let now = self.store.inner.database.now().await?;
        let (kind, id, reason) = self
            .transact(WHAT, &hash, async |transaction| {
                expire(transaction, &hash, now).await?;
                let used: Option<(String, Option<String>)> = sqlx::query_as(
                    "UPDATE approvals SET state = 'used' WHERE state = 'approved' AND id = (SELECT id FROM approvals \
                     WHERE binding = $1 AND state = 'approved' ORDER BY created_unix_ms LIMIT 1) RETURNING id, edited_arguments",
                )
                .bind(hash.clone())
                .fetch_optional(&mut **transaction)
                .await?;
                if let Some((id, edited)) = used {
                    return Ok(("approved", id, edited));
                }
                if let Some(id) = find(transaction, &hash, "pending").await? {
                    return Ok(("pending", id, None));
                }
                let denied: Option<(String, Option<String>)> = sqlx::query_as(
                    "SELECT id, reason FROM approvals WHERE binding = $1 AND state = 'denied' \
                     AND expires_unix_ms > $2 ORDER BY created_unix_ms DESC LIMIT 1",
                )
                .bind(hash.clone())
                .bind(column(now))
                .fetch_optional(&mut **transaction)
                .await?;
                if let Some((id, reason)) = denied {
                    return Ok(("denied", id, reason));
                }
                let expired: Option<(String, Option<String>)> = sqlx::query_as(
                    "UPDATE approvals SET state = 'told' WHERE binding = $1 AND state = 'expired' \
                     RETURNING id, decided_by",
                )
                .bind(hash.clone())
                .fetch_optional(&mut **transaction)
                .await?;
                Ok(match expired {
                    Some((id, None)) => ("denied", id, Some("Nobody decided in time.".to_owned())),
                    Some((id, Some(_))) => {
                        ("denied", id, Some("The approval expired before it was used.".to_owned()))
                    }
                    None => ("none", String::new(), None),
                })
            })
            .await?;
        Ok(match kind {
            "approved" => Redeemed::Approved { id: parse_id(id)?, edited: reason },
            "pending" => Redeemed::Pending(parse_id(id)?),
            "denied" => Redeemed::Denied {
                id: parse_id(id)?,
                reason: reason.unwrap_or_else(|| "The reviewer gave no reason.".to_owned()),
            },
            _ => Redeemed::None,
        })
    }

    /// The arguments that a reviewer who agreed wants instead of the binding's; none if no approval is there to be used, or it
    /// changes none. Uses nothing up.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn edit(&self, binding: &Binding) -> Result<Option<String>, StoreError> {
        const WHAT: &str = "look up an approval";
        let database = &self.store.inner.database;
        let now = database.now().await?;
        within(WHAT, async {
            let found: Option<(Option<String>,)> = sqlx::query_as(
                "SELECT edited_arguments FROM approvals WHERE binding = $1 AND state = 'approved' \
                 AND expires_unix_ms > $2 ORDER BY created_unix_ms LIMIT 1",
            )
            .bind(binding.hash())
            .bind(column(now))
            .fetch_optional(&database.reads)
            .await
            .map_err(|source| StoreError::query(WHAT, source))?;
            Ok(found.and_then(|(edited,)| edited))
        })
        .await
    }

    /// Takes back that an approval was used: the call that redeemed it did not run. Gives whether it was.
    ///
    /// # Errors
    /// Any [`StoreError`]. The approval stays used then, and the call has to be asked for again.
    pub async fn give_back(&self, id: &ApprovalId) -> Result<bool, StoreError> {
        const WHAT: &str = "give an approval back";
        let Some(asked) = self.get(id).await? else { return Ok(false) };
        let hash = asked.binding.hash();
        self.transact(WHAT, &hash, async |transaction| {
            let given =
                sqlx::query("UPDATE approvals SET state = 'approved' WHERE state = 'used' AND id = $1")
                    .bind(id.as_str().to_owned())
                    .execute(&mut **transaction)
                    .await?;
            let given = given.rows_affected() == 1;
            if given {
                // Who came in between asked again. One answer is enough for one call.
                sqlx::query("UPDATE approvals SET state = 'told' WHERE state = 'pending' AND binding = $1")
                    .bind(hash.clone())
                    .execute(&mut **transaction)
                    .await?;
            }
            Ok(given)
        })
        .await
    }

    /// One question, if it is there.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn get(&self, id: &ApprovalId) -> Result<Option<Approval>, StoreError> {
        const WHAT: &str = "read an approval";
        let now = self.store.inner.database.now().await?;
        within(WHAT, async {
            let row = sqlx::query(AssertSqlSafe(format!("SELECT {COLUMNS} FROM approvals WHERE id = $1")))
                .bind(id.as_str().to_owned())
                .fetch_optional(&self.store.inner.database.reads)
                .await
                .map_err(|source| StoreError::query(WHAT, source))?;
            row.map(|row| approval(&row, now)).transpose()
        })
        .await
    }

    /// The questions of one tenant, or of all, those that are open or all of them, newest first, at most 1,000. Their
    /// arguments are cut to 2,000 characters; [`get`](Self::get) gives them whole.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn list(
        &self,
        tenant: Option<&TenantId>,
        open_only: bool,
    ) -> Result<Vec<Approval>, StoreError> {
        const WHAT: &str = "list approvals";
        let tenant = tenant.map(|tenant| tenant.as_str().to_owned());
        let now = self.store.inner.database.now().await?;
        within(WHAT, async {
            let rows = sqlx::query(
                "SELECT id, state, binding, tenant, user_id, tool, component, arguments_digest, policy_hash, \
                 substr(arguments, 1, CAST($5 AS INTEGER)) AS arguments, created_unix_ms, expires_unix_ms, \
                 decided_unix_ms, decided_by, reason, \
                 substr(edited_arguments, 1, CAST($5 AS INTEGER)) AS edited_arguments FROM approvals \
                 WHERE (CAST($1 AS TEXT) IS NULL OR tenant = $1) \
                 AND ($2 = 0 OR (state = 'pending' AND expires_unix_ms > $3)) \
                 ORDER BY created_unix_ms DESC, id DESC LIMIT $4",
            )
            .bind(tenant)
            .bind(i64::from(open_only))
            .bind(column(now))
            .bind(LONGEST_LIST)
            .bind(column(LISTED_ARGUMENTS) + 1)
            .fetch_all(&self.store.inner.database.reads)
            .await
            .map_err(|source| StoreError::query(WHAT, source))?;
            rows.iter().map(|row| approval(row, now).map(cut)).collect()
        })
        .await
    }

    /// Removes the questions that expired before a moment. Gives their number.
    pub(super) async fn prune(&self, before_unix_ms: u64) -> Result<u64, StoreError> {
        self.store
            .remove(
                "remove old approvals",
                "DELETE FROM approvals WHERE id IN (SELECT id FROM approvals WHERE expires_unix_ms < $1 LIMIT $2)",
                before_unix_ms,
            )
            .await
    }

    async fn transact<T>(
        &self,
        what: &'static str,
        scope: &str,
        work: impl AsyncFnOnce(&mut Transaction<'_, Any>) -> Result<T, sqlx::Error>,
    ) -> Result<T, StoreError> {
        within(what, async {
            let fault = |source| StoreError::query(what, source);
            let mut transaction = self.store.inner.database.begin(scope).await.map_err(fault)?;
            let done = work(&mut transaction).await.map_err(fault)?;
            transaction.commit().await.map_err(fault)?;
            Ok(done)
        })
        .await
    }
}
