//! `wasi:filesystem/types`, function by function: each looks at the path and the grant, and hands on to the library.

use std::sync::Arc;

use wasmtime::component::Resource;
use wasmtime_wasi::filesystem::Descriptor;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    Advice, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry, DirectoryEntryStream, ErrorCode,
    Filesize, Host, HostDescriptor, HostDirectoryEntryStream, MetadataHashValue, NewTimestamp, OpenFlags,
    PathFlags,
};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, FsError, FsResult};

use super::open::Found;
use super::stream::{FileStream, Position, size_of};
use super::usage::Amount;
use super::{FilesView, borrow, paths};

impl Host for FilesView<'_> {
    fn convert_error_code(&mut self, fault: FsError) -> wasmtime::Result<ErrorCode> {
        self.inner().convert_error_code(fault)
    }

    fn filesystem_error_code(
        &mut self,
        fault: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        match self.table.get(&fault)?.downcast_ref() {
            Some(code) => Ok(Some(*code)),
            None => self.inner().filesystem_error_code(fault),
        }
    }
}

impl FilesView<'_> {
    /// The file behind a descriptor.
    fn file(&self, descriptor: &Resource<Descriptor>) -> FsResult<Arc<std::fs::File>> {
        match self.table.get(descriptor)? {
            Descriptor::File(file) => Ok(Arc::clone(&file.file)),
            Descriptor::Dir(_) => Err(ErrorCode::BadDescriptor.into()),
        }
    }

    /// Wraps a stream that the library made.
    fn stream(
        &mut self,
        descriptor: &Resource<Descriptor>,
        position: Position,
        inner: Resource<DynOutputStream>,
    ) -> FsResult<Resource<DynOutputStream>> {
        let (place, file) = (self.writable(descriptor)?, self.file(descriptor)?);
        let inner = self.table.delete(inner)?;
        let stream: DynOutputStream = Box::new(FileStream::new(place, file, position, inner));
        Ok(self.table.push(stream)?)
    }
}

type Fd = Resource<Descriptor>;

impl HostDescriptor for FilesView<'_> {
    async fn advise(&mut self, fd: Fd, offset: Filesize, length: Filesize, advice: Advice) -> FsResult<()> {
        self.inner().advise(fd, offset, length, advice).await
    }

    async fn sync_data(&mut self, fd: Fd) -> FsResult<()> {
        self.inner().sync_data(fd).await
    }

    async fn sync(&mut self, fd: Fd) -> FsResult<()> {
        self.inner().sync(fd).await
    }

    async fn get_flags(&mut self, fd: Fd) -> FsResult<DescriptorFlags> {
        self.inner().get_flags(fd).await
    }

    async fn get_type(&mut self, fd: Fd) -> FsResult<DescriptorType> {
        self.inner().get_type(fd).await
    }

    async fn stat(&mut self, fd: Fd) -> FsResult<DescriptorStat> {
        self.inner().stat(fd).await
    }

    async fn is_same_object(&mut self, fd: Fd, other: Fd) -> wasmtime::Result<bool> {
        self.inner().is_same_object(fd, other).await
    }

    async fn metadata_hash(&mut self, fd: Fd) -> FsResult<MetadataHashValue> {
        self.inner().metadata_hash(fd).await
    }

    async fn stat_at(&mut self, fd: Fd, follow: PathFlags, path: String) -> FsResult<DescriptorStat> {
        paths::check(&path)?;
        self.inner().stat_at(fd, follow, path).await
    }

    async fn metadata_hash_at(
        &mut self,
        fd: Fd,
        follow: PathFlags,
        path: String,
    ) -> FsResult<MetadataHashValue> {
        paths::check(&path)?;
        self.inner().metadata_hash_at(fd, follow, path).await
    }

    async fn readlink_at(&mut self, fd: Fd, path: String) -> FsResult<String> {
        paths::check(&path)?;
        self.inner().readlink_at(fd, path).await
    }

    async fn read(&mut self, fd: Fd, length: Filesize, offset: Filesize) -> FsResult<(Vec<u8>, bool)> {
        self.inner().read(fd, length, offset).await
    }

    fn read_via_stream(&mut self, fd: Fd, offset: Filesize) -> FsResult<Resource<DynInputStream>> {
        self.inner().read_via_stream(fd, offset)
    }

    async fn write(&mut self, fd: Fd, bytes: Vec<u8>, offset: Filesize) -> FsResult<Filesize> {
        let (place, file) = (self.writable(&fd)?, self.file(&fd)?);
        let mut turn = place.root.turn().await;
        let before = size_of(&file).await?;
        let after = Position::At(offset).end_after(bytes.len() as u64, before)?;
        place.root.charge(&mut turn, Amount::bytes(after - before)).await?;
        let length = bytes.len() as u64;
        let wrote = self.inner().write(fd, bytes, offset).await;
        let is = match &wrote {
            Ok(wrote) if *wrote == length => after,
            // It came a part of the way.
            _ => size_of(&file).await.unwrap_or(after),
        };
        turn.usage().resized(place.file, after - before, before, is);
        wrote
    }

    async fn set_size(&mut self, fd: Fd, size: Filesize) -> FsResult<()> {
        let (place, file) = (self.writable(&fd)?, self.file(&fd)?);
        let mut turn = place.root.turn().await;
        let before = size_of(&file).await?;
        let more = size.saturating_sub(before);
        place.root.charge(&mut turn, Amount::bytes(more)).await?;
        let done = self.inner().set_size(fd, size).await;
        let is = if done.is_ok() { size } else { before };
        turn.usage().resized(place.file, more, before, is);
        done
    }

    fn write_via_stream(&mut self, fd: Fd, offset: Filesize) -> FsResult<Resource<DynOutputStream>> {
        self.writable(&fd)?;
        let inner = self.inner().write_via_stream(borrow(&fd), offset)?;
        self.stream(&fd, Position::At(offset), inner)
    }

    fn append_via_stream(&mut self, fd: Fd) -> FsResult<Resource<DynOutputStream>> {
        self.writable(&fd)?;
        let inner = self.inner().append_via_stream(borrow(&fd))?;
        self.stream(&fd, Position::End, inner)
    }

    async fn set_times(&mut self, fd: Fd, accessed: NewTimestamp, modified: NewTimestamp) -> FsResult<()> {
        self.writable(&fd)?;
        if Found::from(self.inner().stat(borrow(&fd)).await?).has_other_names() {
            return Err(ErrorCode::NotPermitted.into());
        }
        self.inner().set_times(fd, accessed, modified).await
    }

    async fn set_times_at(
        &mut self,
        fd: Fd,
        follow: PathFlags,
        path: String,
        accessed: NewTimestamp,
        modified: NewTimestamp,
    ) -> FsResult<()> {
        paths::check(&path)?;
        self.writable(&fd)?;
        if self.find(&fd, follow, &path).await?.is_some_and(|found| found.has_other_names()) {
            return Err(ErrorCode::NotPermitted.into());
        }
        self.inner().set_times_at(fd, follow, path, accessed, modified).await
    }

    async fn open_at(
        &mut self,
        fd: Fd,
        follow: PathFlags,
        path: String,
        how: OpenFlags,
        power: DescriptorFlags,
    ) -> FsResult<Fd> {
        self.open(&fd, follow, path, how, power).await
    }

    async fn create_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        self.create_directory(&fd, path).await
    }

    async fn remove_directory_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        self.remove_directory(&fd, path).await
    }

    async fn unlink_file_at(&mut self, fd: Fd, path: String) -> FsResult<()> {
        self.unlink(&fd, path).await
    }

    async fn rename_at(&mut self, fd: Fd, path: String, new_fd: Fd, new_path: String) -> FsResult<()> {
        self.rename(&fd, path, &new_fd, new_path).await
    }

    /// No guest makes a second name for a file: it could be one that the grant does not reach.
    async fn link_at(&mut self, _: Fd, _: PathFlags, _: String, _: Fd, _: String) -> FsResult<()> {
        Err(ErrorCode::NotPermitted.into())
    }

    /// No guest makes a link: others may follow it, outside of any sandbox.
    async fn symlink_at(&mut self, _: Fd, _: String, _: String) -> FsResult<()> {
        Err(ErrorCode::NotPermitted.into())
    }

    /// Never reached: `listing` stands in its place.
    async fn read_directory(&mut self, _: Fd) -> FsResult<Resource<DirectoryEntryStream>> {
        Err(ErrorCode::Unsupported.into())
    }

    fn drop(&mut self, fd: Fd) -> wasmtime::Result<()> {
        self.files.open.remove(&fd.rep());
        HostDescriptor::drop(&mut self.inner(), fd)
    }
}

impl HostDirectoryEntryStream for FilesView<'_> {
    /// Never reached, as `read_directory`.
    async fn read_directory_entry(
        &mut self,
        _: Resource<DirectoryEntryStream>,
    ) -> FsResult<Option<DirectoryEntry>> {
        Err(ErrorCode::Unsupported.into())
    }

    fn drop(&mut self, stream: Resource<DirectoryEntryStream>) -> wasmtime::Result<()> {
        HostDirectoryEntryStream::drop(&mut self.inner(), stream)
    }
}
