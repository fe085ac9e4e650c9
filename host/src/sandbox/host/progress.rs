//! `progress`: news for the caller. What the channel cannot take at once is dropped, so that a slow reader costs
//! the guest nothing and the host no memory.

use super::super::bindings::toolhost::tool::progress::Host;
use super::super::state::HostState;
use crate::gate::Progress;

/// Characters of one message.
const CHARS: usize = 1_024;

impl Host for HostState {
    fn report(&mut self, done: f64, total: Option<f64>, message: Option<String>) {
        // A number that JSON cannot carry is no news.
        if !done.is_finite() || (self.progress.is_none() && self.hearer.is_none()) {
            return;
        }
        let total = total.filter(|total| total.is_finite());
        let message = message.map(|message| self.said(message, CHARS));
        let news = Progress { done, total, message };
        if let Some(hearer) = &self.hearer {
            hearer.tell(&news);
        }
        if let Some(progress) = &self.progress {
            // Full or closed: nobody waits for this one.
            drop(progress.try_send(news));
        }
    }
}
