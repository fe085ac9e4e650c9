//! From what a tool's function returns to its reply.

use std::fmt::Display;

use serde::Serialize;
use serde_json::Value;

use crate::content::Content;
use crate::failure::ToolError;
use crate::input::InputRequired;
use crate::json::{text_of, to_value};
use crate::schema::{ToolType, output_schema};
use crate::tool::{Reply, ToolResult};

/// What a tool may return.
///
/// - A value with a schema ([`ToolType`] and `Serialize`): structured JSON, and the same as text; a string as itself.
/// - `&'static str`: as a `String`.
/// - [`Json`]: any `Serialize` value, without an output schema.
/// - `()`: nothing.
/// - [`Content`], `Vec<Content>`, [`ToolResult`]: blocks.
/// - [`InputRequired`] or [`Outcome`]: a question.
/// - `Result` of one of these and any error that can be displayed: the error becomes a failure with the name of its
///   type; [`ToolError`] says more.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be what a tool returns",
    label = "this type has no output schema",
    note = "derive `Serialize` and `ToolType` for it, or return `Json(value)`, which has no output schema",
    note = "an error type must implement `Display`"
)]
pub trait ToolOutput {
    /// The output schema, where there is one.
    fn schema() -> Option<Value>;

    /// The reply.
    ///
    /// # Errors
    /// The failure that the model is told: the tool's own, or kind `UnwritableResult` for a value that has no JSON
    /// form.
    fn into_reply(self) -> Result<Reply, ToolError>;
}

impl<T: ToolType + Serialize> ToolOutput for T {
    fn schema() -> Option<Value> {
        Some(output_schema::<T>())
    }

    fn into_reply(self) -> Result<Reply, ToolError> {
        structured(&self)
    }
}

/// Any value as a result without an output schema.
///
/// ```
/// use toolhost_sdk::{Json, json};
///
/// let result = Json(json!({ "anything": [1, "two"] }));
/// # drop(result);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Json<T>(pub T);

impl<T: Serialize> ToolOutput for Json<T> {
    fn schema() -> Option<Value> {
        None
    }

    fn into_reply(self) -> Result<Reply, ToolError> {
        structured(&self.0)
    }
}

impl ToolOutput for &'static str {
    fn schema() -> Option<Value> {
        <String as ToolOutput>::schema()
    }

    fn into_reply(self) -> Result<Reply, ToolError> {
        structured(self)
    }
}

impl ToolOutput for () {
    fn schema() -> Option<Value> {
        None
    }

    fn into_reply(self) -> Result<Reply, ToolError> {
        Ok(Reply::Done(ToolResult::new()))
    }
}

impl ToolOutput for Content {
    fn schema() -> Option<Value> {
        None
    }

    fn into_reply(self) -> Result<Reply, ToolError> {
        Ok(Reply::Done(ToolResult::new().with(self)))
    }
}

impl ToolOutput for Vec<Content> {
    fn schema() -> Option<Value> {
        None
    }

    fn into_reply(self) -> Result<Reply, ToolError> {
        Ok(Reply::Done(ToolResult { content: self, structured: None }))
    }
}

impl ToolOutput for ToolResult {
    fn schema() -> Option<Value> {
        None
    }

    fn into_reply(self) -> Result<Reply, ToolError> {
        Ok(Reply::Done(self))
    }
}

impl ToolOutput for InputRequired {
    fn schema() -> Option<Value> {
        None
    }

    fn into_reply(self) -> Result<Reply, ToolError> {
        Ok(Reply::InputRequired(self))
    }
}

/// Either a result or a question, for a tool that only sometimes needs input.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome<T> {
    /// The tool is done.
    Done(T),
    /// The tool asks for input; the call is made again with the answers.
    Ask(InputRequired),
}

impl<T: ToolOutput> ToolOutput for Outcome<T> {
    fn schema() -> Option<Value> {
        T::schema()
    }

    fn into_reply(self) -> Result<Reply, ToolError> {
        match self {
            Self::Done(value) => value.into_reply(),
            Self::Ask(question) => question.into_reply(),
        }
    }
}

impl<T: ToolOutput, E: Display + 'static> ToolOutput for Result<T, E> {
    fn schema() -> Option<Value> {
        T::schema()
    }

    fn into_reply(self) -> Result<Reply, ToolError> {
        self.map_err(ToolError::from_error)?.into_reply()
    }
}

fn structured<T: Serialize + ?Sized>(value: &T) -> Result<Reply, ToolError> {
    let value = to_value(value).map_err(|error| {
        ToolError::with_kind("UnwritableResult", format!("The result has no JSON form. {error}."))
    })?;
    Ok(Reply::Done(ToolResult::text(text_of(&value)).structured(value)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    fn seen<T: ToolOutput>(value: T) -> (String, Option<Value>) {
        match value.into_reply() {
            Ok(Reply::Done(result)) => match result.content.as_slice() {
                [] => (String::new(), result.structured),
                [Content::Text(text)] => (text.clone(), result.structured),
                other => panic!("one text was expected, not {other:?}"),
            },
            other => panic!("a result was expected, not {other:?}"),
        }
    }

    #[test]
    fn a_string_is_its_own_text_and_anything_else_is_json() {
        assert_eq!(seen("a \"b\"".to_owned()), ("a \"b\"".into(), Some(json!("a \"b\""))));
        assert_eq!(seen(6.0), ("6.0".into(), Some(json!(6.0))));
        assert_eq!(seen(vec![1u8, 2]), ("[1,2]".into(), Some(json!([1, 2]))));
        assert_eq!(seen(()), (String::new(), None));
        assert_eq!(seen(None::<u8>), ("null".into(), Some(Value::Null)));
    }

    #[test]
    fn what_json_cannot_say_becomes_a_string() {
        assert_eq!(seen(f64::NAN), ("NaN".into(), Some(json!("NaN"))));
        assert_eq!(seen(vec![f64::INFINITY, f64::NEG_INFINITY]).1, Some(json!(["Infinity", "-Infinity"])));
        assert_eq!(seen(f32::NAN).0, "NaN");
        assert_eq!(seen(0.1f32).0, "0.1");
        assert_eq!(seen(Json(u128::MAX)).1, Some(json!("340282366920938463463374607431768211455")));
        assert_eq!(seen(Json(i128::MIN)).1, Some(json!("-170141183460469231731687303715884105728")));
        assert_eq!(seen(Json(u128::from(u64::MAX))).0, "18446744073709551615");
        let number: Value =
            serde_json::from_str("[18446744073709551616, 9007199254740993, 1.50]").expect("JSON");
        assert_eq!(seen(Json(number)).0, r#"["18446744073709551616",9007199254740993,1.50]"#);
    }

    #[test]
    fn a_value_without_a_json_form_is_a_failure_that_says_where() {
        let odd = Json(json!(null));
        assert!(odd.into_reply().is_ok());
        let keys = BTreeMap::from([(vec![1u8], 1u8)]);
        let error = Json(vec![keys]).into_reply().expect_err("a list is no key");
        assert_eq!(
            (error.kind(), error.message()),
            ("UnwritableResult", "The result has no JSON form. [0]: a map's keys must be strings.")
        );
    }
}
