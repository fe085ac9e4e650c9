//! The schemas of the types that Rust itself brings.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Direction, Schema, Schemas, ToolType, schema};

macro_rules! types {
    ($($type:ty => $schema:tt;)*) => {$(
        impl ToolType for $type {
            fn schema(_: &mut Schemas) -> Schema {
                schema(json!($schema))
            }
        }
    )*};
}

types! {
    bool => { "type": "boolean" };
    String => { "type": "string" };
    Cow<'_, str> => { "type": "string" };
    Box<str> => { "type": "string" };
    char => { "type": "string", "minLength": 1, "maxLength": 1 };
}

macro_rules! integers {
    ($($type:ty as $bounds:ty;)*) => {$(
        impl ToolType for $type {
            fn schema(_: &mut Schemas) -> Schema {
                schema(json!({ "type": "integer", "minimum": <$bounds>::MIN, "maximum": <$bounds>::MAX }))
            }
        }
    )*};
}

integers! {
    u8 as u8;
    u16 as u16;
    u32 as u32;
    u64 as u64;
    i8 as i8;
    i16 as i16;
    i32 as i32;
    i64 as i64;
    // A guest has 32 bit, and a native test must refuse what the guest would refuse.
    usize as u32;
    isize as i32;
}

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl ToolType for $type {
            fn schema(schemas: &mut Schemas) -> Schema {
                schema(match schemas.direction() {
                    Direction::Input => json!({ "type": "number" }),
                    Direction::Output => json!({
                        "anyOf": [{ "type": "number" }, { "enum": ["NaN", "Infinity", "-Infinity"] }]
                    }),
                })
            }
        }
    )*};
}

floats!(f32, f64);

impl<T: ToolType> ToolType for Option<T> {
    const OPTIONAL: bool = true;

    fn schema(schemas: &mut Schemas) -> Schema {
        nullable(T::schema(schemas))
    }
}

impl<T: ToolType> ToolType for Vec<T> {
    fn schema(schemas: &mut Schemas) -> Schema {
        schema(json!({ "type": "array", "items": T::schema(schemas) }))
    }
}

macro_rules! maps {
    ($($type:ty),*) => {$(
        impl<T: ToolType> ToolType for $type {
            fn schema(schemas: &mut Schemas) -> Schema {
                schema(json!({ "type": "object", "additionalProperties": T::schema(schemas) }))
            }
        }
    )*};
}

maps!(BTreeMap<String, T>, HashMap<String, T>);

macro_rules! pointers {
    ($($type:ty),*) => {$(
        impl<T: ToolType> ToolType for $type {
            const OPTIONAL: bool = T::OPTIONAL;

            fn schema(schemas: &mut Schemas) -> Schema {
                T::schema(schemas)
            }
        }
    )*};
}

pointers!(Box<T>, Rc<T>, Arc<T>);

/// The same schema with `null` as one more choice. A list of types would say it more briefly, but clients and model
/// providers that know one type a schema refuse it, or lose the rest.
fn nullable(mut inner: Schema) -> Schema {
    let null = json!({ "type": "null" });
    let description = inner.remove("description");
    let choices = match inner.remove("anyOf") {
        Some(Value::Array(mut choices)) if inner.is_empty() => {
            if !choices.contains(&null) {
                choices.push(null);
            }
            choices
        }
        any_of => {
            inner.extend(any_of.map(|any_of| ("anyOf".to_owned(), any_of)));
            vec![Value::Object(inner), null]
        }
    };
    let mut schema = Schema::new();
    schema.extend(description.map(|description| ("description".to_owned(), description)));
    schema.insert("anyOf".to_owned(), Value::Array(choices));
    schema
}
