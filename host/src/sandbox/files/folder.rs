//! A folder that guests write to: what lies in it is counted by a walk, kept in memory, and changed by one at a time.
//!
//! All calls of this process to a folder share one count. It is made anew by the first change that comes [`FRESH`] after
//! the last count, so that what the operator or another process does there is seen, and before anything is refused by a
//! count that is older than [`STALE`]. So two processes that fill one folder at the same time may pass its quota by what
//! fits into it within that time, and by no more.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, MetadataExt as _, ReadDir};
use tokio::sync::OwnedMutexGuard;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use super::usage::{Amount, OverQuota, Usage};
use crate::policy::DirectoryQuota;

/// How long a count is relied on.
const FRESH: Duration = Duration::from_secs(5);
/// How old a count may be that something is refused by.
const STALE: Duration = Duration::from_secs(1);
/// How deep a folder may be. What lies deeper is more than any quota allows: the walk holds each level open.
const DEEPEST: usize = 128;
/// How many folders are kept in mind beside those that are in use. They hold nothing open.
const KEPT: usize = 1_024;

/// The folders that this process knows.
#[derive(Debug, Default)]
pub(in crate::sandbox) struct Folders(Mutex<HashMap<FolderId, Arc<Folder>>>);

/// A folder on its system, whatever the path that leads to it.
type FolderId = (u64, u64);

impl Folders {
    /// The folder behind a handle, which is to be written to.
    pub(super) fn get(&self, handle: &File) -> io::Result<Arc<Folder>> {
        let id = identify(handle)?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KEPT && !known.contains_key(&id) {
            known.retain(|_, folder| Arc::strong_count(folder) > 1);
        }
        Ok(Arc::clone(known.entry(id).or_default()))
    }

    /// The same, if anybody writes to it.
    pub(super) fn find(&self, handle: &File) -> io::Result<Option<Arc<Folder>>> {
        let id = identify(handle)?;
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned())
    }
}

fn identify(handle: &File) -> io::Result<FolderId> {
    let is = handle.metadata()?;
    Ok((is.dev(), is.ino()))
}

/// What is known of one folder.
#[derive(Debug, Default)]
pub(super) struct Folder {
    state: Arc<tokio::sync::Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    usage: Usage,
    counted: Option<Instant>,
}

impl Folder {
    /// The right to change the folder, which one has at a time. Waiting for it holds no thread. `root` is a handle of the
    /// folder, to count it by.
    pub(super) async fn turn(&self, root: &Arc<File>) -> Turn {
        let mut state = Arc::clone(&self.state).lock_owned().await;
        state.usage.settle();
        Turn { root: Arc::clone(root), state }
    }
}

/// A turn at changing a folder. Between what is looked up and what is done by it, no other call of this process changes
/// anything.
pub(super) struct Turn {
    root: Arc<File>,
    state: OwnedMutexGuard<State>,
}

impl Turn {
    /// What the folder holds, for what became of the change.
    pub(super) fn usage(&mut self) -> &mut Usage {
        &mut self.state.usage
    }

    /// Charges what is to come, before it does.
    ///
    /// # Errors
    /// `quota` if it does not fit, and an error of the system if the folder cannot be counted. Nothing is charged then.
    pub(super) async fn charge(&mut self, more: Amount, most: DirectoryQuota) -> Result<(), ErrorCode> {
        if more == Amount::default() {
            return Ok(());
        }
        self.count_after(FRESH).await?;
        if self.state.usage.charge(more, most).is_ok() {
            return Ok(());
        }
        self.count_after(STALE).await?;
        self.state.usage.charge(more, most).map_err(|OverQuota| ErrorCode::Quota)
    }

    /// Counts the folder unless that was done a short while ago.
    async fn count_after(&mut self, age: Duration) -> Result<(), ErrorCode> {
        if self.state.counted.is_some_and(|counted| counted.elapsed() < age) {
            return Ok(());
        }
        let root = Arc::clone(&self.root);
        let walk = tokio::task::spawn_blocking(move || walk(&Dir::from_std_file(root.try_clone()?)));
        let held = walk.await.map_err(io::Error::other).flatten().inspect_err(|error| {
            tracing::error!(%error, "a granted directory cannot be counted, so that nothing is written there");
        })?;
        self.state.usage.counted(held);
        self.state.counted = Some(Instant::now());
        Ok(())
    }
}

/// Counts what lies below a folder. Links are counted and not followed; a file with several names is counted once. A
/// folder with more than any quota allows is not walked to its end.
fn walk(root: &Dir) -> io::Result<Amount> {
    let mut held = Amount::default();
    let mut linked = HashSet::new();
    let mut levels: Vec<ReadDir> = vec![root.entries()?];
    while let Some(level) = levels.last_mut() {
        let Some(entry) = level.next() else {
            levels.pop();
            continue;
        };
        let entry = entry?;
        let is = match entry.metadata() {
            Ok(is) => is,
            // It was deleted meanwhile.
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => continue,
            Err(fault) => return Err(fault),
        };
        held.files += 1;
        if held.files > DirectoryQuota::MOST_FILES || levels.len() > DEEPEST {
            return Ok(Amount::TOO_MUCH);
        }
        if is.is_dir() {
            match entry.open_dir().and_then(|dir| dir.entries()) {
                Ok(entries) => levels.push(entries),
                Err(fault) if fault.kind() == io::ErrorKind::NotFound => {}
                Err(fault) => return Err(fault),
            }
        } else if is.nlink() == 1 || linked.insert((is.dev(), is.ino())) {
            held.bytes = held.bytes.saturating_add(is.len());
        }
    }
    Ok(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "a test opens its own folder")]
    fn open(path: &std::path::Path) -> Dir {
        Dir::open_ambient_dir(path, cap_std::ambient_authority()).unwrap()
    }

    #[test]
    fn a_walk_counts_files_folders_and_sizes_and_follows_no_link() {
        let (here, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        open(outside.path()).write("large", [0; 100_000]).unwrap();
        let dir = open(here.path());
        assert_eq!(walk(&dir).unwrap(), Amount::default());
        dir.create_dir_all("a/b").unwrap();
        dir.write("a/b/one", [0; 10]).unwrap();
        dir.write("two", [0; 5]).unwrap();
        dir.create("sparse").unwrap().set_len(1 << 20).unwrap();
        dir.hard_link("two", &dir, "twice").unwrap();
        assert_eq!(walk(&dir).unwrap(), Amount { bytes: (1 << 20) + 15, files: 6 });
        std::os::unix::fs::symlink(outside.path(), here.path().join("out")).unwrap();
        let with_link = walk(&dir).unwrap();
        assert_eq!(with_link.files, 7);
        assert!(with_link.bytes < (1 << 20) + 5_000, "{with_link:?}");
    }

    #[test]
    fn a_folder_that_is_too_deep_is_too_much() {
        let here = tempfile::tempdir().unwrap();
        let mut dir = open(here.path());
        for _ in 0..=DEEPEST {
            dir.create_dir("d").unwrap();
            dir = dir.open_dir("d").unwrap();
        }
        assert_eq!(walk(&open(here.path())).unwrap(), Amount::TOO_MUCH);
    }

    #[test]
    fn one_folder_is_one_whatever_the_path() {
        let here = tempfile::tempdir().unwrap();
        open(here.path()).create_dir("a").unwrap();
        std::os::unix::fs::symlink("a", here.path().join("b")).unwrap();
        let handle = |name: &str| open(&here.path().join(name)).into_std_file();
        let folders = Folders::default();
        assert!(folders.find(&handle("a")).unwrap().is_none());
        let first = folders.get(&handle("a")).unwrap();
        assert!(Arc::ptr_eq(&first, &folders.get(&handle("b")).unwrap()));
        assert!(Arc::ptr_eq(&first, &folders.find(&handle("b")).unwrap().unwrap()));
        assert!(!Arc::ptr_eq(&first, &folders.get(&handle(".")).unwrap()));
    }

    #[test]
    fn folders_that_nobody_uses_are_forgotten() {
        let here = tempfile::tempdir().unwrap();
        let dir = open(here.path());
        let folders = Folders::default();
        let used = folders.get(&dir.try_clone().unwrap().into_std_file()).unwrap();
        for number in 0..KEPT + 10 {
            let name = number.to_string();
            dir.create_dir(&name).unwrap();
            folders.get(&dir.open_dir(&name).unwrap().into_std_file()).unwrap();
        }
        assert!(folders.0.lock().unwrap().len() <= KEPT);
        assert!(folders.find(&dir.into_std_file()).unwrap().is_some());
        assert_eq!(Arc::strong_count(&used), 2);
    }
}
