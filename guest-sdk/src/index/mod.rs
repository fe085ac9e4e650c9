//! Retrieval: texts that are added, and the passages that answer a query best.
//!
//! Ranking is BM25 over whole documents. An index has no state of its own: each search reads what is there, so that
//! a document added by somebody else is found by the next search.
//!
//! ```no_run
//! use toolhost_sdk::index::{FolderIndex, Index, IndexError};
//!
//! # fn main() -> Result<(), IndexError> {
//! let documents = FolderIndex::open("/documents").max_chars(400);
//! for hit in documents.search("how do I return an order", 3)? {
//!     println!("{} ({:.2}): {}", hit.id, hit.score, hit.passage);
//! }
//! # Ok(())
//! # }
//! ```

mod bm25;
mod folder;
mod kv;
mod passage;
mod words;

use std::fmt;

use serde::Serialize;

pub use self::folder::FolderIndex;
pub use self::kv::KvIndex;
use crate::context::KvError;
use crate::schema::{Fields, Schema, Schemas, ToolType};

/// How long a passage is unless an index is told otherwise, in characters.
const MAX_CHARS: usize = 800;

/// Texts that can be searched.
pub trait Index {
    /// Adds a text under an id, or replaces the one that was there.
    ///
    /// # Errors
    /// [`IndexError::BadId`] for an id that the index cannot keep, else what its storage answered.
    fn add(&mut self, id: &str, text: &str) -> Result<(), IndexError>;

    /// The at most `k` texts that answer the query best, the best one first; texts with no word of the query are
    /// left out. Equal scores are in the order of their ids, so that the same texts always give the same answer.
    ///
    /// # Errors
    /// What the index's storage answered.
    fn search(&self, query: &str, k: usize) -> Result<Vec<Hit>, IndexError>;
}

/// One text that answers a query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    /// The text's id.
    pub id: String,
    /// How well it answers, above zero; comparable within one search only.
    pub score: f64,
    /// The part of the text that answers best, at most as long as the index's `max_chars`.
    pub passage: String,
}

impl ToolType for Hit {
    fn schema(schemas: &mut Schemas) -> Schema {
        schemas.named::<Self>("Hit", |schemas| {
            let mut fields = Fields::new();
            fields.add::<String>(schemas, "id", Some("The text's id."), false, None);
            fields.add::<f64>(schemas, "score", Some("How well it answers; higher is better."), false, None);
            fields.add::<String>(schemas, "passage", Some("The part that answers best."), false, None);
            fields.finish()
        })
    }
}

/// Why an index did not answer.
#[derive(Debug)]
pub enum IndexError {
    /// The folder could not be read or written: where, and why.
    Folder(String, std::io::Error),
    /// The store did not answer.
    Kv(KvError),
    /// The index cannot keep a text under this id: the id, and why.
    BadId(String, &'static str),
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path, error) => write!(f, "The folder '{path}' cannot be used: {error}"),
            Self::Kv(error) => error.fmt(f),
            Self::BadId(id, reason) => write!(f, "'{id}' cannot be a document's id: {reason}"),
        }
    }
}

impl std::error::Error for IndexError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Folder(_, error) => Some(error),
            Self::Kv(error) => Some(error),
            Self::BadId(..) => None,
        }
    }
}

impl From<KvError> for IndexError {
    fn from(error: KvError) -> Self {
        Self::Kv(error)
    }
}

/// One text and its id.
struct Document {
    id: String,
    text: String,
}

/// Ranks documents and cuts their passages: what all indexes share.
fn best(documents: &[Document], query: &str, k: usize, max_chars: usize) -> Vec<Hit> {
    let query = bm25::Query::new(query);
    let mut hits: Vec<(f64, &Document)> = query
        .scores(documents.iter().map(|document| document.text.as_str()))
        .into_iter()
        .zip(documents)
        .filter(|(score, _)| *score > 0.0)
        .collect();
    hits.sort_by(|(a, left), (b, right)| b.total_cmp(a).then_with(|| left.id.cmp(&right.id)));
    hits.truncate(k);
    hits.into_iter()
        .map(|(score, document)| Hit {
            id: document.id.clone(),
            score,
            passage: passage::best(&document.text, query.words(), max_chars).to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests;
