//! Names as a provider takes them, in a table that leads back.
//!
//! A name is never taken apart to find out what it stood for: what a model says is looked up, and what is not in the
//! table stands for itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sha2::{Digest as _, Sha256};

use crate::id::hex;

/// What a provider takes as a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameRule {
    /// Anything.
    Any,
    /// `[A-Za-z0-9_.-]{1,64}`.
    Dotted,
    /// `[A-Za-z_][A-Za-z0-9_]{0,63}`.
    Word,
}

/// The longest name that every rule but [`NameRule::Any`] takes, in characters.
const LONGEST: usize = 64;
/// Hexadecimal digits of a name's hash that keep two names apart.
const TAG: usize = 8;

impl NameRule {
    pub(super) fn takes(self, name: &str) -> bool {
        let within = (1..=LONGEST).contains(&name.len());
        match self {
            Self::Any => true,
            Self::Dotted => within && name.chars().all(|c| self.has(c)),
            Self::Word => {
                within
                    && name.chars().all(|c| self.has(c))
                    && !name.starts_with(|first: char| first.is_ascii_digit())
            }
        }
    }

    fn has(self, c: char) -> bool {
        let more = match self {
            Self::Any => return true,
            Self::Dotted => "_.-",
            Self::Word => "_",
        };
        c.is_ascii_alphanumeric() || more.contains(c)
    }
}

/// The names of one tool's properties and what a provider calls them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Aliases {
    by_name: HashMap<String, String>,
}

impl Aliases {
    /// A table for all names that the rule does not take. The same names give the same table, whatever their order.
    pub(super) fn new<'n>(names: impl IntoIterator<Item = &'n str>, rule: NameRule) -> Self {
        let names: BTreeSet<&str> = names.into_iter().collect();
        let mut taken: BTreeSet<String> =
            names.iter().filter(|name| rule.takes(name)).map(|name| (*name).to_owned()).collect();
        let mut by_name = BTreeMap::new();
        for name in names.into_iter().filter(|name| !rule.takes(name)) {
            let readable = readable(name, rule);
            // Two names with one hash are not seen in practice; the number keeps even them apart.
            let alias = (0..).map(|n: u32| tagged(&readable, name, n)).find(|alias| !taken.contains(alias));
            if let Some(alias) = alias {
                taken.insert(alias.clone());
                by_name.insert(name.to_owned(), alias);
            }
        }
        Self { by_name: by_name.into_iter().collect() }
    }

    /// What the provider calls a property.
    pub(super) fn of<'n>(&'n self, name: &'n str) -> &'n str {
        self.by_name.get(name).map_or(name, String::as_str)
    }

    /// Whether every name stands for itself.
    pub(super) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }
}

/// The name with what the rule does not take replaced, short enough for a hash behind it.
fn readable(name: &str, rule: NameRule) -> String {
    let kept = name.chars().map(|c| if rule.has(c) && c.is_ascii() { c } else { '_' });
    let kept: String = kept.take(LONGEST - TAG - 2).collect();
    if kept.starts_with(|first: char| first.is_ascii_digit()) { format!("_{kept}") } else { kept }
}

fn tagged(readable: &str, name: &str, n: u32) -> String {
    let mut hash = hex(&Sha256::digest(format!("{n}\u{1f}{name}")));
    hash.truncate(TAG);
    format!("{readable}_{hash}")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::id::ToolName;

    #[test]
    fn what_a_rule_takes_stands_for_itself() {
        let names = ["type", "properties", "a.b", "a-b", "a b", "é", "9a", "", &"x".repeat(65)];
        let word = Aliases::new(names, NameRule::Word);
        assert_eq!((word.of("type"), word.of("properties")), ("type", "properties"));
        assert!(word.of("a b").starts_with("a_b_"), "{}", word.of("a b"));
        for name in names {
            assert!(NameRule::Word.takes(word.of(name)), "{name:?} became {:?}", word.of(name));
        }
        let dotted = Aliases::new(names, NameRule::Dotted);
        assert_eq!((dotted.of("a.b"), dotted.of("a-b"), dotted.of("9a")), ("a.b", "a-b", "9a"));
        assert!(Aliases::new(names, NameRule::Any).is_empty());
    }

    /// A name that is an alias of another, as somebody hostile would choose it.
    #[test]
    fn a_name_that_looks_like_an_alias_keeps_its_own() {
        let alias = Aliases::new(["a b"], NameRule::Word).of("a b").to_owned();
        let table = Aliases::new(["a b", &alias], NameRule::Word);
        assert_eq!(table.of(&alias), alias);
        assert_ne!(table.of("a b"), alias);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        /// Fifty times two hundred names of any characters: ten thousand.
        #[test]
        fn names_never_collide_and_their_order_does_not_count(
            names in prop::collection::hash_set("[a-c9é .:/\u{0}😀_-]{0,80}", 200),
        ) {
            for rule in [NameRule::Word, NameRule::Dotted] {
                let table = Aliases::new(names.iter().map(String::as_str), rule);
                let aliases: HashSet<&str> = names.iter().map(|name| table.of(name)).collect();
                prop_assert_eq!(aliases.len(), names.len());
                prop_assert!(aliases.iter().all(|alias| rule.takes(alias)));
                let mut sorted: Vec<&str> = names.iter().map(String::as_str).collect();
                sorted.sort_unstable();
                prop_assert_eq!(Aliases::new(sorted, rule), table);
            }
        }

        /// A tool's own name needs no table: every provider takes it (OpenAI `[A-Za-z0-9_-]{1,64}`, Anthropic the same up to
        /// 128, Gemini with a letter or `_` first).
        #[test]
        fn every_tool_name_is_taken_by_every_provider(name in "[A-Za-z_][A-Za-z0-9_-]{0,47}") {
            let name: ToolName = name.parse().unwrap();
            prop_assert!(name.as_str().len() <= 64);
            prop_assert!(name.as_str().chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'));
            prop_assert!(!name.as_str().starts_with(|c: char| c.is_ascii_digit() || c == '-'));
        }
    }
}
