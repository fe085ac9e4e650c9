//! The ticket without which nothing runs.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use toolhost_check::Arguments;

use super::call::{Call, Caller, Progress};
use crate::id::{ApprovalId, CallId, IdempotencyKey, RunId};
use crate::policy::Limits;
use crate::registry::Entry;

/// A call that passed every gate. Its fields are private and it can be made by the gates alone, so that running
/// without being checked does not compile.
#[derive(Debug)]
pub struct Admitted {
    call_id: CallId,
    run: RunId,
    caller: Caller,
    entry: Arc<Entry>,
    arguments: Arguments,
    key: Option<IdempotencyKey>,
    limits: Limits,
    progress: Option<mpsc::Sender<Progress>>,
    approval: Option<ApprovalId>,
}

impl Admitted {
    pub(super) fn new(
        call: &Call,
        call_id: CallId,
        run: RunId,
        entry: Arc<Entry>,
        arguments: Arguments,
        approval: Option<ApprovalId>,
    ) -> Self {
        let mut limits = entry.policy.limits.lowered(&call.caller.tenant.ceilings);
        if let Some(own) = call.deadline {
            limits.deadline = limits.deadline.min(own);
        }
        Self {
            call_id,
            run,
            caller: call.caller.clone(),
            entry,
            arguments,
            key: call.key.clone(),
            limits,
            progress: call.progress.clone(),
            approval,
        }
    }

    /// The call.
    #[must_use]
    pub fn call_id(&self) -> &CallId {
        &self.call_id
    }

    /// The run that the call belongs to.
    #[must_use]
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Who calls.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The tool.
    #[must_use]
    pub fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }

    /// The arguments, which meet the schema.
    #[must_use]
    pub fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    /// The limits in force for this call.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How long the whole call may take.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        self.limits.deadline
    }

    /// The key under which the side effect happens once: the caller's, else the template's, else the run and the
    /// call. A read-only call has none.
    #[must_use]
    pub fn idempotency_key(&self) -> Option<String> {
        if !self.entry.has_side_effect() {
            return None;
        }
        if let Some(key) = &self.key {
            return Some(key.as_str().to_owned());
        }
        let template = self.entry.policy.idempotency_key.as_deref();
        Some(match template {
            Some(template) => filled(template, self.arguments.value()),
            None => format!("{}/{}", self.run, self.call_id),
        })
    }

    /// Where news goes.
    #[must_use]
    pub fn progress(&self) -> Option<&mpsc::Sender<Progress>> {
        self.progress.as_ref()
    }

    /// The approval that was used up to get here.
    #[must_use]
    pub fn approval(&self) -> Option<&ApprovalId> {
        self.approval.as_ref()
    }
}

/// A template with each `{name}` replaced by that argument: a string as itself, anything else as JSON text. An
/// argument that is absent leaves `null`, so that its absence is part of the key.
fn filled(template: &str, arguments: &serde_json::Value) -> String {
    let mut key = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        key.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            key.push('{');
            rest = after;
            continue;
        };
        match arguments.get(name) {
            Some(serde_json::Value::String(text)) => key.push_str(text),
            Some(other) => key.push_str(&other.to_string()),
            None => key.push_str("null"),
        }
        rest = after;
    }
    key.push_str(rest);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_template_takes_its_arguments() {
        let arguments = serde_json::json!({"order_id": "o-1", "amount": 3});
        assert_eq!(filled("refund:{order_id}:{amount}", &arguments), "refund:o-1:3");
        assert_eq!(filled("plain", &arguments), "plain");
        assert_eq!(filled("{missing}/{order_id", &arguments), "null/{order_id");
    }
}
