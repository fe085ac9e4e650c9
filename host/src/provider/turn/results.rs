//! From outcomes to what goes into the next request.

use serde_json::{Map, Value, json};

use super::content::{Part, parts, structured, text};
use super::{Asked, Turn};
use crate::provider::format::Format;
use crate::spec::{Outcome, clean};

/// Characters of a provider's word for why a reply ended.
const REASON_CHARS: usize = 60;

/// The results of all calls of a reply, in their order.
pub(super) fn results(format: Format, turn: &Turn, outcomes: &[Outcome]) -> Vec<Value> {
    let mut outcomes = outcomes.iter();
    let results: Vec<Value> = turn
        .asked
        .iter()
        .map(|asked| match &turn.cut_off {
            Some(reason) => one(format, asked, &Said::failure(cut_off(reason))),
            None => one(format, asked, &Said::of(outcomes.next(), format)),
        })
        .collect();
    match format {
        _ if results.is_empty() => Vec::new(),
        // These two want all results in one message.
        Format::Anthropic => vec![json!({"role": "user", "content": results})],
        Format::Gemini => vec![json!({"role": "user", "parts": results})],
        _ => results,
    }
}

fn cut_off(reason: &str) -> String {
    let reason = clean(reason.chars().take(REASON_CHARS).collect()).replace(['\n', '\t'], " ");
    format!(
        "Error (ReplyCutOff): Your reply ended before it was complete ({reason}), so that none of its calls ran. Make \
         fewer calls at once, or send shorter arguments."
    )
}

/// What is said of one call.
struct Said {
    parts: Vec<Part>,
    structured: Option<Value>,
    is_error: bool,
}

impl Said {
    fn failure(text: String) -> Self {
        Self { parts: vec![Part::Text(text)], structured: None, is_error: true }
    }

    fn of(outcome: Option<&Outcome>, format: Format) -> Self {
        let Some(outcome) = outcome else {
            // A call has no result only if the host ends meanwhile.
            return Self::failure("Error (Internal): The host did not say how this call ended.".to_owned());
        };
        Self {
            parts: parts(outcome, matches!(format, Format::OpenAi | Format::Anthropic)),
            structured: structured(outcome),
            is_error: outcome.result.is_err(),
        }
    }
}

fn one(format: Format, asked: &Asked, said: &Said) -> Value {
    match format {
        Format::OpenAi | Format::Mcp => {
            let pictures = said.parts.iter().any(|part| matches!(part, Part::Picture { .. }));
            let output: Value = if pictures {
                said.parts.iter().map(Part::openai).collect()
            } else {
                text(&said.parts).into()
            };
            json!({"type": "function_call_output", "call_id": asked.id, "output": output})
        }
        Format::OpenAiChat => {
            json!({"role": "tool", "tool_call_id": asked.id, "content": text(&said.parts)})
        }
        Format::Anthropic => {
            let mut block = Map::new();
            block.insert("type".to_owned(), "tool_result".into());
            block.insert("tool_use_id".to_owned(), asked.id.as_str().into());
            // An empty text is an error to this provider, and no content is not.
            if !said.parts.is_empty() {
                block.insert("content".to_owned(), said.parts.iter().map(Part::anthropic).collect());
            }
            block.insert("is_error".to_owned(), said.is_error.into());
            block.into()
        }
        Format::Gemini => {
            let mut response = Map::new();
            // Without an id of the model's own the provider goes by the order.
            if !asked.is_id_made {
                response.insert("id".to_owned(), asked.id.as_str().into());
            }
            response.insert("name".to_owned(), asked.tool.as_str().into());
            let told = || Value::from(text(&said.parts));
            let body = if said.is_error {
                json!({"error": told()})
            } else {
                json!({"output": said.structured.clone().unwrap_or_else(told)})
            };
            response.insert("response".to_owned(), body);
            json!({"functionResponse": response})
        }
    }
}
