//! One tool's input schema, as one provider takes it.
//!
//! It owns what is lost on the way and where that is said: a keyword that a provider does not take stands in the
//! description beside it and in [`Expressed::notes`]. Nothing here decides whether arguments are right: that is the
//! tool's own schema, at gate 4, whatever a model was shown.

mod dialect;
mod express;
mod hoist;
mod inline;
mod measure;
mod null;
mod plan;

#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::Value;
use toolhost_check::Schema;

pub(super) use dialect::{
    ANTHROPIC, ANTHROPIC_OPTIONAL, ANTHROPIC_STRICT, ANTHROPIC_STRICT_TOOLS, ANTHROPIC_UNIONS, GEMINI,
    OPENAI, OPENAI_STRICT,
};
pub(super) use plan::Plan;

use dialect::Dialect;
use express::Express;

use super::names::Aliases;

/// Something that a form says with less force than the tool's own schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The JSON pointer of the sub-schema, references written out; empty for the root.
    pub place: String,
    /// The keyword.
    pub keyword: String,
    /// What became of it, as a verb phrase.
    pub what: &'static str,
}

impl Note {
    fn new(place: &str, keyword: &str, what: &'static str) -> Self {
        Self { place: place.to_owned(), keyword: keyword.to_owned(), what }
    }
}

/// `'pattern' at /properties/a stands in the description only`
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.place.is_empty() { "the root" } else { &self.place };
        write!(f, "'{}' at {place} {}", self.keyword, self.what)
    }
}

/// A schema in a provider's form.
#[derive(Debug)]
pub(super) struct Expressed {
    pub(super) schema: Value,
    /// What the root says beside its schema, for the tool's description.
    pub(super) told: Option<String>,
    pub(super) plan: Plan,
    pub(super) notes: Vec<Note>,
    /// Properties that are not required.
    pub(super) n_optional: usize,
    /// Sub-schemas of several types or forms.
    pub(super) n_unions: usize,
    /// Why this is not a form that a model can be held to.
    pub(super) no_strict_form: Option<String>,
}

/// Writes a schema in a form. Without strict mode there is always one.
pub(super) fn express(schema: &Schema, dialect: &Dialect) -> Expressed {
    let (inlined, cut) = inline::inline(schema);
    let mut no_strict_form = cut.first().filter(|_| dialect.strict).map(ToString::to_string);
    let mut names = Vec::new();
    measure::property_names(&inlined, &mut names);
    let aliases = Aliases::new(names, dialect.names);
    let mut express = Express::new(dialect, &aliases, cut);
    let (schema, told, plan) = express.root(inlined);
    let (notes, fault) = express.finish();
    let measured = measure::Measured::of(&schema);
    let over = measured.over(&dialect::OPENAI_MOST).filter(|_| dialect.requires_all);
    no_strict_form = no_strict_form.or(fault).or(over);
    let (n_optional, n_unions) = (measured.optional, measured.unions);
    Expressed { schema, told, plan, notes, n_optional, n_unions, no_strict_form }
}
