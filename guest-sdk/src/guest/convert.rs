//! Field by field between the SDK's types and the generated ones.

use serde_json::Value;

use crate::bindings::exports::toolhost::tool::tools as wit;
use crate::bindings::toolhost::tool::types;
use crate::content::{Content, Link, Media, Resource, ResourceBody};
use crate::failure::ToolError;
use crate::input::InputAnswer;
use crate::tool::{Delivery, Reply, ToolSpec};

pub(super) fn spec(spec: ToolSpec) -> wit::Spec {
    let ToolSpec { annotations, wishes, .. } = spec;
    wit::Spec {
        name: spec.name,
        title: spec.title,
        description: spec.description,
        input_schema: spec.input_schema.to_string(),
        output_schema: spec.output_schema.map(|schema| schema.to_string()),
        annotations: types::Annotations {
            read_only: annotations.read_only,
            destructive: annotations.destructive,
            idempotent: annotations.idempotent,
            open_world: annotations.open_world,
        },
        wishes: types::Wishes {
            requires_approval: wishes.requires_approval,
            timeout_ms: wishes.timeout_ms,
            pool: wishes.pool,
            delivery: wishes.delivery.map(|delivery| match delivery {
                Delivery::AtMostOnce => types::Delivery::AtMostOnce,
                Delivery::AtLeastOnce => types::Delivery::AtLeastOnce,
            }),
            idempotency_key: wishes.idempotency_key,
        },
        required_capabilities: spec.required_capabilities,
        examples: spec
            .examples
            .into_iter()
            .map(|example| types::Example { title: example.title, arguments: example.arguments.to_string() })
            .collect(),
    }
}

pub(super) fn answers(answers: Vec<types::InputAnswer>) -> Result<Vec<InputAnswer>, ToolError> {
    answers
        .into_iter()
        .map(|answer| match serde_json::from_str(&answer.value) {
            Ok(value) => Ok(InputAnswer { id: answer.id, value }),
            Err(error) => Err(ToolError::with_kind(
                "InvalidInput",
                format!("The answer to '{}' is not valid JSON: {error}.", answer.id),
            )),
        })
        .collect()
}

pub(super) fn reply(reply: Reply) -> wit::Reply {
    match reply {
        Reply::Done(result) => types::Reply::Done(types::ToolResult {
            content: result.content.into_iter().map(content).collect(),
            structured: result.structured.map(|value| value.to_string()),
        }),
        Reply::InputRequired(question) => types::Reply::InputRequired(types::InputRequired {
            requests: question
                .requests
                .into_iter()
                .map(|request| types::InputRequest {
                    id: request.id,
                    method: request.method,
                    params: request.params.to_string(),
                })
                .collect(),
            state: question.state,
        }),
    }
}

pub(super) fn failure(error: &ToolError) -> wit::Failure {
    types::Failure {
        kind: error.kind().to_owned(),
        message: error.message().to_owned(),
        retryable: error.is_retryable(),
        retry_after_ms: error.retry_after().map(|pause| u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)),
    }
}

fn content(content: Content) -> types::Content {
    match content {
        Content::Text(text) => types::Content::Text(text),
        Content::Image(it) => types::Content::Image(types::Media { data: it.data, mime_type: it.mime_type }),
        Content::Audio(it) => types::Content::Audio(types::Media { data: it.data, mime_type: it.mime_type }),
        Content::Resource(it) => types::Content::Resource(types::EmbeddedResource {
            uri: it.uri,
            mime_type: it.mime_type,
            body: match it.body {
                ResourceBody::Text(text) => types::ResourceBody::Text(text),
                ResourceBody::Blob(bytes) => types::ResourceBody::Blob(bytes),
            },
        }),
        Content::Link(it) => types::Content::Link(types::ResourceLink {
            uri: it.uri,
            name: it.name,
            title: it.title,
            description: it.description,
            mime_type: it.mime_type,
            size: it.size,
        }),
    }
}

/// A block that another tool returned.
pub(super) fn received(content: types::Content) -> Content {
    match content {
        types::Content::Text(text) => Content::Text(text),
        types::Content::Image(it) => Content::Image(Media { data: it.data, mime_type: it.mime_type }),
        types::Content::Audio(it) => Content::Audio(Media { data: it.data, mime_type: it.mime_type }),
        types::Content::Resource(it) => Content::Resource(Resource {
            uri: it.uri,
            mime_type: it.mime_type,
            body: match it.body {
                types::ResourceBody::Text(text) => ResourceBody::Text(text),
                types::ResourceBody::Blob(bytes) => ResourceBody::Blob(bytes),
            },
        }),
        types::Content::Link(it) => Content::Link(Link {
            uri: it.uri,
            name: it.name,
            title: it.title,
            description: it.description,
            mime_type: it.mime_type,
            size: it.size,
        }),
    }
}

/// The structured value that another tool returned; a text that is not JSON stays a string.
pub(super) fn received_value(text: String) -> Value {
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}
