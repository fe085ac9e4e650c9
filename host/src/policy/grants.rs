//! What the operator gives a component: directories and a store of its own. Nothing here opens anything.

use std::path::PathBuf;

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
        Ok(())
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
