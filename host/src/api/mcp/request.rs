//! What a request says about itself in `_meta`: the run, the key, a narrower list of tools, and whether to wait for a
//! reviewer. Never who calls.

use std::str::FromStr;

use rmcp::model::{ErrorData, JsonObject};
use serde_json::Value;

use crate::api::batch::patterns;
use crate::id::{IdempotencyKey, RunId};
use crate::policy::Pattern;

#[cfg(test)]
mod tests;

const PREFIX: &str = "toolhost/";
const RUN: &str = "toolhost/run";
const KEY: &str = "toolhost/idempotency-key";
const ALLOW: &str = "toolhost/allow";
const WAIT: &str = "toolhost/wait";

/// A `_meta` key of ours that says nothing usable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("The _meta key {key:?} is not valid: {reason}.")]
pub(super) struct MetaFault {
    key: String,
    reason: String,
}

impl From<MetaFault> for ErrorData {
    fn from(fault: MetaFault) -> Self {
        Self::invalid_params(fault.to_string(), None)
    }
}

/// The keys that begin with `toolhost/`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RequestMeta {
    pub(super) run: Option<RunId>,
    pub(super) key: Option<IdempotencyKey>,
    pub(super) allow: Option<Vec<Pattern>>,
    pub(super) wait: bool,
}

impl RequestMeta {
    /// Reads our keys and leaves all others alone.
    ///
    /// # Errors
    /// [`MetaFault`] for a key of ours with a bad value, and for one that does not exist: a mistyped idempotency key
    /// that is ignored would run a side effect twice.
    pub(super) fn parse(meta: &JsonObject) -> Result<Self, MetaFault> {
        let mut parsed = Self::default();
        for (key, value) in meta.iter().filter(|(key, _)| key.starts_with(PREFIX)) {
            let fault = |reason: String| MetaFault { key: key.chars().take(80).collect(), reason };
            match key.as_str() {
                RUN => parsed.run = Some(text(value).map_err(fault)?),
                KEY => parsed.key = Some(text(value).map_err(fault)?),
                ALLOW => parsed.allow = Some(allow(value).map_err(fault)?),
                WAIT => {
                    let wait = value.as_bool().ok_or_else(|| fault("it must be true or false".into()))?;
                    parsed.wait = wait;
                }
                _ => {
                    return Err(fault(format!(
                        "it does not exist; there are {RUN}, {KEY}, {ALLOW} and {WAIT}"
                    )));
                }
            }
        }
        Ok(parsed)
    }
}

fn text<T: FromStr<Err: ToString>>(value: &Value) -> Result<T, String> {
    value.as_str().ok_or("it must be a string")?.parse().map_err(|error: T::Err| error.to_string())
}

fn allow(value: &Value) -> Result<Vec<Pattern>, String> {
    patterns(value.as_array().ok_or("it must be an array of tool patterns")?, text)
}
