//! The line of calls that wait for a place, and whose turn it is.
//!
//! Turns are given by start-time fair queueing (Goyal, Vin and Cheng, 1996): each tenant in the line, and each tool of a
//! tenant, has a turn that grows by the inverse of its weight with each place it gets, and the smallest is next. Who
//! joins late begins at the turn that was served last, so that nobody saves up turns.

use std::collections::{BTreeMap, VecDeque};

use tokio::sync::oneshot;

use super::{Asking, Permit, WAITING_PER_PLACE};
use crate::id::{TenantId, ToolName};
use crate::policy::PoolSettings;

/// What a place costs at a weight of one.
const STRIDE: u64 = 1 << 20;

/// All who wait for one pool.
#[derive(Debug, Default)]
pub(super) struct Line {
    tenants: BTreeMap<TenantId, Party<Tools>>,
    waiting: u32,
    /// The turn of the tenant that was served last.
    served: u64,
    /// The number of the next to join.
    number: u64,
}

/// The tools of a tenant for which calls wait, and the calls.
type Tools = BTreeMap<ToolName, Party<VecDeque<Waiter>>>;

/// Those who take turns as one.
#[derive(Debug, Default)]
struct Party<M> {
    turn: u64,
    stride: u64,
    /// How many wait in it.
    waiting: u32,
    /// The turn of the member that was served last.
    served: u64,
    members: M,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    asking: Asking,
    granted: oneshot::Sender<Permit>,
}

impl<M: Default> Party<M> {
    fn joining(served: u64, weight: u32) -> Self {
        let stride = STRIDE / u64::from(weight.max(1));
        Self { turn: served + stride, stride, ..Self::default() }
    }
}

impl Line {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Whether nobody of that tenant may join any more.
    pub(super) fn is_full(&self, settings: &PoolSettings, tenant: &TenantId) -> bool {
        let own = self.tenants.get(tenant).map_or(0, |party| party.waiting);
        let most = settings.size.saturating_mul(WAITING_PER_PLACE);
        // Whoever waits for less than an equal part is let in even then, or a few could keep all others out.
        let parties = u32::try_from(self.tenants.len()).unwrap_or(u32::MAX).saturating_add(1);
        own >= settings.tenant_share.saturating_mul(WAITING_PER_PLACE)
            || (self.waiting >= most && own >= most / parties)
    }

    /// Joins the line. Gives the number under which to leave it, and where the permit will come.
    pub(super) fn join(&mut self, asking: &Asking) -> (u64, oneshot::Receiver<Permit>) {
        let (sender, receiver) = oneshot::channel();
        let served = self.served;
        let tenant = self
            .tenants
            .entry(asking.tenant.clone())
            .or_insert_with(|| Party::joining(served, asking.weights.tenant));
        let served = tenant.served;
        let tool = tenant
            .members
            .entry(asking.tool.clone())
            .or_insert_with(|| Party::joining(served, asking.weights.tool));
        let waiter = Waiter { number: self.number, asking: asking.clone(), granted: sender };
        if asking.resumes {
            tool.members.push_front(waiter)
        } else {
            tool.members.push_back(waiter)
        }
        self.waiting += 1;
        tenant.waiting += 1;
        tool.waiting += 1;
        self.number += 1;
        (self.number - 1, receiver)
    }

    /// Leaves the line, if the call is still in it.
    pub(super) fn leave(&mut self, asking: &Asking, number: u64) {
        self.remove(&asking.tenant, &asking.tool, |line| {
            let at = line.iter().position(|waiter| waiter.number == number)?;
            line.remove(at)
        });
    }

    /// Takes the call whose turn it is out of the line: of those whose tenant and tool have a share left.
    pub(super) fn next(
        &mut self,
        tenant_has_share: impl Fn(&TenantId) -> bool,
        tool_has_share: impl Fn(&ToolName) -> bool,
    ) -> Option<(Asking, oneshot::Sender<Permit>)> {
        let of_tenant = |party: &Party<Tools>| {
            let able = party.members.iter().filter(|(name, _)| tool_has_share(name));
            able.min_by_key(|(_, tool)| tool.turn).map(|(name, _)| name.clone())
        };
        let (_, tenant, tool) = self
            .tenants
            .iter()
            .filter(|(name, _)| tenant_has_share(name))
            .filter_map(|(name, party)| Some((party.turn, name.clone(), of_tenant(party)?)))
            .min_by_key(|(turn, ..)| *turn)?;
        if let Some(party) = self.tenants.get_mut(&tenant) {
            // Who could not be served for a while, since a share was used up, has not saved up turns either.
            self.served = self.served.max(party.turn);
            party.turn = self.served + party.stride;
            if let Some(member) = party.members.get_mut(&tool) {
                party.served = party.served.max(member.turn);
                member.turn = party.served + member.stride;
            }
        }
        let waiter = self.remove(&tenant, &tool, VecDeque::pop_front)?;
        Some((waiter.asking, waiter.granted))
    }

    /// Takes one call out of its tool's line. A party in which nobody waits is forgotten.
    fn remove(
        &mut self,
        tenant: &TenantId,
        tool: &ToolName,
        which: impl FnOnce(&mut VecDeque<Waiter>) -> Option<Waiter>,
    ) -> Option<Waiter> {
        let party = self.tenants.get_mut(tenant)?;
        let member = party.members.get_mut(tool)?;
        let waiter = which(&mut member.members)?;
        self.waiting -= 1;
        party.waiting -= 1;
        member.waiting -= 1;
        if member.waiting == 0 {
            party.members.remove(tool);
        }
        if party.waiting == 0 {
            self.tenants.remove(tenant);
        }
        Some(waiter)
    }
}
