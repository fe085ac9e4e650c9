//! The one place that the store takes the time from.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 in UTC, by the machine's clock; 0 before that year.
///
/// Everything that is stored, expires or is pruned is dated by this clock. It may be set back, so that nothing
/// relies on it for order; durations of calls are measured by a monotonic clock elsewhere.
#[must_use]
pub fn now_unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis)
}

/// A duration in whole milliseconds, at most what a signed column holds.
pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX).min(i64::MAX.unsigned_abs())
}

/// A figure as a signed column holds it. What does not fit is kept as the largest that does.
pub(super) fn column(figure: u64) -> i64 {
    i64::try_from(figure).unwrap_or(i64::MAX)
}

/// The reverse of [`column`]; the store writes nothing negative.
pub(super) fn figure(column: i64) -> u64 {
    u64::try_from(column).unwrap_or(0)
}
