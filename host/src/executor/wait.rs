//! Through the gates, and where the caller asks for it, to a reviewer and back.

use std::time::Duration;

use tokio::time::Instant;

use super::Host;
use super::crowd::Crowd;
use super::journey::Journey;
use crate::gate::{self, Asking, Call, Caller, Passed};
use crate::spec::{Code, Failure};
use crate::store::ApprovalState;

/// How many calls wait for reviewers at once, and how many of one tenant. Further ones are answered at once, as if they had
/// not asked to wait: each holds a connection and its arguments.
const WAITING: usize = 256;
const WAITING_OF_A_TENANT: usize = 64;

/// How long a call whose approval was used by another one looks whether that one has its own key.
const LOOK_FOR: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The places of the calls that wait for reviewers.
pub(super) fn waiters() -> Crowd {
    Crowd::new(WAITING, WAITING_OF_A_TENANT)
}

/// A call that came to the gates, and may have waited on the way.
pub(super) struct Waited {
    pub(super) passed: Result<Passed, Failure>,
    /// The call as it stands after it waited: with what holds now for its tenant.
    pub(super) call: Option<Box<Call>>,
}

impl From<Result<Passed, Failure>> for Waited {
    fn from(passed: Result<Passed, Failure>) -> Self {
        Self { passed, call: None }
    }
}

impl Host {
    /// Passes a call through the gates. One that asks to wait for its reviewer takes no place in a pool meanwhile, and its
    /// deadline begins when the reviewer has decided; then all gates look at it again. It waits for one question, and no
    /// longer than that lives.
    pub(super) async fn pass(&self, call: &Call, journey: &mut Journey<'_>) -> Waited {
        let refusal = match self.admit(call, journey, true).await {
            Err(refusal) if call.wait && refusal.code == Code::NeedsApproval => refusal,
            passed => return passed.into(),
        };
        let Some(id) = refusal.approval.clone() else { return Err(refusal).into() };
        let Some(waiter) = self.inner.waiters.enter(&call.caller.tenant.id) else {
            return Err(refusal).into();
        };
        journey.waits(&id);
        let approvals = self.inner.store.approvals();
        let state = tokio::select! {
            state = approvals.until_decided(&id) => state,
            () = self.inner.closing.cancelled() => return Err(refusal).into(),
        };
        drop(waiter);
        journey.goes_on();
        if matches!(state, None | Some(ApprovalState::Expired)) {
            return Err(gate::expired(&gate::shown(&call.tool), id)).into();
        }
        // A day may have gone by: the tenant may not be served any more, or may use other tools.
        let Some(tenant) = self.tenant_now(&call.caller.tenant) else {
            return Err(gate::not_allowed()).into();
        };
        let call = Box::new(Call { caller: Caller { tenant, ..call.caller.clone() }, ..call.clone() });
        let passed = self.admit_after(&call, journey).await;
        Waited { passed, call: Some(call) }
    }

    /// What the gates say once a reviewer has decided.
    async fn admit_after(&self, call: &Call, journey: &Journey<'_>) -> Result<Passed, Failure> {
        let until = Instant::now() + LOOK_FOR;
        loop {
            match self.admit(call, journey, false).await {
                // Another call used the approval. If it has the same key, the ledger will know it.
                Err(refusal)
                    if refusal.code == Code::NeedsApproval
                        && refusal.approval.is_none()
                        && Instant::now() < until =>
                {
                    tokio::time::sleep(LOOK_EVERY).await;
                }
                passed => return passed,
            }
        }
    }

    async fn admit(&self, call: &Call, journey: &Journey<'_>, asks: bool) -> Result<Passed, Failure> {
        let (store, disclosure) = (&self.inner.store, self.inner.settings.server.disclosure);
        let asking = Asking { since: journey.since(), asks };
        gate::admit(call, journey.call_id(), &self.tools(), disclosure, asking, store).await
    }
}
