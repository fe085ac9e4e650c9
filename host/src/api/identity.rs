//! Who calls. The tenant comes from a key or from the configuration, and from nowhere else: no header but
//! `Authorization`, no argument and no `_meta` key can name it.

use std::sync::Arc;

use crate::executor::{Host, Settings};
use crate::gate::{Caller, Surface};
use crate::id::UserId;
use crate::policy::Tenant;

/// The tenant of the local mode.
const LOCAL: &str = "local";

/// No tenant can be told without a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the configuration has several tenants and none is called `local`, so a caller without a key has no tenant; \
     give the tenants `keys`, or call one of them `local`"
)]
pub struct NoTenant;

/// Who sends a request, and what may be done in this name.
#[derive(Debug, Clone)]
pub struct Principal {
    /// The tenant.
    pub tenant: Arc<Tenant>,
    /// The user, where the channel names one.
    pub user: Option<UserId>,
    /// What the principal may do.
    pub roles: Roles,
}

/// What a principal may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Roles {
    /// Call tools.
    pub caller: bool,
    /// Decide about the tenant's calls.
    pub approver: bool,
    /// See all tenants' calls and what decided about them, and change what is served.
    pub operator: bool,
}

impl Principal {
    /// The same as one who calls tools.
    #[must_use]
    pub fn caller(&self, surface: Surface) -> Caller {
        Caller { tenant: self.tenant.clone(), user: self.user.clone(), surface }
    }
}

/// How callers of a server are told apart.
#[derive(Debug, Clone)]
pub enum Identity {
    /// By the key that each request carries.
    Keys,
    /// Not at all: every caller is this tenant.
    Everyone(Arc<Tenant>),
}

impl Identity {
    /// By keys as soon as any tenant has one, else everybody is the one tenant there is.
    ///
    /// # Errors
    /// [`NoTenant`] if there are no keys and no tenant stands out.
    pub fn of_server(host: &Host) -> Result<Self, NoTenant> {
        if has_keys(host.settings()) { Ok(Self::Keys) } else { local_tenant(host).map(Self::Everyone) }
    }

    /// Whom a request's key stands for; none if it has no key that is known. Without any keys everybody is on the
    /// host's own machine, and its operator.
    #[must_use]
    pub fn principal(&self, host: &Host, key: Option<&str>) -> Option<Principal> {
        let (tenant, roles) = match self {
            Self::Everyone(tenant) => {
                // What holds for it may have changed since the start.
                let tenant = host.tenant(&tenant.id)?;
                let approver = tenant.self_approve;
                (tenant, Roles { caller: true, approver, operator: true })
            }
            Self::Keys => {
                let key = key?;
                let (calls, approves) = (host.tenant_of_key(key), host.tenant_of_approver(key));
                let caller = calls.is_some();
                let roles = Roles { caller, approver: approves.is_some(), operator: false };
                (calls.or(approves)?, roles)
            }
        };
        Some(Principal { tenant, user: None, roles })
    }
}

/// Whether any tenant has a key.
#[must_use]
pub fn has_keys(settings: &Settings) -> bool {
    settings.tenants.values().any(|tenant| !tenant.keys.is_empty())
}

/// The tenant of a caller on the host's own machine that shows no key: `local`, or the only one there is.
///
/// # Errors
/// [`NoTenant`] if no tenant stands out.
pub fn local_tenant(host: &Host) -> Result<Arc<Tenant>, NoTenant> {
    let tenants = &host.settings().tenants;
    let local = tenants.keys().find(|id| id.as_str() == LOCAL);
    let only = tenants.keys().next().filter(|_| tenants.len() == 1);
    local.or(only).and_then(|id| host.tenant(id)).ok_or(NoTenant)
}

/// Characters of a reviewer's reason.
pub(super) const REASON_CHARS: usize = 500;

/// The name under which a tenant's callers decide about their own calls; none where they may not.
pub(super) fn decides_itself(tenant: &Tenant) -> Option<String> {
    tenant.self_approve.then(|| format!("{} itself", tenant.id))
}
