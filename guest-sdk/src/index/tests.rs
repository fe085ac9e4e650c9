//! What a search finds, in which order, and how it is cut.
#![expect(clippy::disallowed_methods, reason = "the tests fill a folder of their own")]

use std::collections::BTreeSet;

use super::*;
use crate::testing::FakeContext;

fn document(id: &str, text: &str) -> Document {
    Document { id: id.to_owned(), text: text.to_owned() }
}

fn ids(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.id.as_str()).collect()
}

fn passage_of<'t>(text: &'t str, query: &str, max_chars: usize) -> &'t str {
    let query: BTreeSet<String> = query.split(' ').map(str::to_owned).collect();
    passage::best(text, &query, max_chars)
}

#[test]
fn rare_words_and_short_texts_come_first_and_ties_go_by_id() {
    let documents = [
        document("c", "the refund of an order"),
        document("a", "the order of an order and the order"),
        document("b", "the order of the day"),
        document("z", "nothing here"),
        document("d", "the refund of an order"),
    ];
    let hits = best(&documents, "Refund order?", 10, 100);
    assert_eq!(ids(&hits), ["c", "d", "a", "b"]);
    assert!(hits.iter().all(|hit| hit.score > 0.0));
    assert_eq!(ids(&best(&documents, "refund order", 1, 100)), ["c"]);
    assert_eq!(ids(&best(&documents, "", 10, 100)), Vec::<&str>::new());
    assert_eq!(ids(&best(&[], "order", 10, 100)), Vec::<&str>::new());
}

#[test]
fn a_script_without_spaces_is_searched_by_character() {
    let documents = [document("ja", "返品の方法"), document("en", "how to return")];
    assert_eq!(ids(&best(&documents, "返品", 5, 100)), ["ja"]);
}

#[test]
fn a_passage_holds_the_most_words_and_starts_at_its_sentence() {
    let text = "An order is placed. Nothing to see in this long sentence at all. You get a refund of the order soon.";
    assert_eq!(passage_of(text, "refund order", 60), "You get a refund of the order soon.");
    assert_eq!(passage_of(text, "missing", 10), "An order");
}

#[test]
fn a_passage_is_never_too_long_nor_cut_inside_a_character() {
    let family = "👩\u{200D}👩\u{200D}👧";
    for text in [family.repeat(3), "e\u{301}".repeat(9), "x".repeat(30), "ß ä ö ü ".repeat(8)] {
        for max_chars in 0..=text.chars().count() {
            let passage = passage_of(&text, "x", max_chars);
            assert!(passage.chars().count() <= max_chars);
            assert!(!passage.ends_with('\u{200D}'), "{passage:?}");
            let rest = text.get(passage.len()..).unwrap_or("");
            assert!(text.starts_with(passage) && !rest.starts_with(['\u{301}', '\u{200D}']), "{passage:?}");
        }
    }
}

#[test]
fn a_folder_is_read_anew_by_each_search() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut index = FolderIndex::open(folder.path()).max_chars(20);
    index.add("one.txt", "Orders can be returned within thirty days.").expect("written");
    assert_eq!(ids(&index.search("returned", 5).expect("searched")), ["one.txt"]);

    std::fs::create_dir(folder.path().join("more")).expect("a folder");
    std::fs::write(folder.path().join("more/two.md"), b"Returned goods\xFF are checked.").expect("written");
    std::fs::write(folder.path().join(".hidden"), "returned").expect("written");
    std::fs::write(folder.path().join("image.png"), b"returned\0").expect("written");
    let hits = index.search("returned", 5).expect("searched");
    assert_eq!(ids(&hits), ["more/two.md", "one.txt"]);
    assert!(hits.iter().all(|hit| hit.passage.chars().count() <= 20));
}

#[test]
fn a_folder_that_is_not_there_is_an_error_and_so_is_an_id_that_leaves_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut index = FolderIndex::open(folder.path().join("missing"));
    assert!(matches!(index.search("x", 1), Err(IndexError::Folder(..))));
    for id in ["", "../x", "a/b", ".x", "c:x"] {
        assert!(matches!(index.add(id, "x"), Err(IndexError::BadId(..))), "{id}");
    }
}

#[test]
fn the_store_is_searched_below_its_prefix_only() {
    let fake = FakeContext::new().kv("notes/old", "refund policy").kv("other", "refund");
    let ctx = fake.context();
    let mut index = KvIndex::new(ctx.kv(), "notes/");
    index.add("new", "How a refund works").expect("stored");
    assert_eq!(ids(&index.search("refund", 5).expect("searched")), ["old", "new"]);
    assert!(matches!(index.add(&"x".repeat(251), "x"), Err(IndexError::BadId(..))));

    let denied = FakeContext::new().kv_fails(KvError::Denied);
    let ctx = denied.context();
    assert!(matches!(KvIndex::new(ctx.kv(), "").search("x", 1), Err(IndexError::Kv(KvError::Denied))));
}
