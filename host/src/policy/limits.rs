//! Caps on one call. Every one is finite, and a narrower scope can only lower it.

use std::time::Duration;

/// Caps on one call, as they are in force for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long one attempt may take.
    pub attempt_timeout: Duration,
    /// How long the whole call may take.
    pub deadline: Duration,
    /// Linear memory of one call, all its memories together, in bytes.
    pub memory_bytes: u64,
    /// CPU budget of one attempt, in units of Wasmtime's fuel.
    pub fuel: u64,
    /// Text that a model is given, in characters.
    pub result_chars: usize,
    /// The structured result, in bytes of JSON text.
    pub structured_bytes: usize,
    /// All that a guest returns, in bytes, before anything is cut.
    pub raw_result_bytes: usize,
    /// The arguments, in bytes of JSON text.
    pub arguments_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            attempt_timeout: Duration::from_secs(60),
            deadline: Duration::from_secs(120),
            memory_bytes: 128 << 20,
            fuel: 1_000_000_000_000,
            result_chars: 16_384,
            structured_bytes: 256 << 10,
            raw_result_bytes: 4 << 20,
            arguments_bytes: 1 << 20,
        }
    }
}

/// Lower caps for a narrower scope; what is absent stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ceilings {
    /// See [`Limits::attempt_timeout`].
    pub attempt_timeout: Option<Duration>,
    /// See [`Limits::deadline`].
    pub deadline: Option<Duration>,
    /// See [`Limits::memory_bytes`].
    pub memory_bytes: Option<u64>,
    /// See [`Limits::fuel`].
    pub fuel: Option<u64>,
    /// See [`Limits::result_chars`].
    pub result_chars: Option<usize>,
    /// See [`Limits::structured_bytes`].
    pub structured_bytes: Option<usize>,
}

impl Limits {
    /// These limits, lowered by a narrower scope. A larger figure there changes nothing.
    #[must_use]
    pub fn lowered(self, by: &Ceilings) -> Self {
        fn least<T: Ord>(one: T, other: Option<T>) -> T {
            match other {
                Some(other) if other < one => other,
                _ => one,
            }
        }
        Self {
            attempt_timeout: least(self.attempt_timeout, by.attempt_timeout),
            deadline: least(self.deadline, by.deadline),
            memory_bytes: least(self.memory_bytes, by.memory_bytes),
            fuel: least(self.fuel, by.fuel),
            result_chars: least(self.result_chars, by.result_chars),
            structured_bytes: least(self.structured_bytes, by.structured_bytes),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrower_scope_lowers_and_never_raises() {
        let base = Limits::default();
        let lower = Ceilings { fuel: Some(5), memory_bytes: Some(u64::MAX), ..Ceilings::default() };
        let limits = base.lowered(&lower);
        assert_eq!((limits.fuel, limits.memory_bytes), (5, base.memory_bytes));
    }
}
