use super::*;

#[test]
fn every_fault_is_named_with_its_place() {
    let table: &[(&str, &str)] = &[
        (
            "{",
            "the schema is not valid JSON: expected a key in double quotes or '}', found the end of the text at line 1, column 2",
        ),
        (
            r#"{"type":"object","type":"array"}"#,
            "the schema is not valid JSON: the key \"type\" appears twice in one object at line 1, column 18",
        ),
        ("true", "the schema must be a JSON object, found a boolean"),
        ("[]", "the schema must be a JSON object, found an array"),
        (
            r#"{"$schema":"http://json-schema.org/draft-07/schema#"}"#,
            "the dialect \"http://json-schema.org/draft-07/schema#\" is not supported; use JSON Schema 2020-12 or leave '$schema' out",
        ),
        (
            r#"{"additonalProperties":false}"#,
            "unknown keyword 'additonalProperties' at ''; extensions begin with 'x-'",
        ),
        (
            r#"{"properties":{"a":{"nullable":true}}}"#,
            "unknown keyword 'nullable' at '/properties/a'; extensions begin with 'x-'",
        ),
        (
            r#"{"properties":{"a/b":{"type":"strin"}}}"#,
            "the value at '/properties/a~1b/type' is not what JSON Schema 2020-12 allows there",
        ),
        (r#"{"minimum":"5"}"#, "the value at '/minimum' is not what JSON Schema 2020-12 allows there"),
        (r#"{"multipleOf":0}"#, "the value at '/multipleOf' is not what JSON Schema 2020-12 allows there"),
        (r#"{"items":[true]}"#, "the value at '/items' is not what JSON Schema 2020-12 allows there"),
        (r#"{"multipleOf":1.234567890123456789}"#, "'multipleOf' at '' has more than 18 digits"),
        (
            r#"{"$ref":"https://example.com/s.json"}"#,
            "the reference \"https://example.com/s.json\" at '' leads out of the schema; only '#...' is followed",
        ),
        (
            r#"{"items":{"$ref":"file:///etc/passwd"}}"#,
            "the reference \"file:///etc/passwd\" at '/items' leads out of the schema; only '#...' is followed",
        ),
        (
            r#"{"$ref":"other.json#/a"}"#,
            "the reference \"other.json#/a\" at '' leads out of the schema; only '#...' is followed",
        ),
        (
            r#"{"$dynamicRef":"x.json#a"}"#,
            "the reference \"x.json#a\" at '' leads out of the schema; only '#...' is followed",
        ),
        (r##"{"$ref":"#/$defs/none"}"##, "the reference \"#/$defs/none\" at '' leads to no sub-schema"),
        (
            r##"{"$ref":"#/default","default":{}}"##,
            "the reference \"#/default\" at '' leads to no sub-schema",
        ),
        (r##"{"$ref":"#anchor"}"##, "the reference \"#anchor\" at '' leads to no sub-schema"),
        (
            r#"{"items":{"$id":"https://example.com/"}}"#,
            "'$id' is only allowed at the root, found at '/items'",
        ),
        (
            r#"{"$anchor":"a","items":{"$anchor":"a"}}"#,
            "the anchor 'a' is defined twice, the second time at '/items'",
        ),
        (
            r#"{"pattern":"(?=a)b"}"#,
            "the pattern \"(?=a)b\" at '' is refused: it is broken, too large, or needs look-around or a back-reference, which linear matching has not",
        ),
        (
            r#"{"items":{"pattern":"(a)\\1"}}"#,
            "the pattern \"(a)\\\\1\" at '/items' is refused: it is broken, too large, or needs look-around or a back-reference, which linear matching has not",
        ),
        (
            r#"{"patternProperties":{"(":true}}"#,
            "the pattern \"(\" at '' is refused: it is broken, too large, or needs look-around or a back-reference, which linear matching has not",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(fault_of(text), *expected, "for {text}");
    }
}

#[test]
fn a_schema_that_leads_back_to_itself_for_the_same_value_is_refused() {
    for text in [
        r##"{"$ref":"#"}"##,
        r##"{"$dynamicAnchor":"n","$dynamicRef":"#n"}"##,
        r##"{"oneOf":[{"type":"string"},{"$ref":"#"}]}"##,
        r##"{"anyOf":[true,{"not":{"$ref":"#"}}]}"##,
        r##"{"if":{"allOf":[{"$ref":"#"}]}}"##,
        r##"{"dependentSchemas":{"a":{"$ref":"#"}}}"##,
        r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"then":{"$ref":"#/$defs/a"}}},"items":{"$ref":"#/$defs/a"}}"##,
        r##"{"$defs":{"unused":{"$ref":"#/$defs/unused"}}}"##,
    ] {
        assert!(matches!(compile(text), Err(SchemaFault::Cycle { .. })), "{text}: {}", fault_of(text));
    }
}

#[test]
fn recursion_through_parts_of_the_value_is_welcome() {
    let tree = schema(
        r##"{"$defs":{"node":{"type":"object","properties":{"v":{"type":"integer"},
             "kids":{"type":"array","items":{"$ref":"#/$defs/node"}}},"additionalProperties":false}},
             "$ref":"#/$defs/node"}"##,
    );
    assert_eq!(said(&tree, r#"{"v":1,"kids":[{"v":2,"kids":[]},{"v":3}]}"#), "");
    assert_eq!(
        said(&tree, r#"{"kids":[{"kids":[{"v":"x"}]}]}"#),
        "kids[0].kids[0].v: expected an integer, found the string \"x\"."
    );
    for text in [
        r##"{"$dynamicAnchor":"n","items":{"$dynamicRef":"#n"}}"##,
        r##"{"$anchor":"n","items":{"$ref":"#n"}}"##,
        r##"{"properties":{"a b":{"items":{"$ref":"#/properties/a%20b"}}}}"##,
        r##"{"properties":{"a/b~":{"items":{"$ref":"#/properties/a~1b~0"}}}}"##,
        r##"{"$id":"https://json-schema.org/draft/2020-12/schema","items":{"$ref":"#"},"x-ours":1}"##,
        r#"{"$schema":"https://json-schema.org/draft/2020-12/schema"}"#,
    ] {
        assert_eq!(fault_of(text), "compiles", "for {text}");
    }
}

#[test]
fn each_limit_holds_at_the_bound_and_bites_one_over_it() {
    let limits = SchemaLimits {
        bytes: 2_000,
        depth: 4,
        subschemas: 10,
        patterns: 2,
        pattern_chars: 5,
        unevaluated: 2,
        expansion: 6,
        frames: 40,
        ..SchemaLimits::TOOL
    };
    let verdict = |text: &str| match Schema::compile(text, &limits) {
        Ok(_) => "compiles".to_owned(),
        Err(fault) => format!("{fault:?}").split([' ', '{']).next().unwrap_or_default().to_owned(),
    };
    let padded = |n: usize| format!("{}{}", "{}", " ".repeat(n - 2));
    let nested = |n: usize| format!("{}true{}", r#"{"items":"#.repeat(n - 1), "}".repeat(n - 1));
    let wide = |n: usize| {
        let members: Vec<_> = (1..n).map(|index| format!("\"p{index}\":true")).collect();
        format!(r#"{{"properties":{{{}}}}}"#, members.join(","))
    };
    let patterns = |n: usize| {
        let members: Vec<_> = (0..n).map(|index| format!("\"p{index}\":true")).collect();
        format!(r#"{{"patternProperties":{{{}}}}}"#, members.join(","))
    };
    let unevaluated = |n: usize| {
        let members: Vec<_> =
            (0..n).map(|index| format!(r#""p{index}":{{"unevaluatedItems":true}}"#)).collect();
        format!(r#"{{"properties":{{{}}}}}"#, members.join(","))
    };
    let forms = |n: usize| format!(r#"{{"anyOf":[{}]}}"#, vec!["true"; n - 1].join(","));
    let pattern = |n: usize| format!(r#"{{"pattern":"{}"}}"#, "a".repeat(n));
    for (at, over, name) in [
        (padded(2_000), padded(2_001), "TooLarge"),
        (nested(4), nested(5), "TooDeep"),
        (wide(10), wide(11), "TooManySubschemas"),
        (patterns(2), patterns(3), "TooManyPatterns"),
        (unevaluated(2), unevaluated(3), "TooManyUnevaluated"),
        (pattern(5), pattern(6), "BadPattern"),
        (forms(6), forms(7), "Expansion"),
    ] {
        assert_eq!(verdict(&at), "compiles", "{name}: {at}");
        assert_eq!(verdict(&over), name, "{over}");
    }
    // Every level of the value stacks two sub-schemas here, and arguments have at most 65 levels.
    let deep = r##"{"$defs":{"n":{"items":{"$ref":"#/$defs/n"}}}}"##;
    assert_eq!(verdict(deep), "Frames");
    let enough = SchemaLimits { frames: 131, ..limits };
    assert!(Schema::compile(deep, &enough).is_ok());
}
