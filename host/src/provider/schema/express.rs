//! The walk that writes a schema without references in a provider's form, and the way back from it.

use serde_json::{Map, Value, json};
use toolhost_check::schema::{Applies, Holds, holds};

use super::dialect::Dialect;
use super::null::{nullable, takes_null};
use super::plan::{Ambiguous, Null, Plan};
use super::{Note, hoist};
use crate::provider::names::Aliases;

/// Characters of what is moved into one description.
const MOVED_CHARS: usize = 1_500;

pub(super) struct Express<'d> {
    dialect: &'d Dialect,
    aliases: &'d Aliases,
    notes: Vec<Note>,
    fault: Option<String>,
}

impl<'d> Express<'d> {
    pub(super) fn new(dialect: &'d Dialect, aliases: &'d Aliases, notes: Vec<Note>) -> Self {
        Self { dialect, aliases, notes, fault: None }
    }

    /// The root, which is an object with properties, and what it tells beside that.
    pub(super) fn root(&mut self, schema: Value) -> (Value, Option<String>, Plan) {
        let (mut node, plan) = self.node(schema, "");
        node.insert("type".to_owned(), "object".into());
        if !node.contains_key("properties") {
            node.insert("properties".to_owned(), Value::Object(Map::new()));
        }
        node.shift_remove("title");
        let told = match node.shift_remove("description") {
            Some(Value::String(told)) => Some(told),
            _ => None,
        };
        (Value::Object(node), told, plan)
    }

    /// What was weakened, and why a model cannot be held to the form.
    pub(super) fn finish(self) -> (Vec<Note>, Option<String>) {
        (self.notes, self.fault)
    }

    fn keeps(&self, keyword: &str, place: &str) -> bool {
        self.dialect.keeps(keyword, place.is_empty(), !self.aliases.is_empty())
    }

    fn fails(&mut self, place: &str, what: &str) {
        let place = if place.is_empty() { "the root" } else { place };
        self.fault.get_or_insert_with(|| format!("the sub-schema at {place} {what}"));
    }

    fn node(&mut self, schema: Value, place: &str) -> (Map<String, Value>, Plan) {
        let mut node = match schema {
            Value::Object(members) => members,
            Value::Bool(false) => Map::from_iter([("not".to_owned(), json!({}))]),
            _ => Map::new(),
        };
        let mut moved = Map::new();
        if !self.keeps("allOf", place) {
            hoist::all_of(&mut node, &mut moved);
        }
        self.one_of(&mut node, place);
        for (keyword, rests_on) in [("anyOf", "anyOf"), ("oneOf", "oneOf"), ("then", "if"), ("else", "if")] {
            if !self.keeps(rests_on, place) {
                hoist::forms(&mut node, keyword, &mut moved);
            }
        }
        hoist::close(&mut node);
        if let Some(constant) = node.get("const").filter(|_| !self.keeps("const", place)).cloned() {
            node.shift_remove("const");
            if self.keeps("enum", place) && !node.contains_key("enum") {
                node.insert("enum".to_owned(), Value::Array(vec![constant]));
            } else {
                moved.insert("const".to_owned(), constant);
            }
        }
        self.take_away(&mut node, place, &mut moved);
        self.type_it(&mut node, place);
        let (mut node, plan) = self.parts(node, place);
        self.tell(&mut node, moved, place);
        (node, plan)
    }

    /// "Exactly one" becomes "at least one" where a provider has only that.
    fn one_of(&mut self, node: &mut Map<String, Value>, place: &str) {
        if place.is_empty() || self.keeps("oneOf", place) || node.contains_key("anyOf") {
            return;
        }
        if let Some(Value::Array(branches)) = node.shift_remove("oneOf") {
            if !hoist::are_disjoint(&branches) {
                self.notes.push(Note::new(
                    place,
                    "oneOf",
                    "became 'anyOf', since the provider has only that",
                ));
            }
            node.insert("anyOf".to_owned(), Value::Array(branches));
        }
    }

    /// Takes away what the form does not have.
    fn take_away(&mut self, node: &mut Map<String, Value>, place: &str, moved: &mut Map<String, Value>) {
        let unknown = |keyword: &&String| match node.get(*keyword) {
            Some(Value::String(format)) if *keyword == "format" => {
                !self.dialect.knows(format) || !self.keeps("format", place)
            }
            _ => !self.keeps(keyword, place),
        };
        let mut unknown: Vec<String> = node.keys().filter(unknown).cloned().collect();
        // Without its patterns an object that refuses all else would refuse what they take.
        if unknown.iter().any(|keyword| keyword == "patternProperties")
            && node.contains_key("additionalProperties")
        {
            unknown.push("additionalProperties".to_owned());
        }
        for keyword in unknown {
            if let Some(held) = node.shift_remove(&keyword) {
                // An example is no rule, and a title is not worth its tokens in prose.
                if !matches!(keyword.as_str(), "examples" | "title") {
                    moved.insert(keyword, held);
                }
            }
        }
    }

    /// Says what type a sub-schema has, where strict mode asks for it.
    fn type_it(&mut self, node: &mut Map<String, Value>, place: &str) {
        if !self.dialect.strict {
            return;
        }
        let scalar = |value: &Value| match value {
            Value::String(_) => Some("string"),
            Value::Number(_) => Some("number"),
            Value::Bool(_) => Some("boolean"),
            Value::Null => Some("null"),
            Value::Array(_) | Value::Object(_) => None,
        };
        let values =
            node.get("enum").and_then(Value::as_array).into_iter().flatten().chain(node.get("const"));
        let found: Vec<Option<&str>> = values.map(scalar).collect();
        if found.contains(&None) {
            self.fails(place, "lists values that are no scalars");
        }
        let types: Vec<&str> = match node.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if node.contains_key("anyOf") => {
                if node.keys().any(|keyword| !matches!(keyword.as_str(), "anyOf" | "title" | "description")) {
                    self.fails(place, "has forms beside rules of its own");
                }
                return;
            }
            _ if found.is_empty() => {
                self.fails(place, "takes any value");
                return;
            }
            _ => {
                let mut types: Vec<&str> = found.into_iter().flatten().collect();
                types.sort_unstable();
                types.dedup();
                types
            }
        };
        if types.len() > 1 && types.iter().any(|name| matches!(*name, "object" | "array")) {
            self.fails(place, "is of several types, not all of them scalars");
        }
        if node.contains_key("anyOf") || node.contains_key("enum") && node.contains_key("const") {
            self.fails(place, "has several rules for the same value");
        }
        if types.contains(&"array") && !node.get("items").is_some_and(Value::is_object) {
            self.fails(place, "is an array of anything");
        }
        let said = match types.as_slice() {
            [one] => Value::from(*one),
            several => several.to_vec().into(),
        };
        if !node.contains_key("type") {
            node.shift_insert(0, "type".to_owned(), said);
        }
        self.close(node, place);
    }

    /// An object of strict mode takes what it names and nothing else.
    fn close(&mut self, node: &mut Map<String, Value>, place: &str) {
        if node.get("type").is_none_or(|types| types != "object") {
            return;
        }
        let others = node.get("additionalProperties").cloned();
        let named = node.get("properties").and_then(Value::as_object).is_some_and(|names| !names.is_empty());
        match others {
            Some(Value::Bool(false)) => {}
            None | Some(Value::Bool(true)) if named => {
                self.notes.push(Note::new(
                    place,
                    "additionalProperties",
                    "became false, as strict mode wants it",
                ));
            }
            _ => self.fails(place, "takes properties that it does not name"),
        }
        node.insert("additionalProperties".to_owned(), false.into());
        if !node.contains_key("properties") {
            node.insert("properties".to_owned(), Value::Object(Map::new()));
        }
    }

    /// Writes the sub-schemas.
    fn parts(&mut self, mut node: Map<String, Value>, place: &str) -> (Map<String, Value>, Plan) {
        let mut plan = Plan::default();
        let required = node.shift_remove("required");
        let required: Vec<String> = required
            .iter()
            .flat_map(|names| names.as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        let n_prefix = node.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        let mut out = Map::with_capacity(node.len() + 1);
        let has_properties = node.contains_key("properties");
        for (keyword, held) in node {
            let below = format!("{place}/{keyword}");
            match (keyword.as_str(), holds(&keyword), held) {
                ("properties", _, Value::Object(entries)) => {
                    let (entries, names) = self.properties(entries, &required, &below, &mut plan);
                    out.insert(keyword, Value::Object(entries));
                    if !names.is_empty() || self.dialect.requires_all {
                        out.insert("required".to_owned(), names.into());
                    }
                }
                ("items", _, Value::Bool(true)) => {}
                ("items", _, Value::Bool(false)) => drop(out.insert("maxItems".to_owned(), n_prefix.into())),
                (
                    "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems",
                    _,
                    held @ Value::Bool(_),
                ) => {
                    out.insert(keyword, held);
                }
                ("items", _, held) => {
                    let (schema, part) = self.node(held, &below);
                    plan.items(part);
                    out.insert(keyword, schema.into());
                }
                ("prefixItems", _, Value::Array(items)) => {
                    let (schemas, parts) = self.list(items, &below);
                    plan.prefix(parts);
                    out.insert(keyword, schemas.into());
                }
                ("additionalProperties", _, held) => {
                    let (schema, part) = self.node(held, &below);
                    plan.others(part);
                    out.insert(keyword, schema.into());
                }
                (_, Some(Holds::List(_)), Value::Array(items)) => {
                    let (schemas, parts) = self.list(items, &below);
                    parts.into_iter().for_each(|part| self.join(&mut plan, part, place));
                    out.insert(keyword, schemas.into());
                }
                (_, Some(Holds::Map(_)), Value::Object(entries)) => {
                    let mut written = Map::new();
                    for (name, schema) in entries {
                        let (schema, part) = self.node(schema, &format!("{below}/{name}"));
                        self.join(&mut plan, part, place);
                        written.insert(name, schema.into());
                    }
                    out.insert(keyword, written.into());
                }
                (_, Some(Holds::One(applies)), held) => {
                    let (schema, part) = self.node(held, &below);
                    if applies == Applies::SameValue {
                        self.join(&mut plan, part, place);
                    }
                    out.insert(keyword, schema.into());
                }
                (_, _, held) => drop(out.insert(keyword, held)),
            }
        }
        if !has_properties && !required.is_empty() {
            let names: Vec<&str> = required.iter().map(|name| self.aliases.of(name)).collect();
            out.insert("required".to_owned(), names.into());
        }
        (out, plan)
    }

    fn list(&mut self, items: Vec<Value>, below: &str) -> (Vec<Value>, Vec<Plan>) {
        let numbered = items.into_iter().enumerate();
        numbered
            .map(|(at, item)| {
                let (schema, plan) = self.node(item, &format!("{below}/{at}"));
                (Value::Object(schema), plan)
            })
            .unzip()
    }

    /// The properties by the provider's names, and those that are required.
    fn properties(
        &mut self,
        entries: Map<String, Value>,
        required: &[String],
        below: &str,
        plan: &mut Plan,
    ) -> (Map<String, Value>, Vec<String>) {
        let mut written = Map::with_capacity(entries.len());
        let mut names = Vec::new();
        // What is required and not described is required all the same.
        let undescribed = required.iter().filter(|name| !entries.contains_key(*name));
        names.extend(undescribed.map(|name| self.aliases.of(name).to_owned()));
        if !names.is_empty() && self.dialect.strict {
            self.fails(below, "requires a property that it does not describe");
        }
        for (name, schema) in entries {
            if schema == Value::Bool(false) {
                // It can never be given, and a model that is not told of it does not try.
                continue;
            }
            let alias = self.aliases.of(&name).to_owned();
            let is_required = required.contains(&name);
            let null = match (takes_null(&schema), is_required) {
                (true, _) => Null::Meant,
                (false, false) if self.dialect.requires_all => Null::Absent,
                (false, _) => Null::Stray,
            };
            let (mut schema, part) = self.node(schema, &format!("{below}/{name}"));
            if null == Null::Absent {
                schema = nullable(schema);
            }
            if alias != name {
                add(&mut schema, &format!("Its real name is {name:?}."));
            }
            plan.member(&alias, &name, null, part);
            written.insert(alias.clone(), schema.into());
            if is_required || self.dialect.requires_all {
                names.push(alias);
            }
        }
        (written, names)
    }

    fn join(&mut self, plan: &mut Plan, part: Plan, place: &str) {
        if let Err(Ambiguous { property }) = plan.join(part) {
            self.fails(
                place,
                &format!("has forms that disagree about what null says for the property '{property}'"),
            );
        }
    }

    /// Puts what the form does not have into the description.
    fn tell(&mut self, node: &mut Map<String, Value>, mut moved: Map<String, Value>, place: &str) {
        if let Some(default) = moved.shift_remove("default") {
            add(node, &format!("Default: {}", short(&default)));
        }
        if moved.is_empty() {
            return;
        }
        for keyword in moved.keys() {
            self.notes.push(Note::new(place, keyword, "stands in the description only"));
        }
        let moved = Value::Object(moved);
        add(node, &format!("It also has to match the JSON Schema {}", short(&moved)));
    }
}

/// Adds a sentence to what a sub-schema tells.
fn add(node: &mut Map<String, Value>, sentence: &str) {
    let told = match node.get("description").and_then(Value::as_str) {
        Some(told) if !told.is_empty() => format!("{told}\n\n{sentence}"),
        _ => sentence.to_owned(),
    };
    node.insert("description".to_owned(), told.into());
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MOVED_CHARS) {
        Some((end, _)) => format!("{}... (cut)", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
