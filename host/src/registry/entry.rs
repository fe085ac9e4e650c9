//! One tool that can be called now.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use toolhost_check::Schema;

use crate::id::{Digest, ToolName};
use crate::policy::{Grants, ToolPolicy};
use crate::spec::ToolSpec;

/// One component, as far as its tools share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// The identity of its code.
    pub digest: Digest,
    /// A name that stays when the code changes: the file's name without its ending. State of the component's own is
    /// kept under it.
    pub name: String,
    /// What the component was given.
    pub grants: Grants,
    /// Settings that the guest may read.
    pub config: Arc<BTreeMap<String, String>>,
}

/// One tool that can be called now. Everything a call needs is ready here: nothing is compiled or parsed later.
#[derive(Debug)]
pub struct Entry {
    /// The name under which it is listed and called, with the operator's prefix.
    pub name: ToolName,
    /// What the component says.
    pub spec: ToolSpec,
    /// What is in force.
    pub policy: ToolPolicy,
    /// The component.
    pub source: Arc<Source>,
    /// The input schema, compiled.
    pub input: Schema,
    /// The output schema, compiled.
    pub output: Option<Schema>,
    /// The hash of all that an approval of this tool rests on beside the call itself.
    pub policy_hash: String,
}

impl Entry {
    /// Whether a call may have an effect outside of itself, as far as anybody trusted said.
    #[must_use]
    pub fn has_side_effect(&self) -> bool {
        !self.policy.read_only
    }
}
