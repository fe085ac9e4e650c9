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
#[cfg(test)]
mod tests;

use std::time::Duration;

use sqlx::any::AnyRow;
use sqlx::{Any, AnyConnection, Row as _, Transaction};

use super::clock::{column, figure, millis};
use super::{Store, StoreError, within};
use crate::id::{ApprovalId, TenantId};

pub use binding::Binding;
pub use decide::{DecideError, Decided};

/// Rows of one list.
const LONGEST_LIST: i64 = 1_000;

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
    /// The arguments as they were given.
    pub arguments: String,
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
    Approved(ApprovalId),
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
    /// lifetime. On disk when it returns.
    ///
    /// # Errors
    /// Any [`StoreError`]. The question may have been asked all the same; asking again finds it.
    pub async fn ask(
        &self,
        binding: &Binding,
        arguments: &str,
        lifetime: Duration,
    ) -> Result<ApprovalId, StoreError> {
        const WHAT: &str = "ask for an approval";
        let hash = binding.hash();
        let now = self.store.inner.database.now().await?;
        self.transact(WHAT, &hash, async |transaction| {
            expire(transaction, &hash, now).await?;
            if let Some(id) = find(transaction, &hash, "pending").await? {
                return Ok(id);
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
            Ok(id.as_str().to_owned())
        })
        .await
        .and_then(parse_id)
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
                let used: Option<String> = sqlx::query_scalar(
                    "UPDATE approvals SET state = 'used' WHERE state = 'approved' AND id = (SELECT id FROM approvals \
                     WHERE binding = $1 AND state = 'approved' ORDER BY created_unix_ms LIMIT 1) RETURNING id",
                )
                .bind(hash.clone())
                .fetch_optional(&mut **transaction)
                .await?;
                if let Some(id) = used {
                    return Ok(("approved", id, None));
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
            "approved" => Redeemed::Approved(parse_id(id)?),
            "pending" => Redeemed::Pending(parse_id(id)?),
            "denied" => Redeemed::Denied {
                id: parse_id(id)?,
                reason: reason.unwrap_or_else(|| "The reviewer gave no reason.".to_owned()),
            },
            _ => Redeemed::None,
        })
    }

    /// Takes back that an approval was used: the call that redeemed it did not run. Gives whether it was.
    ///
    /// # Errors
    /// Any [`StoreError`]. The approval stays used then, and the call has to be asked for again.
    pub async fn give_back(&self, id: &ApprovalId) -> Result<bool, StoreError> {
        const WHAT: &str = "give an approval back";
        self.transact(WHAT, id.as_str(), async |transaction| {
            let given =
                sqlx::query("UPDATE approvals SET state = 'approved' WHERE state = 'used' AND id = $1")
                    .bind(id.as_str().to_owned())
                    .execute(&mut **transaction)
                    .await?;
            Ok(given.rows_affected() == 1)
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
            let row = sqlx::query("SELECT * FROM approvals WHERE id = $1")
                .bind(id.as_str().to_owned())
                .fetch_optional(&self.store.inner.database.reads)
                .await
                .map_err(|source| StoreError::query(WHAT, source))?;
            row.map(|row| approval(&row, now)).transpose()
        })
        .await
    }

    /// The questions of one tenant, or of all, newest first, at most 1,000.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn list(&self, tenant: Option<&TenantId>) -> Result<Vec<Approval>, StoreError> {
        const WHAT: &str = "list approvals";
        let tenant = tenant.map(|tenant| tenant.as_str().to_owned());
        let now = self.store.inner.database.now().await?;
        within(WHAT, async {
            let rows = sqlx::query(
                "SELECT * FROM approvals WHERE CAST($1 AS TEXT) IS NULL OR tenant = $2 ORDER BY created_unix_ms DESC, id DESC LIMIT $3",
            )
            .bind(tenant.clone())
            .bind(tenant)
            .bind(LONGEST_LIST)
            .fetch_all(&self.store.inner.database.reads)
            .await
            .map_err(|source| StoreError::query(WHAT, source))?;
            rows.iter().map(|row| approval(row, now)).collect()
        })
        .await
    }

    /// Removes the questions that expired before a moment. Gives their number.
    pub(super) async fn prune(&self, before_unix_ms: u64) -> Result<u64, StoreError> {
        let statement = sqlx::query("DELETE FROM approvals WHERE expires_unix_ms < $1");
        self.store.write("remove old approvals", statement.bind(column(before_unix_ms))).await
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

/// Closes what is open and over, so that the rest need not look at the time.
async fn expire(connection: &mut AnyConnection, hash: &str, now: u64) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE approvals SET state = 'expired' \
         WHERE binding = $1 AND state IN ('pending', 'approved') AND expires_unix_ms <= $2",
    )
    .bind(hash.to_owned())
    .bind(column(now))
    .execute(connection)
    .await
    .map(|_| ())
}

async fn find(
    connection: &mut AnyConnection,
    hash: &str,
    state: &'static str,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar(
        "SELECT id FROM approvals WHERE binding = $1 AND state = $2 ORDER BY created_unix_ms LIMIT 1",
    )
    .bind(hash.to_owned())
    .bind(state)
    .fetch_optional(connection)
    .await
}

fn parse_id(id: String) -> Result<ApprovalId, StoreError> {
    id.parse().map_err(|_| StoreError::Damaged { column: "id", id })
}

fn approval(row: &AnyRow, now: u64) -> Result<Approval, StoreError> {
    let fault = |source| StoreError::query("read an approval", source);
    let id: String = row.try_get("id").map_err(fault)?;
    let damaged = |column| StoreError::Damaged { column, id: id.clone() };
    let expires = figure(row.try_get("expires_unix_ms").map_err(fault)?);
    let state: String = row.try_get("state").map_err(fault)?;
    let state = match state.as_str() {
        "pending" | "approved" if expires <= now => ApprovalState::Expired,
        "pending" => ApprovalState::Pending,
        "approved" => ApprovalState::Approved,
        "denied" => ApprovalState::Denied,
        "used" => ApprovalState::Used,
        "expired" | "told" => ApprovalState::Expired,
        _ => return Err(damaged("state")),
    };
    let text = |column| row.try_get::<String, _>(column).map_err(fault);
    let user: Option<String> = row.try_get("user_id").map_err(fault)?;
    Ok(Approval {
        state,
        binding: Binding {
            tenant: text("tenant")?.parse().map_err(|_| damaged("tenant"))?,
            user: user.map(|user| user.parse()).transpose().map_err(|_| damaged("user_id"))?,
            tool: text("tool")?.parse().map_err(|_| damaged("tool"))?,
            digest: text("component")?.parse().map_err(|_| damaged("component"))?,
            arguments_digest: text("arguments_digest")?,
            policy_hash: text("policy_hash")?,
        },
        arguments: text("arguments")?,
        created_unix_ms: figure(row.try_get("created_unix_ms").map_err(fault)?),
        expires_unix_ms: expires,
        decided_unix_ms: row.try_get::<Option<i64>, _>("decided_unix_ms").map_err(fault)?.map(figure),
        decided_by: row.try_get("decided_by").map_err(fault)?,
        reason: row.try_get("reason").map_err(fault)?,
        id: parse_id(id.clone())?,
    })
}
