//! Tenants' quotas: one bucket for each, which fills with time and is emptied by use. A tenant's state has the same size
//! whatever it does.
//!
//! What is known only afterwards, such as fuel, may empty a bucket below nothing: the call that does so goes on, and the
//! next one waits until the debt is paid.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::id::TenantId;
use crate::policy::{Quotas, Tenant};
use crate::sandbox::Meter;
use crate::spec::{Code, Failure};

/// How soon another of a tenant's calls may have ended, for all that anybody knows.
const SOON: Duration = Duration::from_secs(1);

/// An amount that comes back with time, up to what comes in one span.
#[derive(Debug)]
struct Bucket {
    most: f64,
    span: Duration,
    state: Mutex<(f64, Instant)>,
}

impl Bucket {
    #[expect(clippy::cast_precision_loss, reason = "a quota need not be kept to the last of 10^15")]
    fn new(most: u64, span: Duration, now: Instant) -> Self {
        let most = most as f64;
        Self { most, span, state: Mutex::new((most, now)) }
    }

    fn with<T>(&self, now: Instant, use_it: impl FnOnce(&mut f64) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (left, since) = &mut *state;
        let passed = now.saturating_duration_since(*since).as_secs_f64() / self.span.as_secs_f64();
        *left = passed.mul_add(self.most, *left).min(self.most);
        *since = now.max(*since);
        use_it(left)
    }

    /// Takes one unit, or says how long it is until there is one.
    fn take(&self, now: Instant) -> Result<(), Duration> {
        self.with(now, |left| {
            if *left >= 1.0 {
                *left -= 1.0;
                return Ok(());
            }
            Err(self.wait(1.0 - *left))
        })
    }

    /// Whether anything is left, or how long it is until then.
    fn ready(&self, now: Instant) -> Result<(), Duration> {
        self.with(now, |left| if *left > 0.0 { Ok(()) } else { Err(self.wait(1.0 - *left)) })
    }

    /// Takes what was used, even if that is more than there is. False if that was more than there was.
    #[expect(clippy::cast_precision_loss, reason = "a quota need not be kept to the last of 10^15")]
    fn charge(&self, used: u64, now: Instant) -> bool {
        self.with(now, |left| {
            *left -= used as f64;
            *left >= 0.0
        })
    }

    fn wait(&self, missing: f64) -> Duration {
        self.span.mul_f64((missing / self.most).clamp(0.0, 1_000_000.0))
    }
}

/// What one tenant has left.
#[derive(Debug)]
pub(super) struct TenantUse {
    quotas: Quotas,
    calls: Option<Bucket>,
    fuel: Option<Bucket>,
    egress: Option<Bucket>,
    at_a_time: Option<u32>,
    running: Mutex<u32>,
}

/// One of a tenant's calls that run. Dropped it runs no longer.
#[derive(Debug)]
pub(super) struct Running(Option<Arc<TenantUse>>);

impl TenantUse {
    fn new(quotas: Quotas, now: Instant) -> Self {
        let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
        let bucket = |most: Option<u64>, span| most.map(|most| Bucket::new(most, span, now));
        Self {
            quotas,
            calls: bucket(quotas.calls_per_second.map(u64::from), second),
            fuel: bucket(quotas.fuel_per_minute, minute),
            egress: bucket(quotas.egress_bytes_per_minute, minute),
            at_a_time: quotas.concurrent_calls,
            running: Mutex::new(0),
        }
    }

    /// Counts a call that comes in.
    pub(super) fn comes(&self) -> Result<(), Failure> {
        let Some(calls) = &self.calls else { return Ok(()) };
        calls.take(Instant::now()).map_err(|wait| used_up(calls.most, "calls per second", wait))
    }

    /// Counts a call that is about to run, if there is anything left for it.
    pub(super) fn runs(self: &Arc<Self>, nested: bool, has_http: bool) -> Result<Running, Failure> {
        let now = Instant::now();
        if let Some(fuel) = &self.fuel {
            fuel.ready(now).map_err(|wait| used_up(fuel.most, "fuel per minute", wait))?;
        }
        if let Some(egress) = self.egress.as_ref().filter(|_| has_http) {
            egress
                .ready(now)
                .map_err(|wait| used_up(egress.most, "bytes per minute over the network", wait))?;
        }
        let Some(most) = self.at_a_time.filter(|_| !nested) else { return Ok(Running(None)) };
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if *running >= most {
            return Err(used_up(most, "calls at the same time", SOON));
        }
        *running += 1;
        Ok(Running(Some(Arc::clone(self))))
    }
}

impl Meter for TenantUse {
    fn fuel(&self, used: u64) {
        if let Some(fuel) = &self.fuel {
            fuel.charge(used, Instant::now());
        }
    }

    fn egress(&self, bytes: u64) -> bool {
        self.egress.as_ref().is_none_or(|egress| egress.charge(bytes, Instant::now()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(of) = &self.0 {
            *of.running.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        }
    }
}

/// All tenants that were configured, and no other.
#[derive(Debug)]
pub(super) struct TenantUses(HashMap<TenantId, Arc<TenantUse>>);

impl TenantUses {
    /// What tenants have left: what they had before, where their quotas are the same.
    pub(super) fn new<'a>(tenants: impl Iterator<Item = &'a Tenant>, before: Option<&Self>) -> Self {
        let now = Instant::now();
        let of = |tenant: &Tenant| {
            let known = before.and_then(|before| before.0.get(&tenant.id));
            let same = known.filter(|known| known.quotas == tenant.quotas).cloned();
            same.unwrap_or_else(|| Arc::new(TenantUse::new(tenant.quotas, now)))
        };
        Self(tenants.map(|tenant| (tenant.id.clone(), of(tenant))).collect())
    }

    /// What a tenant has left; none for one without quotas.
    pub(super) fn of(&self, tenant: &Tenant) -> Option<&Arc<TenantUse>> {
        if tenant.quotas == Quotas::default() { None } else { self.0.get(&tenant.id) }
    }
}

fn used_up(most: impl std::fmt::Display, what: &str, wait: Duration) -> Failure {
    let wait = wait.max(Duration::from_millis(1));
    let message = format!(
        "The quota of {most} {what} is used up. Nothing ran. Try again in {:.1} s.",
        wait.as_secs_f64().max(0.1)
    );
    let retry_after_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
    Failure { retry_after_ms: Some(retry_after_ms), ..Failure::new(Code::QuotaExceeded, message) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_comes_back_with_time_and_no_more_than_there_was() {
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let bucket = Bucket::new(2, Duration::from_secs(1), start);
        assert_eq!((bucket.take(at(0.0)), bucket.take(at(0.0))), (Ok(()), Ok(())));
        assert_eq!(bucket.take(at(0.0)), Err(Duration::from_millis(500)));
        assert_eq!(bucket.take(at(0.5)), Ok(()));
        assert!(bucket.take(at(0.6)).is_err());
        let taken = (0..10).filter(|_| bucket.take(at(100.0)).is_ok()).count();
        assert_eq!(taken, 2);
        // A clock that goes back gives nothing.
        assert!(bucket.take(at(50.0)).is_err());
    }

    #[test]
    fn a_debt_is_paid_before_anything_else_runs() {
        let start = Instant::now();
        let bucket = Bucket::new(60, Duration::from_secs(60), start);
        assert_eq!(bucket.ready(start), Ok(()));
        assert!(!bucket.charge(90, start));
        assert_eq!(bucket.ready(start), Err(Duration::from_secs(31)));
        assert!(bucket.ready(start + Duration::from_secs(29)).is_err());
        assert_eq!(bucket.ready(start + Duration::from_secs(31)), Ok(()));
    }
}
