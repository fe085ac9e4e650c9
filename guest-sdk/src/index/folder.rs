//! An index over a folder of text files that the operator has granted.
#![expect(clippy::disallowed_methods, reason = "a guest reaches only the folders that it was granted")]

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{Document, Hit, Index, IndexError, MAX_CHARS, best};

/// How much of one file is read; the rest is not searched.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// How much is read in all, so that a search stays inside the memory of one call.
const MAX_BYTES: usize = 32 << 20;
/// How many files are read.
const MAX_FILES: usize = 10_000;
/// How deep folders are followed.
const MAX_DEPTH: usize = 8;

/// A folder of text files. A document's id is its path below the folder, with `/` between the parts.
///
/// Each search reads the folder anew, in the order of the ids. Hidden files, links and files with a zero byte are
/// left out; bytes that are not UTF-8 are replaced. Of a file the first MiB is searched, of a folder the first
/// 10,000 files and 32 MiB, eight levels deep.
#[derive(Debug, Clone)]
pub struct FolderIndex {
    root: PathBuf,
    max_chars: usize,
}

impl FolderIndex {
    /// An index over a folder, by the path under which the guest sees it. Nothing is read before the first search.
    pub fn open(path: impl Into<PathBuf>) -> Self {
        Self { root: path.into(), max_chars: MAX_CHARS }
    }

    /// The same index with passages of at most so many characters.
    #[must_use]
    pub fn max_chars(mut self, max_chars: usize) -> Self {
        self.max_chars = max_chars;
        self
    }

    fn read(&self) -> Result<Vec<Document>, IndexError> {
        let mut files = Vec::new();
        list(&self.root, "", 0, &mut files).map_err(|error| self.error(error))?;
        files.sort();
        let mut documents = Vec::new();
        let mut n_bytes = 0_usize;
        for id in files.into_iter().take(MAX_FILES) {
            // A file that went away meanwhile, or may not be read, does not hide the others.
            let Ok(Some(text)) = read_text(&self.root.join(&id)) else { continue };
            n_bytes = n_bytes.saturating_add(text.len());
            if n_bytes > MAX_BYTES {
                break;
            }
            documents.push(Document { id, text });
        }
        Ok(documents)
    }

    fn error(&self, error: io::Error) -> IndexError {
        IndexError::Folder(self.root.display().to_string(), error)
    }
}

impl Index for FolderIndex {
    /// Writes a file, which needs a writable grant. The id is a plain file name.
    fn add(&mut self, id: &str, text: &str) -> Result<(), IndexError> {
        if id.is_empty() || id.starts_with('.') || id.contains(['/', '\\', ':', '\0']) {
            return Err(IndexError::BadId(
                id.to_owned(),
                "it has to be a plain file name that is not hidden",
            ));
        }
        fs::write(self.root.join(id), text).map_err(|error| self.error(error))
    }

    fn search(&self, query: &str, k: usize) -> Result<Vec<Hit>, IndexError> {
        Ok(best(&self.read()?, query, k, self.max_chars))
    }
}

/// Adds the ids of all files in and below a folder.
fn list(folder: &Path, prefix: &str, depth: usize, files: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
        let id = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_file() {
            files.push(id);
        } else if kind.is_dir() && depth < MAX_DEPTH {
            // A folder that may not be read hides only itself.
            let _ = list(&entry.path(), &format!("{id}/"), depth + 1, files);
        }
    }
    Ok(())
}

/// A file's text, or none if it is not text.
fn read_text(path: &Path) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
    if bytes.contains(&0) {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
