//! A guest's reply without the secrets of its call, before anybody else sees it.

use crate::spec::{
    Content, Media, RawRequest, Reply, Resource, ResourceBody, ResourceLink, Scrubber, ToolResult,
};

/// The reply without secrets; as it is where the call holds none.
pub(super) fn scrubbed(reply: Reply, scrubber: Option<&Scrubber>) -> Reply {
    let Some(scrubber) = scrubber else { return reply };
    let text = |text: String| scrubber.text(text);
    match reply {
        Reply::Done(ToolResult { content: blocks, structured }) => Reply::Done(ToolResult {
            content: blocks.into_iter().map(|block| content(block, scrubber)).collect(),
            structured: structured.map(text),
        }),
        Reply::InputRequired { requests, state } => Reply::InputRequired {
            requests: requests
                .into_iter()
                .map(|RawRequest { id, method, params }| RawRequest {
                    id: text(id),
                    method: text(method),
                    params: text(params),
                })
                .collect(),
            state: state.map(|state| scrubber.bytes(&state).into_owned()),
        },
        Reply::Failed { kind, message, retryable, retry_after_ms } => {
            Reply::Failed { kind: text(kind), message: text(message), retryable, retry_after_ms }
        }
    }
}

fn content(block: Content, scrubber: &Scrubber) -> Content {
    let text = |text: String| scrubber.text(text);
    let bytes = |bytes: Vec<u8>| scrubber.bytes(&bytes).into_owned();
    let media = |Media { data, mime_type }: Media| Media { data: bytes(data), mime_type: text(mime_type) };
    match block {
        Content::Text(said) => Content::Text(text(said)),
        Content::Image(image) => Content::Image(media(image)),
        Content::Audio(audio) => Content::Audio(media(audio)),
        Content::Resource(Resource { uri, mime_type, body }) => Content::Resource(Resource {
            uri: text(uri),
            mime_type: mime_type.map(text),
            body: match body {
                ResourceBody::Text(said) => ResourceBody::Text(text(said)),
                ResourceBody::Blob(blob) => ResourceBody::Blob(bytes(blob)),
            },
        }),
        Content::Link(ResourceLink { uri, name, title, description, mime_type, size }) => {
            Content::Link(ResourceLink {
                uri: text(uri),
                name: text(name),
                title: title.map(text),
                description: description.map(text),
                mime_type: mime_type.map(text),
                size,
            })
        }
    }
}
