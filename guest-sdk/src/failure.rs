//! A failure that a tool reports to the model.

use std::any::Any;
use std::fmt::{self, Display};
use std::time::Duration;

use crate::context::{InvokeError, KvError};

/// A failure with a text that the model reads, and whether the same call may succeed later.
///
/// A tool may return any error. It is shown with its type's name; `ToolError` is the clean way to say more:
///
/// ```
/// use toolhost_sdk::ToolError;
///
/// let error = ToolError::new("The warehouse does not answer. Call the tool again in a minute.").retryable();
/// assert_eq!(error.kind(), "ToolError");
/// assert!(error.is_retryable());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    kind: String,
    message: String,
    retryable: bool,
    retry_after: Option<Duration>,
}

impl ToolError {
    /// A failure of kind `ToolError`. The message says what went wrong and what to do about it.
    pub fn new(message: impl Into<String>) -> Self {
        Self::with_kind("ToolError", message)
    }

    /// A failure of another kind, a name such as `NotFound`.
    pub fn with_kind(kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind: kind.into(), message: message.into(), retryable: false, retry_after: None }
    }

    /// Any error as a failure, with the name of its type as its kind: the last segment of the path, without
    /// generics. A `ToolError` stays what it is, and a boxed one is found in its box.
    pub fn from_error<E: Display + 'static>(error: E) -> Self {
        let kind = type_kind(std::any::type_name::<E>());
        let message = error.to_string();
        let error: Box<dyn Any> = Box::new(error);
        let error = match error.downcast::<Self>() {
            Ok(known) => return *known,
            Err(other) => other,
        };
        if let Some(known) = boxed_tool_error(error.as_ref()) {
            return known;
        }
        let retryable = match (error.downcast_ref::<KvError>(), error.downcast_ref::<InvokeError>()) {
            (Some(kv), _) => matches!(kv, KvError::Unavailable(_)),
            (_, Some(invoke)) => invoke.retryable,
            _ => false,
        };
        let asked = error.downcast_ref::<InvokeError>().and_then(|invoke| invoke.retry_after_ms);
        Self { kind, message, retryable, retry_after: asked.map(Duration::from_millis) }
    }

    /// The same failure, marked: the same call may succeed later.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// The same failure, marked: the same call may succeed after a while, such as a peer asked for.
    #[must_use]
    pub fn retryable_after(mut self, pause: Duration) -> Self {
        self.retry_after = Some(pause);
        self.retryable()
    }

    /// The kind that the model is shown.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The text that the model reads.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.retryable
    }

    /// How long to wait before that.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Other arguments may succeed. The same call never does.
    pub(crate) fn invalid_arguments(message: impl Into<String>) -> Self {
        Self::with_kind("InvalidArguments", message)
    }
}

impl Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ToolError {}

fn boxed_tool_error(error: &dyn Any) -> Option<ToolError> {
    type Plain = Box<dyn std::error::Error>;
    type Shared = Box<dyn std::error::Error + Send + Sync>;
    let inner: &(dyn std::error::Error + 'static) = match error.downcast_ref::<Plain>() {
        Some(plain) => plain.as_ref(),
        None => error.downcast_ref::<Shared>()?.as_ref(),
    };
    inner.downcast_ref::<ToolError>().cloned()
}

/// `alloc::boxed::Box<dyn core::error::Error + Send>` becomes `Error`, `a::b::NotFound<T>` becomes `NotFound`.
fn type_kind(full: &str) -> String {
    let bare = full.trim_start_matches('&');
    let bare = match bare.strip_prefix("alloc::boxed::Box<dyn ") {
        Some(inner) => inner.split([' ', '>']).next().unwrap_or(inner),
        None => bare,
    };
    let path = bare.split('<').next().unwrap_or(bare);
    let name = path.rsplit("::").next().unwrap_or(path).trim();
    if name.is_empty() { "Error".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct OutOfStock<T>(T);

    impl<T> Display for OutOfStock<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("none left")
        }
    }

    impl<T: fmt::Debug> std::error::Error for OutOfStock<T> {}

    #[test]
    fn any_error_is_shown_with_the_last_segment_of_its_type() {
        let shown = |error: &ToolError| (error.kind().to_owned(), error.message().to_owned());
        let generic = ToolError::from_error(OutOfStock(std::collections::BTreeMap::<u8, u8>::new()));
        assert_eq!(shown(&generic), ("OutOfStock".into(), "none left".into()));
        let std = ToolError::from_error("x".parse::<i32>().expect_err("not a number"));
        assert_eq!(std.kind(), "ParseIntError");
        assert_eq!(ToolError::from_error(String::from("no")).kind(), "String");
        assert_eq!(ToolError::from_error("no").kind(), "str");
        let boxed: Box<dyn std::error::Error + Send + Sync> = Box::new(OutOfStock(1));
        assert_eq!(shown(&ToolError::from_error(boxed)), ("Error".into(), "none left".into()));
    }

    #[test]
    fn a_tool_error_keeps_what_it_says_even_in_a_box() {
        let error = ToolError::new("later").retryable();
        assert_eq!(ToolError::from_error(error.clone()), error);
        let boxed: Box<dyn std::error::Error> = Box::new(error.clone());
        assert_eq!(ToolError::from_error(boxed), error);
    }

    #[test]
    fn a_store_that_does_not_answer_may_answer_later() {
        assert!(ToolError::from_error(KvError::Unavailable("busy".into())).is_retryable());
        assert!(!ToolError::from_error(KvError::Denied).is_retryable());
    }
}
