//! What one call may hold: memory, tables, instances. The record of the first denial decides the outcome, since a
//! guest that is refused memory may end in any trap, or in none.

use wasmtime::ResourceLimiter;

use super::engine::{MEMORIES, TABLE_ELEMENTS, TABLES};

/// Instances in one store; how many a component has is fixed, and checked when it is loaded.
const INSTANCES: usize = 50;

/// What a guest was refused first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denial {
    /// Linear memory: all its memories together would have had so many bytes.
    Memory {
        /// What was asked for, in bytes.
        asked: usize,
        /// The cap, in bytes.
        cap: usize,
    },
    /// A table: it would have had so many elements.
    Table {
        /// What was asked for, in elements.
        asked: usize,
        /// The cap, in elements.
        cap: usize,
    },
}

impl std::fmt::Display for Denial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Memory { asked, cap } => {
                write!(f, "the tool asked for {asked} bytes of memory; it may have {cap}")
            }
            Self::Table { asked, cap } => {
                write!(f, "the tool asked for a table of {asked} elements; it may have {cap}")
            }
        }
    }
}

/// Counts what one store holds.
#[derive(Debug)]
pub(super) struct Limiter {
    cap: usize,
    held: usize,
    peak: usize,
    denied: Option<Denial>,
}

impl Limiter {
    /// A limiter with a cap on all memories together, in bytes.
    pub(super) fn new(memory_bytes: u64) -> Self {
        Self { cap: usize::try_from(memory_bytes).unwrap_or(usize::MAX), held: 0, peak: 0, denied: None }
    }

    /// What was refused first, if anything was.
    pub(super) const fn denied(&self) -> Option<Denial> {
        self.denied
    }

    /// The most that was held, in bytes.
    pub(super) fn peak(&self) -> u64 {
        u64::try_from(self.peak).unwrap_or(u64::MAX)
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // A guest that runs into the maximum it declared itself was not refused anything.
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        let asked = self.held.saturating_add(desired.saturating_sub(current));
        if asked > self.cap {
            self.denied.get_or_insert(Denial::Memory { asked, cap: self.cap });
            return Ok(false);
        }
        self.held = asked;
        self.peak = self.peak.max(asked);
        Ok(true)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // The pool's own bound is told as a maximum too, so that the cap is looked at first.
        if desired > TABLE_ELEMENTS {
            self.denied.get_or_insert(Denial::Table { asked: desired, cap: TABLE_ELEMENTS });
            return Ok(false);
        }
        Ok(maximum.is_none_or(|maximum| desired <= maximum))
    }

    fn instances(&self) -> usize {
        INSTANCES
    }

    fn memories(&self) -> usize {
        MEMORIES as usize
    }

    fn tables(&self) -> usize {
        TABLES as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_memories_together_stay_under_the_cap() {
        let mut limiter = Limiter::new(100);
        assert!(limiter.memory_growing(0, 60, None).unwrap());
        assert!(!limiter.memory_growing(0, 60, None).unwrap());
        assert!(!limiter.memory_growing(60, 80, Some(70)).unwrap());
        assert!(limiter.memory_growing(60, 100, None).unwrap());
        assert!(!limiter.memory_growing(100, 101, None).unwrap());
        assert_eq!(limiter.denied(), Some(Denial::Memory { asked: 120, cap: 100 }));
        assert_eq!(limiter.peak(), 100);
    }

    #[test]
    fn tables_are_capped_and_a_guests_own_maximum_is_no_denial() {
        let mut limiter = Limiter::new(100);
        assert!(!limiter.table_growing(0, 11, Some(10)).unwrap());
        assert_eq!(limiter.denied(), None);
        assert!(!limiter.table_growing(0, TABLE_ELEMENTS + 1, None).unwrap());
        assert!(matches!(limiter.denied(), Some(Denial::Table { .. })));
    }
}
