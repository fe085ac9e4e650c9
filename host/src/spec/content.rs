//! Blocks of a result, and what a tool returns before the host has looked at it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::input::RawRequest;

/// Bytes with their media type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    /// The bytes themselves.
    #[serde(with = "base64_text")]
    pub data: Vec<u8>,
    /// The media type (RFC 6838).
    pub mime_type: String,
}

/// The body of an embedded resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResourceBody {
    /// A text.
    Text(String),
    /// Bytes.
    #[serde(with = "base64_text")]
    Blob(Vec<u8>),
}

/// A resource that stands in the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    /// The address (RFC 3986).
    pub uri: String,
    /// The media type (RFC 6838).
    pub mime_type: Option<String>,
    /// The contents.
    pub body: ResourceBody,
}

/// A resource that the client may fetch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceLink {
    /// The address (RFC 3986).
    pub uri: String,
    /// A name for programs.
    pub name: String,
    /// A short name for people.
    pub title: Option<String>,
    /// What the resource is.
    pub description: Option<String>,
    /// The media type (RFC 6838).
    pub mime_type: Option<String>,
    /// The size in bytes.
    pub size: Option<u64>,
}

/// One block for the model to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// A text.
    Text(String),
    /// An image.
    Image(Media),
    /// A sound.
    Audio(Media),
    /// A resource with its contents.
    Resource(Resource),
    /// A resource by its address.
    Link(ResourceLink),
}

/// What a tool returned when it was done, as the guest said it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolResult {
    /// Blocks for the model to read.
    pub content: Vec<Content>,
    /// JSON text that claims to meet the output schema.
    pub structured: Option<String>,
}

/// How a guest ended its call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// It is done.
    Done(ToolResult),
    /// It asks for input before it can go on.
    InputRequired {
        /// What it asks.
        requests: Vec<RawRequest>,
        /// What it wants back with the answers.
        state: Option<Vec<u8>>,
    },
    /// It reports a failure of its own.
    Failed {
        /// The kind of failure, in the guest's words.
        kind: String,
        /// What went wrong, in the guest's words.
        message: String,
        /// Whether the same call may succeed later, in the guest's opinion.
        retryable: bool,
        /// How long to wait before that, in milliseconds, in the guest's opinion.
        retry_after_ms: Option<u64>,
    },
}

/// Equality of raw JSON by its text, which is what the host promises to keep.
pub(crate) fn same_raw(one: Option<&RawValue>, two: Option<&RawValue>) -> bool {
    one.map(RawValue::get) == two.map(RawValue::get)
}

/// Bytes as the store keeps them: base64 with padding (RFC 4648, section 4).
mod base64_text {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        STANDARD.decode(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
