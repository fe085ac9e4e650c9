//! Trying again after a failure that was seen. What was lost is another matter: nobody knows whether it happened.

use std::time::Duration;

/// How often, and after which pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// How often a call is tried again.
    pub retries: u32,
    /// The pause before the first time. It doubles with each further one.
    pub first_pause: Duration,
}

/// No pause is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

impl Retry {
    /// The pause after an attempt, counted from 1, for a random `share` from 0 to 1: between half of the doubled pause
    /// and all of it, so that those who failed together do not come back together.
    #[must_use]
    pub fn pause(&self, attempt: u32, share: f64) -> Duration {
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let pause = self.first_pause.saturating_mul(doubled).min(LONGEST_PAUSE);
        pause.mul_f64(0.5 + share.clamp(0.0, 1.0) / 2.0)
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self { retries: 2, first_pause: Duration::from_millis(200) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_end_somewhere() {
        let retry = Retry::default();
        let whole = |attempt| retry.pause(attempt, 1.0).as_millis();
        assert_eq!((whole(1), whole(2), whole(3)), (200, 400, 800));
        assert_eq!(retry.pause(2, 0.0).as_millis(), 200);
        assert_eq!(retry.pause(u32::MAX, 1.0), LONGEST_PAUSE);
    }
}
