//! What became of each tool on its way into a form, for the operator.

use std::fmt;

use super::schema::Note;
use crate::id::ToolName;

/// How many notes one line repeats.
const NOTES_SHOWN: usize = 5;

/// What a list was made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// A line for each tool, in the order of the list.
    pub tools: Vec<ToolReport>,
}

/// What became of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolReport {
    /// The tool.
    pub name: ToolName,
    /// About how many tokens its declaration costs: one for every four bytes of compact JSON, rounded up.
    pub tokens: usize,
    /// The model is held to the schema.
    pub strict: bool,
    /// What the form says with less force than the tool's own schema, which the gates check in full.
    pub weakened: Vec<Note>,
    /// Why the model is not held to the schema, where it might have been.
    pub not_strict: Option<String>,
}

impl Report {
    /// About how many tokens the whole list costs.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.tools.iter().map(|tool| tool.tokens).sum()
    }

    /// The tools of which there is something to say.
    pub fn remarks(&self) -> impl Iterator<Item = &ToolReport> {
        self.tools.iter().filter(|tool| !tool.weakened.is_empty() || tool.not_strict.is_some())
    }
}

/// One line: `the tool NAME: 'pattern' at /properties/a stands in the description only; not strict: REASON`.
impl fmt::Display for ToolReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the tool {}", self.name)?;
        let mut before = ": ";
        for note in self.weakened.iter().take(NOTES_SHOWN) {
            write!(f, "{before}{note}")?;
            before = "; ";
        }
        if self.weakened.len() > NOTES_SHOWN {
            write!(f, "; {} more", self.weakened.len() - NOTES_SHOWN)?;
        }
        match &self.not_strict {
            Some(reason) => write!(f, "{before}not strict, since {reason}"),
            None => Ok(()),
        }
    }
}
