//! A tool as its component describes it, once the description has been found sound.

use std::time::Duration;

use crate::id::{IdError, PoolName, ToolName};

/// Hints about behaviour. Never a basis for access unless somebody trusted repeats them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Annotations {
    /// Changes nothing outside its own call.
    pub read_only: bool,
    /// May destroy or overwrite something.
    pub destructive: bool,
    /// Calling again changes nothing further.
    pub idempotent: bool,
    /// Reaches things that the operator does not control.
    pub open_world: bool,
}

/// What happens to a side-effecting call whose attempt was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delivery {
    /// Never started again.
    #[default]
    AtMostOnce,
    /// Started again, a bounded number of times.
    AtLeastOnce,
}

impl Delivery {
    /// The name in configuration and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AtMostOnce => "at_most_once",
            Self::AtLeastOnce => "at_least_once",
        }
    }
}

/// How a tool would like to be run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wishes {
    /// A person is to be asked before each call.
    pub requires_approval: bool,
    /// The longest that one attempt may take.
    pub timeout: Option<Duration>,
    /// The pool to run in.
    pub pool: Option<PoolName>,
    /// What to do with a lost attempt.
    pub delivery: Option<Delivery>,
    /// A template for the idempotency key.
    pub idempotency_key: Option<String>,
}

/// One example of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// What it shows.
    pub title: String,
    /// The arguments as JSON text.
    pub arguments: String,
}

/// One tool as its component describes it. Schemas are text here; the registry holds them compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSpec {
    /// The name.
    pub name: ToolName,
    /// A short name for people.
    pub title: Option<String>,
    /// What it does, when not to use it, whether it has a side effect.
    pub description: String,
    /// The input schema as JSON text.
    pub input_schema: String,
    /// The output schema as JSON text.
    pub output_schema: Option<String>,
    /// Hints about behaviour.
    pub annotations: Annotations,
    /// How it would like to be run.
    pub wishes: Wishes,
    /// Client capabilities that it cannot work without.
    pub required_capabilities: Vec<String>,
    /// Examples of calls.
    pub examples: Vec<Example>,
}

/// What is wrong with a description.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecFault {
    /// The component describes nothing.
    #[error("the component describes no tool")]
    Empty,
    /// Too many tools in one component.
    #[error("the component describes {found} tools; at most {most} are taken")]
    TooMany {
        /// How many there are.
        found: usize,
        /// How many may be.
        most: usize,
    },
    /// A name that is not one.
    #[error(transparent)]
    Name(#[from] IdError),
    /// The same name twice in one component.
    #[error("the component describes the tool {0} twice")]
    Doubled(ToolName),
    /// No description.
    #[error("the tool {0} has no description")]
    NoDescription(ToolName),
    /// A text over its bound.
    #[error("the {field} of the tool {tool} has {found} bytes; at most {most} are taken")]
    TooLong {
        /// The tool.
        tool: String,
        /// The text's place.
        field: &'static str,
        /// How long it is.
        found: usize,
        /// How long it may be.
        most: usize,
    },
    /// A text with characters that people do not see or that a terminal obeys.
    #[error("the {field} of the tool {tool} has control, bidirectional or invisible characters")]
    Hidden {
        /// The tool.
        tool: String,
        /// The text's place.
        field: &'static str,
    },
    /// A schema that is not taken.
    #[error("the {which} schema of the tool {tool} is not taken: {reason}")]
    Schema {
        /// The tool.
        tool: ToolName,
        /// `input` or `output`.
        which: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// An option with a value that is not one.
    #[error("the option {option} of the tool {tool} is not valid: {reason}")]
    Option {
        /// The tool.
        tool: ToolName,
        /// The option's name.
        option: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}
