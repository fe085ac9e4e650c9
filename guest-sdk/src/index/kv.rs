//! An index over the tool's own store.

use super::{Document, Hit, Index, IndexError, MAX_CHARS, best};
use crate::context::Kv;

/// The longest key that the store takes, in bytes.
const MAX_KEY: usize = 256;
/// How much is read in all, so that a search stays inside the memory of one call.
const MAX_BYTES: usize = 32 << 20;

/// Texts in the store, each under one key: a prefix and its id. Each tenant has its own.
///
/// A search reads the texts in the order of their ids, up to 32 MiB.
#[derive(Debug, Clone)]
pub struct KvIndex<'a> {
    kv: Kv<'a>,
    prefix: String,
    max_chars: usize,
}

impl<'a> KvIndex<'a> {
    /// An index over the keys that begin with a prefix. Nothing is read before the first search.
    pub fn new(kv: Kv<'a>, prefix: impl Into<String>) -> Self {
        Self { kv, prefix: prefix.into(), max_chars: MAX_CHARS }
    }

    /// The same index with passages of at most so many characters.
    #[must_use]
    pub fn max_chars(mut self, max_chars: usize) -> Self {
        self.max_chars = max_chars;
        self
    }

    fn read(&self) -> Result<Vec<Document>, IndexError> {
        let mut documents = Vec::new();
        let mut n_bytes = 0_usize;
        for key in self.kv.keys(&self.prefix) {
            let key = key?;
            // A text that was removed meanwhile is no fault.
            let Some(bytes) = self.kv.get(&key)? else { continue };
            n_bytes = n_bytes.saturating_add(bytes.len());
            if n_bytes > MAX_BYTES {
                break;
            }
            let id = key.strip_prefix(&self.prefix).unwrap_or(&key).to_owned();
            documents.push(Document { id, text: String::from_utf8_lossy(&bytes).into_owned() });
        }
        Ok(documents)
    }
}

impl Index for KvIndex<'_> {
    fn add(&mut self, id: &str, text: &str) -> Result<(), IndexError> {
        let key = format!("{}{id}", self.prefix);
        if id.is_empty() || key.len() > MAX_KEY {
            return Err(IndexError::BadId(id.to_owned(), "with its prefix it has to be 1 to 256 bytes long"));
        }
        Ok(self.kv.set(&key, text)?)
    }

    fn search(&self, query: &str, k: usize) -> Result<Vec<Hit>, IndexError> {
        Ok(best(&self.read()?, query, k, self.max_chars))
    }
}
