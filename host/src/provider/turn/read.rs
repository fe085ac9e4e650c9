//! From a provider's reply to calls. Arguments are not parsed here: they go on as the text that they are.

use std::collections::HashSet;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use toolhost_check::json;

use super::TurnFault;
use crate::provider::format::Format;
use crate::provider::schema::Plan;
use crate::spec::clean;

/// Characters of what is wrong with a reply.
const REASON_CHARS: usize = 300;

/// What a reply says.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) calls: Vec<Said>,
    pub(super) cut_off: Option<String>,
}

/// One call as a model said it.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// Reads a reply.
pub(super) fn reply(format: Format, text: &[u8]) -> Result<Reply, TurnFault> {
    let read = match format {
        Format::Mcp => return Err(TurnFault::NoReplies),
        Format::OpenAi => openai(text),
        Format::OpenAiChat => openai_chat(text),
        Format::Anthropic => anthropic(text),
        Format::Gemini => gemini(text),
    };
    // What is wrong is told with what was sent, which may be anything.
    let reason = |reason: String| clean(reason.chars().take(REASON_CHARS).collect());
    read.map_err(|text| TurnFault::Unreadable { format, reason: reason(text) })
}

/// Takes back what a form made of arguments. A text that a gate would refuse goes on as it is, for the gate to say so.
pub(super) fn back(plan: &Plan, text: &str) -> String {
    if plan.is_trivial() || json::scan_object(text.as_bytes(), &json::Limits::ARGUMENTS).is_err() {
        return text.to_owned();
    }
    let Ok(mut value) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    if plan.apply(&mut value) { value.to_string() } else { text.to_owned() }
}

fn parsed<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// What tells a whole answer from a part of one. Nothing of it is kept: a hostile answer would take many times its size.
#[derive(Deserialize)]
struct Shape {
    choices: Option<IgnoredAny>,
    message: Option<IgnoredAny>,
    role: Option<String>,
    candidates: Option<IgnoredAny>,
    parts: Option<IgnoredAny>,
}

fn is_list(text: &str) -> bool {
    text.trim_start().starts_with('[')
}

fn utf8(text: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(text).map_err(|error| error.to_string())
}

/// The arguments in a text of their own, or, as some servers send them, as an object. Nothing at all means none.
fn unwrapped(arguments: Option<&RawValue>) -> String {
    let raw = arguments.map_or("{}", RawValue::get);
    let text = serde_json::from_str::<String>(raw).unwrap_or_else(|_| raw.to_owned());
    if text.trim().is_empty() || text == "null" { "{}".to_owned() } else { text }
}

/// The arguments as they stand.
fn bare(arguments: Option<&RawValue>) -> String {
    arguments.map(RawValue::get).filter(|raw| *raw != "null").unwrap_or("{}").to_owned()
}

#[derive(Deserialize)]
struct Response<'t> {
    #[serde(borrow)]
    output: Vec<&'t RawValue>,
    status: Option<String>,
    incomplete_details: Option<Reason>,
}

#[derive(Deserialize)]
struct Reason {
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Typed {
    r#type: Option<String>,
}

#[derive(Deserialize)]
struct Answered {
    call_id: Option<String>,
}

#[derive(Deserialize)]
struct FunctionCall<'t> {
    call_id: Option<String>,
    name: String,
    #[serde(borrow)]
    arguments: Option<&'t RawValue>,
    status: Option<String>,
}

fn openai(text: &[u8]) -> Result<Reply, String> {
    let text = utf8(text)?;
    let (items, mut cut_off) = if is_list(text) {
        (parsed::<Vec<&RawValue>>(text)?, None)
    } else {
        let response: Response<'_> = parsed(text)?;
        let reason = response.incomplete_details.and_then(|details| details.reason);
        let ended = response.status.filter(|status| status != "completed");
        (response.output, ended.map(|status| reason.unwrap_or(status)))
    };
    let (mut calls, mut answered) = (Vec::new(), HashSet::new());
    for item in items {
        match parsed::<Typed>(item.get())?.r#type.as_deref() {
            Some("function_call") => {
                let call: FunctionCall<'_> = parsed(item.get())?;
                cut_off = cut_off.or(call.status.filter(|status| status != "completed"));
                calls.push(Said { id: call.call_id, name: call.name, arguments: unwrapped(call.arguments) });
            }
            Some("function_call_output") => answered.extend(parsed::<Answered>(item.get())?.call_id),
            _ => {}
        }
    }
    // Items of a longer conversation: what has its result already was called before.
    calls.retain(|call| !call.id.as_ref().is_some_and(|id| answered.contains(id)));
    Ok(Reply { calls, cut_off })
}

/// Why a model ended: a reason, null for a reply that it has not ended yet, or nothing where a server leaves it out.
fn said<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(deserializer).map(Some)
}

/// What a reply that is not whole was cut off by.
fn cut_off(ended: Option<Option<String>>, whole: &[&str]) -> Option<String> {
    match ended? {
        None => Some("unfinished".to_owned()),
        Some(reason) => (!whole.contains(&reason.as_str())).then_some(reason),
    }
}

#[derive(Deserialize)]
struct Completion<'t> {
    #[serde(borrow)]
    choices: Vec<Choice<'t>>,
}

#[derive(Deserialize)]
struct Choice<'t> {
    #[serde(borrow)]
    message: Message<'t>,
    #[serde(default, deserialize_with = "said")]
    finish_reason: Option<Option<String>>,
}

#[derive(Deserialize)]
struct Message<'t> {
    #[serde(borrow)]
    tool_calls: Option<Vec<&'t RawValue>>,
}

#[derive(Deserialize)]
struct ToolCall<'t> {
    id: Option<String>,
    #[serde(borrow)]
    function: Function<'t>,
}

#[derive(Deserialize)]
struct Function<'t> {
    name: String,
    #[serde(borrow)]
    arguments: Option<&'t RawValue>,
}

fn openai_chat(text: &[u8]) -> Result<Reply, String> {
    let text = utf8(text)?;
    let shape: Shape = parsed(text)?;
    let (message, finish) = if shape.choices.is_some() {
        let mut choices = parsed::<Completion<'_>>(text)?.choices.into_iter();
        match (choices.next(), choices.next()) {
            (Some(choice), None) => (choice.message, choice.finish_reason),
            _ => return Err("it has to have one choice".to_owned()),
        }
    } else if shape.message.is_some() {
        let choice: Choice<'_> = parsed(text)?;
        (choice.message, choice.finish_reason)
    } else if shape.role.is_some_and(|role| role == "assistant") {
        (parsed(text)?, None)
    } else {
        return Err("it is no completion, choice or message of the role assistant".to_owned());
    };
    let mut calls = Vec::new();
    for call in message.tool_calls.into_iter().flatten() {
        // Some servers leave the type out.
        if parsed::<Typed>(call.get())?.r#type.is_some_and(|kind| kind != "function") {
            continue;
        }
        let call: ToolCall<'_> = parsed(call.get())?;
        let arguments = unwrapped(call.function.arguments);
        calls.push(Said { id: call.id, name: call.function.name, arguments });
    }
    Ok(Reply { calls, cut_off: cut_off(finish, &["stop", "tool_calls", "function_call"]) })
}

#[derive(Deserialize)]
struct Sampled<'t> {
    #[serde(borrow)]
    content: Vec<&'t RawValue>,
    #[serde(default, deserialize_with = "said")]
    stop_reason: Option<Option<String>>,
}

#[derive(Deserialize)]
struct ToolUse<'t> {
    id: Option<String>,
    name: String,
    #[serde(borrow)]
    input: Option<&'t RawValue>,
}

fn anthropic(text: &[u8]) -> Result<Reply, String> {
    let text = utf8(text)?;
    let (blocks, stop) = if is_list(text) {
        (parsed::<Vec<&RawValue>>(text)?, None)
    } else {
        let Sampled { content, stop_reason } = parsed(text)?;
        (content, stop_reason)
    };
    let mut calls = Vec::new();
    for block in blocks {
        if parsed::<Typed>(block.get())?.r#type.as_deref() == Some("tool_use") {
            let call: ToolUse<'_> = parsed(block.get())?;
            calls.push(Said { id: call.id, name: call.name, arguments: bare(call.input) });
        }
    }
    Ok(Reply { calls, cut_off: cut_off(stop, &["tool_use", "end_turn", "stop_sequence"]) })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'t> {
    #[serde(borrow)]
    content: Option<Content<'t>>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content<'t> {
    #[serde(borrow, default)]
    parts: Vec<&'t RawValue>,
}

#[derive(Deserialize)]
struct Candidates<'t> {
    #[serde(borrow)]
    candidates: Vec<Candidate<'t>>,
}

#[derive(Deserialize)]
struct Part<'t> {
    #[serde(borrow, rename = "functionCall", alias = "function_call")]
    call: Option<GeminiCall<'t>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiCall<'t> {
    id: Option<String>,
    name: String,
    #[serde(borrow)]
    args: Option<&'t RawValue>,
    #[serde(default, alias = "will_continue")]
    will_continue: Option<bool>,
}

fn gemini(text: &[u8]) -> Result<Reply, String> {
    let text = utf8(text)?;
    let (content, finish) = if is_list(text) {
        (Some(Content { parts: parsed(text)? }), None)
    } else {
        let shape: Shape = parsed(text)?;
        if shape.candidates.is_some() {
            let mut candidates = parsed::<Candidates<'_>>(text)?.candidates.into_iter();
            match (candidates.next(), candidates.next()) {
                (Some(one), None) => (one.content, one.finish_reason),
                _ => return Err("it has to have one candidate".to_owned()),
            }
        } else if shape.parts.is_some() {
            (Some(parsed(text)?), None)
        } else {
            let one: Candidate<'_> = parsed(text)?;
            if one.content.is_none() && one.finish_reason.is_none() {
                return Err("it is no response, candidate, content or list of parts".to_owned());
            }
            (one.content, one.finish_reason)
        }
    };
    let mut calls = Vec::new();
    let complete = |reason: &String| matches!(reason.as_str(), "STOP" | "FINISH_REASON_UNSPECIFIED");
    let mut cut_off = finish.filter(|reason| !complete(reason));
    for part in content.map(|content| content.parts).unwrap_or_default() {
        let Some(call) = parsed::<Part<'_>>(part.get())?.call else { continue };
        if call.will_continue == Some(true) {
            cut_off.get_or_insert_with(|| "willContinue".to_owned());
        }
        calls.push(Said { id: call.id, name: call.name, arguments: bare(call.args) });
    }
    Ok(Reply { calls, cut_off })
}
