//! Waiting for a reviewer.

use std::time::Duration;

use super::rows::state;
use super::{ApprovalState, Approvals};
use crate::id::ApprovalId;
use crate::store::bells::{Bells, LOOK_ANYWAY, LOOK_UNTOLD};
use crate::store::clock::figure;
use crate::store::database::Kind;
use crate::store::{StoreError, within};

impl Approvals {
    /// Returns once a question is open no longer, and what became of it; none if it is not there. A decision of another
    /// process is seen within 250 ms on SQLite, and at once on PostgreSQL. While the store does not answer it goes on
    /// waiting. Dropping the future changes nothing.
    pub async fn until_decided(&self, id: &ApprovalId) -> Option<ApprovalState> {
        let inner = &self.store.inner;
        let often = if inner.database.kind() == Kind::Postgres { LOOK_ANYWAY } else { LOOK_UNTOLD };
        loop {
            // Listened for before looking, so that no decision is missed in between.
            let told = inner.decided.rung(Self::bell(id))?;
            let left = match self.state(id).await {
                Ok(Some((ApprovalState::Pending, left))) => often.min(left),
                Ok(ended) => return ended.map(|(state, _)| state),
                Err(fault) => {
                    tracing::warn!(%fault, approval = %id, "a call waits for a reviewer, and cannot look");
                    LOOK_ANYWAY
                }
            };
            let _ = tokio::time::timeout(left, told).await;
        }
    }

    /// What became of a question, and how long it may still be decided.
    async fn state(&self, id: &ApprovalId) -> Result<Option<(ApprovalState, Duration)>, StoreError> {
        const WHAT: &str = "look whether an approval is decided";
        let database = &self.store.inner.database;
        let now = database.now().await?;
        let row: Option<(String, i64)> = within(WHAT, async {
            let ask = sqlx::query_as("SELECT state, expires_unix_ms FROM approvals WHERE id = $1")
                .bind(id.as_str().to_owned());
            ask.fetch_optional(&database.reads).await.map_err(|source| StoreError::query(WHAT, source))
        })
        .await?;
        let Some((text, expires)) = row else { return Ok(None) };
        let expires = figure(expires);
        let damaged = StoreError::Damaged { column: "state", id: id.to_string() };
        let left = Duration::from_millis(expires.saturating_sub(now).max(1));
        Ok(Some((state(&text, expires, now).ok_or(damaged)?, left)))
    }

    /// The bell that rings when a question is decided.
    pub(super) fn bell(id: &ApprovalId) -> usize {
        Bells::of(id)
    }
}
