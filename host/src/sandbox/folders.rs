//! The folders that grants name on the host: found or made when it starts, and opened for each call. The one place that
//! opens a granted directory by its path; the tenant's part of it is walked inside of the fixed part.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::id::TenantId;
use crate::policy::{DirectoryGrant, DirectoryPower};

/// What stands in a path for the tenant's id.
const TENANT: &str = "{tenant}";

/// Why a guest's directories could not be given.
#[derive(Debug, thiserror::Error)]
#[error("the granted directory {path} cannot be opened: {reason}")]
pub struct DirectoryError {
    path: PathBuf,
    reason: String,
}

impl DirectoryError {
    pub(super) fn new(path: PathBuf, reason: &impl std::fmt::Display) -> Self {
        Self { path, reason: format!("{reason:#}") }
    }
}

/// The folder of a grant for one tenant. A tenant's id has no separator and is not `..`, as parsed.
#[must_use]
pub fn host_path(grant: &DirectoryGrant, tenant: &TenantId) -> PathBuf {
    let (fixed, own) = split(&grant.host, tenant);
    // Joining nothing would add a separator.
    if own.as_os_str().is_empty() { fixed } else { fixed.join(own) }
}

/// Finds a tenant's own folder, or makes it if the guest may write there. A grant without `{tenant}` names one folder
/// for all, which the configuration was checked for.
///
/// The tenant's part of the path is walked inside of the fixed part: a link in it leads nowhere else.
///
/// # Errors
/// [`DirectoryError`] names the folder and the system's reason.
#[expect(clippy::disallowed_methods, reason = "the one module that opens granted directories")]
pub fn make_folder(grant: &DirectoryGrant, tenant: &TenantId) -> Result<(), DirectoryError> {
    let (fixed, own) = split(&grant.host, tenant);
    if own.as_os_str().is_empty() {
        return Ok(());
    }
    let ready = || -> io::Result<()> {
        match grant.power {
            DirectoryPower::ReadOnly => {
                Dir::open_ambient_dir(&fixed, ambient_authority())?.open_dir(&own)?;
            }
            DirectoryPower::Writable(_) => {
                Dir::create_ambient_dir_all(&fixed, ambient_authority())?;
                let fixed = Dir::open_ambient_dir(&fixed, ambient_authority())?;
                fixed.create_dir_all(&own)?;
                fixed.open_dir(&own)?;
            }
        }
        Ok(())
    };
    ready().map_err(|fault| DirectoryError::new(fixed.join(&own), &fault))
}

/// Opens the folder of a grant for one tenant.
///
/// # Errors
/// [`DirectoryError`] names the folder and the system's reason.
#[expect(clippy::disallowed_methods, reason = "the one module that opens granted directories")]
pub(super) fn open_folder(grant: &DirectoryGrant, tenant: &TenantId) -> Result<File, DirectoryError> {
    let (fixed, own) = split(&grant.host, tenant);
    let open = || -> io::Result<File> {
        let fixed = Dir::open_ambient_dir(&fixed, ambient_authority())?;
        let own = if own.as_os_str().is_empty() { Path::new(".") } else { &own };
        // Opened to be read, as a file is: what `open_dir` gives cannot be asked for everything.
        let opened = fixed.open_with(own, OpenOptions::new().read(true))?;
        if opened.metadata()?.is_dir() {
            Ok(opened.into_std())
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    };
    open().map_err(|fault| DirectoryError::new(host_path(grant, tenant), &fault))
}

/// The part of a path that all tenants share, and the rest with the tenant's id in it.
fn split(path: &Path, tenant: &TenantId) -> (PathBuf, PathBuf) {
    let (mut fixed, mut own) = (PathBuf::new(), PathBuf::new());
    for part in path.components() {
        let part = part.as_os_str();
        match part.to_str() {
            Some(text) if text.contains(TENANT) => own.push(text.replace(TENANT, tenant.as_str())),
            _ if own.as_os_str().is_empty() => fixed.push(part),
            _ => own.push(part),
        }
    }
    (fixed, own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::DirectoryQuota;

    fn grant(host: PathBuf, power: DirectoryPower) -> DirectoryGrant {
        DirectoryGrant { host, guest: "/files".into(), power }
    }

    #[test]
    fn a_tenants_folder_is_its_own() {
        let tenant = "acme".parse().unwrap();
        let path = |host: &str| {
            host_path(&grant(host.into(), DirectoryPower::Writable(DirectoryQuota::default())), &tenant)
        };
        assert_eq!(path("/data/{tenant}/files"), PathBuf::from("/data/acme/files"));
        assert_eq!(path("/data/t-{tenant}"), PathBuf::from("/data/t-acme"));
        assert_eq!(path("/data"), PathBuf::from("/data"));
    }

    #[test]
    fn a_writable_folder_is_made_and_one_to_read_has_to_be_there() {
        let here = tempfile::tempdir().unwrap();
        let tenant = "acme".parse().unwrap();
        let host = here.path().join("data/{tenant}/files");
        let missing = make_folder(&grant(host.clone(), DirectoryPower::ReadOnly), &tenant).unwrap_err();
        assert!(missing.to_string().contains("data/acme/files"), "{missing}");
        make_folder(&grant(host.clone(), DirectoryPower::Writable(DirectoryQuota::default())), &tenant)
            .unwrap();
        assert!(here.path().join("data/acme/files").is_dir());
        make_folder(&grant(host, DirectoryPower::ReadOnly), &tenant).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_leads_to_no_other_place() {
        let (here, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(outside.path(), here.path().join("acme")).unwrap();
        let host = here.path().join("{tenant}/files");
        assert!(
            make_folder(
                &grant(host, DirectoryPower::Writable(DirectoryQuota::default())),
                &"acme".parse().unwrap()
            )
            .is_err()
        );
        assert!(!outside.path().join("files").exists());
    }
}
