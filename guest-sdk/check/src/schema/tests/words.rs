use super::*;

#[test]
fn a_refusal_lists_every_fault_in_the_promised_words() {
    let schema = schema(
        r#"{"type":"object","properties":{
            "customer_id":{"type":"string"},
            "items":{"type":"array","items":{"type":"object","properties":{"price":{"type":"number"}},
                     "required":["price"],"additionalProperties":false}}},
            "required":["customer_id"],"additionalProperties":false}"#,
    );
    let raw = r#"{"items":[{"price":1},{"price":"2"},{"cost":3}],"tenant":"x"}"#;
    let refusal = schema.check("order", &Arguments::parse("order", raw).expect(raw)).expect_err("faults");
    assert_eq!((refusal.code, refusal.kind), ("bad_args", "InvalidArguments"));
    assert_eq!(
        refusal.to_string(),
        "The arguments for 'order' do not match its schema. customer_id: required, but missing. \
         items[1].price: expected a number, found the string \"2\". items[2].price: required, but missing. \
         items[2].cost: unknown; this object takes price. tenant: unknown; the tool takes customer_id, items. \
         Fix those fields and call the tool again."
    );
    assert_eq!(
        refusal.pointers,
        ["/customer_id", "/items/1/price", "/items/2/price", "/items/2/cost", "/tenant"]
    );
}

#[test]
fn each_keyword_has_its_words() {
    let table: &[(&str, &str, &str)] = &[
        (r#"{"type":"integer"}"#, "1.5", "expected an integer, found 1.5"),
        (r#"{"type":["string","null"]}"#, "[1]", "expected a string or null, found an array"),
        (r#"{"type":"object"}"#, "true", "expected an object, found true"),
        (r#"{"enum":["a","b",1]}"#, "\"c\"", "expected one of \"a\", \"b\", 1; found \"c\""),
        (r#"{"const":"a"}"#, "{}", "expected \"a\", found an empty object"),
        (r#"{"minimum":5}"#, "3", "must be at least 5, found 3"),
        (
            r#"{"maximum":9007199254740992}"#,
            "9007199254740993",
            "must be at most 9007199254740992, found 9007199254740993",
        ),
        (r#"{"exclusiveMinimum":0}"#, "0", "must be more than 0, found 0"),
        (r#"{"exclusiveMaximum":1}"#, "1.0", "must be less than 1, found 1.0"),
        (r#"{"multipleOf":0.1}"#, "0.35", "must be a multiple of 0.1, found 0.35"),
        (r#"{"minLength":2}"#, "\"é\"", "must have at least 2 characters, found 1"),
        (r#"{"maxLength":1}"#, "\"é😀\"", "must have at most 1 character, found 2"),
        (r#"{"pattern":"^a+$"}"#, "\"b\"", "must match the pattern ^a+$, found \"b\""),
        (
            r#"{"format":"date"}"#,
            "\"2026-02-30\"",
            "expected a date such as 2026-01-31, found \"2026-02-30\"",
        ),
        (r#"{"format":"email"}"#, "\"x\"", "expected an e-mail address, found \"x\""),
        (r#"{"format":"regex"}"#, "\"(\"", "expected a regular expression, found \"(\""),
        (r#"{"minItems":1}"#, "[]", "must have at least 1 item, found 0"),
        (r#"{"maxItems":1}"#, "[1,2]", "must have at most 1 item, found 2"),
        (
            r#"{"uniqueItems":true}"#,
            "[1,2,1.0]",
            "items must be different from each other; items 0 and 2 are equal",
        ),
        (r#"{"contains":{"const":1}}"#, "[2]", "must have at least 1 fitting item, found 0"),
        (r#"{"minProperties":1}"#, "{}", "must have at least 1 property, found 0"),
        (r#"{"maxProperties":0}"#, "{\"a\":1}", "must have at most 0 properties, found 1"),
        (r#"{"not":{"const":1}}"#, "1", "has a form that the schema forbids"),
        (
            r#"{"oneOf":[{"minimum":0},{"maximum":9}]}"#,
            "5",
            "fits 2 of the 2 allowed forms, but must fit exactly one",
        ),
        (r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "5", "expected a string or null, found 5"),
        (r#"{"anyOf":[{"type":"integer","maximum":3},{"type":"null"}]}"#, "5", "must be at most 3, found 5"),
        (r#"{"oneOf":[{"const":"a"},{"const":"b"}]}"#, "\"c\"", "expected one of \"a\", \"b\"; found \"c\""),
        (
            r#"{"anyOf":[{"minimum":9},{"multipleOf":2}]}"#,
            "5",
            "fits none of the 2 allowed forms; the nearest says: must be at least 9, found 5",
        ),
    ];
    for (text, value, reason) in table {
        assert_eq!(said(&schema(text), value), format!("(arguments): {reason}."), "for {text} and {value}");
    }
}

#[test]
fn fields_below_the_root_are_named() {
    let table: &[(&str, &str, &str)] = &[
        (
            r#"{"dependentRequired":{"a":["b"]}}"#,
            r#"{"a":1}"#,
            "b: required, since 'a' is given, but missing.",
        ),
        (r#"{"properties":{"a":false}}"#, r#"{"a":1}"#, "a: not allowed."),
        (r#"{"additionalProperties":false}"#, r#"{"a":1}"#, "a: unknown; the tool takes no arguments."),
        (
            r#"{"propertyNames":{"maxLength":1}}"#,
            r#"{"ab":1}"#,
            "ab: the name is not allowed: must have at most 1 character, found 2.",
        ),
        (
            r#"{"properties":{"odd key/~":{"type":"null"}}}"#,
            r#"{"odd key/~":1}"#,
            "[\"odd key/~\"]: expected null, found 1.",
        ),
        (
            r#"{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}"#,
            r#"{"a":1,"b":2}"#,
            "b: unknown; the tool takes a.",
        ),
        (r#"{"prefixItems":[true],"items":false}"#, "[1,2]", "[1]: not allowed."),
        (r#"{"prefixItems":[true],"unevaluatedItems":false}"#, "[1,2]", "[1]: one item too many."),
    ];
    for (text, value, expected) in table {
        assert_eq!(said(&schema(text), value), *expected, "for {text}");
    }
}

#[test]
fn of_a_tagged_union_only_the_meant_form_is_told() {
    let schema = schema(
        r##"{"$defs":{"circle":{"type":"object","properties":{"kind":{"const":"circle"},"r":{"type":"number"}},
             "required":["kind","r"],"additionalProperties":false},
             "square":{"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},
             "required":["kind","side"],"additionalProperties":false}},
             "properties":{"shape":{"oneOf":[{"$ref":"#/$defs/circle"},{"$ref":"#/$defs/square"}]}}}"##,
    );
    assert_eq!(
        said(&schema, r#"{"shape":{"kind":"square","r":1}}"#),
        "shape.side: required, but missing. shape.r: unknown; this object takes kind, side."
    );
    assert_eq!(
        said(&schema, r#"{"shape":{"kind":"cube"}}"#),
        "shape.kind: expected one of \"circle\", \"square\"; found \"cube\"."
    );
    assert_eq!(said(&schema, r#"{"shape":7}"#), "shape: expected an object, found 7.");
    assert_eq!(said(&schema, r#"{"shape":{"kind":"circle","r":1}}"#), "");
}

#[test]
fn echoes_lists_and_counts_are_bounded() {
    let huge = "x".repeat(100_000);
    let told = said(&schema(r#"{"type":"integer"}"#), &format!("\"{huge}\""));
    assert_eq!(
        told,
        format!("(arguments): expected an integer, found the string \"{}...\".", "x".repeat(80))
    );

    let many: Vec<String> = (0..30).map(|index| format!("\"o{index}\"")).collect();
    let told = said(&schema(&format!(r#"{{"enum":[{}]}}"#, many.join(","))), "1");
    assert!(told.ends_with("\"o19\", 10 more; found 1."), "{told}");

    let text = r#"{"items":{"type":"string"}}"#;
    let value = |n: usize| format!("[{}]", vec!["1"; n].join(","));
    let twenty = said(&schema(text), &value(20));
    assert!(twenty.ends_with("[19]: expected a string, found 1."), "{twenty}");
    let more = said(&schema(text), &value(21));
    assert!(more.ends_with("[19]: expected a string, found 1. And 1 more."), "{more}");
    let key = "k".repeat(5_000);
    assert!(said(&schema(r#"{"additionalProperties":false}"#), &format!("{{\"{key}\":1}}")).len() < 200);
}

#[test]
fn numbers_are_exact() {
    let table: &[(&str, &str, bool)] = &[
        (r#"{"multipleOf":0.1}"#, "0.3", true),
        (r#"{"multipleOf":0.01}"#, "19.99", true),
        (r#"{"maximum":9007199254740992}"#, "9007199254740992", true),
        (r#"{"maximum":9007199254740992}"#, "9007199254740993", false),
        (r#"{"minimum":-9007199254740992}"#, "-9007199254740993", false),
        (r#"{"const":9007199254740993}"#, "9007199254740992", false),
        (r#"{"enum":[9007199254740993]}"#, "9007199254740993.0", true),
        (r#"{"type":"integer"}"#, "1.0", true),
        (r#"{"type":"integer"}"#, "10e-1", true),
        (r#"{"type":"integer"}"#, "123456789012345678901234567890", true),
        (r#"{"uniqueItems":true}"#, "[9007199254740992,9007199254740993]", true),
        (r#"{"uniqueItems":true}"#, "[1,1.0]", false),
    ];
    for (text, value, fits) in table {
        assert_eq!(said(&schema(text), value).is_empty(), *fits, "for {text} and {value}");
    }
}

#[test]
fn formats_are_asserted_and_unknown_ones_are_not() {
    for (format, good, bad) in [
        ("date", "2024-02-29", "2023-02-29"),
        ("date-time", "2026-01-31T12:00:00Z", "2026-01-31 noon"),
        ("time", "12:00:00Z", "25:00:00Z"),
        ("email", "a@b.co", "a@"),
        ("uuid", "00000000-0000-4000-8000-000000000000", "0000"),
        ("uri", "https://a.b/c", "a b"),
        ("ipv4", "127.0.0.1", "256.0.0.1"),
        ("ipv6", "::1", ":::1"),
        ("duration", "P1D", "1 day"),
        ("hostname", "example.com", "-a"),
    ] {
        let schema = schema(&format!(r#"{{"format":"{format}"}}"#));
        assert_eq!(said(&schema, &format!("\"{good}\"")), "", "{format}");
        assert_ne!(said(&schema, &format!("\"{bad}\"")), "", "{format}");
        assert_eq!(said(&schema, "1"), "", "{format} is about strings");
    }
    assert_eq!(said(&schema(r#"{"format":"int32"}"#), "\"anything\""), "");
}
