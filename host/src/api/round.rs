//! The answers that a client brings to what a tool asked, whatever wire they come by.

use serde_json::Value;

use crate::spec::{InputAnswer, clean};

/// Answers of one request.
const MOST: usize = 64;

/// The answers as the guest gets them: each one object, as MCP has it.
///
/// # Errors
/// Says what is wrong with them.
pub(super) fn answers(
    given: impl ExactSizeIterator<Item = (String, Value)>,
) -> Result<Vec<InputAnswer>, String> {
    if given.len() > MOST {
        return Err(format!("There are {} input responses; at most {MOST} are taken.", given.len()));
    }
    given
        .map(|(id, value)| match value {
            Value::Object(_) => Ok(InputAnswer { id, value: value.to_string() }),
            _ => {
                let shown = clean(id.chars().take(80).collect());
                Err(format!("The input response {shown:?} is not an object."))
            }
        })
        .collect()
}
