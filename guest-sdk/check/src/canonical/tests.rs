//! Canonical texts against a model of values that shares no code with them: whole numbers times powers of ten.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::*;

/// A JSON value as mathematics has it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Model {
    Null,
    Bool(bool),
    /// A whole number without a zero at its end, times a power of ten.
    Number(i128, i32),
    Text(String),
    List(Vec<Self>),
    Object(BTreeMap<String, Self>),
}

fn number(mut digits: i128, mut power: i32) -> Model {
    while digits != 0 && digits % 10 == 0 {
        digits /= 10;
        power += 1;
    }
    Model::Number(digits, if digits == 0 { 0 } else { power })
}

fn model() -> impl Strategy<Value = Model> {
    let near = prop_oneof![Just(0), Just(1), Just(9_007_199_254_740_992), Just(i128::from(u64::MAX))];
    let digits = (near, -2_i128..3).prop_map(|(near, step)| near + step);
    let digits = prop_oneof![digits, any::<i64>().prop_map(i128::from), (-100..100_i128)];
    let leaf = prop_oneof![
        Just(Model::Null),
        any::<bool>().prop_map(Model::Bool),
        (digits, -30..30).prop_map(|(digits, power)| number(digits, power)),
        "[a-c\"\\\\\u{0}-\u{1f}é\u{e000}\u{10000}]{0,4}".prop_map(Model::Text),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Model::List),
            btree_map("[a-c\u{e000}\u{10000}]{0,2}", inner, 0..4).prop_map(Model::Object),
        ]
    })
}

/// Writes a model as JSON; the numbers decide between the ways in which each part can be written.
fn written(model: &Model, ways: &mut impl Iterator<Item = u8>) -> String {
    let way = ways.next().unwrap_or(0);
    match model {
        Model::Null => "null".to_owned(),
        Model::Bool(value) => value.to_string(),
        Model::Number(digits, power) => {
            let zeros = usize::from(way % 4);
            let sign = if *digits == 0 && way % 2 == 1 { "-" } else { "" };
            let shift = i32::from(way % 4);
            let exponent = power - shift;
            match way / 4 % 3 {
                // More zeros, and so a smaller power.
                0 => format!(
                    "{sign}{digits}{}e{exponent}",
                    if *digits == 0 { String::new() } else { "0".repeat(zeros) }
                ),
                1 => format!(
                    "{sign}{digits}.{}E{}{power}",
                    "0".repeat(zeros + 1),
                    if *power < 0 { "" } else { "+" }
                ),
                _ if *power >= 0 && *digits != 0 => {
                    format!("{digits}{}", "0".repeat(usize::try_from(*power).unwrap()))
                }
                _ => format!("{sign}{digits}e{power}"),
            }
        }
        Model::Text(text) => quoted(text, way),
        Model::List(items) => {
            let items: Vec<String> = items.iter().map(|item| written(item, ways)).collect();
            format!("[{}]", items.join(if way.is_multiple_of(2) { "," } else { " ,\n" }))
        }
        Model::Object(members) => {
            let mut members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}:{}", quoted(key, way), written(value, ways)))
                .collect();
            let turn = usize::from(way) % members.len().max(1);
            members.rotate_left(turn);
            format!("{{{}}}", members.join(","))
        }
    }
}

fn quoted(text: &str, way: u8) -> String {
    if way.is_multiple_of(2) {
        return serde_json::to_string(text).unwrap();
    }
    let units = text.encode_utf16().map(|unit| format!("\\u{unit:04X}"));
    format!("\"{}\"", units.collect::<String>())
}

fn canonical_of(model: &Model, ways: &[u8]) -> String {
    let text = written(model, &mut ways.iter().copied());
    canonical(&serde_json::from_str(&text).unwrap_or_else(|fault| panic!("{fault}: {text}")))
}

/// The same model with one leaf changed a little, or as it was.
fn changed(model: &Model, place: usize) -> Model {
    match model {
        Model::Null => Model::Bool(false),
        Model::Bool(value) => Model::Text(value.to_string()),
        Model::Number(digits, power) => number(digits * 10 + 1, power - 1),
        Model::Text(text) => Model::Text(format!("{text}\u{0}")),
        Model::List(items) if items.is_empty() => Model::Object(BTreeMap::new()),
        Model::List(items) => {
            let mut items = items.clone();
            let at = place % items.len();
            if let Some(item) = items.get_mut(at) {
                *item = changed(item, place / 3);
            }
            Model::List(items)
        }
        Model::Object(members) if members.is_empty() => Model::Null,
        Model::Object(members) => {
            let mut members = members.clone();
            let at = place % members.len();
            if let Some(item) = members.values_mut().nth(at) {
                *item = changed(item, place / 3);
            }
            Model::Object(members)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    /// However a value is written, its text is one; and no other value has it.
    #[test]
    fn two_texts_are_equal_exactly_when_the_values_are(
        one in model(),
        other in model(),
        ways in (vec(any::<u8>(), 40), vec(any::<u8>(), 40)),
        place in any::<u16>(),
    ) {
        let text = canonical_of(&one, &ways.0);
        prop_assert_eq!(&text, &canonical_of(&one, &ways.1));
        prop_assert_eq!(one == other, text == canonical_of(&other, &ways.1));
        let near = changed(&one, usize::from(place));
        prop_assert_ne!(&one, &near);
        prop_assert_ne!(&text, &canonical_of(&near, &ways.1));
    }
}
