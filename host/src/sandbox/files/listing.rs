//! Listing a directory: a few names at a time, however many there are.
//!
//! The library's `read-directory` takes all names into memory, and its stream of them cannot be made by anybody else. So
//! these functions are defined here and stand in the linker in the place of the library's.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::fs::{Dir, FileType, ReadDir};
use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, Resource, ResourceType};
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p2::bindings::filesystem::types::{DescriptorType, DirectoryEntry, ErrorCode};

use super::FilesView;
use crate::sandbox::state::HostState;

/// The interface, as the library names it.
const INTERFACE: &str = "wasi:filesystem/types@0.2.12";
/// How many names are taken from the system at once.
const AT_ONCE: usize = 64;

/// A directory that is being listed.
struct Listing {
    rest: Arc<Mutex<ReadDir>>,
    next: VecDeque<Result<DirectoryEntry, ErrorCode>>,
}

/// What a guest is answered: a value, or the reason why there is none. The outer failure is a trap.
type Answer<T> = wasmtime::Result<(Result<T, ErrorCode>,)>;

/// Puts the functions in the place of the library's, which are linked already.
pub(super) fn link(linker: &mut Linker<HostState>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let mut interface = linker.instance(INTERFACE)?;
    interface.resource(
        "directory-entry-stream",
        ResourceType::host::<Listing>(),
        |mut store: StoreContextMut<'_, HostState>, listing| {
            store.data_mut().files().table.delete(Resource::<Listing>::new_own(listing))?;
            Ok(())
        },
    )?;
    interface.func_wrap_async(
        "[method]descriptor.read-directory",
        |mut store: StoreContextMut<'_, HostState>, (directory,): (Resource<Descriptor>,)| {
            Box::new(async move { begin(&mut store.data_mut().files(), &directory).await })
        },
    )?;
    interface.func_wrap_async(
        "[method]directory-entry-stream.read-directory-entry",
        |mut store: StoreContextMut<'_, HostState>, (listing,): (Resource<Listing>,)| {
            Box::new(async move { next(&mut store.data_mut().files(), &listing).await })
        },
    )?;
    linker.allow_shadowing(false);
    Ok(())
}

async fn begin(files: &mut FilesView<'_>, directory: &Resource<Descriptor>) -> Answer<Resource<Listing>> {
    let handle = match files.table.get(directory)? {
        Descriptor::Dir(dir) => Arc::clone(&dir.dir),
        Descriptor::File(_) => return Ok((Err(ErrorCode::NotDirectory),)),
    };
    if let Err(code) = files.has_handle() {
        return Ok((Err(code),));
    }
    // The handle is opened anew, so that each listing begins at the beginning.
    let opened = blocking(move || Dir::from_std_file(handle.try_clone()?).entries()).await;
    Ok((match opened {
        Ok(entries) => {
            let rest = Arc::new(Mutex::new(entries));
            let listing = files.table.push(Listing { rest: Arc::clone(&rest), next: VecDeque::new() })?;
            let handle = Arc::downgrade(&rest);
            files.files.handles.push(handle);
            Ok(listing)
        }
        Err(fault) => Err(fault.into()),
    },))
}

async fn next(files: &mut FilesView<'_>, listing: &Resource<Listing>) -> Answer<Option<DirectoryEntry>> {
    let listing = files.table.get_mut(listing)?;
    if listing.next.is_empty() {
        let rest = Arc::clone(&listing.rest);
        let some = blocking(move || {
            let mut rest = rest.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(rest.by_ref().take(AT_ONCE).map(|entry| named(&entry?)).collect())
        });
        listing.next = match some.await {
            Ok(some) => some,
            Err(fault) => return Ok((Err(fault.into()),)),
        };
    }
    Ok((listing.next.pop_front().transpose(),))
}

fn named(entry: &cap_std::fs::DirEntry) -> Result<DirectoryEntry, ErrorCode> {
    let name = entry.file_name().into_string().map_err(|_| ErrorCode::IllegalByteSequence)?;
    Ok(DirectoryEntry { type_: kind(entry.file_type()?), name })
}

fn kind(of: FileType) -> DescriptorType {
    if of.is_dir() {
        DescriptorType::Directory
    } else if of.is_symlink() {
        DescriptorType::SymbolicLink
    } else if of.is_file() {
        DescriptorType::RegularFile
    } else {
        DescriptorType::Unknown
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other).flatten()
}

#[cfg(test)]
mod tests {
    use wasmtime::component::ResourceTable;
    use wasmtime_wasi::filesystem::Dir as WasiDir;
    use wasmtime_wasi::{FsPerms, OpenMode};

    use super::super::Files;
    use super::*;

    #[tokio::test]
    #[expect(clippy::disallowed_methods, reason = "a test opens its own folder")]
    async fn few_names_are_in_memory_at_a_time() {
        let here = tempfile::tempdir().unwrap();
        let dir = Dir::open_ambient_dir(here.path(), cap_std::ambient_authority()).unwrap();
        let n_names = 3 * AT_ONCE + 1;
        for number in 0..n_names {
            dir.create(number.to_string()).unwrap();
        }
        let (mut files, mut table) = (Files::default(), ResourceTable::new());
        let dir = WasiDir::new(dir.into_std_file(), FsPerms::ReadOnly, OpenMode::READ, false);
        let directory = table.push(Descriptor::Dir(dir)).unwrap();
        let mut view = FilesView::new(&mut files, &mut table);
        let listing = begin(&mut view, &directory).await.unwrap().0.unwrap();
        let mut names = std::collections::HashSet::new();
        while let Some(entry) = next(&mut view, &listing).await.unwrap().0.unwrap() {
            names.insert(entry.name);
            assert!(view.table.get(&listing).unwrap().next.len() < AT_ONCE);
        }
        assert_eq!(names.len(), n_names);
    }
}
