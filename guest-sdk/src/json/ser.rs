//! From any `Serialize` value to a JSON value. Written here because `serde_json` turns NaN into `null` and either
//! refuses or rounds integers beyond 64 bit, where a model should see what the tool computed.

use std::fmt::Display;

use serde::Serialize;
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::{Map, Number, Value};

use super::JsonError;

/// The names under which `serde_json` passes its own exact numbers and raw texts through any serializer.
const NUMBER: &str = "$serde_json::private::Number";
const RAW_VALUE: &str = "$serde_json::private::RawValue";

pub(super) struct ToValue;

type Done = Result<Value, JsonError>;

impl Serializer for ToValue {
    type Ok = Value;
    type Error = JsonError;
    type SerializeSeq = Array;
    type SerializeTuple = Array;
    type SerializeTupleStruct = Array;
    type SerializeTupleVariant = Array;
    type SerializeMap = Object;
    type SerializeStruct = Object;
    type SerializeStructVariant = Object;

    fn serialize_bool(self, value: bool) -> Done {
        Ok(Value::Bool(value))
    }
    fn serialize_i8(self, value: i8) -> Done {
        Ok(value.into())
    }
    fn serialize_i16(self, value: i16) -> Done {
        Ok(value.into())
    }
    fn serialize_i32(self, value: i32) -> Done {
        Ok(value.into())
    }
    fn serialize_i64(self, value: i64) -> Done {
        Ok(value.into())
    }
    fn serialize_i128(self, value: i128) -> Done {
        match (u64::try_from(value), i64::try_from(value)) {
            (Ok(value), _) => Ok(value.into()),
            (_, Ok(value)) => Ok(value.into()),
            _ => Ok(Value::String(value.to_string())),
        }
    }
    fn serialize_u8(self, value: u8) -> Done {
        Ok(value.into())
    }
    fn serialize_u16(self, value: u16) -> Done {
        Ok(value.into())
    }
    fn serialize_u32(self, value: u32) -> Done {
        Ok(value.into())
    }
    fn serialize_u64(self, value: u64) -> Done {
        Ok(value.into())
    }
    fn serialize_u128(self, value: u128) -> Done {
        match u64::try_from(value) {
            Ok(value) => Ok(value.into()),
            Err(_) => Ok(Value::String(value.to_string())),
        }
    }
    fn serialize_f32(self, value: f32) -> Done {
        // By way of its shortest digits: widening 0.1f32 would show the model 0.10000000149011612.
        if value.is_finite() {
            value.to_string().parse::<f64>().map_err(JsonError::new).map(float)
        } else {
            Ok(float(f64::from(value)))
        }
    }
    fn serialize_f64(self, value: f64) -> Done {
        Ok(float(value))
    }
    fn serialize_char(self, value: char) -> Done {
        Ok(Value::String(value.to_string()))
    }
    fn serialize_str(self, value: &str) -> Done {
        Ok(Value::String(value.to_owned()))
    }
    fn serialize_bytes(self, value: &[u8]) -> Done {
        Ok(Value::Array(value.iter().map(|byte| Value::from(*byte)).collect()))
    }
    fn serialize_none(self) -> Done {
        Ok(Value::Null)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Done {
        Ok(Value::Null)
    }
    fn serialize_unit_struct(self, _name: &'static str) -> Done {
        Ok(Value::Null)
    }
    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Done {
        Ok(Value::String(variant.to_owned()))
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Done {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Done {
        Ok(tagged(variant, value.serialize(self).map_err(|error| error.in_field(variant))?))
    }
    fn serialize_seq(self, len: Option<usize>) -> Result<Array, JsonError> {
        // The length is the value's own word, so that it reserves no more than a little.
        Ok(Array { elements: Vec::with_capacity(len.unwrap_or(0).min(1024)), variant: None })
    }
    fn serialize_tuple(self, len: usize) -> Result<Array, JsonError> {
        self.serialize_seq(Some(len))
    }
    fn serialize_tuple_struct(self, _name: &'static str, len: usize) -> Result<Array, JsonError> {
        self.serialize_seq(Some(len))
    }
    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Array, JsonError> {
        Ok(Array { elements: Vec::new(), variant: Some(variant) })
    }
    fn serialize_map(self, _len: Option<usize>) -> Result<Object, JsonError> {
        Ok(Object { name: "", fields: Map::new(), key: None, variant: None })
    }
    fn serialize_struct(self, name: &'static str, _len: usize) -> Result<Object, JsonError> {
        Ok(Object { name, fields: Map::new(), key: None, variant: None })
    }
    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Object, JsonError> {
        Ok(Object { name: "", fields: Map::new(), key: None, variant: Some(variant) })
    }
    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Done {
        Ok(Value::String(value.to_string()))
    }
}

pub(super) struct Array {
    elements: Vec<Value>,
    variant: Option<&'static str>,
}

impl Array {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        let index = self.elements.len();
        self.elements.push(value.serialize(ToValue).map_err(|error| error.in_element(index))?);
        Ok(())
    }

    fn done(self) -> Value {
        let array = Value::Array(self.elements);
        match self.variant {
            Some(variant) => tagged(variant, array),
            None => array,
        }
    }
}

macro_rules! array {
    ($trait:ident, $add:ident) => {
        impl $trait for Array {
            type Ok = Value;
            type Error = JsonError;
            fn $add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
                self.push(value)
            }
            fn end(self) -> Done {
                Ok(self.done())
            }
        }
    };
}
array!(SerializeSeq, serialize_element);
array!(SerializeTuple, serialize_element);
array!(SerializeTupleStruct, serialize_field);
array!(SerializeTupleVariant, serialize_field);

pub(super) struct Object {
    name: &'static str,
    fields: Map<String, Value>,
    key: Option<String>,
    variant: Option<&'static str>,
}

impl Object {
    fn insert<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), JsonError> {
        let value = value.serialize(ToValue).map_err(|error| error.in_field(key))?;
        self.fields.insert(key.to_owned(), value);
        Ok(())
    }

    fn done(mut self) -> Done {
        if let Some(variant) = self.variant {
            return Ok(tagged(variant, Value::Object(self.fields)));
        }
        match self.name {
            NUMBER => number(self.fields.remove(NUMBER)),
            RAW_VALUE => raw(self.fields.remove(RAW_VALUE)),
            _ => Ok(Value::Object(self.fields)),
        }
    }
}

impl SerializeMap for Object {
    type Ok = Value;
    type Error = JsonError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), JsonError> {
        self.key = Some(match key.serialize(ToValue)? {
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            Value::Bool(value) => value.to_string(),
            _ => return Err(JsonError::new("a map's keys must be strings")),
        });
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        let key = self.key.take().ok_or_else(|| JsonError::custom("a map's value came before its key"))?;
        self.insert(&key, value)
    }

    fn end(self) -> Done {
        self.done()
    }
}

macro_rules! object {
    ($trait:ident) => {
        impl $trait for Object {
            type Ok = Value;
            type Error = JsonError;
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), JsonError> {
                self.insert(key, value)
            }
            fn end(self) -> Done {
                self.done()
            }
        }
    };
}
object!(SerializeStruct);
object!(SerializeStructVariant);

fn tagged(variant: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(variant.to_owned(), value)]))
}

fn float(value: f64) -> Value {
    match Number::from_f64(value) {
        Some(number) => Value::Number(number),
        None if value.is_nan() => Value::from("NaN"),
        None if value.is_sign_negative() => Value::from("-Infinity"),
        None => Value::from("Infinity"),
    }
}

/// A number that arrives as its digits: an integer beyond 64 bit becomes a string, as from any other type.
fn number(digits: Option<Value>) -> Done {
    let Some(Value::String(digits)) = digits else {
        return Err(JsonError::new("a number without digits"));
    };
    let number: Number = digits.parse().map_err(JsonError::new)?;
    let integer = !digits.contains(['.', 'e', 'E']);
    Ok(if integer && !number.is_u64() && !number.is_i64() {
        Value::String(digits)
    } else {
        Value::Number(number)
    })
}

/// A text that is JSON already. It is read, so that its numbers get the same treatment.
fn raw(text: Option<Value>) -> Done {
    let Some(Value::String(text)) = text else {
        return Err(JsonError::new("a raw value without text"));
    };
    let value: Value = serde_json::from_str(&text).map_err(JsonError::new)?;
    value.serialize(ToValue)
}
