//! The scanner against a strict reading by `serde_json`, on texts that are generated, mutated and made up.

use std::collections::HashSet;
use std::fmt;

use proptest::prelude::*;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::*;

/// A reading by `serde_json` that refuses duplicate keys.
struct Strict;

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Strict;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_str<E>(self, _: &str) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_unit<E>(self) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Strict, A::Error> {
        while items.next_element::<Strict>()?.is_some() {}
        Ok(Strict)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Strict, A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = members.next_key::<String>()? {
            if !keys.insert(key) {
                return Err(de::Error::custom("duplicate key"));
            }
            members.next_value::<Strict>()?;
        }
        Ok(Strict)
    }
}

fn reference_accepts(text: &[u8]) -> bool {
    serde_json::from_slice::<Strict>(text).is_ok()
}

/// The bound on exponents is ours alone.
fn scanner_accepts(text: &[u8]) -> bool {
    scan(text, &Limits { exponent: u32::MAX, ..Limits::ARGUMENTS }).is_ok()
}

/// JSON texts with white space, escapes, odd numbers and, now and then, a duplicate key.
fn json_text() -> impl Strategy<Value = String> {
    let space = prop_oneof![4 => Just(""), 1 => Just(" "), 1 => Just("\n\t\r ")];
    let string = r#"("([a-cé😀]|\\["\\/bfnrt]|\\u00[0-9a-fA-F]{2}|\\ud83d\\ude0[0-9]){0,6}")"#;
    let number = "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?";
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        string,
        number
    ];
    let leaf = (space.clone(), scalar, space.clone())
        .prop_map(|(before, scalar, after)| format!("{before}{scalar}{after}"));
    leaf.prop_recursive(5, 40, 6, move |inner| {
        let member = (string, inner.clone()).prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(member, 0..6).prop_map(|members| format!(" {{{}}}\n", members.join(","))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn generated_texts(text in json_text()) {
        prop_assert_eq!(scanner_accepts(text.as_bytes()), reference_accepts(text.as_bytes()), "{}", text);
    }

    #[test]
    fn mutated_texts(text in json_text(), at in any::<prop::sample::Index>(), byte in any::<u8>(), how in 0..4) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        match how {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            2 => _ = bytes.remove(at),
            _ => bytes.truncate(at),
        }
        prop_assert_eq!(
            scanner_accepts(&bytes),
            reference_accepts(&bytes),
            "{:?}", String::from_utf8_lossy(&bytes)
        );
    }

    #[test]
    fn texts_of_json_characters(text in r#"[\[\]{}",:0-9eE.+\\u\-trfalsn d8\n]{0,24}"#) {
        prop_assert_eq!(scanner_accepts(text.as_bytes()), reference_accepts(text.as_bytes()), "{}", text);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let strict = scan(&bytes, &Limits::ARGUMENTS);
        let located = locate(&bytes, &["a", "b"], &Limits::ARGUMENTS);
        if let Some(span) = located.span {
            prop_assert!(bytes.get(span).is_some());
        }
        let whole = locate(&bytes, &[], &Limits::ARGUMENTS);
        prop_assert_eq!(strict.is_ok(), whole.inside.is_none() && whole.outside.is_none());
    }

    #[test]
    fn a_tolerant_scan_agrees_with_a_strict_one(text in json_text(), cut in any::<prop::sample::Index>()) {
        let text = &text[..text.floor_char_boundary(text.len() - cut.index(text.len()) / 2)];
        let body = format!(r#"{{"x":[1],"a":{{"b":{text},"c":2}}}}"#);
        let located = locate(body.as_bytes(), &["a", "b"], &Limits::ARGUMENTS);
        if let Some(span) = located.span {
            let strict = scan(&body.as_bytes()[span], &Limits::ARGUMENTS);
            prop_assert_eq!(strict.err(), located.inside);
        } else {
            prop_assert!(located.inside.is_some() || located.outside.is_some(), "{}", body);
        }
    }
}

#[test]
fn the_bound_on_exponents_is_the_one_difference() {
    let text = b"[[null,null,null],1E01001]";
    assert!(reference_accepts(text) && scanner_accepts(text));
    assert!(scan(text, &Limits::ARGUMENTS).is_err());
}
