//! What the operator gives a component: directories, a store of its own, other tools, the web, secrets. Nothing here
//! opens anything.

use std::path::PathBuf;

use super::egress::{Destination, HttpRule, Scheme};
use crate::id::SecretName;

/// What a guest may do in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectoryPower {
    /// Look and read.
    ReadOnly,
    /// Also create, write and delete, up to a quota.
    Writable(DirectoryQuota),
}

/// How much may lie in a directory that a guest writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectoryQuota {
    /// The sizes of all files together, holes in them included.
    pub bytes: u64,
    /// Files, and directories too.
    pub files: u64,
}

impl DirectoryQuota {
    /// The largest number of bytes that can be granted.
    pub const MOST_BYTES: u64 = 1 << 40;
    /// The largest number of files that can be granted. To count so many takes a good part of a second.
    pub const MOST_FILES: u64 = 100_000;
}

impl Default for DirectoryQuota {
    fn default() -> Self {
        Self { bytes: 64 << 20, files: 1_000 }
    }
}

impl std::fmt::Display for DirectoryQuota {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const MIB: u64 = 1 << 20;
        match self.bytes {
            bytes if bytes.is_multiple_of(MIB) => write!(f, "{} MiB", bytes / MIB)?,
            bytes => write!(f, "{bytes} bytes")?,
        }
        write!(f, " in {} files", self.files)
    }
}

/// One directory handed to a component under a guest path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryGrant {
    /// Where it is on the host. `{tenant}` in the path is replaced by the tenant's id, so that each has its own.
    pub host: PathBuf,
    /// The absolute path under which the guest sees it.
    pub guest: String,
    /// What the guest may do in it.
    pub power: DirectoryPower,
}

/// One secret that a component may send, to one place and in one header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretGrant {
    /// The secret.
    pub name: SecretName,
    /// Where it may go.
    pub to: HttpRule,
    /// The header in which it may stand, in lower case.
    pub header: String,
}

/// Header fields that say how a message is read, who is spoken to, or what belongs to one connection (RFC 9110, section
/// 7.6.1): the host writes them itself, or leaves them out.
pub const FRAMING: [&str; 13] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
];

/// Why a grant is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrantError {
    /// The guest path is not one.
    #[error("the guest path {0:?} must begin with / and have no empty, . or .. part")]
    GuestPath(String),
    /// Two grants under one guest path.
    #[error("the guest path {0:?} is granted twice")]
    Doubled(String),
    /// The header of a secret is not one.
    #[error(
        "the header {0:?} must consist of lower-case letters, digits and -, and must not frame the message"
    )]
    Header(String),
    /// A secret is to go where the component may not send anything.
    #[error("the secret {name} may go to {to}, which is not in http")]
    Unreachable {
        /// The secret.
        name: SecretName,
        /// Where it is to go.
        to: String,
    },
    /// A secret would be sent in the clear through a network that is not the operator's.
    #[error("the secret {0} would be sent in the clear; use https, or name the networks of the rule")]
    InTheClear(SecretName),
    /// A secret is granted twice for one place.
    #[error("the secret {0} is granted twice")]
    SecretTwice(SecretName),
}

/// All that a component was given. The default gives nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grants {
    /// A store of keys and values for each tenant.
    pub kv: bool,
    /// Calls to other tools, in the caller's name.
    pub invoke: bool,
    /// Directories.
    pub directories: Vec<DirectoryGrant>,
    /// Where it may send HTTP requests.
    pub http: Vec<HttpRule>,
    /// Secrets that it may send, each one once.
    pub secrets: Vec<SecretGrant>,
}

impl Grants {
    /// Checks that the grants can be given together.
    ///
    /// # Errors
    /// [`GrantError`] names the first one that cannot.
    pub fn validate(&self) -> Result<(), GrantError> {
        for (at, grant) in self.directories.iter().enumerate() {
            let mut parts = grant.guest.split('/');
            let rooted = parts.next() == Some("") && grant.guest.len() > 1;
            if !rooted || parts.any(|part| matches!(part, "" | "." | "..")) {
                return Err(GrantError::GuestPath(grant.guest.clone()));
            }
            if self.directories.iter().take(at).any(|other| other.guest == grant.guest) {
                return Err(GrantError::Doubled(grant.guest.clone()));
            }
        }
        for (at, grant) in self.secrets.iter().enumerate() {
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            if grant.header.is_empty()
                || !grant.header.bytes().all(plain)
                || FRAMING.contains(&grant.header.as_str())
                // What comes back to a request with a secret has to be readable.
                || grant.header == "accept-encoding"
            {
                return Err(GrantError::Header(grant.header.clone()));
            }
            if !self.http.contains(&grant.to) {
                return Err(GrantError::Unreachable { name: grant.name.clone(), to: grant.to.to_string() });
            }
            if grant.to.scheme() == Scheme::Http && grant.to.networks().is_empty() {
                return Err(GrantError::InTheClear(grant.name.clone()));
            }
            if self.secrets.iter().take(at).any(|other| other.name == grant.name) {
                return Err(GrantError::SecretTwice(grant.name.clone()));
            }
        }
        Ok(())
    }
}

impl SecretGrant {
    /// Whether the secret may stand in a header of a request to a destination.
    #[must_use]
    pub fn admits(&self, to: &Destination, header: &str) -> bool {
        self.header == header && self.to.matches(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(guest: &str) -> DirectoryGrant {
        DirectoryGrant { host: "documents".into(), guest: guest.into(), power: DirectoryPower::ReadOnly }
    }

    #[test]
    fn guest_paths_are_absolute_and_plain() {
        for bad in ["", "/", "documents", "/a/../b", "/a//b", "/./a", "/a/"] {
            let grants = Grants { directories: vec![grant(bad)], ..Grants::default() };
            assert_eq!(grants.validate(), Err(GrantError::GuestPath(bad.into())));
        }
        let twice = Grants { directories: vec![grant("/a"), grant("/a")], ..Grants::default() };
        assert_eq!(twice.validate(), Err(GrantError::Doubled("/a".into())));
        let fine = Grants { directories: vec![grant("/a"), grant("/a/b")], ..Grants::default() };
        assert_eq!(fine.validate(), Ok(()));
    }
}
