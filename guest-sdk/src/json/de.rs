//! From a JSON value to a type. Written here because `serde_json`, once it keeps every digit, hands numbers to
//! tagged and untagged unions in a form of its own that they cannot read.

use serde::Deserializer;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde_json::{Number, Value};

use super::JsonError;
use super::number::{Worth, worth};

/// A value as a type.
///
/// # Errors
/// The first place where the value is not of the type, with its path.
pub(crate) fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, JsonError> {
    T::deserialize(FromValue(value))
}

#[derive(Clone, Copy)]
struct FromValue<'de>(&'de Value);

impl<'de> FromValue<'de> {
    fn number<V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, JsonError> {
        match worth(number) {
            Worth::Unsigned(value) => visitor.visit_u64(value),
            Worth::Negative(value) => visitor.visit_i64(value),
            Worth::Float(value) => visitor.visit_f64(value),
            Worth::Beyond => Err(JsonError::new(beyond(number))),
        }
    }
}

impl<'de> Deserializer<'de> for FromValue<'de> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => Self::number(number, visitor),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(elements) => visitor.visit_seq(Elements { rest: elements.iter(), index: 0 }),
            Value::Object(fields) => visitor.visit_map(Fields { rest: fields.iter(), value: None }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        match self.0 {
            Value::String(tag) => visitor.visit_enum(Union { tag, body: None }),
            Value::Object(fields) => {
                let mut fields = fields.iter();
                match (fields.next(), fields.next()) {
                    (Some((tag, body)), None) => visitor.visit_enum(Union { tag, body: Some(body) }),
                    _ => Err(JsonError::new(
                        "an object with just one field is expected, which names the variant",
                    )),
                }
            }
            other => Err(JsonError::invalid_type(unexpected(other), &"a variant's name")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct identifier
    }
}

struct Elements<'de> {
    rest: std::slice::Iter<'de, Value>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = JsonError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, JsonError> {
        let Some(value) = self.rest.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        seed.deserialize(FromValue(value)).map(Some).map_err(|error| error.in_element(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Fields<'de> {
    rest: serde_json::map::Iter<'de>,
    value: Option<(&'de str, &'de Value)>,
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = JsonError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, JsonError> {
        let Some((name, value)) = self.rest.next() else { return Ok(None) };
        self.value = Some((name, value));
        seed.deserialize(StrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, JsonError> {
        let Some((name, value)) = self.value.take() else {
            return Err(JsonError::new("a field's value was asked for before its name"));
        };
        seed.deserialize(FromValue(value)).map_err(|error| error.in_field(name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Union<'de> {
    tag: &'de str,
    body: Option<&'de Value>,
}

impl<'de> EnumAccess<'de> for Union<'de> {
    type Error = JsonError;
    type Variant = Body<'de>;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Body<'de>), JsonError> {
        let tag: StrDeserializer<'de, JsonError> = self.tag.into_deserializer();
        Ok((seed.deserialize(tag)?, Body { tag: self.tag, body: self.body }))
    }
}

struct Body<'de> {
    tag: &'de str,
    body: Option<&'de Value>,
}

impl<'de> Body<'de> {
    fn value(&self) -> Result<FromValue<'de>, JsonError> {
        self.body
            .map(FromValue)
            .ok_or_else(|| JsonError::new(format_args!("the variant '{}' needs a value", self.tag)))
    }
}

impl<'de> VariantAccess<'de> for Body<'de> {
    type Error = JsonError;

    fn unit_variant(self) -> Result<(), JsonError> {
        match self.body {
            None | Some(Value::Null) => Ok(()),
            Some(other) => Err(JsonError::invalid_type(unexpected(other), &"no value").in_field(self.tag)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, JsonError> {
        seed.deserialize(self.value()?).map_err(|error| error.in_field(self.tag))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, JsonError> {
        self.value()?.deserialize_any(visitor).map_err(|error| error.in_field(self.tag))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.value()?.deserialize_any(visitor).map_err(|error| error.in_field(self.tag))
    }
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(_) => Unexpected::Other("a number"),
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

fn beyond(number: &Number) -> String {
    // The parser writes a plus sign into the exponent, which the model has not.
    format!("{} does not fit into 64 bit", number.to_string().replace("e+", "e"))
}
