//! From a provider's reply to calls. Arguments are not parsed here: they go on as the text that they are.

use serde::Deserialize;
use serde::de::DeserializeOwned;
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

fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
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
struct Response {
    output: Vec<Box<RawValue>>,
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
struct FunctionCall {
    call_id: Option<String>,
    name: String,
    arguments: Option<Box<RawValue>>,
    status: Option<String>,
}

fn openai(text: &[u8]) -> Result<Reply, String> {
    let text = utf8(text)?;
    let (items, mut cut_off) = if text.trim_start().starts_with('[') {
        (parsed::<Vec<Box<RawValue>>>(text)?, None)
    } else {
        let response: Response = parsed(text)?;
        let reason = response.incomplete_details.and_then(|details| details.reason);
        let ended = response.status.filter(|status| status != "completed");
        (response.output, ended.map(|status| reason.unwrap_or(status)))
    };
    let mut calls = Vec::new();
    for item in items {
        if parsed::<Typed>(item.get())?.r#type.as_deref() != Some("function_call") {
            continue;
        }
        let call: FunctionCall = parsed(item.get())?;
        cut_off = cut_off.or(call.status.filter(|status| status != "completed"));
        let arguments = unwrapped(call.arguments.as_deref());
        calls.push(Said { id: call.call_id, name: call.name, arguments });
    }
    Ok(Reply { calls, cut_off })
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    tool_calls: Option<Vec<Box<RawValue>>>,
}

#[derive(Deserialize)]
struct ToolCall {
    id: Option<String>,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    arguments: Option<Box<RawValue>>,
}

fn openai_chat(text: &[u8]) -> Result<Reply, String> {
    let text = utf8(text)?;
    let whole: Value = parsed(text)?;
    let (message, finish) = if whole.get("choices").is_some() {
        let mut choices = parsed::<Completion>(text)?.choices.into_iter();
        match (choices.next(), choices.next()) {
            (Some(choice), None) => (choice.message, choice.finish_reason),
            _ => return Err("it has to have one choice".to_owned()),
        }
    } else if whole.get("message").is_some() {
        let choice: Choice = parsed(text)?;
        (choice.message, choice.finish_reason)
    } else if whole.get("role").is_some_and(|role| role == "assistant") {
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
        let call: ToolCall = parsed(call.get())?;
        let arguments = unwrapped(call.function.arguments.as_deref());
        calls.push(Said { id: call.id, name: call.function.name, arguments });
    }
    let whole = ["stop", "tool_calls", "function_call"];
    Ok(Reply { calls, cut_off: finish.filter(|reason| !whole.contains(&reason.as_str())) })
}

#[derive(Deserialize)]
struct Sampled {
    content: Vec<Box<RawValue>>,
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct ToolUse {
    id: Option<String>,
    name: String,
    input: Option<Box<RawValue>>,
}

fn anthropic(text: &[u8]) -> Result<Reply, String> {
    let text = utf8(text)?;
    let (blocks, stop) = if text.trim_start().starts_with('[') {
        (parsed::<Vec<Box<RawValue>>>(text)?, None)
    } else {
        let Sampled { content, stop_reason } = parsed(text)?;
        (content, stop_reason)
    };
    let mut calls = Vec::new();
    for block in blocks {
        if parsed::<Typed>(block.get())?.r#type.as_deref() == Some("tool_use") {
            let call: ToolUse = parsed(block.get())?;
            calls.push(Said { id: call.id, name: call.name, arguments: bare(call.input.as_deref()) });
        }
    }
    let whole = ["tool_use", "end_turn", "stop_sequence"];
    Ok(Reply { calls, cut_off: stop.filter(|reason| !whole.contains(&reason.as_str())) })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Candidates {
    candidates: Vec<Candidate>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(rename = "functionCall", alias = "function_call")]
    call: Option<GeminiCall>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiCall {
    id: Option<String>,
    name: String,
    args: Option<Box<RawValue>>,
    #[serde(default, alias = "will_continue")]
    will_continue: Option<bool>,
}

fn gemini(text: &[u8]) -> Result<Reply, String> {
    let text = utf8(text)?;
    let whole: Value = parsed(text)?;
    let (content, finish) = if whole.get("candidates").is_some() {
        let mut candidates = parsed::<Candidates>(text)?.candidates.into_iter();
        match (candidates.next(), candidates.next()) {
            (Some(one), None) => (one.content, one.finish_reason),
            _ => return Err("it has to have one candidate".to_owned()),
        }
    } else if whole.get("parts").is_some() {
        (Some(parsed(text)?), None)
    } else if whole.is_array() {
        (Some(Content { parts: parsed(text)? }), None)
    } else {
        let one: Candidate = parsed(text)?;
        if one.content.is_none() && one.finish_reason.is_none() {
            return Err("it is no response, candidate, content or list of parts".to_owned());
        }
        (one.content, one.finish_reason)
    };
    let mut calls = Vec::new();
    let complete = |reason: &String| matches!(reason.as_str(), "STOP" | "FINISH_REASON_UNSPECIFIED");
    let mut cut_off = finish.filter(|reason| !complete(reason));
    for part in content.map(|content| content.parts).unwrap_or_default() {
        let Some(call) = parsed::<Part>(part.get())?.call else { continue };
        if call.will_continue == Some(true) {
            cut_off.get_or_insert_with(|| "willContinue".to_owned());
        }
        calls.push(Said { id: call.id, name: call.name, arguments: bare(call.args.as_deref()) });
    }
    Ok(Reply { calls, cut_off })
}
