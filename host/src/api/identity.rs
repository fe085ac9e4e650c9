//! Who calls. The tenant comes from a key or from the configuration, and from nowhere else: no header but
//! `Authorization`, no argument and no `_meta` key can name it.

use std::sync::Arc;

use crate::executor::{Host, Settings};
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
