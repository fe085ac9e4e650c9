//! The granted directories of a call: opened before its guest starts, and handed to it.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::{Descriptor, Dir};
use wasmtime_wasi::p2::bindings::filesystem::preopens::Host;
use wasmtime_wasi::{FsPerms, OpenMode};

use super::{Files, FilesView, Folders, Granted, Place, Root, Told};
use crate::id::{CallId, TenantId};
use crate::policy::{DirectoryGrant, DirectoryPower};
use crate::sandbox::folders::{DirectoryError, host_path, open_folder};

/// Opens all directories that a call of a component was granted. This may block.
///
/// # Errors
/// [`DirectoryError`] names the first one that cannot be opened.
pub(in crate::sandbox) fn open(
    grants: &[DirectoryGrant],
    component: &str,
    tenant: &TenantId,
    call: &CallId,
    folders: &Folders,
) -> Result<Files, DirectoryError> {
    let mut files = Files::default();
    for grant in grants {
        let handle = Arc::new(open_folder(grant, tenant)?);
        let told = Told {
            already: AtomicBool::new(false),
            directory: host_path(grant, tenant).display().to_string(),
            tenant: tenant.to_string(),
            component: component.to_owned(),
            call: call.to_string(),
        };
        let granted = granted(grant, handle, folders, told)
            .map_err(|fault| DirectoryError::new(host_path(grant, tenant), &fault))?;
        files.granted.push(granted);
    }
    Ok(files)
}

fn granted(grant: &DirectoryGrant, handle: Arc<File>, folders: &Folders, told: Told) -> io::Result<Granted> {
    let (perms, mode, folder, most) = match grant.power {
        DirectoryPower::ReadOnly => (FsPerms::ReadOnly, OpenMode::READ, folders.find(&handle)?, None),
        DirectoryPower::Writable(most) => {
            (FsPerms::ReadWrite, OpenMode::READ | OpenMode::WRITE, Some(folders.get(&handle)?), Some(most))
        }
    };
    let dir = Dir::new(handle.try_clone()?, perms, mode, false);
    let root = folder.map(|folder| Arc::new(Root { handle, folder, most, told }));
    Ok(Granted { dir, guest: grant.guest.clone(), root })
}

impl Host for FilesView<'_> {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Resource<Descriptor>, String)>> {
        let mut given = Vec::with_capacity(self.files.granted.len());
        for granted in &self.files.granted {
            let descriptor = self.table.push(Descriptor::Dir(granted.dir.clone()))?;
            if let Some(root) = &granted.root {
                let place = Place { root: Arc::clone(root), file: 0 };
                self.files.open.insert(descriptor.rep(), place);
            }
            given.push((descriptor, granted.guest.clone()));
        }
        Ok(given)
    }
}
