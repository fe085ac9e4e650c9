//! An approval that was used up to get through the gates, and is given back if nothing ran: an overloaded host must not
//! make a person decide the same thing twice.

use crate::id::ApprovalId;
use crate::store::Store;

/// An approval in the hand of a call. Dropped while nothing has run it is given back.
pub(super) struct RedeemedApproval {
    held: Option<(Store, ApprovalId)>,
    started: bool,
}

impl RedeemedApproval {
    pub(super) fn new(store: &Store, id: Option<&ApprovalId>) -> Self {
        Self { held: id.map(|id| (store.clone(), id.clone())), started: false }
    }

    /// The guest is about to start, so that the approval is used up whatever comes of it; or it did not start after all.
    pub(super) fn started(&mut self, started: bool) {
        self.started = started;
    }
}

impl Drop for RedeemedApproval {
    fn drop(&mut self) {
        let Some((store, id)) = self.held.take().filter(|_| !self.started) else { return };
        // The call's future may be gone already. A process that dies first leaves the approval used: asking again is
        // the safe side.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(fault) = store.approvals().give_back(&id).await {
                    tracing::error!(%fault, approval = %id, "an approval was not given back");
                }
            });
        }
    }
}
