//! How large a schema without references is, in what providers count.

use serde_json::{Map, Value};

use super::dialect::Most;

/// What there is of each.
#[derive(Debug, Default)]
pub(super) struct Measured {
    properties: usize,
    depth: usize,
    options: usize,
    chars: usize,
    pub(super) optional: usize,
    pub(super) unions: usize,
}

impl Measured {
    pub(super) fn of(schema: &Value) -> Self {
        let mut measured = Self::default();
        measured.add(schema, 0);
        measured
    }

    /// The first bound that the schema is over.
    pub(super) fn over(&self, most: &Most) -> Option<String> {
        let bounds = [
            (self.properties, most.properties, "properties"),
            (self.depth, most.depth, "levels of objects and arrays"),
            (self.options, most.options, "values in its enumerations"),
            (self.chars, most.chars, "characters in its names and enumerations"),
        ];
        let (found, most, what) = bounds.into_iter().find(|(found, most, _)| found > most)?;
        Some(format!("it has {found} {what}; strict mode takes {most}"))
    }

    fn add(&mut self, schema: &Value, depth: usize) {
        let Value::Object(members) = schema else { return };
        let several = |types: &Value| types.as_array().is_some_and(|types| types.len() > 1);
        if members.contains_key("anyOf") || members.get("type").is_some_and(several) {
            self.unions += 1;
        }
        let values = members.get("enum").and_then(Value::as_array).into_iter().flatten();
        for value in values.chain(members.get("const")) {
            self.options += 1;
            self.chars += value.as_str().map_or(0, str::len);
        }
        let required = members.get("required").and_then(Value::as_array);
        for (name, schema) in members.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.properties += 1;
            self.chars += name.len();
            let is_required = required.is_some_and(|names| names.iter().any(|one| one == name));
            self.optional += usize::from(!is_required);
            self.add(schema, depth + 1);
            self.depth = self.depth.max(depth + 1);
        }
        if let Some(items) = members.get("items") {
            self.add(items, depth + 1);
            self.depth = self.depth.max(depth + 1);
        }
        for schema in members.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
            self.add(schema, depth);
        }
    }
}

/// Every name that any sub-schema has for a property.
pub(super) fn property_names<'s>(schema: &'s Value, names: &mut Vec<&'s str>) {
    let Value::Object(members) = schema else { return };
    for (keyword, held) in members {
        match (keyword.as_str(), held) {
            ("properties", Value::Object(entries)) => {
                for (name, schema) in entries {
                    names.push(name);
                    property_names(schema, names);
                }
            }
            ("patternProperties" | "dependentSchemas", Value::Object(entries)) => in_each(entries, names),
            ("const" | "enum" | "default" | "examples" | "required" | "dependentRequired" | "type", _) => {}
            (_, Value::Array(items)) => items.iter().for_each(|item| property_names(item, names)),
            (_, held) => property_names(held, names),
        }
    }
}

fn in_each<'s>(entries: &'s Map<String, Value>, names: &mut Vec<&'s str>) {
    entries.values().for_each(|schema| property_names(schema, names));
}
