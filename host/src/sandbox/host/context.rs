//! `context`: who calls, and how. Comes from the authenticated channel, never from arguments.

use tokio::time::Instant;

use super::super::bindings::toolhost::tool::context::Host;
use super::super::state::{CallContext, HostState};

impl HostState {
    /// The context of the call.
    ///
    /// # Errors
    /// A trap while a component describes itself: a description that depends on a caller is none.
    fn call_context(&self) -> wasmtime::Result<&CallContext> {
        self.context
            .as_ref()
            .ok_or_else(|| wasmtime::format_err!("the context was asked for outside of a call"))
    }
}

impl Host for HostState {
    fn tenant_id(&mut self) -> wasmtime::Result<String> {
        Ok(self.call_context()?.caller.tenant.id.to_string())
    }

    fn user_id(&mut self) -> wasmtime::Result<Option<String>> {
        Ok(self.call_context()?.caller.user.as_ref().map(ToString::to_string))
    }

    fn run_id(&mut self) -> wasmtime::Result<String> {
        Ok(self.call_context()?.run.to_string())
    }

    fn call_id(&mut self) -> wasmtime::Result<String> {
        Ok(self.call_context()?.call.to_string())
    }

    fn attempt(&mut self) -> wasmtime::Result<u32> {
        Ok(self.call_context()?.attempt)
    }

    fn fence(&mut self) -> wasmtime::Result<u64> {
        Ok(self.call_context()?.fence)
    }

    fn idempotency_key(&mut self) -> wasmtime::Result<Option<String>> {
        Ok(self.call_context()?.key.clone())
    }

    fn time_left_ms(&mut self) -> wasmtime::Result<u64> {
        let left = self.call_context()?.ends.saturating_duration_since(Instant::now());
        Ok(u64::try_from(left.as_millis()).unwrap_or(u64::MAX))
    }

    fn config(&mut self, key: String) -> wasmtime::Result<Option<String>> {
        let context = self.call_context()?;
        Ok(context.caller.tenant.config.get(&key).or_else(|| context.config.get(&key)).cloned())
    }
}
