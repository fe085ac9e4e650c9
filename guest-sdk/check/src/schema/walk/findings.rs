//! Faults while they are collected, with what is needed to sum up several forms in one sentence.

use serde_json::Value;

use crate::schema::rules::Types;
use crate::schema::{Fault, Faults};

/// What kind of fault a finding is, as far as summing up cares.
#[derive(Debug, Clone)]
pub(super) enum Nature {
    /// The value has another type than these.
    Type(Types),
    /// The value is none of these.
    Options {
        wanted: Vec<Value>,
        /// The echo of the value.
        found: String,
    },
    /// A tag of an object names another form.
    Tag {
        wanted: Value,
        /// The echo of the tag.
        found: String,
    },
    Other,
}

/// Findings in order; those beyond the bound are only counted.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) listed: Vec<(Fault, Nature)>,
    more: usize,
}

impl Findings {
    pub(super) fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.more == 0
    }

    pub(super) fn len(&self) -> usize {
        self.listed.len() + self.more
    }

    pub(super) fn push(&mut self, bound: usize, finding: impl FnOnce() -> (Fault, Nature)) {
        if self.listed.len() < bound {
            self.listed.push(finding());
        } else {
            self.more += 1;
        }
    }

    pub(super) fn append(&mut self, bound: usize, other: Self) {
        for finding in other.listed {
            self.push(bound, || finding);
        }
        self.more += other.more;
    }

    pub(super) fn into_faults(self) -> Faults {
        Faults { listed: self.listed.into_iter().map(|(fault, _)| fault).collect(), more: self.more }
    }
}
