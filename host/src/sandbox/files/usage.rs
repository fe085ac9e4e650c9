//! What lies in a folder, and how much may: the arithmetic of a quota, and the files without a name that still take
//! room because a guest has them open.

use std::collections::HashMap;
use std::fs::File;
use std::sync::{Arc, Weak};

use crate::policy::DirectoryQuota;

/// How many open files are kept before those are looked for that are not open any more.
const FEW: usize = 64;

/// An amount: of what is there, or of what is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Amount {
    /// The sizes of files, holes in them included.
    pub(super) bytes: u64,
    /// Files and directories.
    pub(super) files: u64,
}

impl Amount {
    pub(super) const fn bytes(bytes: u64) -> Self {
        Self { bytes, files: 0 }
    }

    /// One file or directory, empty.
    pub(super) const ONE: Self = Self { bytes: 0, files: 1 };

    /// More than any quota allows.
    pub(super) const TOO_MUCH: Self = Self { bytes: u64::MAX, files: u64::MAX };
}

/// One file on its system. It outlives the file's names.
pub(super) type FileId = u64;

/// What one folder holds.
#[derive(Debug, Default)]
pub(super) struct Usage {
    named: Amount,
    nameless: Amount,
    open: HashMap<FileId, OpenFile>,
    look_at: usize,
}

/// A file that guests have open, or had.
#[derive(Debug, Default)]
struct OpenFile {
    holders: Vec<Weak<File>>,
    /// Its size, once its last name is gone.
    nameless: Option<u64>,
}

impl OpenFile {
    fn is_open(&self) -> bool {
        self.holders.iter().any(|holder| holder.strong_count() > 0)
    }
}

impl Usage {
    /// Takes over what was counted of the files that have names.
    pub(super) fn counted(&mut self, named: Amount) {
        self.named = named;
    }

    /// Charges what is to come.
    ///
    /// # Errors
    /// Nothing is charged if it does not fit: then the quota would be passed, or is already.
    pub(super) fn charge(&mut self, more: Amount, most: DirectoryQuota) -> Result<(), OverQuota> {
        let (bytes, files) = (
            self.named.bytes.saturating_add(self.nameless.bytes).saturating_add(more.bytes),
            self.named.files.saturating_add(self.nameless.files).saturating_add(more.files),
        );
        // What makes nothing larger is let through: somebody else may have filled the folder.
        if (more.bytes > 0 && bytes > most.bytes) || (more.files > 0 && files > most.files) {
            return Err(OverQuota);
        }
        self.named.bytes = self.named.bytes.saturating_add(more.bytes);
        self.named.files = self.named.files.saturating_add(more.files);
        Ok(())
    }

    /// Gives back what was charged or is gone.
    pub(super) fn give_back(&mut self, less: Amount) {
        self.named.bytes = self.named.bytes.saturating_sub(less.bytes);
        self.named.files = self.named.files.saturating_sub(less.files);
    }

    /// Keeps in mind that a guest has a file open, until the last holder lets go of it.
    pub(super) fn opened(&mut self, id: FileId, file: &Arc<File>) {
        if self.open.len() >= self.look_at.max(FEW) {
            self.open.retain(|_, file| file.nameless.is_some() || file.is_open());
            self.look_at = self.open.len().saturating_mul(2);
        }
        let holders = &mut self.open.entry(id).or_default().holders;
        holders.retain(|holder| holder.strong_count() > 0);
        holders.push(Arc::downgrade(file));
    }

    /// A file lost a name. With its last one it gives its room back; where a guest has it open, when that lets go of it.
    pub(super) fn lost_name(&mut self, id: FileId, size: u64, was_the_last: bool) {
        let size = if was_the_last { size } else { 0 };
        self.give_back(Amount { bytes: size, files: 1 });
        if let Some(file) = self.open.get_mut(&id)
            && was_the_last
            && file.is_open()
        {
            file.nameless = Some(size);
            self.nameless.bytes = self.nameless.bytes.saturating_add(size);
            self.nameless.files = self.nameless.files.saturating_add(1);
        }
    }

    /// An open file went from one size to another. `charged` was charged for it before.
    pub(super) fn resized(&mut self, id: FileId, charged: u64, from: u64, to: u64) {
        let grown = to.saturating_sub(from);
        let nameless = self.open.get_mut(&id).and_then(|file| file.nameless.as_mut());
        let Some(size) = nameless else {
            let shrunk = from.saturating_sub(to);
            return self.give_back(Amount::bytes(charged.saturating_sub(grown).saturating_add(shrunk)));
        };
        self.nameless.bytes = self.nameless.bytes.saturating_sub(*size).saturating_add(to);
        *size = to;
        self.give_back(Amount::bytes(charged));
    }

    /// Gives back what files without a name took, that nobody has open any more.
    pub(super) fn settle(&mut self) {
        if self.nameless == Amount::default() {
            return;
        }
        let nameless = &mut self.nameless;
        self.open.retain(|_, file| match file.nameless {
            Some(size) if !file.is_open() => {
                nameless.bytes = nameless.bytes.saturating_sub(size);
                nameless.files = nameless.files.saturating_sub(1);
                false
            }
            _ => true,
        });
    }
}

/// What was asked for does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OverQuota;

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: DirectoryQuota = DirectoryQuota { bytes: 100, files: 3 };

    fn open_file() -> Arc<File> {
        Arc::new(tempfile::tempfile().unwrap())
    }

    /// How many bytes still fit.
    fn room(usage: &mut Usage) -> u64 {
        let mut room = 0;
        while usage.charge(Amount::bytes(room + 1), MOST).is_ok() {
            usage.give_back(Amount::bytes(room + 1));
            room += 1;
        }
        room
    }

    #[test]
    fn what_fits_is_charged_and_nothing_of_what_does_not() {
        let mut usage = Usage::default();
        usage.charge(Amount::bytes(60), MOST).unwrap();
        assert_eq!(usage.charge(Amount::bytes(41), MOST), Err(OverQuota));
        usage.charge(Amount::bytes(40), MOST).unwrap();
        assert_eq!(usage.charge(Amount { bytes: 1, files: 1 }, MOST), Err(OverQuota));
        for _ in 0..3 {
            usage.charge(Amount::ONE, MOST).unwrap();
        }
        assert_eq!(usage.charge(Amount::ONE, MOST), Err(OverQuota));
        usage.give_back(Amount { bytes: 10, files: 1 });
        usage.charge(Amount { bytes: 10, files: 1 }, MOST).unwrap();
        assert_eq!(usage.charge(Amount::bytes(u64::MAX), MOST), Err(OverQuota));
    }

    #[test]
    fn a_folder_that_is_too_full_takes_what_adds_nothing() {
        let mut usage = Usage::default();
        usage.counted(Amount::TOO_MUCH);
        usage.charge(Amount::default(), MOST).unwrap();
        assert_eq!(usage.charge(Amount::ONE, MOST), Err(OverQuota));
        usage.counted(Amount { bytes: 200, files: 1 });
        assert_eq!(usage.charge(Amount::bytes(1), MOST), Err(OverQuota));
        usage.charge(Amount::ONE, MOST).unwrap();
    }

    #[test]
    fn a_file_is_charged_for_what_its_end_moves() {
        let mut usage = Usage::default();
        usage.charge(Amount::bytes(50), MOST).unwrap();
        usage.resized(1, 50, 0, 50);
        assert_eq!(room(&mut usage), 50);
        for _ in 0..1_000 {
            usage.charge(Amount::bytes(0), MOST).unwrap();
            usage.resized(1, 0, 50, 50);
        }
        assert_eq!(room(&mut usage), 50, "overwriting is not charged again");
        usage.charge(Amount::bytes(30), MOST).unwrap();
        usage.resized(1, 30, 50, 60);
        assert_eq!(room(&mut usage), 40, "a write that came half as far is charged by half");
        usage.resized(1, 0, 60, 5);
        assert_eq!(room(&mut usage), 95);
    }

    #[test]
    fn a_deleted_file_takes_room_for_as_long_as_somebody_has_it_open() {
        let mut usage = Usage::default();
        let (one, other) = (open_file(), open_file());
        usage.charge(Amount { bytes: 40, files: 1 }, MOST).unwrap();
        usage.opened(7, &one);
        usage.opened(7, &other);
        usage.lost_name(7, 40, true);
        assert_eq!(room(&mut usage), 60);
        usage.charge(Amount::bytes(20), MOST).unwrap();
        usage.resized(7, 20, 40, 60);
        assert_eq!(room(&mut usage), 40);
        drop(one);
        usage.settle();
        assert_eq!(room(&mut usage), 40);
        drop(other);
        usage.settle();
        assert_eq!(room(&mut usage), 100);
        assert_eq!(usage.named, Amount::default());
        usage.charge(Amount { bytes: 0, files: 3 }, MOST).unwrap();
    }

    #[test]
    fn what_nobody_has_open_gives_its_room_back_at_once() {
        let mut usage = Usage::default();
        usage.charge(Amount { bytes: 40, files: 2 }, MOST).unwrap();
        usage.opened(7, &open_file());
        usage.lost_name(7, 40, true);
        assert_eq!(room(&mut usage), 100);
        usage.lost_name(8, 40, false);
        assert_eq!((usage.named, usage.nameless), (Amount::default(), Amount::default()));
    }

    #[test]
    fn a_new_count_keeps_what_has_no_name() {
        let mut usage = Usage::default();
        let file = open_file();
        usage.charge(Amount { bytes: 40, files: 1 }, MOST).unwrap();
        usage.opened(7, &file);
        usage.lost_name(7, 40, true);
        usage.counted(Amount { bytes: 10, files: 1 });
        assert_eq!(room(&mut usage), 50);
    }

    #[test]
    fn files_that_were_closed_are_forgotten() {
        let mut usage = Usage::default();
        let kept = open_file();
        usage.opened(0, &kept);
        for id in 1..10_000 {
            usage.opened(id, &open_file());
        }
        assert!(usage.open.len() <= 2 * FEW, "{}", usage.open.len());
        assert!(usage.open.contains_key(&0));
    }
}
