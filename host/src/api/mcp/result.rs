//! How an outcome is told in MCP: an unknown tool as the protocol's own error, every other failure as a result that a
//! model can read and act on.

use rmcp::model::{
    CallToolResult, ContentBlock, ErrorCode, ErrorData, JsonObject, MetaObject, Resource, ResourceContents,
};
use serde_json::Value;

use crate::api::view;
use crate::spec::{Code, Content, Failure, Outcome, ResourceBody, ResourceLink, clean};

#[cfg(test)]
mod tests;

/// The `_meta` key under which a result says how the call ended.
const OUTCOME: &str = "toolhost/outcome";

/// The answer to a call.
///
/// # Errors
/// The protocol error for a tool that does not exist.
pub(super) fn answer(outcome: &Outcome) -> Result<CallToolResult, ErrorData> {
    match &outcome.result {
        Ok(success) => {
            let mut result = CallToolResult::success(success.content.iter().map(block).collect());
            result.structured_content = success.structured.as_deref().map(view::structured);
            let mut about = JsonObject::new();
            about.insert("code".to_owned(), outcome.code().into());
            insert_call(&mut about, outcome);
            about.insert("truncated".to_owned(), success.truncated.into());
            about.insert("usage".to_owned(), view::usage(&outcome.usage));
            result.meta = Some(meta(about));
            Ok(result)
        }
        Err(failure) if failure.code == Code::NoSuchTool => {
            let mut data = error(failure);
            insert_call(&mut data, outcome);
            Err(ErrorData::new(ErrorCode::INVALID_PARAMS, failure.message.clone(), Some(Value::Object(data))))
        }
        Err(failure) => {
            let mut result = CallToolResult::error(vec![ContentBlock::text(failure.text())]);
            result.meta = Some(failed(failure, outcome));
            Ok(result)
        }
    }
}

/// How a call ended, for a result that asks for something instead.
pub(super) fn about(outcome: &Outcome) -> MetaObject {
    match &outcome.result {
        Ok(_) => MetaObject::new(),
        Err(failure) => failed(failure, outcome),
    }
}

/// The answer to a call whose tool asks for what the protocol has no form for.
pub(super) fn unaskable(outcome: &Outcome, reason: &str) -> CallToolResult {
    let message =
        format!("The tool '{}' asked for input in a way that cannot be passed on: {reason}", outcome.tool);
    let failure = Failure::new(Code::BadResult, clean(message));
    let mut result = CallToolResult::error(vec![ContentBlock::text(failure.text())]);
    result.meta = Some(failed(&failure, outcome));
    result
}

fn failed(failure: &Failure, outcome: &Outcome) -> MetaObject {
    let mut about = error(failure);
    // The message stands in the content.
    about.shift_remove("message");
    insert_call(&mut about, outcome);
    about.insert("usage".to_owned(), view::usage(&outcome.usage));
    meta(about)
}

fn error(failure: &Failure) -> JsonObject {
    match view::error(failure) {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

fn insert_call(about: &mut JsonObject, outcome: &Outcome) {
    about.insert("call_id".to_owned(), outcome.call_id.as_str().into());
    about.insert("attempt".to_owned(), outcome.attempt.into());
    about.insert("replayed".to_owned(), outcome.replayed.into());
}

fn meta(about: JsonObject) -> MetaObject {
    let mut meta = MetaObject::new();
    meta.insert(OUTCOME.to_owned(), Value::Object(about));
    meta
}

fn block(content: &Content) -> ContentBlock {
    match content {
        Content::Text(text) => ContentBlock::text(text.as_str()),
        Content::Image(media) => ContentBlock::image(view::base64(&media.data), media.mime_type.as_str()),
        Content::Audio(media) => ContentBlock::audio(view::base64(&media.data), media.mime_type.as_str()),
        Content::Resource(resource) => {
            let (uri, mime_type) = (resource.uri.clone(), resource.mime_type.clone());
            ContentBlock::resource(match &resource.body {
                ResourceBody::Text(text) => {
                    ResourceContents::TextResourceContents { uri, mime_type, text: text.clone(), meta: None }
                }
                ResourceBody::Blob(bytes) => ResourceContents::BlobResourceContents {
                    uri,
                    mime_type,
                    blob: view::base64(bytes),
                    meta: None,
                },
            })
        }
        Content::Link(link) => ContentBlock::resource_link(resource_link(link)),
    }
}

fn resource_link(link: &ResourceLink) -> Resource {
    let mut resource = Resource::new(link.uri.as_str(), link.name.as_str());
    resource.title.clone_from(&link.title);
    resource.description.clone_from(&link.description);
    resource.mime_type.clone_from(&link.mime_type);
    resource.size = link.size;
    resource
}
