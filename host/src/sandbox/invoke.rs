//! The way from a guest to other tools. What admits calls stands above the sandbox, and hands it in.

use std::pin::Pin;

use crate::spec::{Failure, Success};

/// What became of a call that a guest made.
pub type Invoking<'a> = Pin<Box<dyn Future<Output = Result<Success, Failure>> + Send + 'a>>;

/// Calls to other tools, in the name of the caller of this call.
pub trait Invoke: Send + Sync {
    /// Calls a tool, through all gates. Dropping the future cancels that call.
    fn invoke(&self, tool: String, arguments: String) -> Invoking<'_>;
}
