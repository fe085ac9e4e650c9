//! What a form promises, for any schema: it takes all that the tool's own schema takes, and what comes back from it means
//! what was meant. Golden files of the corpus stand with the tests of whole lists.

use std::collections::HashMap;

use proptest::prelude::*;
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

/// Throws that a seed decides.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % u64::try_from(sides).unwrap()).unwrap()
    }

    fn of<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[self.throw(words.len())]
    }
}

const NAMES: &[&str] =
    &["a", "b", "type", "properties", "required", "$ref", "a b", "größe", "x.y", "9th", "items", "enum"];

/// An object's schema: closed mostly, some of its properties required.
fn object(dice: &mut Dice, depth: usize) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for _ in 0..dice.throw(5) {
        let name = dice.of(NAMES);
        if dice.throw(2) == 0 && !properties.contains_key(name) {
            required.push(name);
        }
        let schema = part(dice, depth + 1);
        properties.entry(name).or_insert(schema);
    }
    let mut object = json!({"type": "object", "properties": properties, "required": required});
    match dice.throw(12) {
        0 if depth > 0 => object["additionalProperties"] = json!({"type": "integer"}),
        1 if depth > 0 => {}
        _ => object["additionalProperties"] = false.into(),
    }
    object
}

fn part(dice: &mut Dice, depth: usize) -> Value {
    let deepest = if depth > 3 { 9 } else { 14 };
    match dice.throw(deepest) {
        0 => json!({"type": "string", "description": "Some text."}),
        1 => json!({"type": "string", "enum": ["x", "y"]}),
        2 => json!({"const": dice.of(&["k", "m"])}),
        3 => json!({"type": "integer", "minimum": -3, "maximum": 9_007_199_254_740_993_u64}),
        4 => json!({"type": ["number", "null"]}),
        5 => json!({"type": "boolean", "default": true}),
        6 => json!({"$ref": dice.of(&["#/$defs/shared", "#/$defs/choice", "#named"])}),
        7 => json!({"type": "string", "minLength": 1}),
        8 => [json!({}), json!(true), json!({"type": "array"})][dice.throw(3)].clone(),
        9 => json!({"type": "array", "items": part(dice, depth + 1)}),
        10 | 11 => object(dice, depth),
        12 => json!({"anyOf": [{"type": "string"}, {"type": "array", "items": part(dice, depth + 1)}]}),
        _ => {
            let (mut one, mut two) = (object(dice, depth), object(dice, depth));
            for (form, tag) in [(&mut one, "one"), (&mut two, "two")] {
                form["properties"]["kind"] = json!({"const": tag});
                let required = form["required"].as_array_mut().unwrap();
                required.push("kind".into());
                form["additionalProperties"] = false.into();
            }
            json!({"oneOf": [one, two]})
        }
    }
}

fn any_schema(seed: u64) -> Schema {
    let dice = &mut Dice(seed);
    let mut root = object(dice, 0);
    // Combinations at the root, which no provider takes.
    match dice.throw(8) {
        0 => {
            let (mut one, mut two) = (object(dice, 0), object(dice, 0));
            for form in [&mut one, &mut two, &mut root] {
                form.as_object_mut().unwrap().shift_remove("additionalProperties");
            }
            let forms = dice.of(&["allOf", "anyOf", "oneOf"]);
            root[forms] = json!([one, two]);
            root["unevaluatedProperties"] = false.into();
        }
        1 => root[dice.of(&["allOf", "anyOf"])] = json!([object(dice, 0), {"required": [dice.of(NAMES)]}]),
        2 => {
            root["if"] = json!({"required": [dice.of(NAMES)]});
            root["then"] = json!({"properties": {dice.of(NAMES): part(dice, 2)}});
        }
        3 => root["patternProperties"] = json!({"^[a-c]$": part(dice, 2)}),
        4 => root["dependentSchemas"] = json!({"a": {"required": ["b"]}}),
        _ => {}
    }
    root["$defs"] = json!({
        "shared": {"type": "object", "properties": {"a b": {"type": "string"}}, "additionalProperties": false},
        "choice": {"enum": ["p", null]},
        "named": {"$anchor": "named", "type": "array", "items": {"$ref": "#/$defs/choice"}},
    });
    schema(&root)
}

/// A value that a schema without references takes.
fn value(schema: &Value, dice: &mut Dice) -> Value {
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        return options[dice.throw(options.len())].clone();
    }
    if let Some(constant) = schema.get("const") {
        return constant.clone();
    }
    if let Some(forms) = schema.get("anyOf").or(schema.get("oneOf")).and_then(Value::as_array) {
        return value(&forms[dice.throw(forms.len())], dice);
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds[dice.throw(kinds.len())].as_str().unwrap(),
        Some(kind) => kind.as_str().unwrap(),
        None => dice.of(&["null", "string", "object"]),
    };
    let numbers = ["0.10", "9007199254740993.25", "-0", "1e3"];
    match kind {
        "null" => Value::Null,
        "boolean" => (dice.throw(2) == 0).into(),
        "integer" => [json!(0), json!(-3), json!(9_007_199_254_740_993_u64)][dice.throw(3)].clone(),
        "number" => serde_json::from_str(dice.of(&numbers)).unwrap(),
        "string" => dice.of(&["null", "é😀", "a b", "\\\"\n", "{}"]).into(),
        "array" => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            (0..dice.throw(3)).map(|_| value(items, dice)).collect()
        }
        _ => {
            let mut members = Map::new();
            let required = schema.get("required").cloned().unwrap_or_else(|| json!([]));
            for (name, part) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                let is_required = required.as_array().unwrap().iter().any(|one| one == name);
                if is_required || dice.throw(2) == 0 {
                    members.insert(name.clone(), value(part, dice));
                }
            }
            if let Some(others @ Value::Object(_)) = schema.get("additionalProperties") {
                members.insert("free key".to_owned(), value(others, dice));
            }
            members.into()
        }
    }
}

/// Keywords that make a value of the root's parts one that the whole may refuse.
fn combined(root: &Value) -> bool {
    let known = ["allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"];
    known.iter().any(|keyword| root.get(keyword).is_some())
}

/// A value of the root and of one or all of its forms, which the whole mostly takes.
fn of_all_parts(root: &Value, dice: &mut Dice) -> Value {
    let alone: Map<String, Value> =
        root.as_object().unwrap().clone().into_iter().filter(|(it, _)| !it.ends_with("Of")).collect();
    let mut whole = value(&alone.into(), dice);
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let Some(forms) = root.get(keyword).and_then(Value::as_array) else { continue };
        let one = dice.throw(forms.len());
        let chosen = forms.iter().enumerate().filter(|(at, _)| keyword == "allOf" || *at == one);
        for (_, form) in chosen {
            let part = if form.get("type").is_some() { value(form, dice) } else { json!({}) };
            for (name, member) in part.as_object().unwrap() {
                whole.as_object_mut().unwrap().entry(name.clone()).or_insert(member.clone());
            }
        }
    }
    whole
}

/// What a model sends for a value, if it is held to the form: names as it was shown them, and null for what is absent.
fn sent(form: &Value, names: &HashMap<String, String>, value: &Value) -> Value {
    let all = form.get("allOf").and_then(Value::as_array).into_iter().flatten();
    let value = &all.fold(value.clone(), |value, form| sent(form, names, &value));
    if let Some(forms) = form.get("anyOf").or(form.get("oneOf")).and_then(Value::as_array) {
        let written = forms.iter().map(|form| (form, sent(form, names, value)));
        let fits = |(form, written): &(&Value, Value)| takes(form, written);
        return written.into_iter().find(fits).map_or_else(|| value.clone(), |(_, written)| written);
    }
    match value {
        Value::Array(items) => {
            let form = form.get("items").unwrap_or(&Value::Null);
            items.iter().map(|item| sent(form, names, item)).collect()
        }
        Value::Object(members) => {
            let properties = form.get("properties").unwrap_or(&Value::Null);
            let mut written = Map::new();
            for (name, member) in members {
                let alias = names.get(name).filter(|alias| properties.get(alias.as_str()).is_some());
                let alias = alias.unwrap_or(name);
                let part = properties.get(alias).or(form.get("additionalProperties")).unwrap_or(&Value::Null);
                written.insert(alias.clone(), sent(part, names, member));
            }
            for name in form.get("required").and_then(Value::as_array).into_iter().flatten() {
                written.entry(name.as_str().unwrap()).or_insert(Value::Null);
            }
            written.into()
        }
        other => other.clone(),
    }
}

fn takes(form: &Value, value: &Value) -> bool {
    let form = if form.is_object() { form.clone() } else { json!({}) };
    Schema::compile(&form.to_string(), &SchemaLimits::TOOL)
        .unwrap_or_else(|fault| panic!("{fault}: {form}"))
        .check_value(value)
        .is_ok()
}

fn aliases(inlined: &Value, dialect: &Dialect) -> HashMap<String, String> {
    let mut names = Vec::new();
    measure::property_names(inlined, &mut names);
    let table = Aliases::new(names.iter().copied(), dialect.names);
    names.into_iter().map(|name| (name.to_owned(), table.of(name).to_owned())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Each form takes every value that the tool takes, and gives it back as it was, digit by digit.
    #[test]
    fn what_the_tool_takes_survives_every_form(seed in any::<u64>()) {
        let schema = any_schema(seed);
        let (inlined, cut) = inline::inline(&schema);
        prop_assert!(cut.is_empty());
        for (name, dialect) in ALL {
            let form = express(&schema, dialect);
            if form.no_strict_form.is_some() || dialect.strict && !form.notes.is_empty() {
                continue;
            }
            let names = aliases(&inlined, dialect);
            for throw in 0..4 {
                let meant = of_all_parts(&inlined, &mut Dice(seed ^ throw));
                if schema.check_value(&meant).is_err() {
                    prop_assert!(combined(&inlined), "{meant} for {}", schema.source());
                    continue;
                }
                let mut came = sent(&form.schema, &names, &meant);
                prop_assert!(takes(&form.schema, &came), "{name}: {came} for {}", form.schema);
                form.plan.apply(&mut came);
                prop_assert!(schema.check_value(&came).is_ok(), "{name}: {came}");
                prop_assert_eq!(came.to_string(), sorted_like(&came, &meant).to_string(), "{}", name);
            }
        }
    }

    /// Whatever a model that is held to a lossless form sends, the tool takes.
    #[test]
    fn what_a_strict_model_sends_is_what_the_tool_takes(seed in any::<u64>()) {
        let schema = any_schema(seed);
        for (name, dialect) in ALL {
            let form = express(&schema, dialect);
            if !dialect.strict || form.no_strict_form.is_some() || !form.notes.is_empty() {
                continue;
            }
            for throw in 0..4 {
                let mut came = value(&form.schema, &mut Dice(seed ^ throw));
                prop_assert!(takes(&form.schema, &came), "{came} for {}", form.schema);
                let before = came.to_string();
                form.plan.apply(&mut came);
                let judged = schema.check_value(&came);
                prop_assert!(judged.is_ok(), "{name}: {before} came back as {came}: {judged:?}");
            }
        }
    }

    /// A form without strict mode is there for every schema, and keeps the rules of its provider.
    #[test]
    fn every_form_keeps_its_rules(seed in any::<u64>()) {
        let schema = any_schema(seed);
        for (name, dialect) in ALL {
            let form = express(&schema, dialect);
            prop_assert!(dialect.strict || form.no_strict_form.is_none());
            if form.no_strict_form.is_none() {
                let breaches = breaches(&form.schema, dialect);
                prop_assert!(breaches.is_empty(), "{name}: {breaches:?} in {}", form.schema);
            }
        }
    }
}

/// One value with its members in the order of another, at all levels: the order says nothing. What may be null by the tool's
/// own schema and is not given, a strict model gives as null.
fn sorted_like(came: &Value, meant: &Value) -> Value {
    match (came, meant) {
        (Value::Object(came), Value::Object(meant)) if meant.keys().all(|name| came.contains_key(name)) => {
            let ordered = came.iter().map(|(name, member)| {
                let meant = meant.get(name).unwrap_or(&Value::Null);
                (name.clone(), sorted_like(member, meant))
            });
            Value::Object(ordered.collect())
        }
        (Value::Array(came), Value::Array(meant)) if came.len() == meant.len() => {
            came.iter().zip(meant).map(|(came, meant)| sorted_like(came, meant)).collect()
        }
        (_, meant) => meant.clone(),
    }
}

/// The rules of a form, written down once more for the test.
fn breaches(root: &Value, dialect: &Dialect) -> Vec<String> {
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
