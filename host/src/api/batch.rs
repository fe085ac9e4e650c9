//! Calls as they are written down: JSON objects `{tool, arguments, idempotency_key}`, the last two optional, each in a line
//! of its own or all in one request `{calls, run, allow, wait}`; or one alone with all that a call can have, without the
//! tool, which stands elsewhere.

use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use super::round;
use crate::executor::{MOST_CALLS, TooManyCalls};
use crate::gate::{Call, Caller};
use crate::id::{IdError, IdempotencyKey, RunId};
use crate::policy::{Pattern, PatternError};
use crate::provider::{Format, Strict, UnknownName};
use crate::spec::{InputAnswer, clean};

/// Characters of what is wrong with a request.
const REASON_CHARS: usize = 300;

/// The longest deadline that a request may name, in milliseconds: a year, which no host allows.
const LONGEST_MS: u64 = 366 * 24 * 3_600_000;

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

/// Reads one JSON object. The fields of an object are never taken from a list, which serde would do.
///
/// # Errors
/// Says what is wrong with the text.
pub(super) fn object<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, String> {
    if text.trim_ascii_start().first().is_some_and(|first| *first != b'{') {
        return Err("it has to be one JSON object".to_owned());
    }
    serde_json::from_slice(text).map_err(|fault| fault.to_string())
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
            let written: Written<'_> = object(line.as_bytes()).map_err(fault)?;
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
    let many: Many<'_> = object(text).map_err(|reason| fault("the request", &reason))?;
    if many.calls.len() > MOST_CALLS {
        return Err(fault("calls", &TooManyCalls { found: many.calls.len() }.to_string()));
    }
    if many.wait && many.calls.len() > 1 {
        return Err(fault("wait", "one of many calls does not hold up the others; send it alone"));
    }
    let run = run(many.run.as_deref())?;
    let allow = allow(many.allow.as_deref())?;
    let numbered = many.calls.iter().enumerate();
    numbered
        .map(|(at, call)| {
            let fault = |reason: String| fault(&format!("calls[{at}]"), &reason);
            let written: Written<'_> = object(call.get().as_bytes()).map_err(fault)?;
            let call = written.call(caller.clone()).map_err(fault)?;
            Ok(Call { run: run.clone(), allow: allow.clone(), wait: many.wait, ..call })
        })
        .collect()
}

/// A request with a model's reply, as it is written down.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenReply<'a> {
    format: String,
    #[serde(borrow)]
    reply: &'a RawValue,
    #[serde(default, deserialize_with = "present")]
    strict: Option<String>,
    #[serde(default, deserialize_with = "present")]
    run: Option<String>,
    #[serde(default, deserialize_with = "present")]
    allow: Option<Vec<String>>,
}

/// A model's reply with calls in it, in the form of its provider.
#[derive(Debug)]
pub(super) struct Reply {
    /// Whose form it is.
    pub(super) format: Format,
    /// How the tools were shown to the model.
    pub(super) strict: Strict,
    /// The list that narrowed what the model was shown.
    pub(super) allow: Option<Vec<Pattern>>,
    /// The run that the calls belong to.
    pub(super) run: Option<RunId>,
    /// The reply as it came.
    pub(super) text: String,
}

/// Reads a request with a model's reply; none if the request has none.
///
/// # Errors
/// What is wrong with the request, but for the reply itself.
pub(super) fn reply(text: &[u8]) -> Result<Option<Reply>, BatchFault> {
    /// Whatever else is there.
    #[derive(Deserialize)]
    struct Has<'a> {
        #[serde(borrow, default, deserialize_with = "present")]
        reply: Option<&'a RawValue>,
    }
    let has: Has<'_> = object(text).map_err(|reason| fault("the request", &reason))?;
    if has.reply.is_none() {
        return Ok(None);
    }
    let written: WrittenReply<'_> = object(text).map_err(|reason| fault("the request", &reason))?;
    let strict = written.strict.as_deref().map_or(Ok(Strict::Auto), str::parse);
    Ok(Some(Reply {
        format: written
            .format
            .parse()
            .map_err(|unknown: UnknownName| fault("format", &unknown.to_string()))?,
        strict: strict.map_err(|unknown: UnknownName| fault("strict", &unknown.to_string()))?,
        allow: allow(written.allow.as_deref())?,
        run: run(written.run.as_deref())?,
        text: written.reply.get().to_owned(),
    }))
}

/// A request with one call, as it is written down. The tool stands elsewhere.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Alone<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    arguments: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "present")]
    run: Option<String>,
    #[serde(default, deserialize_with = "present")]
    idempotency_key: Option<String>,
    #[serde(default, deserialize_with = "present")]
    allow: Option<Vec<String>>,
    #[serde(default)]
    wait: bool,
    #[serde(default, deserialize_with = "present")]
    deadline_ms: Option<Number>,
    #[serde(default, deserialize_with = "present")]
    answers: Option<Map<String, Value>>,
    #[serde(default, deserialize_with = "present")]
    state: Option<String>,
}

/// One call, and what it brings of an earlier round of the same one.
#[derive(Debug)]
pub(super) struct Single {
    /// The call, without answers.
    pub(super) call: Call,
    /// Answers to what the tool asked.
    pub(super) answers: Option<Vec<InputAnswer>>,
    /// What the client kept for the host meanwhile, sealed.
    pub(super) state: Option<String>,
}

/// Reads a request with one call of a tool.
///
/// # Errors
/// What is wrong with the request.
pub(super) fn single(text: &[u8], caller: &Caller, tool: &str) -> Result<Single, BatchFault> {
    let alone: Alone<'_> = object(text).map_err(|reason| fault("the request", &reason))?;
    let written =
        Written { tool: tool.to_owned(), arguments: alone.arguments, idempotency_key: alone.idempotency_key };
    let call = written.call(caller.clone()).map_err(|reason| fault("idempotency_key", &reason))?;
    let out_of_range =
        || fault("deadline_ms", &format!("it has to be a whole number from 1 to {LONGEST_MS}"));
    let deadline = alone.deadline_ms.map(|number| millis(&number).ok_or_else(out_of_range)).transpose()?;
    let answers = alone.answers.map(|given| round::answers(given.into_iter())).transpose();
    Ok(Single {
        call: Call {
            run: run(alone.run.as_deref())?,
            allow: allow(alone.allow.as_deref())?,
            wait: alone.wait,
            deadline,
            ..call
        },
        answers: answers.map_err(|reason| fault("answers", &reason))?,
        state: alone.state,
    })
}

/// A time in milliseconds. A whole number is one however it is written, as JSON Schema has it: `1000.0` is.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole and in range")]
fn millis(number: &Number) -> Option<Duration> {
    let whole = number.as_u64().or_else(|| {
        let value = number.as_f64().filter(|value| value.fract() == 0.0 && (0.0..1e15).contains(value))?;
        Some(value as u64)
    })?;
    (1..=LONGEST_MS).contains(&whole).then(|| Duration::from_millis(whole))
}

/// What is wrong is told with what was sent, which may be anything.
fn fault(place: &str, reason: &str) -> BatchFault {
    BatchFault { place: place.to_owned(), reason: clean(reason.chars().take(REASON_CHARS).collect()) }
}

fn run(text: Option<&str>) -> Result<Option<RunId>, BatchFault> {
    text.map(str::parse).transpose().map_err(|error: IdError| fault("run", &error.to_string()))
}

/// A request's own list of tools.
pub(super) fn allow(texts: Option<&[String]>) -> Result<Option<Vec<Pattern>>, BatchFault> {
    let read = |text: &String| text.parse().map_err(|error: PatternError| error.to_string());
    texts.map(|texts| patterns(texts, read)).transpose().map_err(|reason| fault("allow", &reason))
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
    fn a_single_call_has_all_that_a_call_can_have() {
        let text = br#"{"arguments":{"n":9007199254740993.10},"run":"r","idempotency_key":"k","allow":["a*"],"wait":true,
            "deadline_ms":1.5e3,"answers":{"sure":{"action":"accept"}},"state":"s"}"#;
        let Single { call, answers, state } = single(text, &caller(), "a").unwrap();
        assert_eq!(
            (call.tool.as_str(), call.arguments.as_slice()),
            ("a", &br#"{"n":9007199254740993.10}"#[..])
        );
        assert_eq!((call.run.unwrap().as_str(), call.key.unwrap().as_str()), ("r", "k"));
        assert_eq!(call.allow.unwrap(), ["a*".parse().unwrap()]);
        assert_eq!((call.wait, call.deadline), (true, Some(Duration::from_millis(1_500))));
        let sure = InputAnswer { id: "sure".into(), value: r#"{"action":"accept"}"#.into() };
        assert_eq!((answers.unwrap(), state.as_deref()), (vec![sure], Some("s")));
        assert_eq!(single(b"{}", &caller(), "a").unwrap().call.arguments, b"{}");
        for (text, said) in [
            ("", "the request cannot be read: EOF"),
            ("[]", "the request cannot be read: it has to be one JSON object"),
            (r#"{"tool":"a"}"#, "the request cannot be read: unknown field `tool`"),
            (r#"{"run":"r","run":"r"}"#, "the request cannot be read: duplicate field"),
            (r#"{"deadline_ms":0}"#, "deadline_ms cannot be read: it has to be a whole number from 1"),
            (r#"{"deadline_ms":-1}"#, "deadline_ms cannot be read: "),
            (r#"{"deadline_ms":1.5}"#, "deadline_ms cannot be read: "),
            (r#"{"deadline_ms":1e300}"#, "deadline_ms cannot be read: "),
            (r#"{"deadline_ms":"1"}"#, "the request cannot be read: "),
            (r#"{"wait":null}"#, "the request cannot be read: "),
            (r#"{"idempotency_key":""}"#, "idempotency_key cannot be read: "),
            (r#"{"run":"a\u0000"}"#, "run cannot be read: the run id"),
            (r#"{"answers":{"a":1}}"#, "answers cannot be read: The input response \"a\" is not an object."),
        ] {
            let fault = single(text.as_bytes(), &caller(), "a").unwrap_err().to_string();
            assert!(fault.starts_with(said), "{text}: {fault}");
        }
    }

    #[test]
    fn a_requests_fault_names_its_place() {
        for (text, said) in [
            ("{", "the request cannot be read: EOF"),
            ("[[]]", "the request cannot be read: it has to be one JSON object"),
            (r#"{"runs":"r"}"#, "the request cannot be read: unknown field `runs`"),
            (r#"{"run":"r"}"#, "the request cannot be read: missing field `calls`"),
            (r#"{"calls":[],"run":""}"#, "run cannot be read: the run id"),
            (r#"{"calls":[],"allow":["a b"]}"#, "allow cannot be read: the tool pattern"),
            (r#"{"calls":[{"tool":"a"},{"tool":"b"}],"wait":true}"#, "wait cannot be read: one of many"),
            (r#"{"calls":[{"tool":"a"},{"tool":1}]}"#, "calls[1] cannot be read: invalid type"),
            (r#"{"calls":[["a"]]}"#, "calls[0] cannot be read: it has to be one JSON object"),
        ] {
            let fault = request(text.as_bytes(), &caller()).unwrap_err().to_string();
            assert!(fault.starts_with(said), "{fault}");
        }
    }
}
