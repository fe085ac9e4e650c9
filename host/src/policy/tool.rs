//! What is in force for one tool: the component's words, and the operator's over them.

use std::time::Duration;

use super::limits::{Ceilings, Limits};
use super::pools::Pools;
use super::redact::Redaction;
use super::retry::Retry;
use crate::id::PoolName;
use crate::spec::{Annotations, Delivery, ToolSpec};

/// What the operator says about one tool. Absent means: as the component says, where its word counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolOverride {
    /// Ask a reviewer before each call.
    pub requires_approval: Option<bool>,
    /// See [`Annotations::read_only`].
    pub read_only: Option<bool>,
    /// See [`Annotations::destructive`].
    pub destructive: Option<bool>,
    /// See [`Annotations::idempotent`].
    pub idempotent: Option<bool>,
    /// See [`Annotations::open_world`].
    pub open_world: Option<bool>,
    /// The pool to run in. It has to exist.
    pub pool: Option<PoolName>,
    /// How much of its tenant's places it gets in a crowded pool, against other tools.
    pub weight: Option<u32>,
    /// How often to try again after a failure that may pass.
    pub retries: Option<u32>,
    /// Equal calls within one run are meant, each of them.
    pub repeatable: Option<bool>,
    /// What to do with a lost attempt.
    pub delivery: Option<Delivery>,
    /// A template for the idempotency key.
    pub idempotency_key: Option<String>,
    /// What traces leave out.
    pub redaction: Redaction,
    /// Take the tool although its input schema is open or uses a reserved name.
    pub accept_open_schema: bool,
    /// Lower limits.
    pub ceilings: Ceilings,
}

/// What is in force for one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolPolicy {
    /// The hints, as they are shown to clients.
    pub annotations: Annotations,
    /// A reviewer is asked before each call.
    pub requires_approval: bool,
    /// The tool has no side effect, on a trusted word.
    pub read_only: bool,
    /// Calling again changes nothing further, on a trusted word.
    pub idempotent: bool,
    /// The pool.
    pub pool: String,
    /// How much of its tenant's places it gets in a crowded pool, against other tools.
    pub weight: u32,
    /// How to try again after a failure that may pass. Of a tool that writes, and not in a way that may be repeated,
    /// there are no retries.
    pub retry: Retry,
    /// Equal calls within one run are meant, each of them; otherwise the first one's outcome is that of all.
    pub repeatable: bool,
    /// What to do with a lost attempt.
    pub delivery: Delivery,
    /// How often a call may be started, if it is lost.
    pub runs: u32,
    /// A template for the idempotency key.
    pub idempotency_key: Option<String>,
    /// What traces leave out.
    pub redaction: Redaction,
    /// The limits.
    pub limits: Limits,
    /// The component wished for a longer attempt than it gets.
    pub clamped_timeout: Option<Duration>,
}

/// What is in force for all tools, unless something narrower is said.
#[derive(Debug, Clone, Copy)]
pub struct Wider<'a> {
    /// The ceilings.
    pub limits: Limits,
    /// The pools that there are.
    pub pools: &'a Pools,
    /// How to try again.
    pub retry: Retry,
    /// How often what is to happen at least once may be started, if it is lost.
    pub runs: u32,
}

impl ToolPolicy {
    /// Joins what a component says with what the operator says. The component's pool, delivery, key template,
    /// `read_only` and `idempotent` count only where it is trusted; its wish for approval and for a shorter timeout
    /// always do, unless the operator decided otherwise by name.
    #[must_use]
    pub fn effective(spec: &ToolSpec, trusted: bool, operator: &ToolOverride, wider: &Wider<'_>) -> Self {
        let Wider { limits, pools, retry, runs } = *wider;
        let said = spec.annotations;
        let annotations = Annotations {
            read_only: operator.read_only.unwrap_or(trusted && said.read_only),
            destructive: operator.destructive.unwrap_or(said.destructive),
            idempotent: operator.idempotent.unwrap_or(trusted && said.idempotent),
            open_world: operator.open_world.unwrap_or(said.open_world),
        };
        let wished_pool = spec.wishes.pool.as_ref().filter(|pool| trusted && pools.can_run(pool.as_str()));
        let delivery = operator.delivery.or(spec.wishes.delivery.filter(|_| trusted)).unwrap_or_default();
        let pool = operator.pool.as_ref().or(wished_pool).map_or(Pools::DEFAULT, PoolName::as_str).to_owned();
        let ceiling = limits.lowered(&operator.ceilings);
        let wished = Ceilings { attempt_timeout: spec.wishes.timeout, ..Ceilings::default() };
        Self {
            annotations,
            requires_approval: operator.requires_approval.unwrap_or(spec.wishes.requires_approval),
            read_only: annotations.read_only,
            idempotent: annotations.idempotent,
            pool,
            weight: operator.weight.unwrap_or(1),
            retry: if annotations.read_only || annotations.idempotent {
                Retry { retries: operator.retries.unwrap_or(retry.retries), ..retry }
            } else {
                Retry { retries: 0, ..retry }
            },
            repeatable: operator.repeatable.unwrap_or(false),
            delivery,
            runs: match delivery {
                Delivery::AtMostOnce => 1,
                Delivery::AtLeastOnce => runs,
            },
            idempotency_key: operator
                .idempotency_key
                .clone()
                .or_else(|| spec.wishes.idempotency_key.clone().filter(|_| trusted)),
            redaction: operator.redaction.clone(),
            limits: ceiling.lowered(&wished),
            clamped_timeout: spec.wishes.timeout.filter(|timeout| *timeout > ceiling.attempt_timeout),
        }
    }
}

#[cfg(test)]
mod tests;
