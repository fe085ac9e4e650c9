//! Where a component may send HTTP requests: rules of scheme, host and port, and the addresses behind a name.
//!
//! Pure decisions over parsed values. A destination is read by one parser and compared as it was parsed, never as text,
//! so that two spellings of one place cannot be told apart by a rule and taken for the same by a dialler.

mod address;
mod destination;
mod host;
mod rule;
mod target;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use address::unreachable;
pub use destination::{Destination, DestinationError, Scheme};
pub use host::{Host, HostError};
pub use rule::{HttpRule, Networks, RuleError};
pub use target::{TargetError, target};

/// What one call may use of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EgressLimits {
    /// To find an address, connect to it and agree on encryption.
    pub connect: Duration,
    /// From the request to the first byte of its answer, and between two pieces of it.
    pub first_byte: Duration,
    /// Requests of one call.
    pub requests: u32,
    /// Requests of one call that are under way at the same time.
    pub at_once: u32,
    /// Bytes of all bodies of one call, in both directions together.
    pub bytes: u64,
}

impl Default for EgressLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first_byte: Duration::from_secs(30),
            requests: 32,
            at_once: 6,
            bytes: 16 << 20,
        }
    }
}

/// Whether some rule admits a destination.
#[must_use]
pub fn admits(rules: &[HttpRule], to: &Destination) -> bool {
    rules.iter().any(|rule| rule.matches(to))
}

/// Why an address must not be dialled for a destination, if it must not. Of the rules that admit the destination one has to
/// admit the address: a rule that names networks those in them, any other public ones.
#[must_use]
pub fn refusal(rules: &[HttpRule], to: &Destination, address: std::net::IpAddr) -> Option<&'static str> {
    let what = unreachable(address);
    let admits = |rule: &HttpRule| match rule.networks().is_empty() {
        true => what.is_none(),
        false => rule.networks().contain(address),
    };
    match rules.iter().any(|rule| rule.matches(to) && admits(rule)) {
        true => None,
        false => Some(what.unwrap_or("in none of the networks that its rule names")),
    }
}
