//! The rules of each form, written down once more.

use serde_json::{Value, json};

use super::*;

/// The rules of a form, written down once more for the test.
pub(super) fn breaches(root: &Value, dialect: &Dialect) -> Vec<String> {
    let mut found = Vec::new();
    for keyword in ["anyOf", "oneOf", "allOf", "not", "enum", "const"] {
        if root.get(keyword).is_some() {
            found.push(format!("{keyword} at the root"));
        }
    }
    if root["type"] != "object" || !root["properties"].is_object() {
        found.push("the root is no object with properties".to_owned());
    }
    walk(root, dialect, &mut found);
    found
}

fn walk(schema: &Value, dialect: &Dialect, found: &mut Vec<String>) {
    let Some(members) = schema.as_object() else {
        return found.push(format!("{schema} is a bare schema"));
    };
    for keyword in members.keys().filter(|keyword| keyword.starts_with('$') || keyword.starts_with("x-")) {
        found.push(format!("{keyword} is left"));
    }
    if dialect.strict && members.get("type").is_some_and(|kind| kind == "object") {
        if members.get("additionalProperties") != Some(&Value::Bool(false)) {
            found.push(format!("{schema} is open"));
        }
        let names: Vec<&String> = members["properties"].as_object().unwrap().keys().collect();
        let required = members.get("required").cloned().unwrap_or_else(|| json!([]));
        if dialect.requires_all && json!(names) != required {
            found.push(format!("{schema} does not require all that it names"));
        }
    }
    let says_what_it_is = ["type", "anyOf"].iter().any(|keyword| members.contains_key(*keyword));
    if dialect.strict && !says_what_it_is {
        found.push(format!("{schema} takes anything"));
    }
    if std::ptr::eq(dialect, &GEMINI)
        && ["oneOf", "const", "pattern"].iter().any(|it| members.contains_key(*it))
    {
        found.push(format!("{schema} has what Gemini does not take"));
    }
    for (name, part) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if !dialect.names.takes(name) {
            found.push(format!("the property {name:?}"));
        }
        walk(part, dialect, found);
    }
    for part in members.get("items").into_iter().chain(members.get("additionalProperties")) {
        if part.is_object() {
            walk(part, dialect, found);
        }
    }
    for part in ["anyOf", "oneOf"].iter().filter_map(|it| members.get(*it)?.as_array()).flatten() {
        walk(part, dialect, found);
    }
}

#[test]
fn the_corpus_keeps_the_rules() {
    for (case, schema) in corpus() {
        for (name, dialect) in ALL {
            let form = express(&schema, dialect);
            if form.no_strict_form.is_none() {
                assert_eq!(breaches(&form.schema, dialect), Vec::<String>::new(), "{case} for {name}");
            }
            assert!(form.schema.to_string().len() < 600_000, "{case} for {name}");
        }
    }
}

/// A breach that the rules of the test must find: they are worth nothing if they find none.
#[test]
fn a_planted_breach_is_found() {
    for (schema, dialect) in [
        (json!({"type": "object"}), &OPENAI),
        (json!({"type": "object", "properties": {}, "anyOf": []}), &ANTHROPIC),
        (json!({"type": "object", "properties": {"a b": {}}}), &ANTHROPIC),
        (json!({"type": "object", "properties": {"a.b": {}}}), &GEMINI),
        (json!({"type": "object", "properties": {"a": true}}), &GEMINI),
        (json!({"type": "object", "properties": {}, "$schema": "x"}), &OPENAI),
        (json!({"type": "object", "properties": {}}), &ANTHROPIC_STRICT),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": [], "additionalProperties": false}),
            &OPENAI_STRICT,
        ),
    ] {
        assert!(!breaches(&schema, dialect).is_empty(), "{schema}");
    }
}
