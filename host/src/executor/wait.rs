//! Through the gates, and where the caller asks for it, to a reviewer and back.

use tokio::time::Instant;

use super::Host;
use super::journey::Journey;
use crate::gate::{self, Call, Passed};
use crate::spec::{Code, Failure};

/// How many calls wait for reviewers at once. Further ones are answered at once, as if they had not asked to wait.
pub(super) const WAITING: usize = 256;

impl Host {
    /// Passes a call through the gates. One that asks to wait for its reviewer takes no place in a pool meanwhile, and its
    /// deadline begins anew when the reviewer has decided; then all gates look at it again.
    pub(super) async fn pass(&self, call: &Call, journey: &mut Journey<'_>) -> Result<Passed, Failure> {
        let (store, disclosure) = (&self.inner.store, self.inner.settings.server.disclosure);
        let approvals = store.approvals();
        loop {
            let snapshot = self.tools();
            let refusal = match gate::admit(call, journey.call_id(), &snapshot, disclosure, store).await {
                Ok(passed) => return Ok(passed),
                Err(refusal) => refusal,
            };
            let waits = call.wait && refusal.code == Code::NeedsApproval;
            let Some(id) = refusal.approval.clone().filter(|_| waits) else { return Err(refusal) };
            let Ok(_place) = self.inner.waiting.try_acquire() else { return Err(refusal) };
            journey.note("waits", id.to_string());
            let since = Instant::now();
            tokio::select! {
                decided = approvals.until_decided(&id) => {
                    decided.map_err(|fault| Failure::internal(journey.call_id(), fault))?;
                }
                () = self.inner.closing.cancelled() => return Err(refusal),
            }
            journey.waited(since.elapsed());
        }
    }
}
