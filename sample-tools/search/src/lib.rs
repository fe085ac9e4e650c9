//! Full-text search over a folder that the operator granted.

use std::path::Path;

use serde::Serialize;
use toolhost_sdk::index::{FolderIndex, Hit, Index};
use toolhost_sdk::{ToolError, ToolType, tool};

/// Where the guest sees the granted folder.
const FOLDER: &str = "/documents";
/// Bounds under which the answer always fits into what a model is sent.
const MOST_HITS: u32 = 20;
const MOST_CHARS: u32 = 2_000;

/// Searches the shop's documents, such as its rules on returns, shipping and warranty, and returns the passages that
/// answer best. Use it for what holds for everybody; it knows no customers and no orders, for these use `get_customer`
/// and `find_orders`. It has no side effect.
#[tool(title = "Search the documents", read_only, idempotent)]
fn search_documents(
    /// What to look for: a few words, or a question.
    query: String,
    /// The most passages to return, at most 20.
    #[arg(default = 5)]
    k: u32,
    /// The longest that one passage may be, in characters, at most 2,000.
    #[arg(default = 800)]
    max_chars: u32,
) -> Result<Passages, ToolError> {
    search_in(Path::new(FOLDER), &query, k, max_chars)
}

toolhost_sdk::export!(search_documents);

/// The passages that were found, the best first.
#[derive(Debug, PartialEq, Serialize, ToolType)]
struct Passages {
    /// The passages; none if no document has a word of the query.
    hits: Vec<Hit>,
}

/// Each call is a fresh sandbox, so that each reads the folder anew and finds what was added meanwhile.
fn search_in(folder: &Path, query: &str, k: u32, max_chars: u32) -> Result<Passages, ToolError> {
    if query.trim().is_empty() {
        return Err(ToolError::new("The query is empty. Say what to look for."));
    }
    let documents = FolderIndex::open(folder).max_chars(within("max_chars", max_chars, MOST_CHARS)?);
    let hits = documents.search(query, within("k", k, MOST_HITS)?).map_err(ToolError::from_error)?;
    Ok(Passages { hits })
}

fn within(name: &str, value: u32, most: u32) -> Result<usize, ToolError> {
    let bounded = usize::try_from(value).ok().filter(|_| (1..=most).contains(&value));
    bounded.ok_or_else(|| ToolError::new(format!("{name} is {value}, and has to be from 1 to {most}.")))
}

#[cfg(test)]
mod tests {
    use toolhost_sdk::testing::{self, FakeContext};

    use super::*;

    fn shipped() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../documents")
    }

    fn best(query: &str) -> String {
        let found = search_in(&shipped(), query, 1, 800).expect("the documents are there");
        found.hits.first().map(|hit| hit.id.clone()).unwrap_or_default()
    }

    #[test]
    fn the_host_takes_it() {
        assert_eq!(testing::admit(&[&search_documents {}]), Ok(()));
    }

    #[test]
    fn questions_find_the_document_that_answers_them() {
        assert_eq!(best("How many days do I have to return a jacket for a refund?"), "returns.md");
        assert_eq!(best("when is the Mill Lane store open on Sunday"), "opening-hours.md");
        assert_eq!(best("how many points for silver level"), "loyalty.md");
        assert_eq!(best("rent a canoe for a weekend deposit"), "rental.md");
        assert_eq!(best("wash a down sleeping bag"), "care.md");
    }

    #[test]
    fn passages_are_as_many_and_as_long_as_asked() {
        let found = search_in(&shipped(), "the return of an order", 3, 120).expect("the documents are there");
        assert_eq!(found.hits.len(), 3);
        assert!(found.hits.iter().all(|hit| !hit.passage.is_empty() && hit.passage.chars().count() <= 120));
        assert!(found.hits.is_sorted_by(|better, worse| better.score >= worse.score));
    }

    #[test]
    fn a_document_that_was_added_is_found_by_the_next_search() {
        let folder = tempfile::tempdir().expect("a folder");
        let search = || search_in(folder.path(), "zeppelin rides", 5, 800).expect("the folder is there").hits;
        assert_eq!(search(), []);
        FolderIndex::open(folder.path()).add("new.md", "We now rent out a zeppelin.").expect("it is written");
        assert_eq!(search().first().map(|hit| hit.id.as_str()), Some("new.md"));
    }

    #[test]
    fn what_cannot_be_searched_is_said() {
        let message =
            |query, k, chars| search_in(&shipped(), query, k, chars).expect_err("refused").to_string();
        assert_eq!(message(" ", 1, 1), "The query is empty. Say what to look for.");
        assert_eq!(message("tent", 21, 800), "k is 21, and has to be from 1 to 20.");
        assert_eq!(message("tent", 5, 0), "max_chars is 0, and has to be from 1 to 2000.");
        let ungranted = search_in(Path::new("/no/such/folder"), "tent", 5, 800).expect_err("not granted");
        assert_eq!(ungranted.kind(), "IndexError");
        assert!(testing::call(&search_documents {}, &FakeContext::new(), r#"{"k": 2}"#).is_error);
    }
}
