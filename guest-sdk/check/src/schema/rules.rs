//! What one sub-schema demands, read once at load into a form that is quick to check.

use std::collections::HashMap;

use jsonschema::Validator;
use serde_json::{Map, Value};

use super::graph::NodeId;
use crate::decimal::Decimal;

/// The demands of one sub-schema. Absent keywords are empty.
#[derive(Debug, Default)]
pub(super) struct Rules {
    pub(super) types: Option<Types>,
    pub(super) constant: Option<Value>,
    pub(super) options: Option<Vec<Value>>,
    pub(super) minimum: Option<Bound>,
    pub(super) maximum: Option<Bound>,
    pub(super) exclusive_minimum: Option<Bound>,
    pub(super) exclusive_maximum: Option<Bound>,
    pub(super) multiple_of: Option<Bound>,
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) pattern: Option<Leaf>,
    pub(super) format: Option<Leaf>,
    pub(super) min_items: Option<u64>,
    pub(super) max_items: Option<u64>,
    pub(super) unique_items: bool,
    pub(super) min_contains: Option<u64>,
    pub(super) max_contains: Option<u64>,
    pub(super) min_properties: Option<u64>,
    pub(super) max_properties: Option<u64>,
    pub(super) required: Vec<String>,
    pub(super) dependent_required: Vec<(String, Vec<String>)>,
    /// Properties that a constant string tells apart, as in a tagged union.
    pub(super) tags: Vec<(String, Value)>,

    pub(super) properties: HashMap<String, NodeId>,
    pub(super) property_names_in_order: Vec<String>,
    pub(super) pattern_properties: Vec<(Leaf, NodeId)>,
    pub(super) additional_properties: Option<NodeId>,
    pub(super) property_names: Option<NodeId>,
    pub(super) unevaluated_properties: Option<NodeId>,
    pub(super) dependent_schemas: Vec<(String, NodeId)>,

    pub(super) items: Option<NodeId>,
    pub(super) prefix_items: Vec<NodeId>,
    pub(super) contains: Option<NodeId>,
    pub(super) unevaluated_items: Option<NodeId>,

    pub(super) references: Vec<NodeId>,
    pub(super) all_of: Vec<NodeId>,
    pub(super) any_of: Vec<NodeId>,
    pub(super) one_of: Vec<NodeId>,
    pub(super) not: Option<NodeId>,
    pub(super) if_: Option<NodeId>,
    pub(super) then: Option<NodeId>,
    pub(super) else_: Option<NodeId>,
}

/// A number in a schema.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) text: String,
    pub(super) decimal: Decimal<'static>,
}

/// A keyword about text that the schema library checks, by itself: a `pattern`, a `format`.
#[derive(Debug)]
pub(super) struct Leaf {
    /// The regular expression or the name of the format.
    pub(super) text: String,
    /// Made once the whole schema is known to be sound; absent for a format that constrains nothing.
    pub(super) check: Option<Validator>,
}

impl Leaf {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), check: None }
    }

    pub(super) fn accepts(&self, value: &Value) -> bool {
        self.check.as_ref().is_none_or(|check| check.is_valid(value))
    }
}

/// A set of JSON Schema types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    /// The names in the order in which a message lists them, each with its article.
    const NAMES: [(&'static str, &'static str); 7] = [
        ("string", "a string"),
        ("integer", "an integer"),
        ("number", "a number"),
        ("boolean", "a boolean"),
        ("object", "an object"),
        ("array", "an array"),
        ("null", "null"),
    ];

    fn read(value: &Value) -> Option<Self> {
        let bit =
            |name: &str| Self::NAMES.iter().position(|(known, _)| *known == name).map_or(0, |at| 1 << at);
        match value {
            Value::String(name) => Some(Self(bit(name))),
            Value::Array(names) => {
                Some(Self(names.iter().filter_map(Value::as_str).map(bit).fold(0, |a, b| a | b)))
            }
            _ => None,
        }
    }

    /// The types that any of several sets has.
    pub(super) fn together(sets: &[Self]) -> Self {
        Self(sets.iter().fold(0, |all, set| all | set.0))
    }

    pub(super) fn only_object(self) -> bool {
        self.articles().eq(["an object"])
    }

    pub(super) fn accept(self, value: &Value) -> bool {
        let has = |at: usize| self.0 & (1 << at) != 0;
        match value {
            Value::String(_) => has(0),
            Value::Number(number) => {
                has(2) || has(1) && Decimal::parse(number.as_str()).is_some_and(|number| number.is_integer())
            }
            Value::Bool(_) => has(3),
            Value::Object(_) => has(4),
            Value::Array(_) => has(5),
            Value::Null => has(6),
        }
    }

    pub(super) fn articles(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES
            .iter()
            .enumerate()
            .filter(move |(at, _)| self.0 & (1 << at) != 0)
            .map(|(_, (_, article))| *article)
    }
}

impl Rules {
    /// Reads the keywords that hold no sub-schemas.
    pub(super) fn read(members: &Map<String, Value>) -> Self {
        let number = |keyword: &str| members.get(keyword).and_then(Bound::read);
        let count = |keyword: &str| members.get(keyword).and_then(count);
        let text = |keyword: &str| members.get(keyword).and_then(Value::as_str).map(Leaf::new);
        Self {
            types: members.get("type").and_then(Types::read),
            constant: members.get("const").cloned(),
            options: members.get("enum").and_then(Value::as_array).cloned(),
            minimum: number("minimum"),
            maximum: number("maximum"),
            exclusive_minimum: number("exclusiveMinimum"),
            exclusive_maximum: number("exclusiveMaximum"),
            multiple_of: number("multipleOf"),
            min_length: count("minLength"),
            max_length: count("maxLength"),
            pattern: text("pattern"),
            format: text("format"),
            min_items: count("minItems"),
            max_items: count("maxItems"),
            unique_items: members.get("uniqueItems") == Some(&Value::Bool(true)),
            min_contains: count("minContains"),
            max_contains: count("maxContains"),
            min_properties: count("minProperties"),
            max_properties: count("maxProperties"),
            required: members.get("required").map(names).unwrap_or_default(),
            dependent_required: members
                .get("dependentRequired")
                .and_then(Value::as_object)
                .map(|entries| entries.iter().map(|(name, list)| (name.clone(), names(list))).collect())
                .unwrap_or_default(),
            ..Self::default()
        }
    }

    /// The names of `properties` in the order of the schema.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.property_names_in_order.iter().map(String::as_str)
    }

    pub(super) fn set_one(&mut self, keyword: &str, target: NodeId) {
        let slot = match keyword {
            "not" => &mut self.not,
            "if" => &mut self.if_,
            "then" => &mut self.then,
            "else" => &mut self.else_,
            "items" => &mut self.items,
            "contains" => &mut self.contains,
            "additionalProperties" => &mut self.additional_properties,
            "propertyNames" => &mut self.property_names,
            "unevaluatedItems" => &mut self.unevaluated_items,
            "unevaluatedProperties" => &mut self.unevaluated_properties,
            _ => return,
        };
        *slot = Some(target);
    }

    pub(super) fn push_list(&mut self, keyword: &str, target: NodeId) {
        match keyword {
            "allOf" => self.all_of.push(target),
            "anyOf" => self.any_of.push(target),
            "oneOf" => self.one_of.push(target),
            "prefixItems" => self.prefix_items.push(target),
            _ => {}
        }
    }

    pub(super) fn insert_map(&mut self, keyword: &str, name: &str, target: NodeId, schema: &Value) {
        match keyword {
            "properties" => {
                if let Some(tag) = tag(schema) {
                    self.tags.push((name.to_owned(), tag.clone()));
                }
                self.properties.insert(name.to_owned(), target);
                self.property_names_in_order.push(name.to_owned());
            }
            "patternProperties" => self.pattern_properties.push((Leaf::new(name), target)),
            "dependentSchemas" => self.dependent_schemas.push((name.to_owned(), target)),
            _ => {}
        }
    }
}

impl Bound {
    fn read(value: &Value) -> Option<Self> {
        let text = value.as_number()?.as_str();
        Some(Self { text: text.to_owned(), decimal: Decimal::parse(text)?.into_owned() })
    }
}

/// A count such as `minItems`. JSON Schema lets it be written as `2.0`; one beyond 64 bits counts as the largest.
fn count(value: &Value) -> Option<u64> {
    let decimal = Decimal::parse(value.as_number()?.as_str())?;
    if !decimal.is_integer() {
        return None;
    }
    Some(decimal.to_string().parse().unwrap_or(u64::MAX))
}

fn names(value: &Value) -> Vec<String> {
    let names = value.as_array().map(Vec::as_slice).unwrap_or_default();
    names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The one string that a property can be, if its schema says so.
fn tag(schema: &Value) -> Option<&Value> {
    let only = match (schema.get("const"), schema.get("enum").and_then(Value::as_array).map(Vec::as_slice)) {
        (Some(constant), _) => constant,
        (None, Some([single])) => single,
        _ => return None,
    };
    only.is_string().then_some(only)
}
