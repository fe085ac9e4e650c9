//! Many calls as they are written down: JSON objects `{tool, arguments, idempotency_key}`, the last two optional, each in
//! a line of its own or all in one request `{calls, run, allow, wait}`.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::executor::{MOST_CALLS, TooManyCalls};
use crate::gate::{Call, Caller};
use crate::id::{IdempotencyKey, RunId};
use crate::policy::{Pattern, PatternError};
use crate::spec::clean;

/// Characters of what is wrong with a request.
const REASON_CHARS: usize = 300;

/// How many patterns a request may bring: each is tried on each tool.
pub(super) const MOST_PATTERNS: usize = 256;

/// One call as it is written down. Its arguments keep every digit, and reach the gates as they stand.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written<'a> {
    tool: String,
    #[serde(borrow, default, deserialize_with = "present")]
    arguments: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "present")]
    idempotency_key: Option<String>,
}

/// What is there is taken as it stands: `null` is not the same as nothing.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A call that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place} cannot be read: {reason}")]
pub(super) struct BatchFault {
    /// Where it stands: a line, from 1, or a place in the list of calls, from 0.
    place: String,
    /// What is wrong with it.
    reason: String,
}

impl Written<'_> {
    /// The call that is meant.
    ///
    /// # Errors
    /// Says what is wrong with the key.
    fn call(&self, caller: Caller) -> Result<Call, String> {
        let key = self.idempotency_key.as_deref().map(str::parse::<IdempotencyKey>);
        let key = key.transpose().map_err(|fault| fault.to_string())?;
        let arguments = self.arguments.map_or("{}", RawValue::get);
        Ok(Call { key, ..Call::new(caller, self.tool.clone(), arguments) })
    }
}

/// Reads JSON Lines: one call in each line, empty lines left out.
///
/// # Errors
/// The first line that cannot be read, by its number.
pub(super) fn lines(text: &str, caller: &Caller) -> Result<Vec<Call>, BatchFault> {
    let numbered = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    numbered
        .map(|(at, line)| {
            let fault = |reason: String| BatchFault { place: format!("line {}", at + 1), reason };
            let written: Written<'_> =
                serde_json::from_str(line).map_err(|error| fault(error.to_string()))?;
            written.call(caller.clone()).map_err(fault)
        })
        .collect()
}

/// One request with many calls, as it is written down.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Many<'a> {
    #[serde(borrow)]
    calls: Vec<&'a RawValue>,
    #[serde(default, deserialize_with = "present")]
    run: Option<String>,
    #[serde(default, deserialize_with = "present")]
    allow: Option<Vec<String>>,
    #[serde(default)]
    wait: bool,
}

/// Reads a request: the calls, and what they have in common.
///
/// # Errors
/// What is wrong with the request, or with the first call that cannot be read.
pub(super) fn request(text: &[u8], caller: &Caller) -> Result<Vec<Call>, BatchFault> {
    // What is wrong is told with what was sent, which may be anything.
    let fault = |place: &str, reason: String| BatchFault {
        place: place.to_owned(),
        reason: clean(reason.chars().take(REASON_CHARS).collect()),
    };
    let many: Many<'_> =
        serde_json::from_slice(text).map_err(|error| fault("the request", error.to_string()))?;
    if many.calls.len() > MOST_CALLS {
        return Err(fault("calls", TooManyCalls { found: many.calls.len() }.to_string()));
    }
    if many.wait && many.calls.len() > 1 {
        return Err(fault("wait", "one of many calls does not hold up the others; send it alone".to_owned()));
    }
    let run = many.run.as_deref().map(str::parse::<RunId>).transpose();
    let run = run.map_err(|error| fault("run", error.to_string()))?;
    let read = |text: &String| text.parse().map_err(|error: PatternError| error.to_string());
    let allow = many.allow.map(|texts| patterns(&texts, read));
    let allow = allow.transpose().map_err(|error| fault("allow", error))?;
    let numbered = many.calls.iter().enumerate();
    numbered
        .map(|(at, call)| {
            let fault = |reason| fault(&format!("calls[{at}]"), reason);
            let written: Written<'_> =
                serde_json::from_str(call.get()).map_err(|error| fault(error.to_string()))?;
            let call = written.call(caller.clone()).map_err(fault)?;
            Ok(Call { run: run.clone(), allow: allow.clone(), wait: many.wait, ..call })
        })
        .collect()
}

/// A request's own list of tools, no longer than is taken.
///
/// # Errors
/// Says what is wrong with the list, or with the first pattern that `read` does not take.
pub(super) fn patterns<T>(
    items: &[T],
    read: impl Fn(&T) -> Result<Pattern, String>,
) -> Result<Vec<Pattern>, String> {
    if items.len() > MOST_PATTERNS {
        return Err(format!("it has {} patterns; at most {MOST_PATTERNS} are taken", items.len()));
    }
    items.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gate::Surface;
    use crate::policy::Tenant;

    fn caller() -> Caller {
        let tenant = Arc::new(Tenant::local("local".parse().unwrap()));
        Caller { tenant, user: None, surface: Surface::Cli }
    }

    #[test]
    fn arguments_come_through_as_they_stand() {
        let text = "{\"tool\":\"a\",\"arguments\":{\"n\":9007199254740993.10,\"n\":\"\\ud800\"}}\n\n{\"tool\":\"b\"}\n\
                    {\"tool\":\"c\",\"arguments\":null}";
        let calls = lines(text, &caller()).unwrap();
        let arguments: Vec<&[u8]> = calls.iter().map(|call| call.arguments.as_slice()).collect();
        assert_eq!(arguments, [&br#"{"n":9007199254740993.10,"n":"\ud800"}"#[..], b"{}", b"null"]);
    }

    #[test]
    fn a_fault_names_its_line() {
        for (text, number, named) in [
            ("{\"tool\":\"a\"}\n{", 2, "EOF"),
            ("{\"tool\":\"a\",\"key\":\"k\"}", 1, "unknown field `key`"),
            ("{\"tool\":\"a\",\"tool\":\"b\"}", 1, "duplicate field"),
            ("{\"tool\":\"a\",\"idempotency_key\":null}", 1, "null"),
            ("\n{\"tool\":\"a\",\"idempotency_key\":\"\"}", 2, "the idempotency key"),
        ] {
            let fault = lines(text, &caller()).unwrap_err();
            assert_eq!(fault.place, format!("line {number}"), "{fault}");
            assert!(fault.reason.contains(named), "{fault}");
        }
    }

    #[test]
    fn a_request_gives_its_calls_what_they_share() {
        let text = br#"{"calls":[{"tool":"a","arguments":{"n":1.0}},{"tool":"b"}],"run":"r","allow":["a*"]}"#;
        let calls = request(text, &caller()).unwrap();
        assert_eq!(calls.iter().map(|call| call.tool.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        for call in calls {
            assert_eq!(call.run.unwrap().as_str(), "r");
            assert_eq!(call.allow.unwrap(), ["a*".parse().unwrap()]);
        }
    }

    #[test]
    fn a_requests_fault_names_its_place() {
        for (text, said) in [
            ("{", "the request cannot be read: EOF"),
            ("[]", "the request cannot be read: invalid length 0"),
            (r#"{"runs":"r"}"#, "the request cannot be read: unknown field `runs`"),
            (r#"{"run":"r"}"#, "the request cannot be read: missing field `calls`"),
            (r#"{"calls":[],"run":""}"#, "run cannot be read: the run id"),
            (r#"{"calls":[],"allow":["a b"]}"#, "allow cannot be read: the tool pattern"),
            (r#"{"calls":[{"tool":"a"},{"tool":"b"}],"wait":true}"#, "wait cannot be read: one of many"),
            (r#"{"calls":[{"tool":"a"},{"tool":1}]}"#, "calls[1] cannot be read: invalid type"),
        ] {
            let fault = request(text.as_bytes(), &caller()).unwrap_err().to_string();
            assert!(fault.starts_with(said), "{fault}");
        }
    }
}
