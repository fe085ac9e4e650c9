//! Whether a schema takes `null`, and the schema that takes it too.

use serde_json::{Map, Value, json};

/// Whether `null` is valid, by every keyword that looks at it. For schemas without references.
pub(super) fn takes_null(schema: &Value) -> bool {
    let members = match schema {
        Value::Object(members) => members,
        other => return *other != Value::Bool(false),
    };
    let list = |keyword: &str| members.get(keyword).and_then(Value::as_array).map(Vec::as_slice);
    let one = |keyword: &str| members.get(keyword).is_none_or(takes_null);
    let by_type = match members.get("type") {
        Some(Value::String(name)) => name == "null",
        Some(Value::Array(names)) => names.iter().any(|name| name == "null"),
        _ => true,
    };
    by_type
        && members.get("const").is_none_or(Value::is_null)
        && list("enum").is_none_or(|options| options.iter().any(Value::is_null))
        && list("allOf").is_none_or(|all| all.iter().all(takes_null))
        && list("anyOf").is_none_or(|any| any.iter().any(takes_null))
        && list("oneOf").is_none_or(|one| one.iter().filter(|schema| takes_null(schema)).count() == 1)
        && members.get("not").is_none_or(|not| !takes_null(not))
        && (!members.contains_key("if") || if one("if") { one("then") } else { one("else") })
}

/// The same schema, which takes `null` too. What it tells stays on the outside, where a model reads it first.
pub(super) fn nullable(mut schema: Map<String, Value>) -> Map<String, Value> {
    let null = || Value::from("null");
    let plain = |name: &str| !matches!(name, "object" | "array");
    if let Some(Value::Array(any)) = schema.get_mut("anyOf") {
        any.push(json!({"type": "null"}));
        return schema;
    }
    let types = match schema.get("type") {
        Some(Value::String(name)) if plain(name) => Some(vec![Value::from(name.as_str()), null()]),
        Some(Value::Array(names)) if names.iter().filter_map(Value::as_str).all(plain) => {
            Some(names.iter().cloned().chain([null()]).collect())
        }
        _ => None,
    };
    if let Some(types) = types.filter(|_| !schema.contains_key("const")) {
        schema.insert("type".to_owned(), types.into());
        if let Some(Value::Array(options)) = schema.get_mut("enum") {
            options.push(Value::Null);
        }
        return schema;
    }
    let mut outer = Map::new();
    for told in ["title", "description"] {
        if let Some(text) = schema.shift_remove(told) {
            outer.insert(told.to_owned(), text);
        }
    }
    outer.insert("anyOf".to_owned(), Value::Array(vec![Value::Object(schema), json!({"type": "null"})]));
    outer
}

#[cfg(test)]
mod tests {
    use toolhost_check::{Schema, SchemaLimits};

    use super::*;

    /// The library that judges the arguments is asked too.
    #[test]
    fn null_is_judged_as_the_gate_judges_it() {
        for text in [
            "{}",
            r#"{"type":"string"}"#,
            r#"{"type":"null"}"#,
            r#"{"type":["string","null"]}"#,
            r#"{"enum":["a"]}"#,
            r#"{"enum":["a",null]}"#,
            r#"{"const":null}"#,
            r#"{"const":1}"#,
            r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#,
            r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
            r#"{"oneOf":[{"type":"null"},{}]}"#,
            r#"{"oneOf":[{"type":"null"},{"type":"string"}]}"#,
            r#"{"allOf":[{},{"type":"string"}]}"#,
            r#"{"allOf":[{},true]}"#,
            r#"{"not":{"type":"null"}}"#,
            r#"{"not":{"type":"string"}}"#,
            r#"{"if":{"type":"null"},"then":false}"#,
            r#"{"if":{"type":"string"},"then":false}"#,
            r#"{"if":{"type":"string"},"else":{"type":"string"}}"#,
            r#"{"minLength":3,"minimum":2,"required":["a"]}"#,
        ] {
            let schema = Schema::compile(text, &SchemaLimits::TOOL).unwrap();
            let judged = schema.check_value(&Value::Null).is_ok();
            assert_eq!(takes_null(schema.source()), judged, "{text}");
        }
    }

    #[test]
    fn a_schema_takes_null_too_and_nothing_else() {
        for (text, wanted) in [
            (r#"{"type":"string","minLength":1}"#, r#"{"type":["string","null"],"minLength":1}"#),
            (r#"{"type":["string","integer"]}"#, r#"{"type":["string","integer","null"]}"#),
            (r#"{"type":"string","enum":["a"]}"#, r#"{"type":["string","null"],"enum":["a",null]}"#),
            (
                r#"{"description":"D","type":"object"}"#,
                r#"{"description":"D","anyOf":[{"type":"object"},{"type":"null"}]}"#,
            ),
            (
                r#"{"type":"string","const":"a"}"#,
                r#"{"anyOf":[{"type":"string","const":"a"},{"type":"null"}]}"#,
            ),
            (r#"{"anyOf":[{"type":"string"}]}"#, r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#),
        ] {
            let Ok(Value::Object(schema)) = serde_json::from_str(text) else { panic!("{text}") };
            assert_eq!(Value::Object(nullable(schema)).to_string(), wanted);
        }
    }
}
