//! Other settings for a host that runs: tenants and components change at once; what else would is named, and stays as it was
//! at the start.
//!
//! What a wall around the process has to leave open was settled at the start as well, so that directories and ports of
//! grants are taken away at once and given at the next start.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::quotas::TenantUses;
use super::reload::{ReloadError, Reloaded};
use super::{ComponentSettings, Host, Settings};
use crate::id::TenantId;
use crate::policy::{DirectoryGrant, DirectoryPower, Tenant};

/// What came of other settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reconfigured {
    /// What changed in the list of tools.
    pub reloaded: Reloaded,
    /// What would change and does not before the next start, one phrase each.
    pub needs_restart: Vec<String>,
}

/// The settings that are in force now, and what goes with them.
#[derive(Debug)]
pub(super) struct InForce {
    pub(super) settings: Settings,
    pub(super) tenants: BTreeMap<TenantId, Arc<Tenant>>,
    pub(super) uses: TenantUses,
}

impl InForce {
    /// Settings of a host; what tenants used so far counts on, where their quotas are the same.
    pub(super) fn new(settings: Settings, before: Option<&TenantUses>) -> Self {
        let tenants =
            settings.tenants.iter().map(|(id, tenant)| (id.clone(), Arc::new(tenant.clone()))).collect();
        let uses = TenantUses::new(settings.tenants.values(), before);
        Self { settings, tenants, uses }
    }
}

impl Host {
    /// Puts other settings in force and [reloads](Self::reload). Calls under way keep the tenant and the tool that they were
    /// admitted with.
    ///
    /// # Errors
    /// [`ReloadError`]; nothing changed then.
    pub async fn reconfigure(&self, settings: Settings) -> Result<Reconfigured, ReloadError> {
        let (settings, needs_restart) = merged(self.settings(), settings)?;
        let reloaded = self.load_anew(Some(settings)).await?;
        Ok(Reconfigured { reloaded, needs_restart })
    }
}

/// What of new settings can be in force in a host that was started with others, and what cannot.
fn merged(started: &Settings, new: Settings) -> Result<(Settings, Vec<String>), ReloadError> {
    let mut needs_restart: Vec<String> = [
        ("[server]", started.server == new.server),
        ("[store], [[secret]]", started.store == new.store),
        ("[limits]", started.limits == new.limits),
        ("[pools]", started.pools == new.pools),
        ("[retry]", started.retry == new.retry),
        ("[egress]", started.egress == new.egress),
        ("[ledger] attempts", started.runs == new.runs),
        ("[[jwt]]", started.jwt == new.jwt),
    ]
    .into_iter()
    .filter(|(_, same)| !same)
    .map(|(section, _)| section.to_owned())
    .collect();
    let Settings { tenants, mut components, .. } = new;
    for component in &mut components {
        if let Some(pool) = component
            .tools
            .values()
            .find_map(|tool| tool.pool.as_ref().filter(|pool| started.pools.get(pool.as_str()).is_none()))
        {
            return Err(ReloadError::NewPool(pool.clone()));
        }
        withhold(started, component, &mut needs_restart);
    }
    let asks = |tenants: &BTreeMap<TenantId, Tenant>| {
        Settings { tenants: tenants.clone(), ..started.clone() }.asks_for_proof()
    };
    let keyless = started.keyless().filter(|_| !started.asks_for_proof());
    let tenants = if keyless.is_some_and(|id| !tenants.contains_key(id)) {
        needs_restart
            .push("[[tenant]], since callers without a key speak for one that would be gone".to_owned());
        started.tenants.clone()
    } else if asks(&tenants) == started.asks_for_proof() {
        let each =
            components.iter().flat_map(|component| &component.grants.directories).any(is_of_each_tenant);
        let has_folders = |id: &TenantId| !each || started.tenants.contains_key(id);
        let (now, later): (BTreeMap<_, _>, BTreeMap<_, _>) =
            tenants.into_iter().partition(|(id, _)| has_folders(id));
        needs_restart
            .extend(later.keys().map(|id| format!("the tenant {id}, for whom directories are made")));
        now
    } else {
        needs_restart
            .push("[[tenant]], since callers would have to show keys or would not any more".to_owned());
        started.tenants.clone()
    };
    let merged = Settings { tenants, components, ..started.clone() };
    merged.may_listen(merged.server.listen)?;
    Ok((merged, needs_restart))
}

/// Takes out of a component's grants what the process may not reach.
fn withhold(started: &Settings, component: &mut ComponentSettings, needs_restart: &mut Vec<String>) {
    let granted: Vec<&DirectoryGrant> =
        started.components.iter().flat_map(|component| &component.grants.directories).collect();
    let reached = |grant: &DirectoryGrant| {
        granted.iter().any(|other| {
            other.host == grant.host
                && (matches!(other.power, DirectoryPower::Writable(_))
                    || grant.power == DirectoryPower::ReadOnly)
        })
    };
    let ports: BTreeSet<u16> = started
        .components
        .iter()
        .flat_map(|component| &component.grants.http)
        .map(crate::policy::HttpRule::port)
        .collect();
    let origin = component.origin.to_string();
    component.grants.directories.retain(|grant| {
        let reached = reached(grant);
        if !reached {
            needs_restart.push(format!("{} for {origin}", grant.host.display()));
        }
        reached
    });
    component.grants.http.retain(|rule| {
        let reached = ports.contains(&rule.port());
        if !reached {
            needs_restart.push(format!("{rule} for {origin}"));
        }
        reached
    });
    let rules = component.grants.http.clone();
    component.grants.secrets.retain(|secret| rules.contains(&secret.to));
}

fn is_of_each_tenant(grant: &DirectoryGrant) -> bool {
    grant.host.to_string_lossy().contains("{tenant}")
}

#[cfg(test)]
mod tests;
