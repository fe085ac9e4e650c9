//! The guest's records to the host's types. Total: whatever a guest says has a place, or is a fault by name.

use std::time::Duration;

use super::bindings::toolhost::tool::types as wit;
use crate::id::ToolName;
use crate::spec::{
    Annotations, Content, Delivery, Example, InputAnswer, Media, RawRequest, Reply, Resource, ResourceBody,
    ResourceLink, SpecFault, ToolResult, ToolSpec, Wishes,
};

/// A guest's answer.
pub(super) fn reply(said: Result<wit::Reply, wit::Failure>) -> Reply {
    match said {
        Ok(wit::Reply::Done(result)) => Reply::Done(ToolResult {
            content: result.content.into_iter().map(content).collect(),
            structured: result.structured,
        }),
        Ok(wit::Reply::InputRequired(asked)) => Reply::InputRequired {
            requests: asked
                .requests
                .into_iter()
                .map(|asked| RawRequest { id: asked.id, method: asked.method, params: asked.params })
                .collect(),
            state: asked.state,
        },
        Err(wit::Failure { kind, message, retryable, retry_after_ms }) => {
            Reply::Failed { kind, message, retryable, retry_after_ms }
        }
    }
}

fn content(block: wit::Content) -> Content {
    let media = |media: wit::Media| Media { data: media.data, mime_type: media.mime_type };
    match block {
        wit::Content::Text(text) => Content::Text(text),
        wit::Content::Image(image) => Content::Image(media(image)),
        wit::Content::Audio(audio) => Content::Audio(media(audio)),
        wit::Content::Resource(resource) => Content::Resource(Resource {
            uri: resource.uri,
            mime_type: resource.mime_type,
            body: match resource.body {
                wit::ResourceBody::Text(text) => ResourceBody::Text(text),
                wit::ResourceBody::Blob(blob) => ResourceBody::Blob(blob),
            },
        }),
        wit::Content::Link(link) => Content::Link(ResourceLink {
            uri: link.uri,
            name: link.name,
            title: link.title,
            description: link.description,
            mime_type: link.mime_type,
            size: link.size,
        }),
    }
}

/// A client's answer, on its way to a guest.
pub(super) fn answer(answer: &InputAnswer) -> wit::InputAnswer {
    wit::InputAnswer { id: answer.id.clone(), value: answer.value.clone() }
}

/// A block of another tool's result, on its way to a guest.
pub(super) fn block(content: Content) -> wit::Content {
    let media = |media: Media| wit::Media { data: media.data, mime_type: media.mime_type };
    match content {
        Content::Text(text) => wit::Content::Text(text),
        Content::Image(image) => wit::Content::Image(media(image)),
        Content::Audio(audio) => wit::Content::Audio(media(audio)),
        Content::Resource(resource) => wit::Content::Resource(wit::EmbeddedResource {
            uri: resource.uri,
            mime_type: resource.mime_type,
            body: match resource.body {
                ResourceBody::Text(text) => wit::ResourceBody::Text(text),
                ResourceBody::Blob(blob) => wit::ResourceBody::Blob(blob),
            },
        }),
        Content::Link(link) => wit::Content::Link(wit::ResourceLink {
            uri: link.uri,
            name: link.name,
            title: link.title,
            description: link.description,
            mime_type: link.mime_type,
            size: link.size,
        }),
    }
}

/// One tool's description. Its name and options are checked here, its schemas where they are compiled.
pub(super) fn spec(said: wit::Spec) -> Result<ToolSpec, SpecFault> {
    let name: ToolName = said.name.parse()?;
    let pool = match said.wishes.pool.as_deref().map(str::parse) {
        None => None,
        Some(Ok(pool)) => Some(pool),
        Some(Err(fault)) => return Err(option(&name, "pool", format!("{fault}"))),
    };
    if said.wishes.timeout_ms == Some(0) {
        return Err(option(&name, "timeout", "it must be longer than nothing".to_owned()));
    }
    if let Some(template) = &said.wishes.idempotency_key
        && (template.is_empty() || template.matches('{').count() != template.matches('}').count())
    {
        let reason = "it must be a text in which each { has its }".to_owned();
        return Err(option(&name, "idempotency_key", reason));
    }
    let wishes = Wishes {
        requires_approval: said.wishes.requires_approval,
        timeout: said.wishes.timeout_ms.map(Duration::from_millis),
        pool,
        delivery: said.wishes.delivery.map(|delivery| match delivery {
            wit::Delivery::AtMostOnce => Delivery::AtMostOnce,
            wit::Delivery::AtLeastOnce => Delivery::AtLeastOnce,
        }),
        idempotency_key: said.wishes.idempotency_key,
    };
    Ok(ToolSpec {
        name,
        title: said.title,
        description: said.description,
        input_schema: said.input_schema,
        output_schema: said.output_schema,
        annotations: Annotations {
            read_only: said.annotations.read_only,
            destructive: said.annotations.destructive,
            idempotent: said.annotations.idempotent,
            open_world: said.annotations.open_world,
        },
        wishes,
        required_capabilities: said.required_capabilities,
        examples: said
            .examples
            .into_iter()
            .map(|example| Example { title: example.title, arguments: example.arguments })
            .collect(),
    })
}

fn option(tool: &ToolName, option: &'static str, reason: String) -> SpecFault {
    SpecFault::Option { tool: tool.clone(), option, reason }
}
