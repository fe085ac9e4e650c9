//! Gate 5. An approval is bound to the tenant, the caller, the tool, its component's digest, the canonical
//! arguments and the policy in force; it is used once, and it is redeemed by repeating the call.

use sha2::{Digest as _, Sha256};
use toolhost_check::Arguments;

use super::call::{Call, Caller};
use crate::id::{ApprovalId, CallId, hex};
use crate::registry::Entry;
use crate::spec::{Code, Failure, Gate};
use crate::store::{Binding, Redeemed, Store};

/// A call of a tool that asks a reviewer.
pub(super) struct Review(Binding);

impl Review {
    /// None for a call that needs no reviewer, or had one.
    pub(super) fn of(call: &Call, entry: &Entry, arguments: &Arguments, is_approved: bool) -> Option<Self> {
        let asks = entry.policy.requires_approval && !is_approved;
        asks.then(|| Self(binding(&call.caller, entry, arguments)))
    }

    /// What a reviewer made of the arguments, if one agreed.
    pub(super) async fn edit(&self, call_id: &CallId, store: &Store) -> Result<Option<String>, Failure> {
        let edit = store.approvals().edit(&self.0).await;
        edit.map_err(|fault| Failure::internal(call_id, fault).at(Gate::Approved))
    }

    /// Uses up a decision that cannot be carried out: what cannot be evaluated means no.
    pub(super) async fn cannot_be(&self, refusal: Failure, store: &Store) -> Failure {
        if let Err(fault) = store.approvals().redeem(&self.0).await {
            tracing::error!(%fault, "a decision that cannot be carried out stands");
        }
        refusal
    }

    /// Uses up an approval of just this call and just this edit, or asks for one.
    ///
    /// A store that does not answer means no.
    pub(super) async fn approved(
        self,
        entry: &Entry,
        arguments: &Arguments,
        edit: Option<&str>,
        asks: bool,
        call_id: &CallId,
        store: &Store,
    ) -> Result<ApprovalId, Failure> {
        let (approvals, binding) = (store.approvals(), self.0);
        let id = match approvals.redeem(&binding).await {
            Ok(Redeemed::Approved { id, edited }) if edited.as_deref() == edit => return Ok(id),
            Ok(Redeemed::Approved { id, .. }) => {
                // Somebody decided about it in between. It is the next call's.
                let given = approvals.give_back(&id).await;
                given.map_err(|fault| Failure::internal(call_id, fault).at(Gate::Approved))?;
                return Err(used(entry));
            }
            Ok(Redeemed::Denied { id, reason }) => return Err(denied(entry.name.as_str(), id, &reason)),
            Ok(Redeemed::Pending(id)) => Ok(Some(id)),
            Ok(Redeemed::None) if !asks => return Err(used(entry)),
            Ok(Redeemed::None) => {
                approvals.ask(&binding, arguments.raw(), store.settings().approval_lifetime).await
            }
            Err(fault) => Err(fault),
        };
        match id {
            Ok(Some(id)) => Err(asked(entry, id)),
            Ok(None) => Err(too_many(entry)),
            Err(fault) => Err(Failure::internal(call_id, fault).at(Gate::Approved)),
        }
    }
}

/// All that an approval rests on.
pub(super) fn binding(caller: &Caller, entry: &Entry, arguments: &Arguments) -> Binding {
    let tenant = &caller.tenant;
    let mut hash = Sha256::new();
    hash.update(entry.policy_hash.as_bytes());
    let tenants =
        format!("{:?}{:?}{:?}{:?}", tenant.access, tenant.ceilings, tenant.narrowing, tenant.config);
    hash.update(tenants.as_bytes());
    Binding {
        tenant: tenant.id.clone(),
        user: caller.user.clone(),
        tool: entry.name.clone(),
        digest: entry.source.digest,
        arguments_digest: hex(&arguments.digest()),
        policy_hash: hex(&hash.finalize()),
    }
}

fn asked(entry: &Entry, id: ApprovalId) -> Failure {
    let message = format!(
        "The tool '{}' runs only after a reviewer agrees to this very call. The approval {id} was asked for. \
         Stop here and say so; once it is approved, make the same call again.",
        entry.name
    );
    Failure { approval: Some(id), ..Failure::new(Code::NeedsApproval, message).at(Gate::Approved) }
}

fn too_many(entry: &Entry) -> Failure {
    let message = format!(
        "The tool '{}' runs only after a reviewer agrees, and too many calls wait for one already. Nothing ran. Try again \
         once some of them are decided.",
        entry.name
    );
    let failure = Failure::new(Code::QuotaExceeded, message).at(Gate::Approved);
    Failure { retry_after_ms: Some(60_000), ..failure }
}

/// Another call used the approval up.
fn used(entry: &Entry) -> Failure {
    let message = format!(
        "The approval for '{}' was used by another call of the same kind. Nothing ran. Make the call again to ask for a \
         further one.",
        entry.name
    );
    Failure::new(Code::NeedsApproval, message).at(Gate::Approved)
}

/// The refusal of a call for which nobody decided in time.
#[must_use]
pub fn expired(tool: &str, id: ApprovalId) -> Failure {
    denied(tool, id, "Nobody decided in time.")
}

fn denied(tool: &str, id: ApprovalId, reason: &str) -> Failure {
    let message = format!("The call of '{tool}' was not approved and did not run: {reason}");
    Failure { approval: Some(id), ..Failure::new(Code::ApprovalDenied, message).at(Gate::Approved) }
}
