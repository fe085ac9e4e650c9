//! One rule: scheme, host or one leading wildcard, port, and the networks that may lie behind the name.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

use super::Scheme;
use super::destination::{Destination, DestinationError, split_port};
use super::host::Host;

/// Which hosts a rule is for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Hosts {
    One(Host),
    /// Exactly one part more than this name.
    Below(String),
}

/// Networks whose addresses may be dialled although they are not public.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Networks(Vec<IpNet>);

impl Networks {
    /// These networks.
    #[must_use]
    pub const fn new(networks: Vec<IpNet>) -> Self {
        Self(networks)
    }

    /// Whether an address lies in one of them. An IPv4 address in the form of an IPv6 one lies in IPv6 networks alone.
    #[must_use]
    pub fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// One rule, written as a URL without a path: `https://api.example.com`, `https://*.example.com:8443`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRule {
    scheme: Scheme,
    hosts: Hosts,
    port: u16,
    networks: Networks,
}

/// Why a text is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// It does not begin with a scheme.
    #[error("a rule begins with https:// or http://")]
    NoScheme,
    /// Something stands after the port.
    #[error("a rule ends with the host or the port; paths cannot be told apart")]
    Tail,
    /// The wildcard stands elsewhere than it may.
    #[error(
        "a * stands for exactly one part at the beginning of a name of at least two further ones, as in *.example.com"
    )]
    Wildcard,
    /// A name beyond ASCII that is none.
    #[error("the name cannot be written in ASCII")]
    International,
    /// The destination is not one.
    #[error(transparent)]
    Destination(#[from] DestinationError),
}

impl HttpRule {
    /// The rule with networks whose addresses may lie behind its name.
    #[must_use]
    pub fn with_networks(self, networks: Networks) -> Self {
        Self { networks, ..self }
    }

    /// Whether the rule is for a destination.
    #[must_use]
    pub fn matches(&self, to: &Destination) -> bool {
        let host = match (&self.hosts, &to.host) {
            (Hosts::One(own), host) => own == host,
            (Hosts::Below(parent), Host::Name(name)) => name
                .strip_suffix(parent.as_str())
                .and_then(|rest| rest.strip_suffix('.'))
                .is_some_and(|label| !label.is_empty() && !label.contains('.')),
            (Hosts::Below(_), Host::Address(_)) => false,
        };
        host && self.scheme == to.scheme && self.port == to.port
    }

    /// The networks that it names.
    #[must_use]
    pub const fn networks(&self) -> &Networks {
        &self.networks
    }

    /// How the peer is spoken to.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }
}

impl FromStr for HttpRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let (scheme, rest) = text.split_once("://").ok_or(RuleError::NoScheme)?;
        if rest.contains(['/', '?', '#', '\\']) {
            return Err(RuleError::Tail);
        }
        let ascii = match rest.is_ascii() {
            true => rest.to_owned(),
            false => {
                let (host, port) = split_port(rest);
                let host = idna::domain_to_ascii_strict(host).map_err(|_| RuleError::International)?;
                port.map_or(host.clone(), |port| format!("{host}:{port}"))
            }
        };
        let (hosts, of) = match ascii.strip_prefix("*.") {
            Some(parent) => {
                let of = Destination::parse(scheme, parent)?;
                match &of.host {
                    Host::Name(name) if name.contains('.') => (Hosts::Below(name.clone()), of),
                    _ => return Err(RuleError::Wildcard),
                }
            }
            None if ascii.contains('*') => return Err(RuleError::Wildcard),
            None => {
                let of = Destination::parse(scheme, &ascii)?;
                (Hosts::One(of.host.clone()), of)
            }
        };
        Ok(Self { scheme: of.scheme, hosts, port: of.port, networks: Networks::default() })
    }
}

impl fmt::Display for HttpRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.scheme.as_str();
        match &self.hosts {
            Hosts::One(host) => write!(f, "{scheme}://{host}")?,
            Hosts::Below(parent) => write!(f, "{scheme}://*.{parent}")?,
        }
        if self.port != self.scheme.port() {
            write!(f, ":{}", self.port)?;
        }
        for network in &self.networks.0 {
            write!(f, " in {network}")?;
        }
        Ok(())
    }
}
