//! JSON Schemas (2020-12) from Rust types, in an order that never changes.

mod date;
mod parameters;
mod types;

use serde_json::{Map, Value, json};

pub use self::date::{Date, DateError};

pub use self::parameters::{Fields, Parameters, described};

/// A JSON Schema: an object whose keys keep the order in which they were put.
pub type Schema = Map<String, Value>;

/// A type that has a JSON Schema, so that it can be a tool's parameter or part of its result.
///
/// `#[derive(ToolType)]` writes this for structs, string enums and unions, from the same attributes that `serde`
/// reads. The SDK has it for strings, booleans, integers up to 64 bit, floats, [`Date`], `Option`, `Vec`, maps with
/// string keys, and boxes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema, so a model cannot be told how to write it",
    label = "this type has no schema",
    note = "derive it with `#[derive(ToolType)]`, beside `Deserialize` for a parameter or `Serialize` for a result",
    note = "for borrowed text use `String`; for integers beyond 64 bit use `String` or a smaller type"
)]
pub trait ToolType {
    /// Whether a parameter or field of this type may be left out.
    const OPTIONAL: bool = false;

    /// The schema of this type. Named types go through [`Schemas::named`], so that a type may contain itself.
    fn schema(schemas: &mut Schemas) -> Schema;
}

/// Which way values of a schema travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the model to the tool.
    Input,
    /// From the tool to the model. Here a float may also be one of the strings that stand for NaN and the
    /// infinities.
    Output,
}

/// The schemas that are being written, and the definitions that recursive types need.
///
/// A type that contains itself becomes a `$ref` to a definition in the root's `$defs`; every other type stands where
/// it is used.
#[derive(Debug)]
pub struct Schemas {
    direction: Direction,
    open: Vec<Open>,
    definitions: Vec<Definition>,
}

#[derive(Debug)]
struct Open {
    type_name: &'static str,
    /// The definition's name, once something inside refers to it.
    referred: Option<String>,
}

#[derive(Debug)]
struct Definition {
    type_name: &'static str,
    name: String,
    schema: Schema,
}

impl Schemas {
    /// No schema yet.
    pub fn new(direction: Direction) -> Self {
        Self { direction, open: Vec::new(), definitions: Vec::new() }
    }

    /// Which way the values travel.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The schema of a type with a name. `build` is not called again inside itself: a type that is already being
    /// written is referred to by name.
    pub fn named<T: ?Sized>(&mut self, name: &str, build: impl FnOnce(&mut Self) -> Schema) -> Schema {
        let type_name = std::any::type_name::<T>();
        if let Some(known) = self.definitions.iter().find(|definition| definition.type_name == type_name) {
            return reference(&known.name);
        }
        if let Some(index) = self.open.iter().position(|open| open.type_name == type_name) {
            return reference(&self.refer(index, name));
        }
        self.open.push(Open { type_name, referred: None });
        let schema = build(self);
        match self.open.pop().and_then(|open| open.referred) {
            Some(name) => {
                let reference = reference(&name);
                self.definitions.push(Definition { type_name, name, schema });
                reference
            }
            None => schema,
        }
    }

    /// The finished schema, with the definitions at its end.
    pub fn finish(self, mut root: Schema) -> Value {
        if !self.definitions.is_empty() {
            let definitions: Map<String, Value> =
                self.definitions.into_iter().map(|it| (it.name, Value::Object(it.schema))).collect();
            root.insert("$defs".to_owned(), Value::Object(definitions));
        }
        Value::Object(root)
    }

    fn refer(&mut self, index: usize, wanted: &str) -> String {
        let taken: Vec<&str> = self
            .definitions
            .iter()
            .map(|definition| definition.name.as_str())
            .chain(self.open.iter().filter_map(|open| open.referred.as_deref()))
            .collect();
        let mut name = wanted.to_owned();
        let mut count = 2;
        while taken.contains(&name.as_str()) {
            name = format!("{wanted}{count}");
            count += 1;
        }
        match self.open.get_mut(index) {
            Some(open) => open.referred.get_or_insert(name).clone(),
            None => name,
        }
    }
}

/// The schema of a type as a tool's result.
pub(crate) fn output_schema<T: ToolType>() -> Value {
    let mut schemas = Schemas::new(Direction::Output);
    let root = T::schema(&mut schemas);
    schemas.finish(root)
}

/// The object in `value`. Schemas are written with `json!`, which gives a `Value`.
pub(crate) fn schema(value: Value) -> Schema {
    match value {
        Value::Object(schema) => schema,
        _ => Schema::new(),
    }
}

fn reference(name: &str) -> Schema {
    schema(json!({ "$ref": format!("#/$defs/{name}") }))
}

/// The schema of an enum without data.
#[doc(hidden)]
pub fn string_enum(names: &[&str]) -> Schema {
    schema(json!({ "type": "string", "enum": names }))
}

/// The schema of a union.
#[doc(hidden)]
pub fn choices(choices: &[Schema]) -> Schema {
    schema(json!({ "anyOf": choices }))
}
