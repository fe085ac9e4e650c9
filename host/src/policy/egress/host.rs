//! The host of a URL, spelled in one way only.
//!
//! What a resolver or a URL library might read as something else is no host here: numbers in other bases, shortened
//! addresses, a dot at the end, characters beyond ASCII, zones.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The longest name, in bytes (RFC 1035).
const LONGEST: usize = 253;
/// The longest part of a name, in bytes.
const LONGEST_LABEL: usize = 63;

/// A name in lower case, or an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name.
    Name(String),
    /// An address.
    Address(IpAddr),
}

/// Why a text is no host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostError(&'static str);

impl FromStr for Host {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        if let Some(inner) = text.strip_prefix('[') {
            let address = inner.strip_suffix(']').and_then(|inner| inner.parse::<Ipv6Addr>().ok());
            return match address {
                Some(address) => Ok(Self::Address(address.into())),
                None => Err(HostError("what stands in brackets is not an IPv6 address")),
            };
        }
        check_name(text)?;
        let last = text.rsplit('.').next().unwrap_or_default();
        // As the URL standard has it: a name whose last part is a number is an IPv4 address, in one spelling of many.
        let hexadecimal = last.get(..2).is_some_and(|two| two.eq_ignore_ascii_case("0x"));
        if hexadecimal || last.bytes().all(|byte| byte.is_ascii_digit()) {
            return match text.parse::<Ipv4Addr>() {
                Ok(address) => Ok(Self::Address(address.into())),
                Err(_) => Err(HostError("an IPv4 address is four decimal numbers without leading zeros")),
            };
        }
        Ok(Self::Name(text.to_ascii_lowercase()))
    }
}

fn check_name(text: &str) -> Result<(), HostError> {
    if text.is_empty() {
        return Err(HostError("the host is missing"));
    }
    if text.len() > LONGEST {
        return Err(HostError("a name has at most 253 characters"));
    }
    if text.ends_with('.') {
        return Err(HostError("a name has no dot at its end"));
    }
    for label in text.split('.') {
        if label.is_empty() || label.len() > LONGEST_LABEL {
            return Err(HostError("each part of a name has 1 to 63 characters"));
        }
        if !label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) {
            return Err(HostError(
                "a name consists of ASCII letters, digits, - and _, in parts between dots",
            ));
        }
        if label.starts_with('-') || label.ends_with('-') {
            return Err(HostError("no part of a name begins or ends with -"));
        }
    }
    Ok(())
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(address)) => write!(f, "{address}"),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
        }
    }
}
