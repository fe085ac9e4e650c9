//! From the ticket to the result: a place, the key, a durable row where there is a side effect, and attempts until one
//! ends for good.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::claimed::Claimed;
use super::journey::Journey;
use super::nested::{Chain, Others};
use super::place::Place;
use super::pools::NoPermit;
use super::redeemed::RedeemedApproval;
use super::{Host, settle};
use crate::gate::{self, Admitted, Call, Replay};
use crate::sandbox::{Attempt, Invoke, Meter};
use crate::spec::{Code, Failure, Success};
use crate::store::{Settled, StoreError};

/// How a call with a ticket ended, if it did not fail.
pub(super) enum Ended {
    /// With a result of its own.
    Own(Success),
    /// With that of an earlier call.
    Replay(Replay),
}

/// How one attempt ended.
enum Attempted {
    /// Before the guest started: nothing ran.
    Never(Failure),
    /// Code of the guest ran.
    Ran(Result<Success, Failure>),
}

/// What the attempts of one call have in common.
struct Attempts<'a> {
    host: &'a Host,
    call: &'a Call,
    admitted: &'a Admitted,
    chain: Chain,
    place: Arc<Place>,
    ends: Instant,
    /// How often an earlier call with the key was started, and lost.
    lost_runs: u32,
}

impl Host {
    /// Runs an admitted call to its end. What was taken for it and not used is given back.
    pub(super) async fn run(
        &self,
        call: &Call,
        admitted: &Admitted,
        chain: Chain,
        mut approval: RedeemedApproval,
        journey: &mut Journey<'_>,
    ) -> Result<Ended, Failure> {
        let ends = journey.since() + admitted.deadline();
        let uses = self.uses(&admitted.caller().tenant);
        let running =
            uses.map(|uses| uses.runs(chain.is_some(), admitted.granted().has_http())).transpose()?;
        let place = match Place::take(self, admitted, ends).await {
            Ok(place) => Arc::new(place),
            Err(NoPermit::Full) => return Err(settle::overloaded()),
            Err(NoPermit::TooLate) => return Err(Failure::timed_out(admitted.deadline())),
        };
        let mut claims = Vec::new();
        for keyed in admitted.keys() {
            let claim = Claimed::claim(&self.inner.store, keyed, admitted.call_id());
            let claimed = match timeout_at(ends, claim).await {
                Ok(claimed) => claimed.map_err(unwritten)?,
                Err(_elapsed) => return Err(Failure::timed_out(admitted.deadline())),
            };
            let Some(claimed) = claimed else {
                // Another call claimed it since the gates looked. Waiting for it takes no place from anybody.
                drop((place, claims, running));
                let (store, id) = (&self.inner.store, admitted.call_id());
                let known = gate::replay(keyed, ends, admitted.deadline(), id, store).await?;
                // It was given back again: nothing ran, and the caller may ask again.
                return known.map(Ended::Replay).ok_or_else(settle::overloaded);
            };
            claims.push(claimed);
        }
        let lost_runs = claims.iter().map(Claimed::lost_runs).max().unwrap_or(0);
        let attempts = Attempts { host: self, call, admitted, chain, place, ends, lost_runs };
        let result = attempts.all(&mut claims, &mut approval, journey).await?;
        if result.as_ref().err().is_some_and(|failure| failure.input.is_some()) {
            // The call goes on with the answers, under the same keys.
            for claimed in claims {
                claimed.give_back().await;
            }
            return result.map(Ended::Own);
        }
        if claims.is_empty() {
            return result.map(Ended::Own);
        }
        // The same call gets this very outcome again, so that trying it again is no use.
        let result = result.map_err(|failure| Failure { retryable: false, retry_after_ms: None, ..failure });
        // An outcome that is told has to be the one that every later call with the key gets.
        let settled = Settled { attempt: journey.attempts(), usage: journey.usage(), result: result.clone() };
        for claimed in claims {
            match claimed.settle(settled.clone()).await {
                Ok(true) => {}
                Ok(false) => return Err(settle::taken_for_lost(&admitted.entry().name)),
                Err(fault) => return Err(settle::unkept(&admitted.entry().name, &fault)),
            }
        }
        result.map(Ended::Own)
    }
}

impl Attempts<'_> {
    /// Attempts until one ends for good. A failure of the outer kind means that nothing ran.
    async fn all(
        &self,
        claims: &mut [Claimed],
        approval: &mut RedeemedApproval,
        journey: &mut Journey<'_>,
    ) -> Result<Result<Success, Failure>, Failure> {
        let mut number = 1;
        let mut seen = None;
        loop {
            match self.one(number, claims, approval, journey).await {
                Attempted::Never(failure) => {
                    let Some(seen) = seen else { return Err(failure) };
                    // What the last attempt that ran said is worth more.
                    journey.attempt(self.lost_runs + number - 1);
                    return Ok(Err(seen));
                }
                Attempted::Ran(Ok(success)) => return Ok(Ok(success)),
                Attempted::Ran(Err(failure)) => {
                    let failure = journey.settled(failure);
                    let Some(pause) = self.pause(number, &failure) else { return Ok(Err(failure)) };
                    journey.note("failed", format!("{}: {}", failure.kind, failure.message));
                    self.place.free();
                    tokio::time::sleep(pause).await;
                    if self.place.retake(self.ends).await.is_err() {
                        return Ok(Err(failure));
                    }
                    seen = Some(failure);
                    number += 1;
                }
            }
        }
    }

    /// How long to wait before the next attempt; none if this one was the last. Only a failure that was seen is followed
    /// by another attempt, of a tool that may be called again, and only if the pause ends before the deadline.
    fn pause(&self, number: u32, failure: &Failure) -> Option<Duration> {
        let retry = &self.admitted.entry().policy.retry;
        let may_pass = match failure.code {
            Code::ToolError => failure.retryable,
            Code::Timeout => true,
            _ => false,
        };
        if !may_pass || number > retry.retries {
            return None;
        }
        // Whoever asked for a pause gets all of it.
        let asked = Duration::from_millis(failure.retry_after_ms.unwrap_or(0));
        let pause = retry.pause(number, rand::random()).max(asked);
        (Instant::now() + pause < self.ends).then_some(pause)
    }

    async fn one(
        &self,
        number: u32,
        claims: &mut [Claimed],
        approval: &mut RedeemedApproval,
        journey: &mut Journey<'_>,
    ) -> Attempted {
        let (admitted, entry) = (self.admitted, self.admitted.entry());
        let too_late = || Attempted::Never(Failure::timed_out(admitted.deadline()));
        let attempt = self.lost_runs + number;
        journey.attempt(attempt);
        if entry.has_side_effect() {
            match timeout_at(self.ends, journey.begin()).await {
                Ok(Ok(())) => {}
                Ok(Err(fault)) => return Attempted::Never(unwritten(fault)),
                Err(_elapsed) => return too_late(),
            }
        }
        // What is over may not start a guest that could have an effect.
        let starts = Instant::now();
        if starts >= self.ends {
            return too_late();
        }
        approval.started(true);
        journey.start(starts);
        for claimed in &mut *claims {
            claimed.start(attempt, journey.dropped());
        }
        let attempt_timeout = admitted.limits().attempt_timeout;
        let ends = self.ends.min(starts + attempt_timeout);
        let allowed = if ends < self.ends { attempt_timeout } else { admitted.deadline() };
        let others = admitted.granted().invoke().then(|| {
            let others = Others::new(self.host, &self.place, &self.chain, self.call, admitted, ends);
            Arc::new(others) as Arc<dyn Invoke>
        });
        // Runs count for more than the attempts within one, so that the number grows with every attempt at the key.
        let fence = u64::from(self.lost_runs) << 32 | u64::from(number);
        let meter = self.host.uses(&admitted.caller().tenant);
        let meter = meter.map(|uses| uses as Arc<dyn Meter>);
        let attempt = Attempt { number: attempt, fence, ends, meter };
        let ran = self.host.inner.sandbox.run(admitted, attempt, others).await;
        journey.note("ended", "");
        journey.ran(&ran);
        let result = settle::settle(self.host, self.call, admitted, ran.ended, allowed).await;
        let result = settle::with_edit(result, admitted.edit());
        match result {
            Err(failure) if !ran.started => {
                // Refusals before the first start settle nothing: the approval and the key are given back.
                if number == 1 {
                    approval.started(false);
                    journey.never_started();
                    claims.iter_mut().for_each(Claimed::never_started);
                }
                Attempted::Never(failure)
            }
            result => Attempted::Ran(result),
        }
    }
}

/// The store did not take what has to stand in it before a guest starts.
fn unwritten(fault: StoreError) -> Failure {
    Failure { operator: Some(fault.to_string()), ..settle::overloaded() }
}
