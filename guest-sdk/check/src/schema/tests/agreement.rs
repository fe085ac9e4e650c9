//! The walk and the schema library must agree on every value: the one finds the words, the other judges.

use proptest::prelude::*;
use proptest::strategy::Union;
use serde_json::json;

use super::*;

fn small_value() -> impl Strategy<Value = Value> {
    let number = prop::sample::select(vec![
        "0",
        "1",
        "2",
        "3",
        "1.0",
        "1.5",
        "-1",
        "0.3",
        "10e-1",
        "9007199254740993",
    ])
    .prop_map(|text| serde_json::from_str::<Value>(text).expect(text));
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number,
        prop::sample::select(vec!["", "a", "ab", "b", "2026-01-31", "a@b.co"]).prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec(("[abc]", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn assertion() -> impl Strategy<Value = (String, Value)> {
    let types =
        prop::sample::select(vec!["string", "integer", "number", "boolean", "object", "array", "null"]);
    let count = 0..3_u64;
    let key = |name: &'static str| move |value: Value| (name.to_owned(), value);
    let mut all: Vec<BoxedStrategy<(String, Value)>> = vec![
        types.clone().prop_map(|name| json!(name)).prop_map(key("type")).boxed(),
        prop::collection::hash_set(types, 1..4).prop_map(|names| json!(names)).prop_map(key("type")).boxed(),
        small_value().prop_map(key("const")).boxed(),
        prop::collection::vec(small_value(), 1..4)
            .prop_map(|options| json!(options))
            .prop_map(key("enum"))
            .boxed(),
        any::<bool>().prop_map(|unique| json!(unique)).prop_map(key("uniqueItems")).boxed(),
        prop::sample::select(vec!["^a", "b$", "^.$"])
            .prop_map(|text| json!(text))
            .prop_map(key("pattern"))
            .boxed(),
        prop::sample::select(vec!["date", "email", "odd"])
            .prop_map(|text| json!(text))
            .prop_map(key("format"))
            .boxed(),
        prop::collection::hash_set("[abc]", 0..3)
            .prop_map(|names| json!(names))
            .prop_map(key("required"))
            .boxed(),
        Just(json!({"a": ["b"]})).prop_map(key("dependentRequired")).boxed(),
    ];
    for name in ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"] {
        all.push(count.clone().prop_map(|count| json!(count)).prop_map(key(name)).boxed());
    }
    for name in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        all.push(
            prop::sample::select(vec![json!(0), json!(1), json!(1.5), json!(9_007_199_254_740_992_u64)])
                .prop_map(key(name))
                .boxed(),
        );
    }
    all.push(prop::sample::select(vec![json!(1), json!(0.1), json!(2)]).prop_map(key("multipleOf")).boxed());
    Union::new(all)
}

fn any_schema() -> impl Strategy<Value = Value> {
    let object = |members: Vec<(String, Value)>| Value::Object(members.into_iter().collect());
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Value::Bool),
        6 => prop::collection::vec(assertion(), 0..3).prop_map(object),
    ];
    leaf.prop_recursive(3, 20, 3, move |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(|items| json!(items));
        let map = prop::collection::vec(("[abc]", inner.clone()), 0..3)
            .prop_map(|members| Value::Object(members.into_iter().collect()));
        let one = |names: &'static [&'static str]| {
            (prop::sample::select(names), inner.clone())
                .prop_map(|(name, value)| vec![(name.to_owned(), value)])
        };
        let keyword = prop_oneof![
            (prop::sample::select(&["allOf", "anyOf", "oneOf", "prefixItems"][..]), list)
                .prop_map(|(name, value)| vec![(name.to_owned(), value)]),
            (prop::sample::select(&["properties", "patternProperties", "dependentSchemas"][..]), map)
                .prop_map(|(name, value)| vec![(name.to_owned(), value)]),
            one(&[
                "not",
                "items",
                "additionalProperties",
                "propertyNames",
                "unevaluatedItems",
                "unevaluatedProperties"
            ]),
            one(&["additionalProperties", "unevaluatedProperties", "unevaluatedItems"]),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(condition, then, other)| {
                vec![("if".to_owned(), condition), ("then".to_owned(), then), ("else".to_owned(), other)]
            }),
            (inner.clone(), 0..3_u64, 0..3_u64).prop_map(|(contains, least, most)| {
                vec![
                    ("contains".to_owned(), contains),
                    ("minContains".to_owned(), json!(least)),
                    ("maxContains".to_owned(), json!(most)),
                ]
            }),
            Just(vec![("$ref".to_owned(), json!("#/$defs/a"))]),
            prop::collection::vec(assertion(), 1..3),
        ];
        prop::collection::vec(keyword, 1..4)
            .prop_map(|keywords| Value::Object(keywords.into_iter().flatten().collect()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn the_walk_finds_a_fault_exactly_when_the_library_does(
        root in any_schema(), shared in prop::collection::vec(assertion(), 0..3), values in prop::collection::vec(small_value(), 12),
    ) {
        let shared = Value::Object(shared.into_iter().collect());
        let text = json!({"$defs": {"a": shared}, "allOf": [root]}).to_string();
        let schema = match compile(&text) {
            Ok(schema) => schema,
            Err(SchemaFault::Expansion { .. }) => return Ok(()),
            Err(fault) => return Err(TestCaseError::fail(format!("{fault}: {text}"))),
        };
        for value in values {
            let found = walk::faults(&schema.graph, &value, &schema.limits).expect("small");
            prop_assert_eq!(
                found.n_faults() == 0, schema.judge.is_valid(&value),
                "{} against {}: {}", value, text, found
            );
        }
    }

    #[test]
    fn the_work_on_a_flat_schema_is_bounded_by_the_text(
        schema in any_schema(), values in prop::collection::vec(small_value(), 12),
    ) {
        let Ok(schema) = compile(&json!({"properties": {"a": schema}}).to_string()) else { return Ok(()) };
        if !bounds::is_flat(&schema.graph) {
            return Ok(());
        }
        for value in values {
            let value = json!({"a": value});
            let bytes = value.to_string().len();
            let limits = SchemaLimits { steps: bytes * bounds::FLAT_STEPS_PER_BYTE, ..schema.limits };
            let found = walk::faults(&schema.graph, &value, &limits).expect("within the bound");
            prop_assert_eq!(schema.check_read(&value, bytes).is_ok(), found.n_faults() == 0);
        }
    }

    #[test]
    fn no_text_makes_the_compilation_panic(text in r##"[\[\]{}":,a#/0-9]{0,40}"##, schema in any_schema(), at in any::<prop::sample::Index>()) {
        _ = compile(&text);
        let mut text = schema.to_string();
        let at = text.floor_char_boundary(at.index(text.len()));
        text.insert_str(at, "\"$ref\":\"#\",");
        _ = compile(&text);
    }
}
