//! How many executions run at once, by pool, and how much of a pool one tool or one tenant may hold.

use std::collections::BTreeMap;

use crate::id::PoolName;

/// How many tools may wait for each other in one chain of calls between tools.
pub const MOST_NESTED: u32 = 8;

/// One pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSettings {
    /// Executions at once.
    pub size: u32,
    /// How many of them one tool may hold.
    pub tool_share: u32,
    /// How many of them one tenant may hold.
    pub tenant_share: u32,
}

impl PoolSettings {
    /// A pool in which one tool and one tenant may each hold half, and at least one.
    #[must_use]
    pub const fn halved(size: u32) -> Self {
        let half = if size < 2 { 1 } else { size / 2 };
        Self { size, tool_share: half, tenant_share: half }
    }
}

/// All pools of the process. `default` and `delegate` are always there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pools(BTreeMap<String, PoolSettings>);

impl Pools {
    /// The pool that a tool runs in unless somebody says otherwise.
    pub const DEFAULT: &'static str = "default";
    /// The pool that a tool's permit comes from while it waits for another.
    pub const DELEGATE: &'static str = "delegate";

    /// Adds a pool, or resizes one.
    pub fn insert(&mut self, name: &PoolName, settings: PoolSettings) {
        self.0.insert(name.as_str().to_owned(), settings);
    }

    /// The settings of a pool, if there is one of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<PoolSettings> {
        self.0.get(name).copied()
    }

    /// Whether there is a pool of that name in which tools run.
    #[must_use]
    pub fn can_run(&self, name: &str) -> bool {
        name != Self::DELEGATE && self.get(name).is_some()
    }

    /// All pools, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, PoolSettings)> {
        self.0.iter().map(|(name, settings)| (name.as_str(), *settings))
    }

    /// How many executions may run at once in all pools together.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.0.values().map(|pool| pool.size).sum()
    }

    /// How many guests may be there at once: those that run, and all that may wait for another tool. A chain of calls
    /// holds one place of the pool `delegate`, however many of its tools wait.
    #[must_use]
    pub fn guests(&self) -> u32 {
        let chains = self.get(Self::DELEGATE).map_or(0, |pool| pool.size);
        self.total().saturating_add(chains.saturating_mul(MOST_NESTED - 1))
    }
}

impl Default for Pools {
    fn default() -> Self {
        Self(BTreeMap::from([
            (Self::DEFAULT.to_owned(), PoolSettings::halved(256)),
            (Self::DELEGATE.to_owned(), PoolSettings::halved(64)),
        ]))
    }
}
