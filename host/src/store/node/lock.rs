//! A lock in the store's folder, which the system drops when the process dies.
//!
//! A heartbeat would call a process dead that was only stopped for a while, and its calls lost that still run. A
//! file lock is held by exactly the processes that live, however they end.

#![expect(
    clippy::disallowed_methods,
    reason = "the store's own folder is one of the places that the host opens"
)]

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The lock of this process. Dropping it says that the process is gone.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    /// Held for its lock.
    _file: File,
}

impl Lock {
    /// Takes the lock of a new id and removes what dead processes left. The caller holds the [`OpenLock`], so that no file
    /// is seen between its creation and its lock.
    pub(super) fn take(folder: &Path, id: &str) -> io::Result<Self> {
        create_folder(folder)?;
        for entry in std::fs::read_dir(folder)?.flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|it| it == "lock") && is_free(&path) {
                // Another user's file may stay; it harms nobody.
                let _ = std::fs::remove_file(&path);
            }
        }
        let path = lock_path(folder, id);
        let file = open_private(&path)?;
        file.try_lock()?;
        Ok(Self { path, _file: file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether another process of that id is gone.
pub(super) fn is_gone(folder: &Path, id: &str) -> bool {
    // An id that no process would take is no file name either.
    !id.bytes().all(|byte| byte.is_ascii_hexdigit()) || is_free(&lock_path(folder, id))
}

/// The right to open, migrate and tidy the store, for one process at a time.
#[derive(Debug)]
pub(in super::super) struct OpenLock {
    _lock: File,
}

impl OpenLock {
    /// Waits for the right. Blocks the thread.
    pub(in super::super) fn acquire(path: &Path, within: Duration) -> io::Result<Self> {
        let file = open_private(path)?;
        let deadline = Instant::now() + within;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _lock: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => {
                    let fault = format!("another process has been opening it for {} s", within.as_secs());
                    return Err(io::Error::new(io::ErrorKind::TimedOut, fault));
                }
                Err(TryLockError::Error(fault)) => return Err(fault),
            }
        }
    }
}

/// Creates a folder, and those above it, that only this user may enter. One that is there stays as it is.
pub(in super::super) fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens a file that only this user may read, creating it where it is missing.
pub(in super::super) fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn lock_path(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.lock"))
}

/// Whether nobody holds the lock. A file that cannot be looked at counts as held: better a row that stays open than
/// a running call that is declared lost.
fn is_free(path: &Path) -> bool {
    match OpenOptions::new().read(true).open(path) {
        Ok(file) => file.try_lock().is_ok(),
        Err(fault) => fault.kind() == io::ErrorKind::NotFound,
    }
}
