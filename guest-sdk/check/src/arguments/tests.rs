use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::canonical::equal;

fn canonical_of(raw: &str) -> String {
    Arguments::parse("t", raw).expect(raw).canonical()
}

#[test]
fn the_refusal_has_the_promised_words() {
    let refusal = Arguments::parse("refund", "{\"a\":1,\n\"a\":2}").expect_err("a duplicate");
    assert_eq!((refusal.code, refusal.kind), ("bad_json", "InvalidJson"));
    assert_eq!(
        refusal.to_string(),
        "The arguments for 'refund' are not valid JSON: the key \"a\" appears twice in one object at line 2, \
         column 1. Send one JSON object."
    );
    assert!(refusal.pointers.is_empty());
    let refusal = Arguments::parse("x", "[]").expect_err("an array");
    assert_eq!(
        refusal.message,
        "The arguments for 'x' are not valid JSON: expected an object, found an array at line 1, column 1. \
         Send one JSON object."
    );
    assert!(Arguments::parse_bytes("x", b"{\"a\":\"\xed\xa0\x80\"}").is_err());
}

#[test]
fn text_and_digits_are_kept() {
    let raw = " {\"b\": 725653563933458432, \"a\": 1.10} ";
    let arguments = Arguments::parse("t", raw).expect("sound");
    assert_eq!(arguments.raw(), raw);
    assert_eq!(arguments.value().to_string(), r#"{"b":725653563933458432,"a":1.10}"#);
}

#[test]
fn limits_beyond_the_library_are_still_an_answer() {
    let limits = Limits { depth: 10_000, ..Limits::ARGUMENTS };
    let nested = |n: usize| format!("{{\"a\":{}{}}}", "[".repeat(n), "]".repeat(n));
    assert!(Arguments::parse_within("t", nested(100).as_bytes(), &limits).is_ok());
    let refusal = Arguments::parse_within("t", nested(5_000).as_bytes(), &limits).expect_err("too deep");
    assert!(refusal.message.contains("nested deeper than 127 levels"), "{refusal}");
}

#[test]
fn keys_are_ordered_by_utf16_and_strings_spelled_as_in_rfc_8785() {
    // The example of RFC 8785, section 3.2.3: the emoji's surrogates sort before U+FB33.
    let raw = r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#;
    assert_eq!(
        canonical_of(raw),
        "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}"
    );
    assert_eq!(
        canonical_of(r#"{"s":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/\u007f\b\f\t"}"#),
        "{\"s\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\u{7f}\\b\\f\\t\"}"
    );
}

#[test]
fn equal_arguments_have_one_digest_and_others_another() {
    let digest = |raw: &str| Arguments::parse("t", raw).expect(raw).digest();
    assert_eq!(digest(r#"{"a":1,"b":[true,null]}"#), digest(" {\"b\":[true,null],\n\"\\u0061\":10e-1}"));
    assert_eq!(digest(r#"{"a":-0}"#), digest(r#"{"a":0}"#));
    assert_ne!(digest(r#"{"a":9007199254740993}"#), digest(r#"{"a":9007199254740992}"#));
    assert_ne!(digest(r#"{"a":1}"#), digest(r#"{"a":"1"}"#));
    assert_ne!(digest(r#"{"a":[1,2]}"#), digest(r#"{"a":[2,1]}"#));
    // SHA-256 of the two bytes `{}`.
    let known = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    let hex: String = digest(" { } ").iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, known);
}

/// Objects whose numbers, keys and shapes often coincide.
fn object() -> impl Strategy<Value = Value> {
    let number = (
        prop::sample::select(vec!["1", "10", "100", "-1", "0", "-0", "9007199254740992", "9007199254740993"]),
        prop::sample::select(vec!["", ".0", "e0", "e-1", "e1", "00", ".5"]),
    )
        .prop_map(|(whole, rest)| format!("{whole}{rest}"))
        .prop_filter_map("a number", |text| serde_json::from_str::<Value>(&text).ok());
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number,
        "[ab\u{e9}\n]{0,2}".prop_map(Value::String)
    ];
    let value = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::vec(("[abc😀]", inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    prop::collection::vec(("[ab]", value), 0..3)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

/// The same value written another way: members reversed, numbers in another notation.
fn rewritten(value: &Value) -> Value {
    match value {
        Value::Number(number) if !number.as_str().contains(['e', '.']) => {
            serde_json::from_str(&format!("{number}.00e+0")).expect("a number")
        }
        Value::Array(items) => Value::Array(items.iter().map(rewritten).collect()),
        Value::Object(members) => {
            Value::Object(members.iter().rev().map(|(key, value)| (key.clone(), rewritten(value))).collect())
        }
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn canonical_texts_are_equal_exactly_when_values_are(left in object(), right in object()) {
        let (one, other) = (canonical_of(&left.to_string()), canonical_of(&right.to_string()));
        prop_assert_eq!(one == other, equal(&left, &right), "{} and {}", left, right);
    }

    #[test]
    fn another_spelling_has_the_same_canonical_text(value in object()) {
        let other = rewritten(&value);
        prop_assert!(equal(&value, &other));
        let text = canonical_of(&value.to_string());
        prop_assert_eq!(&text, &canonical_of(&other.to_string()));
        // The canonical text is its own canonical text.
        prop_assert_eq!(&text, &canonical_of(&text));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        _ = Arguments::parse_bytes("t", &bytes);
    }
}
