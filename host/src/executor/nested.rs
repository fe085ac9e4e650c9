//! Calls that a tool makes: another tool, through all gates, for the same caller, until the same deadline.
//!
//! While it waits, a tool gives up its place in its pool and holds one of `delegate`; a tool further down the same chain
//! waits on that one. So whoever holds a place computes or is about to, and a chain of any depth ends.

use std::sync::Arc;

use tokio::time::Instant;

use super::place::Place;
use super::pools::Permit;
use super::{Host, settle};
use crate::gate::{Admitted, Call, Within};
use crate::id::CallId;
use crate::sandbox::{Invoke, Invoking};
use crate::spec::{Failure, Success};

/// The chain that a call belongs to, by the place of `delegate` that it waits on.
pub(super) type Chain = Option<Arc<Permit>>;

/// A running guest's way to other tools.
pub(super) struct Others {
    pub(super) host: Host,
    pub(super) place: Arc<Place>,
    pub(super) chain: Chain,
    /// The call that every one of the guest's is made like.
    pub(super) template: Call,
    /// When the guest has to be over.
    pub(super) ends: Instant,
}

impl Others {
    /// What the calls of an admitted call's guest have in common.
    pub(super) fn template(call: &Call, admitted: &Admitted) -> Call {
        let mut tools = call.within.as_ref().map(|within| within.tools.clone()).unwrap_or_default();
        tools.push(admitted.entry().name.clone());
        Call {
            allow: call.allow.clone(),
            run: Some(admitted.run().clone()),
            client_capabilities: call.client_capabilities.clone(),
            within: Some(Within { call: admitted.call_id().clone(), tools }),
            ..Call::new(call.caller.clone(), "", "")
        }
    }

    async fn call(&self, tool: String, arguments: String) -> Result<Success, Failure> {
        let place = match &self.chain {
            Some(place) => place.clone(),
            None => Arc::new(self.place.delegate().ok_or_else(settle::overloaded)?),
        };
        let deadline = Some(self.ends.saturating_duration_since(Instant::now()));
        let call = Call { tool, arguments: arguments.into_bytes(), deadline, ..self.template.clone() };
        self.place.free();
        let outcome = self.host.answered(call, CallId::fresh(), Some(place)).await;
        if self.place.retake(self.ends).await.is_err() {
            // The guest's time is over, and its timer ends it.
            std::future::pending::<()>().await;
        }
        outcome.result
    }
}

impl Invoke for Others {
    fn invoke(&self, tool: String, arguments: String) -> Invoking<'_> {
        Box::pin(self.call(tool, arguments))
    }
}
