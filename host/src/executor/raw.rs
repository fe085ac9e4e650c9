//! What a guest returned, before anything was cut: for the trace, never for a model.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::id::hex;
use crate::sandbox::Ended;
use crate::spec::{Content, Media, RawRequest, Reply, ResourceBody};

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
                let blocks: Vec<Block<'_>> = result.content.iter().map(Block::of).collect();
                Self { content: text(&blocks), structured: result.structured.clone() }
            }
            Ended::Returned(Reply::Failed { kind, message, retryable, retry_after_ms }) => {
                let failed = Failed { kind, message, retryable: *retryable, retry_after_ms: *retry_after_ms };
                Self { content: text(&failed), structured: None }
            }
            Ended::Returned(Reply::InputRequired { requests, .. }) => {
                let asked: Vec<Asked<'_>> = requests.iter().map(Asked::of).collect();
                Self { content: text(&asked), structured: None }
            }
            _ => Self::default(),
        }
    }
}

/// Texts, numbers and lists of them always become JSON.
fn text(value: &impl Serialize) -> Option<String> {
    serde_json::to_string(value).ok()
}

#[derive(Serialize)]
struct Failed<'a> {
    kind: &'a str,
    message: &'a str,
    retryable: bool,
    retry_after_ms: Option<u64>,
}

#[derive(Serialize)]
struct Asked<'a> {
    id: &'a str,
    method: &'a str,
    params: &'a str,
}

impl<'a> Asked<'a> {
    fn of(asked: &'a RawRequest) -> Self {
        Self { id: &asked.id, method: &asked.method, params: &asked.params }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Block<'a> {
    Text { text: &'a str },
    Image { mime_type: &'a str, data: Bytes },
    Audio { mime_type: &'a str, data: Bytes },
    Resource { uri: &'a str, mime_type: Option<&'a str>, body: Body<'a> },
    Link { uri: &'a str, name: &'a str },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Body<'a> {
    Text(&'a str),
    Bytes(Bytes),
}

#[derive(Serialize)]
struct Bytes {
    bytes: usize,
    sha256: String,
}

impl<'a> Block<'a> {
    fn of(content: &'a Content) -> Self {
        let media = |media: &'a Media| (media.mime_type.as_str(), Bytes::of(&media.data));
        match content {
            Content::Text(text) => Self::Text { text },
            Content::Image(image) => {
                let (mime_type, data) = media(image);
                Self::Image { mime_type, data }
            }
            Content::Audio(audio) => {
                let (mime_type, data) = media(audio);
                Self::Audio { mime_type, data }
            }
            Content::Resource(resource) => Self::Resource {
                uri: &resource.uri,
                mime_type: resource.mime_type.as_deref(),
                body: match &resource.body {
                    ResourceBody::Text(text) => Body::Text(text),
                    ResourceBody::Blob(blob) => Body::Bytes(Bytes::of(blob)),
                },
            },
            Content::Link(link) => Self::Link { uri: &link.uri, name: &link.name },
        }
    }
}

impl Bytes {
    fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len(), sha256: hex(&Sha256::digest(bytes)) }
    }
}
