//! Gate 5. An approval is bound to the tenant, the caller, the tool, its component's digest, the canonical
//! arguments and the policy in force; it is used once, and it is redeemed by repeating the call.

use sha2::{Digest as _, Sha256};
use toolhost_check::Arguments;

use super::call::{Call, Caller};
use crate::id::{ApprovalId, CallId, hex};
use crate::registry::Entry;
use crate::spec::{Code, Failure, Gate};
use crate::store::{Binding, Redeemed, Store};

/// An approval that was used up.
pub(super) struct Granted {
    pub(super) id: ApprovalId,
    /// What the reviewer made of the arguments.
    pub(super) edited: Option<String>,
}

/// Uses up an approval of just this call, or asks for one.
///
/// A store that does not answer means no.
pub(super) async fn approved(
    call: &Call,
    entry: &Entry,
    arguments: &Arguments,
    call_id: &CallId,
    store: &Store,
) -> Result<Option<Granted>, Failure> {
    if !entry.policy.requires_approval {
        return Ok(None);
    }
    let binding = binding(&call.caller, entry, arguments);
    let approvals = store.approvals();
    let id = match approvals.redeem(&binding).await {
        Ok(Redeemed::Approved { id, edited }) => return Ok(Some(Granted { id, edited })),
        Ok(Redeemed::Denied { id, reason }) => return Err(denied(entry, id, &reason)),
        Ok(Redeemed::Pending(id)) => Ok(Some(id)),
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

/// All that an approval rests on.
pub(super) fn binding(caller: &Caller, entry: &Entry, arguments: &Arguments) -> Binding {
    let tenant = &caller.tenant;
    let mut hash = Sha256::new();
    hash.update(entry.policy_hash.as_bytes());
    hash.update(format!("{:?}{:?}{:?}", tenant.access, tenant.ceilings, tenant.config).as_bytes());
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

fn denied(entry: &Entry, id: ApprovalId, reason: &str) -> Failure {
    let message = format!("The call of '{}' was not approved and did not run: {reason}", entry.name);
    Failure { approval: Some(id), ..Failure::new(Code::ApprovalDenied, message).at(Gate::Approved) }
}
