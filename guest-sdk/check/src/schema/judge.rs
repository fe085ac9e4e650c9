//! The schema library: who judges, and how it is set up.
//!
//! It owns every setting of the library: no remote or file references, the linear engine for regular expressions
//! with bounds on its size, formats asserted. Nothing else in this crate names an option of it.

use jsonschema::{Draft, Keyword, PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value};

use super::graph::{Graph, short};
use super::rules::Leaf;
use super::{SchemaFault, SchemaLimits};
use crate::canonical::canonical;

/// Formats that the library asserts or that are asserted here; every other name constrains nothing.
const FORMATS: [&str; 17] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uuid",
];

/// The longest text that can be a regular expression in a value; reading one takes time that grows with it.
const REGEX_VALUE_BYTES: usize = 1_000;

/// Refuses a schema that JSON Schema 2020-12 itself does not allow.
pub(super) fn check_meta(schema: &Value) -> Result<(), SchemaFault> {
    jsonschema::draft202012::meta::validate(schema)
        .map_err(|error| SchemaFault::WrongValue { pointer: error.instance_path().as_str().to_owned() })
}

/// Makes the checks for single keywords about text, and refuses regular expressions that are not linear.
pub(super) fn arm(graph: &mut Graph, limits: &SchemaLimits) -> Result<(), SchemaFault> {
    for node in &mut graph.nodes {
        let Some(rules) = node.rules.as_deref_mut() else { continue };
        let patterns =
            rules.pattern.iter_mut().chain(rules.pattern_properties.iter_mut().map(|(leaf, _)| leaf));
        for pattern in patterns {
            pattern.check = Some(regex(pattern, &node.pointer, limits)?);
        }
        if let Some(format) = &mut rules.format
            && FORMATS.contains(&format.text.as_str())
        {
            format.check = Some(single("format", &format.text, limits)?);
        }
    }
    Ok(())
}

/// Compiles the whole schema for the verdict.
pub(super) fn compile(schema: &Value, limits: &SchemaLimits) -> Result<Validator, SchemaFault> {
    let options = jsonschema::options()
        .with_draft(Draft::Draft202012)
        .offline()
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
        .with_format("regex", is_regex)
        .with_keyword("uniqueItems", unique_items)
        .with_pattern_options(
            PatternOptions::regex().size_limit(limits.pattern_bytes).dfa_size_limit(limits.pattern_bytes),
        );
    options
        .build(schema)
        .map_err(|error| SchemaFault::Uncompilable { message: short(&error.masked().to_string()) })
}

fn regex(pattern: &Leaf, pointer: &str, limits: &SchemaLimits) -> Result<Validator, SchemaFault> {
    let refuse = |reason| SchemaFault::BadPattern {
        pointer: pointer.to_owned(),
        pattern: short(&pattern.text),
        reason,
    };
    if pattern.text.chars().count() > limits.pattern_chars {
        return Err(refuse("it is too long"));
    }
    single("pattern", &pattern.text, limits).map_err(|_| {
        refuse("it is broken, too large, or needs look-around or a back-reference, which linear matching has not")
    })
}

fn single(keyword: &str, text: &str, limits: &SchemaLimits) -> Result<Validator, SchemaFault> {
    let schema = Map::from_iter([(keyword.to_owned(), Value::String(text.to_owned()))]);
    compile(&Value::Object(schema), limits)
}

fn is_regex(text: &str) -> bool {
    text.len() <= REGEX_VALUE_BYTES && regex_syntax::Parser::new().parse(text).is_ok()
}

/// `uniqueItems` by canonical texts: the library compares numbers that share a float pair by pair, so that an array
/// of long numbers would take quadratic time.
struct UniqueItems {
    wanted: bool,
}

impl<'v> Keyword<'v> for UniqueItems {
    fn validate(&self, value: &'v Value) -> Result<(), ValidationError<'v>> {
        if self.is_valid(value) { Ok(()) } else { Err(ValidationError::custom("items are not unique")) }
    }

    fn is_valid(&self, value: &'v Value) -> bool {
        let Some(items) = value.as_array().filter(|_| self.wanted) else { return true };
        let mut seen = std::collections::HashSet::with_capacity(items.len());
        items.iter().all(|item| seen.insert(canonical(item)))
    }
}

fn unique_items<'s>(
    _: &'s Map<String, Value>,
    value: &'s Value,
    _: jsonschema::paths::Location,
) -> Result<Box<dyn for<'v> Keyword<'v>>, ValidationError<'s>> {
    Ok(Box::new(UniqueItems { wanted: value == &Value::Bool(true) }))
}
