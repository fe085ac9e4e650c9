//! What a guest may do in the directories that it was granted: `wasi:filesystem`, as every guest gets it.
//!
//! The functions are those of `wasmtime-wasi`, which keep a path inside of its directory. Each is wrapped by one of ours
//! that looks at the path, at what the grant allows, and at the folder's quota, and makes no link. Two are ours alone,
//! since the library's would take all names of a directory into memory: see [`listing`]. No function of the library is
//! linked beside ours.

mod descriptors;
mod folder;
mod listing;
mod open;
mod paths;
mod preopens;
mod stream;
mod usage;

use std::any::Any;
use std::collections::HashMap;
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

pub(super) use folder::Folders;
pub(super) use preopens::open;
use wasmtime::component::{HasData, Linker, Resource, ResourceTable};
use wasmtime_wasi::filesystem::{Descriptor, Dir, WasiFilesystemCtx, WasiFilesystemCtxView};
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;
use wasmtime_wasi::p2::bindings::filesystem::{preopens as wasi_preopens, types};

use self::folder::{Folder, Turn};
use self::usage::{Amount, FileId};
use super::state::HostState;
use crate::policy::DirectoryQuota;

/// Files and directories that a call may have open at once, by whatever of descriptors, streams and listings. The system
/// has few for the whole host.
const OPEN: usize = 64;

/// The directories of one call, and what its guest has open in them. Those of a call without a grant cost nothing.
#[derive(Default)]
pub(super) struct Files {
    granted: Vec<Granted>,
    /// Of the descriptors in the table, those whose folder somebody may write to.
    open: HashMap<u32, Place>,
    /// What was opened, and may still be.
    handles: Vec<Weak<dyn Any + Send + Sync>>,
    context: WasiFilesystemCtx,
}

/// One granted directory.
struct Granted {
    dir: Dir,
    guest: String,
    /// None where nobody of this process writes.
    root: Option<Arc<Root>>,
}

/// A granted directory in a folder that is counted.
struct Root {
    handle: Arc<File>,
    folder: Arc<Folder>,
    /// How much may lie there; None if this guest may only read.
    most: Option<DirectoryQuota>,
    /// What the operator is told with a refusal.
    told: Told,
}

/// A refusal of the quota, which is told once in a call.
struct Told {
    already: AtomicBool,
    directory: String,
    tenant: String,
    component: String,
    call: String,
}

/// Where an open file or directory belongs.
#[derive(Clone)]
struct Place {
    root: Arc<Root>,
    /// Of a file, and 0 of a directory.
    file: FileId,
}

impl Root {
    async fn turn(&self) -> Turn {
        self.folder.turn(&self.handle).await
    }

    /// Charges what is to come to the quota of the folder.
    ///
    /// # Errors
    /// As [`Turn::charge`], and `not-permitted` if nothing may be written.
    async fn charge(&self, turn: &mut Turn, more: Amount) -> Result<(), ErrorCode> {
        let most = self.most.ok_or(ErrorCode::NotPermitted)?;
        let charged = turn.charge(more, most).await;
        if matches!(charged, Err(ErrorCode::Quota)) && !self.told.already.swap(true, Ordering::Relaxed) {
            let Told { directory, tenant, component, call, .. } = &self.told;
            tracing::warn!(
                directory, tenant, component, call, quota = %most,
                "a granted directory is full, so that its tool was refused to write more"
            );
        }
        charged
    }
}

/// The view of a call's state through which its guest reaches files.
pub(super) struct FilesView<'a> {
    files: &'a mut Files,
    table: &'a mut ResourceTable,
}

impl<'a> FilesView<'a> {
    pub(super) fn new(files: &'a mut Files, table: &'a mut ResourceTable) -> Self {
        Self { files, table }
    }

    /// The library's own functions.
    fn inner(&mut self) -> WasiFilesystemCtxView<'_> {
        WasiFilesystemCtxView { ctx: &mut self.files.context, table: self.table }
    }

    /// Whether one more file or directory may be opened.
    ///
    /// # Errors
    /// WASI has no code for it; this is the one for what the host has no room for.
    fn has_handle(&mut self) -> Result<(), ErrorCode> {
        let handles = &mut self.files.handles;
        if handles.len() >= OPEN {
            handles.retain(|handle| handle.strong_count() > 0);
        }
        if handles.len() >= OPEN { Err(ErrorCode::InsufficientMemory) } else { Ok(()) }
    }

    /// Where a descriptor belongs, if its folder is counted.
    fn place(&self, descriptor: &Resource<Descriptor>) -> Option<Place> {
        self.files.open.get(&descriptor.rep()).cloned()
    }

    /// Where a descriptor belongs through which something is to be changed.
    fn writable(&self, descriptor: &Resource<Descriptor>) -> Result<Place, ErrorCode> {
        self.place(descriptor).filter(|place| place.root.most.is_some()).ok_or(ErrorCode::NotPermitted)
    }
}

/// Names the view to the linker.
struct HasFiles;

impl HasData for HasFiles {
    type Data<'a> = FilesView<'a>;
}

/// Links `wasi:filesystem`.
pub(super) fn link(linker: &mut Linker<HostState>) -> wasmtime::Result<()> {
    wasi_preopens::add_to_linker::<HostState, HasFiles>(linker, HostState::files)?;
    types::add_to_linker::<HostState, HasFiles>(linker, HostState::files)?;
    listing::link(linker)
}

/// A further handle of a resource that is in the table, to hand it to the library.
fn borrow(descriptor: &Resource<Descriptor>) -> Resource<Descriptor> {
    Resource::new_borrow(descriptor.rep())
}
