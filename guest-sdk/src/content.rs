//! Blocks of a result, for the model to read.

/// One block of a result.
///
/// ```
/// use toolhost_sdk::{Content, Link};
///
/// let blocks = vec![
///     Content::text("Here is the chart."),
///     Content::image("image/png", vec![0x89, b'P', b'N', b'G']),
///     Content::link(Link::new("https://example.com/report", "report").title("The full report")),
/// ];
/// # assert_eq!(blocks.len(), 3);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
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
    Link(Link),
}

impl Content {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// An image: its media type, such as `image/png`, and its bytes, not encoded.
    pub fn image(mime_type: impl Into<String>, data: impl Into<Vec<u8>>) -> Self {
        Self::Image(Media { data: data.into(), mime_type: mime_type.into() })
    }

    /// A sound: its media type, such as `audio/wav`, and its bytes, not encoded.
    pub fn audio(mime_type: impl Into<String>, data: impl Into<Vec<u8>>) -> Self {
        Self::Audio(Media { data: data.into(), mime_type: mime_type.into() })
    }

    /// A resource that is a text.
    pub fn resource_text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Resource(Resource { uri: uri.into(), mime_type: None, body: ResourceBody::Text(text.into()) })
    }

    /// A resource that is bytes.
    pub fn resource_bytes(uri: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self::Resource(Resource { uri: uri.into(), mime_type: None, body: ResourceBody::Blob(bytes.into()) })
    }

    /// A resource that the client may fetch.
    pub fn link(link: Link) -> Self {
        Self::Link(link)
    }
}

/// Bytes with their media type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// The bytes themselves, not encoded.
    pub data: Vec<u8>,
    /// The media type (RFC 6838), such as `image/png`.
    pub mime_type: String,
}

/// A resource that stands in the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// The resource's address (RFC 3986).
    pub uri: String,
    /// The media type (RFC 6838).
    pub mime_type: Option<String>,
    /// The contents.
    pub body: ResourceBody,
}

impl Resource {
    /// The same resource with a media type.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }
}

/// The body of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceBody {
    /// A text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

/// A resource that the client may fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The resource's address (RFC 3986).
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

impl Link {
    /// A link with an address and a name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
        }
    }

    /// The same link with a short name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The same link with a line about what the resource is.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The same link with a media type (RFC 6838).
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// The same link with a size in bytes.
    #[must_use]
    pub fn size(mut self, size: u64) -> Self {
        self.size = Some(size);
        self
    }
}
