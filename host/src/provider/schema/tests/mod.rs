//! What a form promises, for any schema: it takes all that the tool's own schema takes, and what comes back from it means
//! what was meant. Golden files of the corpus stand with the tests of whole lists.

mod any;
mod promises;
mod rules;

use serde_json::{Map, Value, json};
use toolhost_check::{Schema, SchemaLimits};

use super::dialect::Dialect;
use super::*;
use crate::provider::fixtures::{corpus, schema};

const ALL: [(&str, &Dialect); 5] = [
    ("openai", &OPENAI),
    ("openai strict", &OPENAI_STRICT),
    ("anthropic", &ANTHROPIC),
    ("anthropic strict", &ANTHROPIC_STRICT),
    ("gemini", &GEMINI),
];

fn takes(form: &Value, value: &Value) -> bool {
    let form = if form.is_object() { form.clone() } else { json!({}) };
    Schema::compile(&form.to_string(), &SchemaLimits::TOOL)
        .unwrap_or_else(|fault| panic!("{fault}: {form}"))
        .check_value(value)
        .is_ok()
}

/// What a strict model sends, and what is meant by it, property by property.
#[test]
fn null_says_absent_where_it_can_say_nothing_else() {
    let source = corpus().into_iter().find(|(name, _)| name == "optional_and_nullable").unwrap().1;
    let form = express(&source, &OPENAI_STRICT);
    let mut came = json!({
        "needed": "x", "optional": null, "nullable": null, "needed_nullable": null, "choice": null, "fixed": null,
        "list": [], "inner": {"deep": null},
    });
    assert!(form.plan.apply(&mut came));
    assert_eq!(
        came,
        json!({"needed": "x", "nullable": null, "needed_nullable": null, "list": [], "inner": {}})
    );
    assert!(source.check_value(&came).is_ok());
    // What is required and cannot be null stays, for the gate to refuse.
    let mut wrong = json!({"needed": null, "needed_nullable": 1});
    assert!(!form.plan.apply(&mut wrong));
    assert_eq!(wrong["needed"], Value::Null);
    // Without strict mode nothing is dropped.
    let mut loose = json!({"needed": "x", "optional": null});
    assert!(!express(&source, &OPENAI).plan.apply(&mut loose));
}

/// Whatever a form leaves out, it refuses nothing that the tool takes.
#[test]
fn no_form_refuses_what_the_tool_takes() {
    let map = json!({"type": "object", "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": false});
    let hidden = json!({"allOf": [{"properties": {"x": {"type": "integer"}}}]});
    for (source, value) in [
        (
            json!({"type": "object", "properties": {"map": map}, "additionalProperties": false}),
            json!({"map": {"x1": 1}}),
        ),
        (json!({"type": "object", "oneOf": [hidden], "unevaluatedProperties": false}), json!({"x": 1})),
        (
            json!({"type": "object", "properties": {}, "allOf": [{"patternProperties": {"^x": true}}], "unevaluatedProperties": false}),
            json!({"x": 1}),
        ),
        (
            json!({"type": "object", "if": {"properties": {"x": true}}, "then": {"properties": {"y": true}}, "unevaluatedProperties": false}),
            json!({"x": 1, "y": 2}),
        ),
        (
            json!({"type": "object", "properties": {"a": {"oneOf": [{"type": "integer"}, {"multipleOf": 2}]}}, "additionalProperties": false}),
            json!({"a": 3}),
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "array", "prefixItems": [{"type": "integer"}], "items": false}}, "additionalProperties": false}),
            json!({"a": [1]}),
        ),
    ] {
        let source = schema(&source);
        assert!(source.check_value(&value).is_ok(), "{value} for {}", source.source());
        for (name, dialect) in ALL.into_iter().filter(|(_, dialect)| !dialect.strict) {
            let form = express(&source, dialect).schema;
            assert!(takes(&form, &value), "{name}: {value} for {form}");
        }
    }
}

/// What is put into one rule of Gemini's loses none of two, and adds nothing to what is no object.
#[test]
fn combinations_of_scalars_stay_scalars() {
    let a =
        json!({"const": "k", "enum": ["k", "m"], "oneOf": [{"maxLength": 3}], "anyOf": [{"type": "string"}]});
    let source = schema(&json!({"type": "object", "properties": {"a": a}, "additionalProperties": false}));
    let form = express(&source, &GEMINI);
    assert_eq!(
        form.schema["properties"]["a"],
        json!({
            "enum": ["k", "m"],
            "anyOf": [{"type": "string"}],
            "description": r#"It also has to match the JSON Schema {"oneOf":[{"maxLength":3}],"const":"k"}"#,
        })
    );
}

/// A name that only a branch knows is refused by a closed object around it, and is not shown.
#[test]
fn what_can_never_be_given_is_not_shown() {
    let source = schema(&json!({
        "type": "object", "properties": {"a": {"type": "string"}, "never": false}, "required": ["a"],
        "allOf": [{"properties": {"b": {"type": "string"}}}], "additionalProperties": false,
    }));
    assert!(source.check_value(&json!({"a": "x", "b": "y"})).is_err());
    for (name, dialect) in ALL {
        let form = express(&source, dialect);
        let names: Vec<&str> =
            form.schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!((names, form.notes.is_empty()), (vec!["a"], true), "{name}");
    }
}

#[test]
fn two_names_for_one_property_are_left_to_the_gate() {
    let source = schema(
        &json!({"type": "object", "properties": {"a b": {"type": "string"}}, "additionalProperties": false}),
    );
    let form = express(&source, &GEMINI);
    let alias = form.schema["properties"].as_object().unwrap().keys().next().unwrap().clone();
    let mut came = json!({alias.clone(): "x"});
    assert!(form.plan.apply(&mut came));
    assert_eq!(came, json!({"a b": "x"}));
    let mut both = json!({alias: "x", "a b": "y"});
    assert!(!form.plan.apply(&mut both));
    assert!(source.check_value(&both).is_err());
}

#[test]
fn a_schema_is_only_held_to_within_the_bounds_of_strict_mode() {
    let wide: Map<String, Value> = (0..501).map(|n| (format!("p{n}"), json!({"enum": ["a", "b"]}))).collect();
    let mut deep = json!({"type": "string"});
    for _ in 0..10 {
        deep = json!({"type": "array", "items": deep});
    }
    for (properties, said) in [
        (Value::Object(wide), "it has 1503 values in its enumerations; strict mode takes 1000"),
        (json!({"a": deep}), "it has 11 levels of objects and arrays; strict mode takes 10"),
    ] {
        let source =
            schema(&json!({"type": "object", "properties": properties, "additionalProperties": false}));
        assert_eq!(express(&source, &OPENAI_STRICT).no_strict_form.as_deref(), Some(said));
    }
}
