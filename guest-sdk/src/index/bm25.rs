//! BM25: a text scores for each word of the query that it has, more for rare words, less for long texts.

use std::collections::{BTreeMap, BTreeSet};

use super::words::words;

/// How fast more of the same word stops counting.
const K1: f64 = 1.2;
/// How much a text's length counts.
const B: f64 = 0.75;

/// The distinct words of a query.
pub(super) struct Query {
    words: BTreeSet<String>,
}

impl Query {
    pub(super) fn new(query: &str) -> Self {
        Self { words: words(query).into_iter().map(|word| word.text).collect() }
    }

    pub(super) fn words(&self) -> &BTreeSet<String> {
        &self.words
    }

    /// The score of each text, in their order; zero for a text with no word of the query.
    pub(super) fn scores<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Vec<f64> {
        let counted: Vec<Counted<'_>> = texts.map(|text| self.count(text)).collect();
        let n_texts = count(counted.len());
        let n_words: f64 = counted.iter().map(|text| text.n_words).sum();
        let average = if n_words > 0.0 { n_words / n_texts } else { 1.0 };
        let rarity: BTreeMap<&str, f64> = self
            .words
            .iter()
            .map(|word| {
                let having =
                    count(counted.iter().filter(|text| text.found.contains_key(word.as_str())).count());
                (word.as_str(), ((n_texts - having + 0.5) / (having + 0.5)).ln_1p())
            })
            .collect();
        counted
            .iter()
            .map(|text| {
                let damping = K1 * (1.0 - B + B * text.n_words / average);
                text.found
                    .iter()
                    .map(|(word, times)| {
                        rarity.get(word).unwrap_or(&0.0) * times * (K1 + 1.0) / (times + damping)
                    })
                    .sum()
            })
            .collect()
    }

    fn count(&self, text: &str) -> Counted<'_> {
        let mut counted = Counted { n_words: 0.0, found: BTreeMap::new() };
        for word in words(text) {
            counted.n_words += 1.0;
            if let Some(known) = self.words.get(&word.text) {
                *counted.found.entry(known).or_insert(0.0) += 1.0;
            }
        }
        counted
    }
}

struct Counted<'q> {
    n_words: f64,
    found: BTreeMap<&'q str, f64>,
}

#[expect(clippy::cast_precision_loss, reason = "nobody searches 2^53 texts")]
fn count(n: usize) -> f64 {
    n as f64
}
