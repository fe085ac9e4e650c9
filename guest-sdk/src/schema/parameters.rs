//! An object schema, written field by field: a tool's parameters, or a struct.

use serde_json::{Map, Value};

use super::{Direction, Schema, Schemas, ToolType};

/// The parameters of a tool, in the order in which they are added.
#[derive(Debug)]
pub struct Parameters {
    schemas: Schemas,
    fields: Fields,
}

impl Parameters {
    /// No parameter yet.
    #[expect(clippy::new_without_default, reason = "nothing but the macro makes one")]
    pub fn new() -> Self {
        Self { schemas: Schemas::new(Direction::Input), fields: Fields::new() }
    }

    /// Adds a parameter. With a default, or of an optional type, it may be left out.
    pub fn add<T: ToolType>(&mut self, name: &str, description: Option<&str>, default: Option<Value>) {
        self.fields.add::<T>(&mut self.schemas, name, description, false, default);
    }

    /// The input schema: an object that refuses unknown properties.
    pub fn finish(self) -> Value {
        let root = self.fields.finish();
        self.schemas.finish(root)
    }
}

/// The fields of one object.
#[derive(Debug)]
pub struct Fields {
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl Fields {
    /// No field yet.
    #[expect(clippy::new_without_default, reason = "nothing but the macro makes one")]
    pub fn new() -> Self {
        Self { properties: Map::new(), required: Vec::new() }
    }

    /// Adds a field of a type. It is required unless it is `optional`, has a default, or its type is optional.
    pub fn add<T: ToolType>(
        &mut self,
        schemas: &mut Schemas,
        name: &str,
        description: Option<&str>,
        optional: bool,
        default: Option<Value>,
    ) {
        let mut schema = described(T::schema(schemas), description);
        if !(optional || T::OPTIONAL || default.is_some()) {
            self.required.push(Value::from(name));
        }
        if let Some(default) = default {
            schema.insert("default".to_owned(), default);
        }
        self.properties.insert(name.to_owned(), Value::Object(schema));
    }

    /// Adds the field that tells the variants of a union apart.
    pub fn tag(&mut self, name: &str, variant: &str) {
        let schema = Schema::from_iter([("const".to_owned(), Value::from(variant))]);
        self.required.push(Value::from(name));
        self.properties.insert(name.to_owned(), Value::Object(schema));
    }

    /// Adds a required field whose schema is at hand.
    pub fn put(&mut self, name: &str, schema: Schema) {
        self.required.push(Value::from(name));
        self.properties.insert(name.to_owned(), Value::Object(schema));
    }

    /// The object's schema. It refuses unknown properties.
    pub fn finish(self) -> Schema {
        let mut schema = Schema::new();
        schema.insert("type".to_owned(), Value::from("object"));
        schema.insert("properties".to_owned(), Value::Object(self.properties));
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(self.required));
        }
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
        schema
    }
}

/// The schema with a description, which replaces the one that its type gave it.
pub fn described(mut schema: Schema, description: Option<&str>) -> Schema {
    if let Some(description) = description {
        schema.insert("description".to_owned(), Value::from(description));
    }
    schema
}
