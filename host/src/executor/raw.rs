//! What a guest returned, before anything was cut: for the trace, never for a model.

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::id::hex;
use crate::sandbox::Ended;
use crate::spec::{Content, Media, RawRequest, Reply, ResourceBody};
use crate::store::{Row, Text};

/// Keeps the raw value in the form in which traces have it. Bytes are kept as their number and hash.
pub(super) fn keep(row: &mut Row, ended: &Ended) {
    row.clear(Text::RawContent);
    row.clear(Text::RawStructured);
    match ended {
        Ended::Returned(Reply::Done(result)) => {
            row.set_json(Text::RawContent, &Blocks(&result.content));
            if let Some(structured) = &result.structured {
                row.set(Text::RawStructured, structured);
            }
        }
        Ended::Returned(Reply::Failed { kind, message, retryable, retry_after_ms }) => {
            let failed = Failed { kind, message, retryable: *retryable, retry_after_ms: *retry_after_ms };
            row.set_json(Text::RawContent, &failed);
        }
        Ended::Returned(Reply::InputRequired { requests, .. }) => {
            row.set_json(Text::RawContent, &Questions(requests));
        }
        _ => {}
    }
}

struct Blocks<'a>(&'a [Content]);

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Block::of))
    }
}

struct Questions<'a>(&'a [RawRequest]);

impl Serialize for Questions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Asked::of))
    }
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
