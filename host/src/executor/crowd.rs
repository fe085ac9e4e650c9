//! How many of something there are at once: in all, and of one tenant, so that none leaves no room for the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::id::TenantId;

/// A bounded number of places. A cheap handle; clones share the places.
#[derive(Debug, Clone)]
pub struct Crowd {
    most: usize,
    of_a_tenant: usize,
    inside: Arc<Mutex<Inside>>,
}

#[derive(Debug, Default)]
struct Inside {
    all: usize,
    /// Only tenants that have a place.
    by_tenant: HashMap<TenantId, usize>,
}

/// One place. Dropped it is free again.
#[derive(Debug)]
#[must_use = "a dropped place is free again"]
pub struct CrowdPlace {
    crowd: Crowd,
    tenant: TenantId,
}

impl Crowd {
    /// So many places in all, and so many for one tenant.
    #[must_use]
    pub fn new(most: usize, of_a_tenant: usize) -> Self {
        Self { most, of_a_tenant, inside: Arc::default() }
    }

    /// Takes a place for a tenant; none if there is no room. Never waits.
    #[must_use]
    pub fn enter(&self, tenant: &TenantId) -> Option<CrowdPlace> {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = inside.by_tenant.get(tenant).copied().unwrap_or(0);
        if inside.all >= self.most || taken >= self.of_a_tenant {
            return None;
        }
        inside.all += 1;
        inside.by_tenant.insert(tenant.clone(), taken + 1);
        Some(CrowdPlace { crowd: self.clone(), tenant: tenant.clone() })
    }
}

impl Drop for CrowdPlace {
    fn drop(&mut self) {
        let mut inside = self.crowd.inside.lock().unwrap_or_else(PoisonError::into_inner);
        inside.all -= 1;
        if let Some(taken) = inside.by_tenant.get_mut(&self.tenant) {
            *taken -= 1;
            if *taken == 0 {
                inside.by_tenant.remove(&self.tenant);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenant_has_its_share_and_all_have_no_more_than_there_is() {
        let crowd = Crowd::new(3, 2);
        let [one, two] = ["one", "two"].map(|name| name.parse::<TenantId>().unwrap());
        let first = crowd.enter(&one).unwrap();
        let _second = crowd.enter(&one).unwrap();
        assert!(crowd.enter(&one).is_none(), "the tenant's share is taken");
        let _third = crowd.enter(&two).unwrap();
        assert!(crowd.enter(&two).is_none(), "there is no place left");
        drop(first);
        assert!(crowd.enter(&two).is_some());
        assert!(crowd.enter(&one).is_some());
    }
}
