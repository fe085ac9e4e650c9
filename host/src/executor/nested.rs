//! Calls that a tool makes: another tool, through all gates, for the same caller, until the same deadline.
//!
//! While it waits, a tool gives up its place in its pool and holds one of `delegate`; a tool further down the same chain
//! waits on that one. So whoever holds a place computes or is about to, and a chain of any depth ends.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

use super::place::Place;
use super::pools::Permit;
use super::{Host, settle};
use crate::gate::{self, Admitted, Call, Within};
use crate::id::{CallId, Digest};
use crate::sandbox::{Invoke, Invoking};
use crate::spec::{Code, Failure, Success};

/// The chain that a call belongs to, by the place of `delegate` that it waits on.
pub(super) type Chain = Option<Arc<Permit>>;

/// How many calls one attempt may make: each leaves a record.
const MOST_CALLS: usize = 256;

/// A running guest's way to other tools.
pub(super) struct Others {
    host: Host,
    place: Arc<Place>,
    chain: Chain,
    /// The call that every one of the guest's is made like.
    template: Call,
    within: Within,
    /// When the guest has to be over.
    ends: Instant,
    /// What was called in this attempt so far.
    made: Mutex<Vec<(String, String)>>,
}

impl Others {
    /// The way of one attempt at a call.
    pub(super) fn new(
        host: &Host,
        place: &Arc<Place>,
        chain: &Chain,
        call: &Call,
        admitted: &Admitted,
        ends: Instant,
    ) -> Self {
        let above = call.within.as_ref();
        let mut tools = above.map(|within| within.tools.clone()).unwrap_or_default();
        tools.push(admitted.entry().name.clone());
        let identity = admitted.identity();
        let within = Within {
            call: admitted.call_id().clone(),
            tools,
            in_named_run: above.map_or(call.run.is_some(), |within| within.in_named_run),
            identity,
            number: 1,
        };
        let template = Call {
            allow: call.allow.clone(),
            run: Some(admitted.run().clone()),
            client_capabilities: call.client_capabilities.clone(),
            ..Call::new(call.caller.clone(), "", "")
        };
        let (host, place, chain) = (host.clone(), place.clone(), chain.clone());
        Self { host, place, chain, template, within, ends, made: Mutex::default() }
    }

    async fn call(&self, tool: String, arguments: String) -> Result<Success, Failure> {
        let number = self.number(&tool, &arguments)?;
        let place = match &self.chain {
            Some(place) => place.clone(),
            None => Arc::new(self.place.delegate().ok_or_else(settle::overloaded)?),
        };
        let deadline = Some(self.ends.saturating_duration_since(Instant::now()));
        let within = Some(Within { number, ..self.within.clone() });
        let call =
            Call { tool, arguments: arguments.into_bytes(), deadline, within, ..self.template.clone() };
        self.place.free();
        let outcome = self.host.answered(call, CallId::fresh(), Some(place)).await;
        if self.place.retake(self.ends).await.is_err() {
            // The guest's time is over, and its timer ends it.
            std::future::pending::<()>().await;
        }
        outcome.result
    }

    /// The number of a call among equal ones of this attempt.
    fn number(&self, tool: &str, arguments: &str) -> Result<u32, Failure> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.len() >= MOST_CALLS {
            let message = format!("A tool may call other tools {MOST_CALLS} times. Nothing ran.");
            return Err(Failure::new(Code::InvokeLimit, message));
        }
        let digest = Digest::of(arguments.as_bytes()).hex();
        let equal = made.iter().filter(|(name, text)| name == tool && *text == digest).count();
        made.push((gate::shown(tool), digest));
        Ok(u32::try_from(equal).unwrap_or(u32::MAX).saturating_add(1))
    }
}

impl Invoke for Others {
    fn invoke(&self, tool: String, arguments: String) -> Invoking<'_> {
        Box::pin(self.call(tool, arguments))
    }
}
