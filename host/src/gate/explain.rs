//! What each gate would say, and by which rule, for operators. Runs nothing, asks nobody and uses nothing up.

use super::call::Call;
use super::{allowed, exists, matches, parseable};
use crate::policy::{Disclosure, Verdict};
use crate::registry::Snapshot;
use crate::spec::{Failure, Gate};

/// One gate's verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The gate.
    pub gate: Gate,
    /// Whether the call passes; none if an earlier gate refused.
    pub passed: Option<bool>,
    /// The rule that decided.
    pub rule: String,
    /// What the caller would be told.
    pub message: Option<String>,
}

/// Each gate's verdict on a call, in order. Always five.
#[must_use]
pub fn explain(call: &Call, snapshot: &Snapshot) -> Vec<Explained> {
    let mut verdicts = Vec::with_capacity(Gate::ALL.len());
    // An operator is told what there is, whatever callers are told.
    let Some(entry) =
        step(&mut verdicts, Gate::Exists, exists(call, snapshot, Disclosure::Normal), |entry| {
            format!("{} offers it", entry.source.path.display())
        })
    else {
        return unreached(verdicts);
    };
    let access = call.caller.tenant.access.explain(entry.name.as_str(), call.allow.as_deref());
    let (Verdict::Allowed(rule) | Verdict::Denied(rule)) = access;
    let refusal = allowed(call, &entry).err();
    verdicts.push(Explained {
        gate: Gate::Allowed,
        passed: Some(refusal.is_none()),
        rule,
        message: refusal.as_ref().map(|refusal| refusal.message.clone()),
    });
    if refusal.is_some() {
        return unreached(verdicts);
    }
    let Some(arguments) = step(&mut verdicts, Gate::Json, parseable(call, &entry), |arguments| {
        format!("one JSON object of {} bytes", arguments.raw().len())
    }) else {
        return unreached(verdicts);
    };
    let matched = matches(&entry, &arguments);
    if step(&mut verdicts, Gate::Schema, matched, |()| "the tool's input schema".to_owned()).is_none() {
        return unreached(verdicts);
    }
    let asks = entry.policy.requires_approval;
    verdicts.push(Explained {
        gate: Gate::Approved,
        passed: Some(!asks),
        rule: if asks {
            "a reviewer has to agree to each call of this tool".to_owned()
        } else {
            "no approval is asked for".to_owned()
        },
        message: None,
    });
    verdicts
}

fn step<T>(
    verdicts: &mut Vec<Explained>,
    gate: Gate,
    result: Result<T, Failure>,
    rule: impl FnOnce(&T) -> String,
) -> Option<T> {
    let (passed, rule, message) = match &result {
        Ok(value) => (true, rule(value), None),
        Err(failure) => (false, failure.code.as_str().to_owned(), Some(failure.message.clone())),
    };
    verdicts.push(Explained { gate, passed: Some(passed), rule, message });
    result.ok()
}

fn unreached(mut verdicts: Vec<Explained>) -> Vec<Explained> {
    for gate in Gate::ALL.into_iter().skip(verdicts.len()) {
        let rule = "not reached, since an earlier gate refused".to_owned();
        verdicts.push(Explained { gate, passed: None, rule, message: None });
    }
    verdicts
}
