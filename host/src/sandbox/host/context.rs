//! `context`: who calls, and how. Comes from the authenticated channel, never from arguments.

use tokio::time::Instant;

use super::super::bindings::toolhost::tool::context::Host;
use super::super::state::{CallContext, HostState};

impl HostState {
    /// The context of the call.
    ///
    /// # Errors
    /// A trap while a component describes itself: a description that depends on a caller is none.
    fn caller(&self) -> wasmtime::Result<&CallContext> {
        self.context
            .as_ref()
            .ok_or_else(|| wasmtime::format_err!("the context was asked for outside of a call"))
    }
}

impl Host for HostState {
    fn tenant_id(&mut self) -> wasmtime::Result<String> {
        Ok(self.caller()?.tenant.to_string())
    }

    fn user_id(&mut self) -> wasmtime::Result<Option<String>> {
        Ok(self.caller()?.user.clone())
    }

    fn run_id(&mut self) -> wasmtime::Result<String> {
        Ok(self.caller()?.run.clone())
    }

    fn call_id(&mut self) -> wasmtime::Result<String> {
        Ok(self.caller()?.call.clone())
    }

    fn attempt(&mut self) -> wasmtime::Result<u32> {
        Ok(self.caller()?.attempt)
    }

    fn fence(&mut self) -> wasmtime::Result<u64> {
        Ok(self.caller()?.fence)
    }

    fn idempotency_key(&mut self) -> wasmtime::Result<Option<String>> {
        Ok(self.caller()?.key.clone())
    }

    fn time_left_ms(&mut self) -> wasmtime::Result<u64> {
        let left = self.caller()?.ends.saturating_duration_since(Instant::now());
        Ok(u64::try_from(left.as_millis()).unwrap_or(u64::MAX))
    }

    fn config(&mut self, key: String) -> wasmtime::Result<Option<String>> {
        Ok(self.caller()?.config.iter().find_map(|settings| settings.get(&key)).cloned())
    }
}
