//! Questions as rows: found, closed when they are over, read.

use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use super::{Approval, ApprovalState, Binding, LISTED_ARGUMENTS};
use crate::id::ApprovalId;
use crate::store::StoreError;
use crate::store::clock::{column, figure};

/// Closes what is open and over, so that the rest need not look at the time.
pub(super) async fn expire(connection: &mut AnyConnection, hash: &str, now: u64) -> Result<(), sqlx::Error> {
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

pub(super) async fn find(
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

/// A question as a list shows it.
pub(super) fn cut(mut asked: Approval) -> Approval {
    let most = usize::try_from(LISTED_ARGUMENTS).unwrap_or(usize::MAX);
    for text in [Some(&mut asked.arguments), asked.edited_arguments.as_mut()].into_iter().flatten() {
        if let Some((at, _)) = text.char_indices().nth(most) {
            text.truncate(at);
            asked.arguments_cut = true;
        }
    }
    asked
}

pub(super) fn parse_id(id: String) -> Result<ApprovalId, StoreError> {
    id.parse().map_err(|_| StoreError::Damaged { column: "id", id })
}

/// What became of a question, by its row.
pub(super) fn state(text: &str, expires: u64, now: u64) -> Option<ApprovalState> {
    Some(match text {
        "pending" | "approved" if expires <= now => ApprovalState::Expired,
        "pending" => ApprovalState::Pending,
        "approved" => ApprovalState::Approved,
        "denied" => ApprovalState::Denied,
        "used" => ApprovalState::Used,
        "expired" | "told" => ApprovalState::Expired,
        _ => return None,
    })
}

pub(super) fn approval(row: &AnyRow, now: u64) -> Result<Approval, StoreError> {
    let fault = |source| StoreError::query("read an approval", source);
    let id: String = row.try_get("id").map_err(fault)?;
    let damaged = |column| StoreError::Damaged { column, id: id.clone() };
    let expires = figure(row.try_get("expires_unix_ms").map_err(fault)?);
    let text: String = row.try_get("state").map_err(fault)?;
    let state = state(&text, expires, now).ok_or_else(|| damaged("state"))?;
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
        arguments_cut: false,
        edited_arguments: row.try_get("edited_arguments").map_err(fault)?,
        created_unix_ms: figure(row.try_get("created_unix_ms").map_err(fault)?),
        expires_unix_ms: expires,
        decided_unix_ms: row.try_get::<Option<i64>, _>("decided_unix_ms").map_err(fault)?.map(figure),
        decided_by: row.try_get("decided_by").map_err(fault)?,
        reason: row.try_get("reason").map_err(fault)?,
        id: parse_id(id.clone())?,
    })
}
