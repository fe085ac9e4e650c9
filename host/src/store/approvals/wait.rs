//! Waiting for a reviewer.

use std::time::Duration;

use super::{ApprovalState, Approvals};
use crate::id::ApprovalId;
use crate::store::StoreError;
use crate::store::bells::{Bells, LOOK_ANYWAY, LOOK_UNTOLD};
use crate::store::database::Kind;

impl Approvals {
    /// Returns once a question is open no longer, whatever became of it. A decision of another process is seen within 250 ms
    /// on SQLite, and at once on PostgreSQL. Dropping the future changes nothing.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn until_decided(&self, id: &ApprovalId) -> Result<(), StoreError> {
        let inner = &self.store.inner;
        let often = if inner.database.kind() == Kind::Postgres { LOOK_ANYWAY } else { LOOK_UNTOLD };
        loop {
            // Listened for before looking, so that no decision is missed in between.
            let Some(told) = inner.bells.rung(Self::bell(id)) else { return Ok(()) };
            let now = inner.database.now().await?;
            let asked = self.get(id).await?;
            let Some(asked) = asked.filter(|asked| asked.state == ApprovalState::Pending) else {
                return Ok(());
            };
            let left = Duration::from_millis(asked.expires_unix_ms.saturating_sub(now).max(1));
            let _ = tokio::time::timeout(often.min(left), told).await;
        }
    }

    /// The bell that rings when a question is decided.
    pub(super) fn bell(id: &ApprovalId) -> usize {
        Bells::of(id)
    }
}
