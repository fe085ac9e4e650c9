//! `log`: a guest's messages to the operator, bounded in number and length, and escaped by the log itself.

use super::super::bindings::toolhost::tool::log::{Host, Level};
use super::super::state::HostState;

/// Messages in one call.
const MESSAGES: u32 = 1_000;
/// Characters of one message.
const CHARS: usize = 2_048;

impl Host for HostState {
    fn write(&mut self, level: Level, message: String) {
        self.messages = self.messages.saturating_add(1);
        if self.messages > MESSAGES {
            if self.messages == MESSAGES + 1 {
                tracing::warn!(target: "guest", "a call wrote more than {MESSAGES} messages; the rest is dropped");
            }
            return;
        }
        let message = self.said(message, CHARS);
        let (tenant, call) =
            self.context.as_ref().map_or(("", ""), |c| (c.caller.tenant.id.as_str(), c.call.as_str()));
        match level {
            Level::Debug => tracing::debug!(target: "guest", tenant, call, message = ?message),
            Level::Info => tracing::info!(target: "guest", tenant, call, message = ?message),
            Level::Warn => tracing::warn!(target: "guest", tenant, call, message = ?message),
            Level::Error => tracing::error!(target: "guest", tenant, call, message = ?message),
        }
    }
}
