//! Many calls as they are written down: JSON objects `{tool, arguments, idempotency_key}`, the last two optional.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::gate::{Call, Caller};
use crate::id::IdempotencyKey;

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
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A call that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {number} cannot be read: {reason}")]
pub(super) struct BatchFault {
    /// The line, from 1.
    number: usize,
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
            let fault = |reason: String| BatchFault { number: at + 1, reason };
            let written: Written<'_> =
                serde_json::from_str(line).map_err(|error| fault(error.to_string()))?;
            written.call(caller.clone()).map_err(fault)
        })
        .collect()
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
            assert_eq!(fault.number, number, "{fault}");
            assert!(fault.reason.contains(named), "{fault}");
        }
    }
}
