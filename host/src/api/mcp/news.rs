//! News of the list of tools: told to whom it concerns, when what that caller may see has changed.

use rmcp::{Peer, RoleServer};
use tokio::sync::watch;

use crate::executor::Host;
use crate::policy::Tenant;

/// What one caller has seen of the list of tools.
pub(super) struct ToolNews<'a> {
    host: &'a Host,
    tenant: &'a Tenant,
    published: watch::Receiver<()>,
    seen: String,
}

impl<'a> ToolNews<'a> {
    /// News from now on.
    pub(super) fn new(host: &'a Host, tenant: &'a Tenant) -> Self {
        let published = host.tools_changed();
        Self { host, tenant, published, seen: seen(host, tenant) }
    }

    /// Waits until the caller may see other tools than before; several changes at once are one. False if there will be no
    /// more news, since the host takes no further calls.
    pub(super) async fn changed(&mut self) -> bool {
        loop {
            tokio::select! {
                changed = self.published.changed() => if changed.is_err() { return false },
                () = self.host.closed() => return false,
            }
            let now = seen(self.host, self.tenant);
            if now != std::mem::replace(&mut self.seen, now.clone()) {
                return true;
            }
        }
    }
}

/// A hash of what a tenant's caller may see now. One that is gone sees nothing.
fn seen(host: &Host, tenant: &Tenant) -> String {
    host.tenant_now(tenant).map(|tenant| host.tools().visible_hash(&tenant.access)).unwrap_or_default()
}

/// Tells a client whose revision has no subscriptions, once it has made itself known. Ends when there are no more news, or
/// nobody hears them.
pub(super) async fn tell_elder(host: &Host, tenant: &Tenant, peer: Peer<RoleServer>) {
    let mut news = ToolNews::new(host, tenant);
    while news.changed().await {
        if peer.peer_info().is_some() && peer.notify_tool_list_changed().await.is_err() {
            return;
        }
    }
}
