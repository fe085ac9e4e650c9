//! The wire form of how a call ended, made in one place for the command line, HTTP and MCP. It words nothing: every
//! text in it was written below the surfaces.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::gate::Explained;
use crate::spec::{
    Content, Failure, Gate, InputRequired, Outcome, Resource, ResourceBody, ResourceLink, Usage,
};
use crate::store::{Approval, CallRecord, CallSummary, TraceEvent, View};

#[cfg(test)]
mod tests;

/// A whole outcome: `{ok: true, content, structured, truncated, ...}` or `{ok: false, error, content, ...}`, and
/// after either `replayed`, `attempt`, `usage`, `call_id` and `tool`. Keys always come in this order. A tool that asks for
/// input adds `input` to its failure: `{requests: [{id, method, params}], state}`, for the call to be made again with the
/// answers and the state.
#[must_use]
pub fn outcome(outcome: &Outcome) -> Value {
    let mut object = Map::new();
    object.insert("ok".to_owned(), outcome.result.is_ok().into());
    match &outcome.result {
        Ok(success) => {
            object.insert("content".to_owned(), success.content.iter().map(content).collect());
            object.insert(
                "structured".to_owned(),
                success.structured.as_deref().map_or(Value::Null, structured),
            );
            object.insert("truncated".to_owned(), success.truncated.into());
        }
        Err(failure) => {
            object.insert("error".to_owned(), error(failure));
            object.insert("content".to_owned(), json!([{"type": "text", "text": failure.text()}]));
            if let Some(asked) = failure.input.as_deref().filter(|asked| !asked.requests.is_empty()) {
                object.insert("input".to_owned(), input(asked));
            }
        }
    }
    object.insert("replayed".to_owned(), outcome.replayed.into());
    object.insert("attempt".to_owned(), outcome.attempt.into());
    object.insert("usage".to_owned(), usage(&outcome.usage));
    object.insert("call_id".to_owned(), outcome.call_id.as_str().into());
    object.insert("tool".to_owned(), outcome.tool.as_str().into());
    Value::Object(object)
}

/// A failure without its outcome. `retry_after_ms` and `gate` are null where they say nothing; `approval` is there
/// only if a reviewer was asked. What is for operators alone is left out.
#[must_use]
pub fn error(failure: &Failure) -> Value {
    let mut object = Map::new();
    object.insert("code".to_owned(), failure.code.as_str().into());
    object.insert("type".to_owned(), failure.kind.as_str().into());
    object.insert("retryable".to_owned(), failure.retryable.into());
    object.insert("retry_after_ms".to_owned(), failure.retry_after_ms.into());
    object.insert("gate".to_owned(), failure.gate.map(crate::spec::Gate::as_str).into());
    object.insert("message".to_owned(), failure.message.as_str().into());
    object.insert("pointers".to_owned(), failure.pointers.clone().into());
    object.insert("may_have_taken_effect".to_owned(), failure.may_have_taken_effect.into());
    if let Some(approval) = &failure.approval {
        object.insert("approval".to_owned(), approval.as_str().into());
    }
    Value::Object(object)
}

/// What a tool asks for, and what to send back with the answers.
fn input(asked: &InputRequired) -> Value {
    let requests = asked.requests.iter().map(|asked| {
        // The host checked that the parameters are one object.
        let params: Value = serde_json::from_str(&asked.params).unwrap_or_default();
        json!({"id": asked.id, "method": asked.method.as_str(), "params": params})
    });
    json!({"requests": requests.collect::<Vec<_>>(), "state": asked.state})
}

/// One gate's verdict, for operators.
#[must_use]
pub fn verdict(verdict: &Explained) -> Value {
    json!({
        "gate": verdict.gate.number(),
        "name": verdict.gate.as_str(),
        "passed": verdict.passed,
        "rule": verdict.rule,
        "message": verdict.message,
    })
}

/// A call's record and trace. A tenant is not shown what is for operators: their own text, where the guest's requests
/// went, and what it printed.
#[must_use]
pub fn trace(record: &CallRecord, viewer: View<'_>) -> Value {
    let is_operator = viewer == View::Operator;
    let shown = |event: &&TraceEvent| is_operator || !["http", "output"].contains(&&*event.name);
    let event = |event: &TraceEvent| json!({"offset_us": event.offset_us, "name": event.name, "detail": event.detail});
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| drop(object.insert(key.to_owned(), value));
    put("call_id", record.call_id.as_str().into());
    put("tenant", record.tenant.as_str().into());
    put("user", record.user.as_ref().map(ToString::to_string).into());
    put("run", record.run.as_str().into());
    put("tool", record.tool.as_str().into());
    put("component", record.component.map(|digest| digest.to_string()).into());
    put("surface", record.surface.into());
    put("side_effect", record.side_effect.into());
    put("started_unix_ms", record.started_unix_ms.into());
    put("attempt", record.attempt.into());
    put("code", (&*record.code).into());
    put("gate", record.gate.map(Gate::as_str).into());
    put("type", record.kind.clone().into());
    put("message", record.message.clone().into());
    if is_operator {
        put("operator", record.operator.clone().into());
    }
    let (wall_ms, fuel) = (record.wall_ms, record.fuel);
    put("usage", usage(&Usage { wall_ms, fuel, memory_peak_bytes: record.memory_peak_bytes }));
    // Texts, since neither needs to be JSON: they are what the caller and the guest said.
    put("arguments", record.arguments.as_str().into());
    put("raw_content", record.raw_content.clone().into());
    put("raw_structured", record.raw_structured.clone().into());
    put("events", record.events.iter().filter(shown).map(event).collect());
    Value::Object(object)
}

/// A call as a list shows it.
#[must_use]
pub fn summary(call: &CallSummary) -> Value {
    json!({
        "call_id": call.call_id.as_str(),
        "user": call.user.as_ref().map(ToString::to_string),
        "run": call.run.as_str(),
        "tool": call.tool,
        "surface": call.surface,
        "side_effect": call.side_effect,
        "started_unix_ms": call.started_unix_ms,
        "wall_ms": call.wall_ms,
        "attempt": call.attempt,
        "code": call.code,
    })
}

/// A question to a reviewer, and what became of it.
#[must_use]
pub fn approval(approval: &Approval) -> Value {
    let binding = &approval.binding;
    json!({
        "id": approval.id.as_str(),
        "state": approval.state.as_str(),
        "tenant": binding.tenant.as_str(),
        "user": binding.user.as_ref().map(ToString::to_string),
        "tool": binding.tool.as_str(),
        "component": binding.digest.to_string(),
        "arguments": approval.arguments,
        "arguments_cut": approval.arguments_cut,
        "edited_arguments": approval.edited_arguments,
        "created_unix_ms": approval.created_unix_ms,
        "expires_unix_ms": approval.expires_unix_ms,
        "decided_unix_ms": approval.decided_unix_ms,
        "decided_by": approval.decided_by,
        "reason": approval.reason,
    })
}

/// What a call used: `{wall_ms, fuel, memory_peak_bytes}`.
#[must_use]
pub fn usage(usage: &Usage) -> Value {
    json!({"wall_ms": usage.wall_ms, "fuel": usage.fuel, "memory_peak_bytes": usage.memory_peak_bytes})
}

/// A block of content in MCP's form; bytes are in base64 (RFC 4648, section 4).
#[must_use]
pub fn content(content: &Content) -> Value {
    match content {
        Content::Text(text) => json!({"type": "text", "text": text}),
        Content::Image(media) => {
            json!({"type": "image", "data": base64(&media.data), "mimeType": media.mime_type})
        }
        Content::Audio(media) => {
            json!({"type": "audio", "data": base64(&media.data), "mimeType": media.mime_type})
        }
        Content::Resource(embedded) => json!({"type": "resource", "resource": resource(embedded)}),
        Content::Link(link) => resource_link(link),
    }
}

/// A structured value with every digit that the guest wrote.
#[must_use]
pub fn structured(raw: &RawValue) -> Value {
    // The executor bounds the depth far below the parser's own bound. Should that ever change, the text is still
    // better than nothing.
    serde_json::from_str(raw.get()).unwrap_or_else(|_| raw.get().into())
}

/// Bytes in base64 with padding (RFC 4648, section 4).
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn resource(resource: &Resource) -> Value {
    let mut object = Map::new();
    object.insert("uri".to_owned(), resource.uri.as_str().into());
    insert_some(&mut object, "mimeType", resource.mime_type.as_deref());
    match &resource.body {
        ResourceBody::Text(text) => object.insert("text".to_owned(), text.as_str().into()),
        ResourceBody::Blob(bytes) => object.insert("blob".to_owned(), base64(bytes).into()),
    };
    Value::Object(object)
}

fn resource_link(link: &ResourceLink) -> Value {
    let mut object = Map::new();
    object.insert("type".to_owned(), "resource_link".into());
    object.insert("uri".to_owned(), link.uri.as_str().into());
    object.insert("name".to_owned(), link.name.as_str().into());
    insert_some(&mut object, "title", link.title.as_deref());
    insert_some(&mut object, "description", link.description.as_deref());
    insert_some(&mut object, "mimeType", link.mime_type.as_deref());
    insert_some(&mut object, "size", link.size);
    Value::Object(object)
}

fn insert_some(object: &mut Map<String, Value>, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object.insert(key.to_owned(), value.into());
    }
}
