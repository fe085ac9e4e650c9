//! The tool's own small store, as bytes, text and JSON.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::host::Host;

/// How many keys [`Kv::keys`] asks for at a time: the largest page that the host gives.
const PAGE: u32 = 1_000;

/// The store of this tenant and this component. No other can be reached through it.
#[derive(Clone, Copy)]
pub struct Kv<'a> {
    host: &'a dyn Host,
}

impl<'a> Kv<'a> {
    pub(super) fn new(host: &'a dyn Host) -> Self {
        Self { host }
    }

    /// The value of a key, or none.
    ///
    /// # Errors
    /// As for every operation: [`KvError::Denied`] without a grant, [`KvError::Invalid`] for a key that is not 1 to
    /// 256 bytes long, [`KvError::Unavailable`] if the store does not answer.
    pub fn get(&self, key: &str) -> Result<Option<Vec<u8>>, KvError> {
        self.host.kv_get(key)
    }

    /// The value of a key as text, or none.
    ///
    /// # Errors
    /// [`KvError::Malformed`] if the value is not UTF-8, else as [`Kv::get`].
    pub fn get_text(&self, key: &str) -> Result<Option<String>, KvError> {
        let Some(bytes) = self.get(key)? else { return Ok(None) };
        String::from_utf8(bytes).map(Some).map_err(|error| malformed(key, &error))
    }

    /// The value of a key read as JSON, or none.
    ///
    /// # Errors
    /// [`KvError::Malformed`] if the value is not JSON of this type, else as [`Kv::get`].
    pub fn get_json<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, KvError> {
        let Some(bytes) = self.get(key)? else { return Ok(None) };
        crate::json::from_text(&bytes).map(Some).map_err(|error| malformed(key, &error))
    }

    /// Sets a key, whatever it held.
    ///
    /// # Errors
    /// [`KvError::Invalid`] for a value over 1 MiB, [`KvError::Quota`] if the quota is used up, else as [`Kv::get`].
    pub fn set(&self, key: &str, value: impl AsRef<[u8]>) -> Result<(), KvError> {
        self.host.kv_set(key, value.as_ref())
    }

    /// Sets a key to a value written as JSON.
    ///
    /// # Errors
    /// [`KvError::Malformed`] if the value cannot be written as JSON, else as [`Kv::set`].
    pub fn set_json<T: Serialize + ?Sized>(&self, key: &str, value: &T) -> Result<(), KvError> {
        let bytes = serde_json::to_vec(value).map_err(|error| malformed(key, &error))?;
        self.set(key, bytes)
    }

    /// Removes a key. True if it was there.
    ///
    /// # Errors
    /// As [`Kv::get`].
    pub fn delete(&self, key: &str) -> Result<bool, KvError> {
        self.host.kv_delete(key)
    }

    /// Sets (`Some`) or removes (`None`) a key if it holds just the expected value, in one step. True if it did.
    ///
    /// # Errors
    /// As [`Kv::set`].
    pub fn swap(&self, key: &str, expected: Option<&[u8]>, value: Option<&[u8]>) -> Result<bool, KvError> {
        self.host.kv_swap(key, expected, value)
    }

    /// All keys that begin with a prefix, in byte order. They are fetched a page at a time while the iterator is
    /// read; it ends after the first error.
    pub fn keys(&self, prefix: &str) -> Keys<'a> {
        Keys { kv: *self, prefix: prefix.to_owned(), page: Vec::new().into_iter(), next: Next::First }
    }

    /// One page of the keys that begin with a prefix, in byte order, at most `limit` (1 to 1,000).
    ///
    /// # Errors
    /// As [`Kv::get`].
    pub fn page(&self, prefix: &str, cursor: Option<&str>, limit: u32) -> Result<KvPage, KvError> {
        self.host.kv_keys(prefix, cursor, limit)
    }
}

impl fmt::Debug for Kv<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kv").finish_non_exhaustive()
    }
}

/// The keys of [`Kv::keys`].
#[derive(Debug)]
pub struct Keys<'a> {
    kv: Kv<'a>,
    prefix: String,
    page: std::vec::IntoIter<String>,
    next: Next,
}

#[derive(Debug)]
enum Next {
    First,
    After(String),
    End,
}

impl Iterator for Keys<'_> {
    type Item = Result<String, KvError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(key) = self.page.next() {
                return Some(Ok(key));
            }
            let cursor = match std::mem::replace(&mut self.next, Next::End) {
                Next::First => None,
                Next::After(cursor) => Some(cursor),
                Next::End => return None,
            };
            match self.kv.page(&self.prefix, cursor.as_deref(), PAGE) {
                Ok(page) => {
                    self.page = page.keys.into_iter();
                    self.next = page.cursor.map_or(Next::End, Next::After);
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Keys in order, and where the next page begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KvPage {
    /// The keys.
    pub keys: Vec<String>,
    /// To be passed for the next page; none on the last.
    pub cursor: Option<String>,
}

/// Why an operation on the store did not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KvError {
    /// The operator has not granted the store to this component.
    Denied,
    /// A key is 1 to 256 bytes long, a value at most 1 MiB.
    Invalid(String),
    /// The quota is used up.
    Quota(String),
    /// The store did not answer.
    Unavailable(String),
    /// What the key holds, or should hold, is not of the type that the tool expects.
    Malformed(String),
}

impl fmt::Display for KvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied => f.write_str("The operator has not granted the key-value store to this tool."),
            Self::Invalid(reason) => write!(f, "The store refused a key or value: {reason}"),
            Self::Quota(reason) => write!(f, "The tool's store is full: {reason}"),
            Self::Unavailable(reason) => write!(f, "The tool's store did not answer: {reason}"),
            Self::Malformed(reason) => write!(f, "The tool's store holds something unexpected: {reason}"),
        }
    }
}

impl std::error::Error for KvError {}

fn malformed(key: &str, error: &dyn fmt::Display) -> KvError {
    KvError::Malformed(format!("key '{key}': {error}"))
}
