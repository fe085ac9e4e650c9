//! One tool in one form: its text, the way back for its arguments, and what was lost.

use serde_json::{Map, Value, json};

use super::format::Format;
use super::mcp;
use super::schema::{
    ANTHROPIC, ANTHROPIC_STRICT, Expressed, GEMINI, Note, OPENAI, OPENAI_STRICT, Plan, express,
};
use crate::registry::Entry;

/// A tool in a provider's form.
#[derive(Debug)]
pub(super) struct Exported {
    /// Compact JSON, the same bytes from run to run.
    pub(super) text: String,
    pub(super) plan: Plan,
    pub(super) notes: Vec<Note>,
    pub(super) n_optional: usize,
    pub(super) n_unions: usize,
    /// Why a strict form must not be used.
    pub(super) no_strict_form: Option<String>,
}

impl Exported {
    /// About how many tokens the declaration costs: one for every four bytes of its text, rounded up.
    ///
    /// Providers write declarations out in ways of their own and count with vocabularies of their own; for English
    /// descriptions the figure was within a third of what they count. It is the same for the same tool, always.
    pub(super) fn tokens(&self) -> usize {
        self.text.len().div_ceil(4)
    }
}

/// Writes a tool in a form. Without strict mode there is always one.
pub(super) fn export(entry: &Entry, format: Format, strict: bool) -> Exported {
    let dialect = match (format, strict) {
        (Format::Mcp, _) => {
            let tool = mcp::tool(&entry.name, &entry.spec, entry.policy.annotations);
            return Exported {
                text: tool.to_string(),
                plan: Plan::default(),
                notes: Vec::new(),
                n_optional: 0,
                n_unions: 0,
                no_strict_form: None,
            };
        }
        (Format::OpenAi | Format::OpenAiChat, true) => &OPENAI_STRICT,
        (Format::OpenAi | Format::OpenAiChat, false) => &OPENAI,
        (Format::Anthropic, true) => &ANTHROPIC_STRICT,
        (Format::Anthropic, false) => &ANTHROPIC,
        (Format::Gemini, _) => &GEMINI,
    };
    written(entry, format, dialect.strict, express(&entry.input, dialect))
}

fn written(entry: &Entry, format: Format, strict: bool, expressed: Expressed) -> Exported {
    let Expressed { schema, told, plan, notes, n_optional, n_unions, no_strict_form } = expressed;
    let mut description = entry.spec.description.clone();
    if let Some(told) = told.filter(|told| *told != description) {
        description = format!("{description}\n\n{told}");
    }
    let name = entry.name.as_str();
    let tool = match format {
        Format::OpenAi => json!({
            "type": "function",
            "name": name,
            "description": description,
            "parameters": schema,
            // Written out always: left out, the provider would choose, and how arguments have to be read depends on it.
            "strict": strict,
        }),
        Format::OpenAiChat => json!({
            "type": "function",
            "function": {
                "name": name,
                "description": description,
                "parameters": schema,
                "strict": strict,
            },
        }),
        Format::Anthropic => {
            let mut tool = Map::new();
            tool.insert("name".to_owned(), name.into());
            tool.insert("description".to_owned(), description.into());
            tool.insert("input_schema".to_owned(), schema);
            if strict {
                tool.insert("strict".to_owned(), true.into());
            }
            tool.into()
        }
        Format::Gemini | Format::Mcp => {
            let mut tool = Map::new();
            tool.insert("name".to_owned(), name.into());
            tool.insert("description".to_owned(), description.into());
            // An object without properties is an error to some of Gemini's models; none at all is not.
            if has_properties(&schema) {
                tool.insert("parametersJsonSchema".to_owned(), schema);
            }
            tool.into()
        }
    };
    Exported { text: tool.to_string(), plan, notes, n_optional, n_unions, no_strict_form }
}

fn has_properties(schema: &Value) -> bool {
    schema.get("properties").and_then(Value::as_object).is_some_and(|names| !names.is_empty())
}
