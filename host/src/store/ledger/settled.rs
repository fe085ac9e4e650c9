//! The outcome of a call as the ledger keeps it.

use serde::{Deserialize, Serialize};

use crate::spec::{Failure, Success, Usage};

/// How the one call with a key ended, for every later call with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// The attempt that decided, from 1.
    pub attempt: u32,
    /// What the call used.
    pub usage: Usage,
    /// The result, or why there is none. What is for operators alone is left out.
    pub result: Result<Success, Failure>,
}
