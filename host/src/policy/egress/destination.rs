//! Where a request goes: scheme, host and port.

use std::fmt;

use super::host::{Host, HostError};

/// How a peer is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// In the clear.
    Http,
    /// Through TLS.
    Https,
}

impl Scheme {
    /// As it stands in a URL.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// The port if none is named.
    #[must_use]
    pub const fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// Scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Destination {
    /// The scheme.
    pub scheme: Scheme,
    /// The host.
    pub host: Host,
    /// The port.
    pub port: u16,
}

/// Why a text is no destination.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DestinationError {
    /// Another scheme than HTTP.
    #[error("the scheme has to be http or https")]
    Scheme,
    /// Credentials before the host.
    #[error("there must be no user or password before the host")]
    UserInfo,
    /// The host is not one.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The port is not one.
    #[error("a port is a number from 1 to 65535")]
    Port,
}

impl Destination {
    /// Reads a scheme and an authority, which is a host and perhaps a port.
    ///
    /// # Errors
    /// [`DestinationError`] names the part that is wrong.
    pub fn parse(scheme: &str, authority: &str) -> Result<Self, DestinationError> {
        let scheme = if scheme.eq_ignore_ascii_case("http") {
            Scheme::Http
        } else if scheme.eq_ignore_ascii_case("https") {
            Scheme::Https
        } else {
            return Err(DestinationError::Scheme);
        };
        if authority.contains('@') {
            return Err(DestinationError::UserInfo);
        }
        let (host, port) = split_port(authority);
        let port = port.map_or(Ok(scheme.port()), parse_port)?;
        Ok(Self { scheme, host: host.parse()?, port })
    }

    /// Host and port as they stand in the `Host` header: the port is left out where it is the scheme's own.
    #[must_use]
    pub fn authority(&self) -> String {
        match self.port == self.scheme.port() {
            true => self.host.to_string(),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

/// The port begins at the last colon that stands outside of brackets.
pub(super) fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

fn parse_port(text: &str) -> Result<u16, DestinationError> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| digits).ok_or(DestinationError::Port)
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme.as_str(), self.authority())
    }
}
