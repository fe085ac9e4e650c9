//! The canonical text of a JSON value, and its digest.
//!
//! It owns what "the same arguments" means for keys, replays and approvals: RFC 8785 for the order of keys and the
//! spelling of strings, and exact decimals for numbers, so that `1`, `1.0` and `10e-1` are one value and
//! `9007199254740993` is not `9007199254740992`.

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::decimal::Decimal;

/// The canonical text of a value. Two texts are equal exactly when the values are.
///
/// The depth of the recursion is the depth of the value, which every way to build one bounds.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

/// The SHA-256 of a canonical text.
#[must_use]
pub fn digest(value: &Value) -> [u8; 32] {
    Sha256::digest(canonical(value).as_bytes()).into()
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(out, number.as_str()),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by(|(left, _), (right, _)| left.encode_utf16().cmp(right.encode_utf16()));
            out.push('{');
            for (index, (key, item)) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write_value(out, item);
            }
            out.push('}');
        }
    }
}

fn write_number(out: &mut String, text: &str) {
    match Decimal::parse(text) {
        // Writing to a string cannot fail.
        Some(decimal) => _ = write!(out, "{decimal}"),
        // Only an exponent beyond 63 bits comes here; it is no number that anybody can mean, and its text stands
        // for itself.
        None => out.push_str(text),
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut plain_from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let short = match byte {
            b'"' => Some("\\\""),
            b'\\' => Some("\\\\"),
            0x08 => Some("\\b"),
            0x09 => Some("\\t"),
            0x0A => Some("\\n"),
            0x0C => Some("\\f"),
            0x0D => Some("\\r"),
            0x00..0x20 => None,
            _ => continue,
        };
        out.push_str(text.get(plain_from..at).unwrap_or_default());
        plain_from = at + 1;
        match short {
            Some(escape) => out.push_str(escape),
            None => _ = write!(out, "\\u{byte:04x}"),
        }
    }
    out.push_str(text.get(plain_from..).unwrap_or_default());
    out.push('"');
}

/// Whether two values are equal: numbers by value, objects whatever their order.
#[must_use]
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            let (left, right) = (left.as_str(), right.as_str());
            left == right
                || match (Decimal::parse(left), Decimal::parse(right)) {
                    (Some(left), Some(right)) => left == right,
                    _ => false,
                }
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| equal(left, right)))
        }
        (left, right) => left == right,
    }
}

#[cfg(test)]
mod tests;
