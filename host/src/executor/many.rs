//! Many calls in one request: one outcome for each, in the order of the calls.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::{Host, unanswered};
use crate::gate::Call;
use crate::id::CallId;
use crate::spec::{Failure, Outcome};

/// How many calls one request may have.
pub const MOST_CALLS: usize = 256;

/// How many read-only calls of one request are under way at once. They wait here before they wait for a pool, so that one
/// request does not fill a pool's queue.
const SIDE_BY_SIDE: usize = 64;

/// More calls in one request than are taken. None of them ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there are {found} calls in one request; at most {MOST_CALLS} are taken")]
pub struct TooManyCalls {
    /// How many there were.
    pub found: usize,
}

impl Host {
    /// Runs many calls and gives one outcome for each, in the order of the calls, whatever fails.
    ///
    /// Read-only calls run side by side. Side-effecting ones run one after the other in the order given, beside those;
    /// one that fails, or has to be approved first, does not hold up the next. Each has its own deadline, which begins
    /// when its turn comes, and all take their places in the pools as single calls do.
    ///
    /// # Cancellation
    ///
    /// Dropping the future cancels every call that has not ended, as dropping [`Host::execute`] does; those whose turn
    /// had not come never start.
    ///
    /// # Errors
    /// [`TooManyCalls`] for more than [`MOST_CALLS`].
    pub async fn call_many(&self, calls: Vec<Call>) -> Result<Vec<Outcome>, TooManyCalls> {
        let found = calls.len();
        if found > MOST_CALLS {
            return Err(TooManyCalls { found });
        }
        let tools: Vec<String> = calls.iter().map(|call| call.tool.clone()).collect();
        let snapshot = self.tools();
        let mut running = JoinSet::new();
        let side_by_side = Arc::new(Semaphore::new(SIDE_BY_SIDE));
        let mut in_turn = Vec::new();
        for (place, call) in calls.into_iter().enumerate() {
            if snapshot.has_side_effect(&call.tool) {
                in_turn.push((place, call));
                continue;
            }
            let (host, turn) = (self.clone(), side_by_side.clone());
            running.spawn(async move {
                // Never closed.
                let _turn = turn.acquire().await;
                vec![(place, host.execute(call).await)]
            });
        }
        let host = self.clone();
        running.spawn(async move {
            let mut ended = Vec::with_capacity(in_turn.len());
            for (place, call) in in_turn {
                ended.push((place, host.execute(call).await));
            }
            ended
        });
        let mut outcomes: Vec<Option<Outcome>> = vec![None; found];
        while let Some(ended) = running.join_next().await {
            for (place, outcome) in ended.unwrap_or_default() {
                if let Some(slot) = outcomes.get_mut(place) {
                    *slot = Some(outcome);
                }
            }
        }
        // A task is gone only while the process ends.
        let lost = |tool: &String| {
            let call_id = CallId::fresh();
            unanswered(tool, Failure::internal(&call_id, "the call's task was lost"), call_id)
        };
        Ok(outcomes
            .into_iter()
            .zip(&tools)
            .map(|(known, tool)| known.unwrap_or_else(|| lost(tool)))
            .collect())
    }
}
