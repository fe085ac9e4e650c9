//! The address of a document that the operator names.

use std::fmt;
use std::str::FromStr;

use crate::policy::{Destination, DestinationError, Scheme, TargetError, target};

/// An `https` URL: where a document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentUrl {
    to: Destination,
    target: String,
}

/// Why a text is no such URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlFault {
    /// Whoever is in between could put other keys in its place.
    #[error("it must begin with https://")]
    Scheme,
    /// The host or the port is none.
    #[error(transparent)]
    Destination(#[from] DestinationError),
    /// The path is none.
    #[error(transparent)]
    Target(#[from] TargetError),
}

impl DocumentUrl {
    /// The host and its port.
    #[must_use]
    pub const fn destination(&self) -> &Destination {
        &self.to
    }

    /// The path with its query.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.target
    }
}

impl FromStr for DocumentUrl {
    type Err = UrlFault;

    fn from_str(text: &str) -> Result<Self, UrlFault> {
        let (scheme, rest) = text.split_once("://").ok_or(UrlFault::Scheme)?;
        let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let to = Destination::parse(scheme, authority)?;
        if to.scheme != Scheme::Https {
            return Err(UrlFault::Scheme);
        }
        Ok(Self { to, target: target(path)? })
    }
}

impl fmt::Display for DocumentUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.to, self.target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_named_whole_and_comes_through_tls() {
        for (text, shown) in [
            ("https://login.example/keys", "https://login.example/keys"),
            ("https://login.example:8443", "https://login.example:8443/"),
            ("https://[::1]/a?b=c", "https://[::1]/a?b=c"),
        ] {
            assert_eq!(text.parse::<DocumentUrl>().map(|url| url.to_string()), Ok(shown.to_owned()));
        }
        for bad in [
            "http://login.example/",
            "login.example",
            "https://",
            "https://a@b/",
            "https://a/ b",
            "https://a/#b",
        ] {
            assert!(bad.parse::<DocumentUrl>().is_err(), "{bad}");
        }
    }
}
