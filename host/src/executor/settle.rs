//! From how a guest ended to what a caller is told: the closed list of failures, the check of the result against
//! its schema, and the cut to the limit.

use std::time::Duration;

use serde_json::value::RawValue;
use toolhost_check::json;

use super::Host;
use super::ask::ask;
use crate::gate::{Admitted, Call};
use crate::id::ToolName;
use crate::registry::Entry;
use crate::sandbox::Ended;
use crate::spec::{
    Code, Content, Failure, Media, Reply, Resource, ResourceBody, ResourceLink, Success, ToolResult, clean,
    clean_json, truncate, truncate_before,
};
use crate::store::StoreError;

/// Blocks of one result.
const BLOCKS: usize = 1_000;
/// Characters of a kind that a guest made up.
const KIND_CHARS: usize = 64;
/// Characters of a name, address or media type in a block.
const FIELD_CHARS: usize = 2_048;

/// A result with what a reviewer changed before.
pub(super) fn with_edit(result: Result<Success, Failure>, edit: Option<&str>) -> Result<Success, Failure> {
    let Some(edit) = edit else { return result };
    match result {
        Ok(mut success) => {
            success.content.insert(0, Content::Text(edit.to_owned()));
            Ok(success)
        }
        Err(failure) => Err(Failure { message: format!("{} {edit}", failure.message), ..failure }),
    }
}

/// What the caller is told about a guest's end.
pub(super) async fn settle(
    host: &Host,
    call: &Call,
    admitted: &Admitted,
    ended: Ended,
    allowed: Duration,
) -> Result<Success, Failure> {
    let entry = admitted.entry();
    let tool = &entry.name;
    match ended {
        Ended::Returned(Reply::Done(result)) => success(admitted, result),
        Ended::Returned(Reply::InputRequired { requests, state }) => {
            Err(ask(host, call, admitted, requests, state).await)
        }
        Ended::Returned(Reply::Failed { kind, message, retryable, retry_after_ms }) => {
            let limit = admitted.limits().result_chars;
            let kind = clean(kind.chars().filter(|c| named(*c)).take(KIND_CHARS).collect());
            let kind = if kind.trim().is_empty() { Code::ToolError.kind().to_owned() } else { kind };
            let message = truncate(&clean(message), limit).text;
            let retry_after_ms = retry_after_ms.filter(|_| retryable);
            Err(Failure { kind, retryable, retry_after_ms, ..Failure::new(Code::ToolError, message) })
        }
        Ended::TimedOut => Err(Failure::timed_out(allowed)),
        Ended::OutOfFuel => Err(Failure::new(
            Code::FuelExhausted,
            format!("The tool '{tool}' used up its CPU budget and was stopped."),
        )),
        Ended::Refused(denial) => Err(Failure::new(
            Code::MemoryLimit,
            format!("The tool '{tool}' was stopped at its memory limit: {denial}."),
        )),
        Ended::Crashed(reason) => Err(Failure::new(
            Code::ToolCrashed,
            clean(format!("The tool '{tool}' crashed: {reason}.").replace('\n', " ")),
        )),
        Ended::Unreadable(reason) => Err(Failure::new(
            Code::BadResult,
            clean(format!("What '{tool}' handed to the host cannot be used: {reason}.")),
        )),
        Ended::NoRoom(reason) => Err(Failure { operator: Some(reason), ..overloaded() }),
        Ended::Fault(reason) => Err(Failure::internal(admitted.call_id(), reason)),
    }
}

/// Whether a kind may have a character. It stands in one line, in parentheses, and must not get out of them.
fn named(c: char) -> bool {
    !matches!(c, '\n' | '\t' | '(' | ')')
}

/// There is no room for the call right now.
pub(super) fn overloaded() -> Failure {
    let message = "The host is too busy for this call. Nothing ran. Try again in a moment.";
    Failure { retry_after_ms: Some(1_000), ..Failure::new(Code::Overloaded, message) }
}

/// The outcome could not be kept for the calls that will ask for it.
pub(super) fn unkept(tool: &ToolName, fault: &StoreError) -> Failure {
    let message = format!(
        "The tool '{tool}' ran, and the host could not keep what became of it. It may have taken effect. Call it again \
         with the same key to learn more."
    );
    Failure {
        may_have_taken_effect: true,
        operator: Some(fault.to_string()),
        ..Failure::new(Code::OutcomeUnknown, message)
    }
}

/// Others took the call for lost, and started it again.
pub(super) fn taken_for_lost(tool: &ToolName) -> Failure {
    let message = format!(
        "The tool '{tool}' ran, but the host was taken for dead meanwhile, and the call was started again elsewhere. \
         Call it again with the same key to learn what came of it."
    );
    Failure::new(Code::OutcomeUnknown, message).unsure()
}

fn success(admitted: &Admitted, result: ToolResult) -> Result<Success, Failure> {
    let entry = admitted.entry();
    let limits = admitted.limits();
    let size: usize = result.content.iter().map(bytes).sum();
    if size > limits.raw_result_bytes || result.content.len() > BLOCKS {
        return Err(too_large(entry, limits.raw_result_bytes));
    }
    let structured = structured(admitted, result.structured)?;
    let mut content = result.content;
    // A model that is shown content alone has to see the value too.
    if content.is_empty()
        && let Some(value) = &structured
    {
        content.push(Content::Text(value.get().to_owned()));
    }
    let (content, truncated) = cut(content, limits.result_chars);
    Ok(Success { content, structured, truncated })
}

/// The structured value, with every digit as the guest wrote it.
fn structured(admitted: &Admitted, said: Option<String>) -> Result<Option<Box<RawValue>>, Failure> {
    let entry = admitted.entry();
    let Some(said) = said else {
        return match &entry.output {
            None => Ok(None),
            Some(_) => Err(bad(entry, "it has an output schema, but returned no structured value")),
        };
    };
    let most = admitted.limits().structured_bytes;
    if said.len() > most {
        return Err(too_large(entry, most));
    }
    let said = clean_json(said);
    let bounds = json::Limits { bytes: most, ..json::Limits::ARGUMENTS };
    json::scan(said.as_bytes(), &bounds)
        .map_err(|fault| bad(entry, &format!("its JSON is not valid: {fault}")))?;
    if let Some(schema) = &entry.output {
        let value: serde_json::Value = serde_json::from_str(&said)
            .map_err(|fault| bad(entry, &format!("its JSON is not valid: {fault}")))?;
        schema.check_read(&value, said.len()).map_err(|faults| {
            let reason = format!("it breaks its own output schema. {faults}");
            Failure { pointers: faults.pointers(), ..bad(entry, reason.trim_end_matches('.')) }
        })?;
    }
    let raw = RawValue::from_string(said)
        .map_err(|fault| bad(entry, &format!("its JSON is not valid: {fault}")))?;
    Ok(Some(raw))
}

fn bad(entry: &Entry, reason: &str) -> Failure {
    let message =
        format!("The result of '{}' cannot be used: {reason}. Calling it again will not help.", entry.name);
    Failure::new(Code::BadResult, clean(message))
}

fn too_large(entry: &Entry, most: usize) -> Failure {
    let message = format!(
        "The result of '{}' is larger than the {most} bytes that a result may have. Ask for less at a time.",
        entry.name
    );
    Failure::new(Code::BadResult, message)
}

/// Cleans all blocks, and cuts what is text in them to a number of characters in all. The text at the limit is cut, with
/// a notice that counts the texts after it too, and those are left out.
fn cut(blocks: Vec<Content>, limit: usize) -> (Vec<Content>, bool) {
    let blocks: Vec<Content> = blocks.into_iter().map(cleaned).collect();
    if let [Content::Text(text)] = blocks.as_slice()
        && text.len() <= limit
    {
        return (blocks, false);
    }
    let total: usize = blocks.iter().map(chars).sum();
    if total <= limit {
        return (blocks, false);
    }
    let (mut left, mut after) = (limit, total);
    let mut kept = Vec::with_capacity(blocks.len());
    let mut truncated = false;
    for mut block in blocks {
        let own = chars(&block);
        after -= own;
        if own == 0 || own <= left {
            left -= own;
            kept.push(block);
            continue;
        }
        // Names and addresses are not cut: half of one is none.
        if let Some(text) = running_text(&mut block)
            && !truncated
        {
            *text = truncate_before(text, left, after).text;
            kept.push(block);
        } else if !truncated {
            kept.push(Content::Text(truncate_before("", 0, own + after).text));
        }
        truncated = true;
        left = 0;
    }
    (kept, true)
}

/// The text of a block that may be cut.
fn running_text(block: &mut Content) -> Option<&mut String> {
    match block {
        Content::Text(text) | Content::Resource(Resource { body: ResourceBody::Text(text), .. }) => {
            Some(text)
        }
        _ => None,
    }
}

/// All characters of a block that a model may read.
fn chars(block: &Content) -> usize {
    let count = |text: &str| text.chars().count();
    match block {
        Content::Text(text) => count(text),
        Content::Image(media) | Content::Audio(media) => count(&media.mime_type),
        Content::Resource(resource) => {
            let body = match &resource.body {
                ResourceBody::Text(text) => count(text),
                ResourceBody::Blob(_) => 0,
            };
            body + count(&resource.uri) + resource.mime_type.as_deref().map_or(0, count)
        }
        Content::Link(link) => {
            let optional = [&link.title, &link.description, &link.mime_type];
            let optional: usize = optional.into_iter().flatten().map(|text| count(text)).sum();
            optional + count(&link.uri) + count(&link.name)
        }
    }
}

/// A block with every field cleaned.
fn cleaned(block: Content) -> Content {
    let media = |media: Media| Media { mime_type: field(media.mime_type), ..media };
    match block {
        Content::Text(text) => Content::Text(clean(text)),
        Content::Image(image) => Content::Image(media(image)),
        Content::Audio(audio) => Content::Audio(media(audio)),
        Content::Resource(resource) => Content::Resource(Resource {
            uri: field(resource.uri),
            mime_type: resource.mime_type.map(field),
            body: match resource.body {
                ResourceBody::Text(text) => ResourceBody::Text(clean(text)),
                blob @ ResourceBody::Blob(_) => blob,
            },
        }),
        Content::Link(link) => Content::Link(ResourceLink {
            uri: field(link.uri),
            name: field(link.name),
            title: link.title.map(field),
            description: link.description.map(field),
            mime_type: link.mime_type.map(field),
            size: link.size,
        }),
    }
}

fn field(text: String) -> String {
    let text = clean(text);
    if text.len() <= FIELD_CHARS { text } else { text.chars().take(FIELD_CHARS).collect() }
}

fn bytes(block: &Content) -> usize {
    match block {
        Content::Text(text) => text.len(),
        Content::Image(media) | Content::Audio(media) => media.data.len(),
        Content::Resource(resource) => match &resource.body {
            ResourceBody::Text(text) => text.len(),
            ResourceBody::Blob(blob) => blob.len(),
        },
        Content::Link(_) => 0,
    }
}

#[cfg(test)]
mod tests;
