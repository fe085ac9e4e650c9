//! What a guest returned, before anything was cut: for the trace, never for a model.

use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::id::hex;
use crate::sandbox::Ended;
use crate::spec::{Content, Media, Reply, ResourceBody};

/// The raw value in the form in which traces keep it. Bytes are kept as their number and hash.
#[derive(Debug, Default)]
pub(super) struct Raw {
    pub(super) content: Option<String>,
    pub(super) structured: Option<String>,
}

impl Raw {
    pub(super) fn of(ended: &Ended) -> Self {
        match ended {
            Ended::Returned(Reply::Done(result)) => {
                let blocks: Vec<serde_json::Value> = result.content.iter().map(block).collect();
                Self {
                    content: Some(serde_json::Value::Array(blocks).to_string()),
                    structured: result.structured.clone(),
                }
            }
            Ended::Returned(Reply::Failed { kind, message, retryable }) => Self {
                content: Some(json!({"kind": kind, "message": message, "retryable": retryable}).to_string()),
                structured: None,
            },
            _ => Self::default(),
        }
    }
}

fn block(content: &Content) -> serde_json::Value {
    match content {
        Content::Text(text) => json!({"type": "text", "text": text}),
        Content::Image(image) => media("image", image),
        Content::Audio(audio) => media("audio", audio),
        Content::Resource(resource) => {
            let body = match &resource.body {
                ResourceBody::Text(text) => json!(text),
                ResourceBody::Blob(blob) => bytes(blob),
            };
            json!({"type": "resource", "uri": resource.uri, "mime_type": resource.mime_type, "body": body})
        }
        Content::Link(link) => json!({"type": "link", "uri": link.uri, "name": link.name}),
    }
}

fn media(kind: &str, media: &Media) -> serde_json::Value {
    json!({"type": kind, "mime_type": media.mime_type, "data": bytes(&media.data)})
}

fn bytes(bytes: &[u8]) -> serde_json::Value {
    json!({"bytes": bytes.len(), "sha256": hex(&Sha256::digest(bytes))})
}
