//! Who calls. The tenant comes from a key, from a token or from the configuration, and from nowhere else: no header but
//! `Authorization`, no argument and no `_meta` key can name it.
//!
//! A key is one whose digest stands in the configuration, or one of the store's. A token is signed by an issuer that the
//! operator named. None of them goes any further than this.

mod refusal;
mod tokens;

use std::sync::Arc;
use std::time::Duration;

pub use refusal::Refusal;

use crate::executor::Host;
use crate::gate::{Caller, Surface};
use crate::id::{TenantId, UserId};
use crate::policy::Tenant;
pub use crate::policy::{Role, Roles};
use crate::sandbox::AuthorityError;
use crate::store::{Binding, KeyState, StoreError, now_unix_ms};
use tokens::Tokens;

/// How often to look whether the key of a client that stays is still good.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// No tenant can be told without a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the configuration has several tenants and none is called `local`, so a caller without a key has no tenant; \
     give the tenants `keys`, make keys with `host keys create`, or call one of them `local`"
)]
pub struct NoTenant;

/// Why callers cannot be told apart.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// Nobody has a key, and no tenant stands out.
    #[error(transparent)]
    NoTenant(#[from] NoTenant),
    /// A certificate authority cannot be read.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// The store did not say whether there are keys.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Who sends a request, and what may be done in this name.
#[derive(Debug, Clone)]
pub struct Principal {
    /// The tenant. Its access is what the key or token leaves of it.
    pub tenant: Arc<Tenant>,
    /// The user, where the channel names one.
    pub user: Option<UserId>,
    /// What the principal may do.
    pub roles: Roles,
}

impl Principal {
    /// The same as one who calls tools.
    #[must_use]
    pub fn caller(&self, surface: Surface) -> Caller {
        Caller { tenant: self.tenant.clone(), user: self.user.clone(), surface }
    }

    /// Whether it has a role.
    ///
    /// # Errors
    /// [`Refusal::InsufficientScope`] if it has not.
    pub fn needs(&self, role: Role) -> Result<(), Refusal> {
        if self.roles.has(role) { Ok(()) } else { Err(Refusal::InsufficientScope(role)) }
    }

    /// The name under which what an approver or an operator does is recorded: the user's, where there is one.
    #[must_use]
    pub fn named(&self, role: Role) -> String {
        let tenant = &self.tenant.id;
        self.user
            .as_ref()
            .map_or_else(|| format!("an {role} of {tenant}"), |user| format!("{user} of {tenant}"))
    }

    /// The name under which it decides about a call; none if it may not.
    ///
    /// An approver decides about its tenant's calls, but for its own. A call is its own if both are known to be of one
    /// user, and, where that cannot be told, if it calls tools itself. Whether callers decide about their own calls is the
    /// tenant's setting.
    #[must_use]
    pub fn decides(&self, asked: &Binding) -> Option<String> {
        if asked.tenant != self.tenant.id {
            return None;
        }
        let (may_be_own, is_own) = match (&self.user, &asked.user) {
            (Some(own), Some(callers)) => (own == callers, own == callers),
            (None, None) => (self.roles.caller, self.roles.caller),
            _ => (self.roles.caller, false),
        };
        if is_own {
            return decides_itself(&self.tenant);
        }
        if may_be_own && !self.tenant.self_approve {
            return None;
        }
        self.roles.approver.then(|| self.named(Role::Approver))
    }
}

/// How callers of a server are told apart.
#[derive(Debug, Clone)]
pub enum Identity {
    /// By the key or the token that each request carries.
    Proof(Proof),
    /// Not at all: every caller is this tenant.
    Everyone(TenantId),
}

/// What proves who somebody is.
#[derive(Debug, Clone)]
pub struct Proof {
    tokens: Tokens,
}

impl Identity {
    /// By proof if the settings ask for it or any key was ever made, else everybody is the one tenant there is.
    ///
    /// # Errors
    /// [`IdentityError`] if nobody can be told apart.
    pub async fn of_server(host: &Host) -> Result<Self, IdentityError> {
        if asks_for_proof(host).await? {
            Self::by_proof(host).await
        } else {
            Ok(Self::Everyone(local_tenant(host)?.id.clone()))
        }
    }

    /// By proof, whatever the settings ask for. Fetches the keys of issuers, and goes on doing so.
    ///
    /// # Errors
    /// [`IdentityError::Authority`] if a certificate authority cannot be read.
    pub async fn by_proof(host: &Host) -> Result<Self, IdentityError> {
        Ok(Self::Proof(Proof { tokens: Tokens::start(host.settings()).await? }))
    }

    /// Ends when a key or token stands for nobody any more; never while that cannot be told.
    pub async fn until_refused(&self, host: &Host, key: &str) -> Refusal {
        loop {
            tokio::time::sleep(LOOK_AGAIN).await;
            match self.principal(host, Some(key)).await {
                Ok(_) | Err(Refusal::Unavailable) => {}
                Err(refusal) => return refusal,
            }
        }
    }

    /// Whom a request's key or token stands for. Without any keys everybody is on the host's own machine, and its
    /// operator.
    ///
    /// # Errors
    /// [`Refusal`] says why it stands for nobody.
    pub async fn principal(&self, host: &Host, key: Option<&str>) -> Result<Principal, Refusal> {
        match self {
            Self::Everyone(tenant) => {
                let tenant = host.tenant(tenant).ok_or(Refusal::Invalid)?;
                let roles = Roles { caller: true, approver: tenant.self_approve, operator: true };
                Ok(Principal { tenant, user: None, roles })
            }
            Self::Proof(Proof { tokens }) => proven(host, key, tokens).await,
        }
    }
}

/// The principal of a key or a token.
async fn proven(host: &Host, key: Option<&str>, tokens: &Tokens) -> Result<Principal, Refusal> {
    let key = key.ok_or(Refusal::Missing)?;
    if let Some((tenant, roles)) = host.holder_of(key) {
        return Ok(Principal { tenant, user: None, roles });
    }
    match stored(host, key).await? {
        Some(principal) => Ok(principal),
        None => token(host, tokens, key).await,
    }
}

/// The principal of a key of the store; none if it is no such key.
async fn stored(host: &Host, key: &str) -> Result<Option<Principal>, Refusal> {
    let found = host.store().keys().find(key).await.map_err(|fault| {
        tracing::error!(%fault, "a key cannot be looked up");
        Refusal::Unavailable
    })?;
    let Some(found) = found else { return Ok(None) };
    match found.state(now_unix_ms()) {
        KeyState::Active => {}
        KeyState::Expired => return Err(Refusal::Expired),
        KeyState::Revoked => return Err(Refusal::Invalid),
    }
    let powers = &found.powers;
    let tenant = tenant(host, &powers.tenant, powers.allow.clone())?;
    Ok(Some(Principal { tenant, user: powers.user.clone(), roles: powers.roles }))
}

async fn token(host: &Host, tokens: &Tokens, token: &str) -> Result<Principal, Refusal> {
    let proven = tokens.check(token).await?;
    let tenant = tenant(host, &proven.tenant, proven.allow)?;
    Ok(Principal { tenant, user: proven.user, roles: proven.roles })
}

/// The tenant of that name, with the tools that a key or token leaves it.
fn tenant(
    host: &Host,
    id: &TenantId,
    allow: Option<Vec<crate::policy::Pattern>>,
) -> Result<Arc<Tenant>, Refusal> {
    let Some(tenant) = host.tenant(id) else {
        tracing::warn!(tenant = %id, "a key or token is for a tenant that the configuration does not name");
        return Err(Refusal::Invalid);
    };
    Ok(match allow {
        Some(allow) => Arc::new(tenant.narrowed_to(allow)),
        None => tenant,
    })
}

/// Whether a host asks its callers who they are.
///
/// # Errors
/// Any [`StoreError`] of reading.
pub async fn asks_for_proof(host: &Host) -> Result<bool, StoreError> {
    Ok(host.settings().asks_for_proof() || host.store().keys().were_made().await?)
}

/// The tenant of a caller on the host's own machine that shows no key: `local`, or the only one there is.
///
/// # Errors
/// [`NoTenant`] if no tenant stands out.
pub fn local_tenant(host: &Host) -> Result<Arc<Tenant>, NoTenant> {
    host.settings().keyless().and_then(|id| host.tenant(id)).ok_or(NoTenant)
}

/// Characters of a reviewer's reason.
pub(super) const REASON_CHARS: usize = 500;

/// The name under which a tenant's callers decide about their own calls; none where they may not.
pub(super) fn decides_itself(tenant: &Tenant) -> Option<String> {
    tenant.self_approve.then(|| format!("{} itself", tenant.id))
}
