//! Opening, deleting and renaming: what is charged, and what is given back, where a name appears or disappears.

use std::any::Any;
use std::sync::{Arc, Weak};

use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p2::FsResult;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, DescriptorStat, DescriptorType, ErrorCode, HostDescriptor as _, OpenFlags, PathFlags,
};

use super::folder::Turn;
use super::usage::{Amount, FileId};
use super::{FilesView, Place, borrow, paths};

/// What a path leads to.
pub(super) struct Found {
    kind: DescriptorType,
    size: u64,
    n_names: u64,
}

impl From<DescriptorStat> for Found {
    fn from(is: DescriptorStat) -> Self {
        Self { kind: is.type_, size: is.size, n_names: is.link_count }
    }
}

impl Found {
    /// Whether a file may be reached by another path, too, which no guest made and which may lie outside of the grant. So
    /// it can be read here, and not changed.
    pub(super) fn has_other_names(&self) -> bool {
        matches!(self.kind, DescriptorType::RegularFile) && self.n_names > 1
    }
}

impl FilesView<'_> {
    /// What a path leads to; None if there is nothing.
    pub(super) async fn find(
        &mut self,
        directory: &Resource<Descriptor>,
        follow: PathFlags,
        path: &str,
    ) -> FsResult<Option<Found>> {
        match self.inner().stat_at(borrow(directory), follow, path.to_owned()).await {
            Ok(is) => Ok(Some(is.into())),
            Err(fault) if matches!(fault.downcast_ref(), Some(ErrorCode::NoEntry)) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Which file a path names, without following a link.
    async fn identity(&mut self, directory: &Resource<Descriptor>, path: &str) -> FsResult<FileId> {
        let follow = PathFlags::empty();
        Ok(self.inner().metadata_hash_at(borrow(directory), follow, path.to_owned()).await?.lower)
    }

    /// `open-at`. A file that is created is charged, and what is cut off is given back. Only files and directories are
    /// opened: a pipe or a device would hold a thread of the host.
    pub(super) async fn open(
        &mut self,
        directory: &Resource<Descriptor>,
        follow: PathFlags,
        path: String,
        how: OpenFlags,
        power: DescriptorFlags,
    ) -> FsResult<Resource<Descriptor>> {
        paths::check(&path)?;
        self.has_handle()?;
        let place = self.place(directory);
        let changes = how.intersects(OpenFlags::CREATE | OpenFlags::EXCLUSIVE | OpenFlags::TRUNCATE)
            || power.contains(DescriptorFlags::WRITE);
        if changes {
            self.writable(directory)?;
        }
        // From here on no other call of this process changes the folder, so that what is found is what is opened.
        let mut turn = match &place {
            Some(place) => Some(place.root.turn().await),
            None => None,
        };
        let found = self.find(directory, follow, &path).await?;
        let new = match &found {
            Some(found) if changes && found.has_other_names() => return Err(ErrorCode::NotPermitted.into()),
            Some(Found { kind, .. }) => match kind {
                DescriptorType::RegularFile | DescriptorType::Directory | DescriptorType::SymbolicLink => {
                    Amount::default()
                }
                _ => return Err(ErrorCode::NotPermitted.into()),
            },
            None if how.contains(OpenFlags::CREATE) => Amount::ONE,
            None => return Err(ErrorCode::NoEntry.into()),
        };
        if let (Some(place), Some(turn)) = (&place, &mut turn)
            && new != Amount::default()
        {
            place.root.charge(turn, new).await?;
        }
        let opened = self.inner().open_at(borrow(directory), follow, path, how, power).await;
        if let Ok(opened) = &opened {
            let handle = match self.table.get(opened)? {
                Descriptor::File(file) => Arc::clone(&file.file),
                Descriptor::Dir(dir) => Arc::clone(&dir.dir),
            };
            self.files.handles.push(Arc::downgrade(&handle) as Weak<dyn Any + Send + Sync>);
        }
        let (Some(place), Some(turn)) = (place, &mut turn) else { return opened };
        match opened {
            Ok(opened) => {
                if let Some(Found { size, kind: DescriptorType::RegularFile, .. }) = found
                    && how.contains(OpenFlags::TRUNCATE)
                {
                    turn.usage().give_back(Amount::bytes(size));
                }
                self.keep(place, turn, &opened).await?;
                Ok(opened)
            }
            Err(fault) => {
                turn.usage().give_back(new);
                Err(fault)
            }
        }
    }

    /// Keeps in mind where an opened descriptor belongs.
    async fn keep(&mut self, place: Place, turn: &mut Turn, opened: &Resource<Descriptor>) -> FsResult<()> {
        let file = match self.table.get(opened)? {
            Descriptor::File(file) => Some(Arc::clone(&file.file)),
            Descriptor::Dir(_) => None,
        };
        let id = match file {
            Some(file) => {
                let id = self.inner().metadata_hash(borrow(opened)).await?.lower;
                turn.usage().opened(id, &file);
                id
            }
            None => 0,
        };
        self.files.open.insert(opened.rep(), Place { root: place.root, file: id });
        Ok(())
    }

    /// `create-directory-at`. It counts as a file.
    pub(super) async fn create_directory(
        &mut self,
        directory: &Resource<Descriptor>,
        path: String,
    ) -> FsResult<()> {
        paths::check(&path)?;
        let place = self.writable(directory)?;
        let mut turn = place.root.turn().await;
        place.root.charge(&mut turn, Amount::ONE).await?;
        let made = self.inner().create_directory_at(borrow(directory), path).await;
        if made.is_err() {
            turn.usage().give_back(Amount::ONE);
        }
        made
    }

    /// `remove-directory-at`.
    pub(super) async fn remove_directory(
        &mut self,
        directory: &Resource<Descriptor>,
        path: String,
    ) -> FsResult<()> {
        paths::check(&path)?;
        let place = self.writable(directory)?;
        let mut turn = place.root.turn().await;
        self.inner().remove_directory_at(borrow(directory), path).await?;
        turn.usage().give_back(Amount::ONE);
        Ok(())
    }

    /// `unlink-file-at`. What a guest still has open takes its room until it is closed.
    pub(super) async fn unlink(&mut self, directory: &Resource<Descriptor>, path: String) -> FsResult<()> {
        paths::check(&path)?;
        let place = self.writable(directory)?;
        let mut turn = place.root.turn().await;
        let found = self.find(directory, PathFlags::empty(), &path).await?.ok_or(ErrorCode::NoEntry)?;
        let id = self.identity(directory, &path).await?;
        self.inner().unlink_file_at(borrow(directory), path).await?;
        turn.usage().lost_name(id, found.size, found.n_names <= 1);
        Ok(())
    }

    /// `rename-at`. What stood at the new name gives its room back. Each granted directory is a device of its own, so
    /// that a file never passes from one quota to another. A link stays where the operator put it: elsewhere it could
    /// mean another place.
    pub(super) async fn rename(
        &mut self,
        directory: &Resource<Descriptor>,
        path: String,
        new_directory: &Resource<Descriptor>,
        new_path: String,
    ) -> FsResult<()> {
        paths::check(&path)?;
        paths::check(&new_path)?;
        let (from, to) = (self.writable(directory)?, self.writable(new_directory)?);
        if !Arc::ptr_eq(&from.root.folder, &to.root.folder) {
            return Err(ErrorCode::CrossDevice.into());
        }
        let mut turn = to.root.turn().await;
        let (name, new_name) = (paths::without_slashes(&path), paths::without_slashes(&new_path));
        let moved = self.find(directory, PathFlags::empty(), name).await?.ok_or(ErrorCode::NoEntry)?;
        if matches!(moved.kind, DescriptorType::SymbolicLink) {
            return Err(ErrorCode::NotPermitted.into());
        }
        let replaced = match self.find(new_directory, PathFlags::empty(), new_name).await? {
            Some(found) => {
                let (id, new_id) =
                    (self.identity(directory, name).await?, self.identity(new_directory, new_name).await?);
                // A file that is renamed to itself stays.
                (id != new_id).then_some((found, new_id))
            }
            None => None,
        };
        self.inner().rename_at(borrow(directory), path, borrow(new_directory), new_path).await?;
        match replaced {
            Some((Found { kind: DescriptorType::Directory, .. }, _)) => turn.usage().give_back(Amount::ONE),
            Some((found, id)) => turn.usage().lost_name(id, found.size, found.n_names <= 1),
            None => {}
        }
        Ok(())
    }
}
