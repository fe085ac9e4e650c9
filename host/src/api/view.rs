//! The wire form of how a call ended, made in one place for the command line, HTTP and MCP. It words nothing: every
//! text in it was written below the surfaces.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::spec::{Content, Failure, Outcome, Resource, ResourceBody, ResourceLink, Usage};
use crate::store::Approval;

#[cfg(test)]
mod tests;

/// A whole outcome: `{ok: true, content, structured, truncated, ...}` or `{ok: false, error, content, ...}`, and
/// after either `replayed`, `attempt`, `usage`, `call_id` and `tool`. Keys always come in this order.
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
