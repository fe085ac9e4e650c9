//! The key under which a side effect happens once, and what the ledger says of it.

use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, timeout_at};
use toolhost_check::Arguments;
use toolhost_check::canonical::canonical;

use super::call::Call;
use super::round::Answered;
use crate::id::{CallId, IdempotencyKey, RunId, hex};
use crate::registry::Entry;
use crate::spec::{Code, Failure};
use crate::store::{Keyed, Known, Settled, Store};

/// The key of a side-effecting call.
#[derive(Debug, Clone)]
pub(super) struct Key {
    /// The key, as the guest is told it.
    pub(super) text: String,
    /// What the ledger keeps it under; none for a key that nobody can repeat.
    pub(super) keyed: Option<Keyed>,
}

/// An outcome that stands already, of an earlier call with the same key.
#[derive(Debug)]
pub struct Replay {
    /// The call that ran.
    pub call: CallId,
    /// Its outcome.
    pub settled: Box<Settled>,
}

/// The caller's key, else the template's, else one of the run and the call. A read-only call has none.
///
/// Without a key of the caller's or the template's, a call in a run that the caller named goes by its signature: the tool
/// and the canonical arguments. So an equal call under another id is the same one, unless the tool is `repeatable`. A call
/// that another tool makes goes by that tool's call, by the signature, and by its number among equal ones, so that it
/// happens once however often that tool is attempted.
///
/// A call with answers goes by what the call was known by that asked for them, so that all its rounds are one call; a
/// read-only one too, if a reviewer agreed to it.
pub(super) fn key(
    call: &Call,
    entry: &Entry,
    arguments: &Arguments,
    answered: &Answered,
    run: &RunId,
    call_id: &CallId,
) -> Option<Key> {
    let keyed = |key| Keyed {
        tenant: call.caller.tenant.id.clone(),
        tool: entry.name.clone(),
        key,
        arguments_digest: hex(&arguments.digest()),
        runs: entry.policy.runs,
    };
    if let Some(round) = &answered.round
        && (entry.has_side_effect() || round.approved)
    {
        let keyed = keyed(round.ledger_key.clone());
        return Some(Key { keyed: Some(keyed), text: round.key.clone() });
    }
    if !entry.has_side_effect() {
        return None;
    }
    let given = call.key.as_ref().map(|key| key.as_str().to_owned());
    let filled = || Some(fill(entry.policy.idempotency_key.as_deref()?, arguments.value()));
    if let Some(text) = given.or_else(filled) {
        return Some(Key { keyed: Some(keyed(text.clone())), text });
    }
    // Control characters keep what follows apart from every key that a caller or a template can make.
    let digest = || hex(&arguments.digest());
    let in_named_run = call.within.as_ref().map_or(call.run.is_some(), |within| within.in_named_run);
    if in_named_run && !entry.policy.repeatable {
        // A run that the caller named is its word that equal calls in it are one.
        let digest = digest();
        return Some(Key {
            keyed: Some(keyed(format!("{run}\u{1f}{digest}"))),
            text: format!("{run}/{digest}"),
        });
    }
    if let Some(within) = &call.within {
        // When the calling tool is attempted again it makes the same calls again.
        let (digest, number) = (digest(), within.number);
        let key = format!("{}\u{1f}{number}\u{1f}{digest}", within.identity);
        let text = format!("{}/{number}/{digest}", within.call);
        return Some(Key { keyed: Some(keyed(key)), text });
    }
    Some(Key { keyed: None, text: format!("{run}/{call_id}") })
}

/// The key of the effect of a reviewer's arguments, where it is another than the call's own: that of the template, or of the
/// signature. A caller's own key stands for the call whatever a reviewer makes of it.
pub(super) fn of_effect(
    call: &Call,
    entry: &Entry,
    arguments: &Arguments,
    run: &RunId,
    call_id: &CallId,
    own: Option<&Key>,
) -> Option<Key> {
    if call.key.is_some() {
        return None;
    }
    let key = key(call, entry, arguments, &Answered::default(), run, call_id)?;
    let known_by = |key: &Key| key.keyed.as_ref().map(|keyed| keyed.key.clone());
    let its_own = known_by(&key)?;
    (own.and_then(known_by) != Some(its_own)).then_some(key)
}

/// What stands already for a key, once no other call with it is running; none if the call may claim it.
///
/// # Errors
/// A refusal if the key was used with other arguments, its call was lost, or the deadline passes while one runs.
pub async fn replay(
    keyed: &Keyed,
    ends: Instant,
    deadline: Duration,
    call_id: &CallId,
    store: &Store,
) -> Result<Option<Replay>, Failure> {
    // Until something is known, an earlier call may have taken effect.
    let Ok(known) = timeout_at(ends, store.ledger().join(keyed, ends)).await else {
        return Err(Failure::timed_out(deadline).unsure());
    };
    match known.map_err(|fault| Failure::internal(call_id, fault).unsure())? {
        Some(Known::Free) => Ok(None),
        Some(Known::Done { call, settled }) => Ok(Some(Replay { call, settled })),
        Some(Known::Conflict) => Err(Failure::new(
            Code::KeyConflict,
            format!(
                "This idempotency key was used for '{}' before, with other arguments. Nothing ran. Repeat the \
                 arguments of that call, or take a new key for a new call.",
                keyed.tool
            ),
        )),
        Some(Known::Lost { runs, .. }) if keyed.runs > 1 => Err(Failure::new(
            Code::ExecutionAbandoned,
            format!(
                "The tool '{}' was started {runs} times for this key, and the host went down each time. It gave up \
                 after {runs} attempts. The call may have taken effect.",
                keyed.tool
            ),
        )
        .unsure()),
        Some(Known::Lost { call, .. }) => Err(lost(keyed, &call)),
        // `join` does not end while a call runs, but by the clock.
        Some(Known::Executing) | None => Err(Failure::timed_out(deadline).unsure()),
    }
}

fn lost(keyed: &Keyed, call: &CallId) -> Failure {
    let message = format!(
        "The host went down while an earlier call of '{}' with this key ran ({call}). It may have taken effect. Find \
         out before you call it under a new key.",
        keyed.tool
    );
    Failure::new(Code::OutcomeUnknown, message).unsure()
}

/// A template with each `{name}` replaced by that argument: a string as itself, anything else as canonical JSON text, so
/// that equal arguments make equal keys. An argument that is absent leaves `null`, so that its absence is part of the key.
///
/// In a string `%`, and whatever separates two arguments in the template, is percent-encoded (RFC 3986, section 2.1), so
/// that separated arguments never run together. What is longer than a key may be is replaced by its hash.
fn fill(template: &str, arguments: &serde_json::Value) -> String {
    let separators = separators(template);
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
            Some(serde_json::Value::String(text)) => escape(&mut key, text, &separators),
            Some(other) => key.push_str(&canonical(other)),
            None => key.push_str("null"),
        }
        rest = after;
    }
    key.push_str(rest);
    if key.parse::<IdempotencyKey>().is_ok() {
        return key;
    }
    format!("sha256:{}", hex(&Sha256::digest(key.as_bytes())))
}

/// The characters between the arguments of a template.
fn separators(template: &str) -> String {
    let between = template.split_once('}').map_or("", |(_, rest)| rest);
    let between = between.rsplit_once('{').map_or("", |(between, _)| between);
    between.split('}').map(|part| part.split_once('{').map_or(part, |(literal, _)| literal)).collect()
}

fn escape(key: &mut String, text: &str, separators: &str) {
    for c in text.chars() {
        if c == '%' || separators.contains(c) {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                key.push_str(&format!("%{byte:02X}"));
            }
        } else {
            key.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_template_takes_its_arguments() {
        let arguments = serde_json::json!({"order_id": "o-1", "amount": 3});
        assert_eq!(fill("refund:{order_id}:{amount}", &arguments), "refund:o-1:3");
        assert_eq!(fill("plain", &arguments), "plain");
        assert_eq!(fill("{missing}/{order_id", &arguments), "null/{order_id");
    }

    #[test]
    fn equal_arguments_make_equal_keys() {
        let of = |text: &str| fill("r:{a}", &serde_json::from_str(text).unwrap());
        assert_eq!(of(r#"{"a":7}"#), of(r#"{"a":70e-1}"#));
        assert_eq!(of(r#"{"a":{"x":1,"y":2}}"#), of(r#"{"a":{"y":2.0,"x":1}}"#));
        assert_ne!(of(r#"{"a":9007199254740993}"#), of(r#"{"a":9007199254740992}"#));
    }

    #[test]
    fn arguments_never_run_together_and_a_key_stays_short() {
        let of = |a: &str, b: &str| fill("{a}:{b}", &serde_json::json!({"a": a, "b": b}));
        assert_ne!(of("x:y", "z"), of("x", "y:z"));
        assert_ne!(of("%3A", ""), of(":", ""));
        let of = |a: &str, b: &str| fill("r:{a}-{b}", &serde_json::json!({"a": a, "b": b}));
        assert_ne!(of("x-y", "z"), of("x", "y-z"));
        assert_eq!(of("x:y", "z"), "r:x:y-z");
        assert_eq!(of(&"x".repeat(1_000), "y").len(), "sha256:".len() + 64);
        assert_ne!(of(&"x".repeat(1_000), "y"), of(&"x".repeat(1_000), "z"));
    }
}
