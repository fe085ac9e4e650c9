//! Which `Host` and `Origin` a request may carry. A page that some browser shows can reach a server on the same
//! machine; these two headers are how such a page is told from a client that was meant to connect.
//!
//! Names are compared without regard to case and to one trailing dot, addresses as addresses, ports as numbers. A
//! header that is there twice, that cannot be read, or that a target in absolute form contradicts, is refused.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, Uri};

use crate::executor::ServerSettings;

#[cfg(test)]
mod tests;

/// How much of a refused value is shown, in characters.
const SHOWN: usize = 200;

/// A value in the settings that names no host or no origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{setting}` has the value {value:?}, which is not valid: {rule}")]
pub struct SettingFault {
    setting: &'static str,
    value: String,
    rule: &'static str,
}

/// A request that came to a wrong name, or from a page that is not admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused {
    /// `Host` or `Origin`.
    pub(super) header: &'static str,
    /// What the request carried, shortened; empty if there was nothing.
    pub(super) value: String,
    /// The setting that admits more.
    pub(super) setting: &'static str,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { header, value, setting } = self;
        if value.is_empty() {
            write!(f, "The request has no {header} header.")
        } else {
            write!(f, "The {header} {value:?} is not admitted. An operator can add it to `{setting}`.")
        }
    }
}

/// The names that a server answers to, and the origins that it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origins {
    hosts: Vec<Authority>,
    origins: Vec<Origin>,
}

impl Origins {
    /// The loopback names and the address itself, with the port that is listened on, and what the settings add. A
    /// host in the settings without a port is admitted with any.
    ///
    /// # Errors
    /// [`SettingFault`] for a value that names no host or no origin.
    pub(super) fn new(listen: SocketAddr, settings: &ServerSettings) -> Result<Self, SettingFault> {
        let mut names = vec![
            Name::Dns("localhost".to_owned()),
            Name::Ip(Ipv4Addr::LOCALHOST.into()),
            Name::Ip(Ipv6Addr::LOCALHOST.into()),
        ];
        // "Any address" is something to listen on, not something to connect to.
        if !listen.ip().is_unspecified() {
            names.push(Name::Ip(listen.ip()));
        }
        let port = Some(listen.port());
        let mut hosts: Vec<_> = names.iter().map(|name| Authority { name: name.clone(), port }).collect();
        let mut origins: Vec<_> =
            names.into_iter().map(|name| Origin { scheme: "http".to_owned(), name, port }).collect();
        for value in &settings.allowed_hosts {
            hosts.push(Authority::parse(value).ok_or_else(|| SettingFault {
                setting: "server.allowed_hosts",
                value: value.clone(),
                rule: "it must be a host name or address, with or without `:port`",
            })?);
        }
        for value in &settings.allowed_origins {
            origins.push(Origin::parse(value).ok_or_else(|| SettingFault {
                setting: "server.allowed_origins",
                value: value.clone(),
                rule: "it must be `scheme://host` or `scheme://host:port` without a path",
            })?);
        }
        Ok(Self { hosts, origins })
    }

    /// Whether a request with this target and these headers may go on.
    ///
    /// # Errors
    /// [`Refused`], with the value at fault and the setting that would admit it.
    pub(super) fn check(&self, target: &Uri, headers: &HeaderMap) -> Result<(), Refused> {
        let refused = |value: String| Refused { header: "Host", value, setting: "server.allowed_hosts" };
        let host = single(headers, &HOST).map_err(refused)?;
        let read = |text: &str| {
            Authority::parse(text)
                .filter(|authority| self.admits_host(authority))
                .ok_or_else(|| refused(shorten(text)))
        };
        let named = read(host.ok_or_else(|| refused(String::new()))?)?;
        // In absolute form the target's authority is what the client means (RFC 9112, 3.2.2). It may not differ from
        // what a proxy in between may have looked at.
        if let Some(authority) = target.authority()
            && read(authority.as_str())? != named
        {
            return Err(refused(shorten(authority.as_str())));
        }
        let refused = |value: String| Refused { header: "Origin", value, setting: "server.allowed_origins" };
        let Some(origin) = single(headers, &ORIGIN).map_err(refused)? else { return Ok(()) };
        match Origin::parse(origin) {
            Some(parsed) if self.origins.contains(&parsed) => Ok(()),
            _ => Err(refused(if origin.is_empty() { "(empty)".to_owned() } else { shorten(origin) })),
        }
    }

    fn admits_host(&self, named: &Authority) -> bool {
        self.hosts.iter().any(|admitted| {
            admitted.name == named.name
                && match (admitted.port, named.port) {
                    (None, _) => true,
                    (Some(admitted), Some(named)) => admitted == named,
                    // Without a port it is the scheme's own, and a proxy may have ended TLS.
                    (Some(admitted), None) => admitted == 80 || admitted == 443,
                }
        })
    }
}

/// A header's only value. `Err` has all values if there are several, or the unreadable one.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, String> {
    let mut values = headers.get_all(name).iter();
    let Some(first) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        let all: Vec<_> =
            headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
        return Err(shorten(&all.join(", ")));
    }
    first.to_str().map(Some).map_err(|_| shorten(&String::from_utf8_lossy(first.as_bytes())))
}

fn shorten(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// What a host is called.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    /// In lower case, without the root's dot.
    Dns(String),
    Ip(IpAddr),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Authority {
    name: Name,
    port: Option<u16>,
}

impl Authority {
    /// `host`, `host:port`, `[v6]`, `[v6]:port`. No user, no empty port, nothing but ASCII.
    fn parse(text: &str) -> Option<Self> {
        let (name, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (inner, after) = rest.split_once(']')?;
                let name = Name::Ip(inner.parse::<Ipv6Addr>().ok()?.into());
                (name, if after.is_empty() { None } else { Some(after.strip_prefix(':')?) })
            }
            None => match text.split_once(':') {
                Some((name, port)) => (dns_name(name)?, Some(port)),
                None => (dns_name(text)?, None),
            },
        };
        let port = match port {
            None => None,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().ok()?),
            Some(_) => return None,
        };
        Some(Self { name, port })
    }
}

fn dns_name(text: &str) -> Option<Name> {
    let text = text.strip_suffix('.').unwrap_or(text);
    let valid = !text.is_empty()
        && text.len() <= 253
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    if !valid {
        return None;
    }
    Some(match text.parse::<Ipv4Addr>() {
        Ok(address) => Name::Ip(address.into()),
        Err(_) => Name::Dns(text.to_ascii_lowercase()),
    })
}

/// A page's origin (RFC 6454). The opaque origin, `null`, is none.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    scheme: String,
    name: Name,
    port: Option<u16>,
}

impl Origin {
    fn parse(text: &str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let valid = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        if !valid {
            return None;
        }
        let scheme = scheme.to_ascii_lowercase();
        let Authority { name, port } = Authority::parse(authority)?;
        let default_port = match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        Some(Self { scheme, name, port: port.or(default_port) })
    }
}
