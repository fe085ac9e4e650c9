//! Schemas of any kind, and values that they take.

use serde_json::{Map, Value, json};
use toolhost_check::Schema;

use crate::provider::fixtures::schema;

/// Throws that a seed decides.
pub(super) struct Dice(pub(super) u64);

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

pub(super) fn any_schema(seed: u64) -> Schema {
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
pub(super) fn value(schema: &Value, dice: &mut Dice) -> Value {
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
pub(super) fn combined(root: &Value) -> bool {
    let known = ["allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas"];
    known.iter().any(|keyword| root.get(keyword).is_some())
}

/// A value of the root and of one or all of its forms, which the whole mostly takes.
pub(super) fn of_all_parts(root: &Value, dice: &mut Dice) -> Value {
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
