//! Schemas and values made to cost more than they weigh. Each must be refused or answered; a regression hangs or
//! overflows the stack instead.

use super::*;

fn doubling(keyword: &str, depth: usize) -> String {
    let defs: Vec<String> = (0..depth)
        .map(|at| {
            format!(
                r##""a{at}":{{"{keyword}":[{{"$ref":"#/$defs/a{0}"}},{{"$ref":"#/$defs/a{0}"}}]}}"##,
                at + 1
            )
        })
        .collect();
    format!(r##"{{"$defs":{{{},"a{depth}":true}},"$ref":"#/$defs/a0"}}"##, defs.join(","))
}

#[test]
fn doubling_forms_are_refused() {
    for keyword in ["anyOf", "allOf", "oneOf"] {
        let fault = compile(&doubling(keyword, 30)).expect_err(keyword);
        assert!(matches!(fault, SchemaFault::Expansion { .. }), "{fault}");
    }
    assert!(compile(&doubling("anyOf", 5)).is_ok());
}

#[test]
fn doubling_parts_cost_no_more_than_the_value() {
    // Each level names the next one twice, but a value must pay for every step down.
    let defs: Vec<String> = (0..30)
        .map(|at| format!(r##""a{at}":{{"properties":{{"l":{{"$ref":"#/$defs/a{0}"}},"r":{{"$ref":"#/$defs/a{0}"}}}}}}"##, at + 1))
        .collect();
    let schema = schema(&format!(r##"{{"$defs":{{{},"a30":false}},"$ref":"#/$defs/a0"}}"##, defs.join(",")));
    let deep = |n: usize| format!("{}1{}", r#"{"l":"#.repeat(n), "}".repeat(n));
    assert_eq!(said(&schema, &deep(29)), "");
    assert!(said(&schema, &deep(30)).ends_with(".l: not allowed."));
}

#[test]
fn recursion_that_doubles_at_every_level_is_stopped_by_the_bound_on_steps() {
    let schema = schema(
        r##"{"$defs":{"n":{"anyOf":[{"items":{"$ref":"#/$defs/n"}},{"items":{"$ref":"#/$defs/n"},"minItems":1}]}},
             "$ref":"#/$defs/n"}"##,
    );
    let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert_eq!(said(&schema, &nested(10)), "");
    assert_eq!(
        said(&schema, &nested(60)),
        "(arguments): too large or too deeply nested to be checked against this schema; send less at once."
    );
}

#[test]
fn a_deep_tree_of_tagged_forms_is_cheap() {
    let forms: Vec<String> = (0..10)
        .map(|at| {
            format!(
                r##"{{"type":"object","properties":{{"left":{{"$ref":"#/$defs/e"}},"op":{{"const":"op{at}"}}}},"required":["op"],"additionalProperties":false}}"##
            )
        })
        .collect();
    let schema =
        schema(&format!(r##"{{"$defs":{{"e":{{"oneOf":[{}]}}}},"$ref":"#/$defs/e"}}"##, forms.join(",")));
    let tree = |bottom: &str| format!("{}{bottom}{}", r#"{"op":"op9","left":"#.repeat(62), "}".repeat(62));
    assert_eq!(said(&schema, &tree(r#"{"op":"op3"}"#)), "");
    assert!(said(&schema, &tree(r#"{"op":"op99"}"#)).contains("expected one of \"op0\""));
}

#[test]
fn many_elements_against_many_rules_are_stopped() {
    let limits = SchemaLimits { steps: 1_000, ..SchemaLimits::TOOL };
    let schema = Schema::compile(r#"{"items":{"type":"integer"}}"#, &limits).expect("sound");
    let items = |n: usize| format!("[{}]", vec!["1"; n].join(","));
    // One step for the root and one for each item.
    assert_eq!(said(&schema, &items(999)), "");
    assert!(said(&schema, &items(1_000)).starts_with("(arguments): too large"));

    let options: Vec<String> = (0..8_000).map(|index| index.to_string()).collect();
    let schema = compile(&format!(r#"{{"items":{{"enum":[{}]}}}}"#, options.join(","))).expect("sound");
    assert!(said(&schema, &items(100_000)).starts_with("(arguments): too large"));
}

#[test]
fn long_numbers_that_share_a_float_are_told_apart_quickly() {
    let schema = schema(r#"{"uniqueItems":true}"#);
    let items: Vec<String> = (0..20_000).map(|index| format!("9007199254740992.{index:020}1")).collect();
    assert_eq!(said(&schema, &format!("[{}]", items.join(","))), "");
    let huge: Vec<String> = (1..5_000).map(|index| format!("{index}1e900")).collect();
    assert_eq!(said(&schema, &format!("[{}]", huge.join(","))), "");
}

#[test]
fn a_pattern_that_ruins_backtracking_is_linear_here() {
    let schema = schema(r#"{"pattern":"^(a+)+$"}"#);
    let text = format!("\"{}!\"", "a".repeat(100_000));
    assert!(said(&schema, &text).starts_with("(arguments): must match the pattern"));
    for pattern in ["(a{1000}){1000}", "((((a{100}){100}){100}){100})", "\\\\pL{900}{900}"] {
        let fault = compile(&format!(r#"{{"pattern":"{pattern}"}}"#)).expect_err(pattern);
        assert!(matches!(fault, SchemaFault::BadPattern { .. }), "{fault}");
    }
}

#[test]
fn nested_unevaluated_keywords_compile_and_check_in_bounds() {
    let mut text = "true".to_owned();
    for at in 0..16 {
        text = format!(r#"{{"properties":{{"p{at}":true}},"allOf":[{text}],"unevaluatedProperties":false}}"#);
    }
    // Whatever the answer is, it comes.
    if let Ok(schema) = compile(&text) {
        assert!(!said(&schema, r#"{"p15":1}"#).is_empty());
    }
}

#[test]
fn the_deepest_value_against_the_tallest_schema_fits_a_small_stack() {
    // Five sub-schemas on each other at every level, close to the bound on frames.
    let text = r##"{"$defs":{"n":{"allOf":[{"anyOf":[{"allOf":[{"items":{"$ref":"#/$defs/n"}}]}]}]}},"$ref":"#/$defs/n"}"##;
    let frames = SchemaLimits { frames: 329, ..SchemaLimits::TOOL };
    let check = move || {
        let schema = Schema::compile(text, &frames).expect("just within the bound");
        for bottom in ["1", "\"x\""] {
            let value = format!("{}{bottom}{}", "[".repeat(63), "]".repeat(63));
            assert_eq!(said(&schema, &value), "");
        }
        assert!(Schema::compile(text, &SchemaLimits { frames: 200, ..frames }).is_err());
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(check).expect("a thread");
    thread.join().expect("no overflow");
}

#[test]
fn the_longest_lists_of_a_flat_schema_stay_within_its_bound() {
    let names: Vec<String> = (0..64).map(|at| format!("n{at}")).collect();
    let schema = schema(
        &serde_json::json!({"items": {"items": {"enum": names, "required": names}, "enum": names}})
            .to_string(),
    );
    assert!(bounds::is_flat(&schema.graph));
    for item in ["[]", "{}", "0", "\"\"", "[0]", "[{},{},{}]"] {
        let text = format!("[{}]", [item; 500].join(","));
        let value: Value = serde_json::from_str(&text).expect(&text);
        let limits = SchemaLimits { steps: text.len() * bounds::FLAT_STEPS_PER_BYTE, ..schema.limits };
        assert!(walk::faults(&schema.graph, &value, &limits).is_ok(), "{item}");
    }
    let longer: Vec<usize> = (0..65).collect();
    for beyond in [
        serde_json::json!({"enum": longer}),
        serde_json::json!({"anyOf": [{"type": "null"}]}),
        serde_json::json!({"patternProperties": {"a": true}}),
        serde_json::json!({"propertyNames": true}),
        serde_json::json!({"contains": true}),
        serde_json::json!({"unevaluatedProperties": false}),
        serde_json::json!({"unevaluatedItems": false}),
        serde_json::json!({"dependentRequired": {"a": ["b"]}}),
    ] {
        assert!(!bounds::is_flat(&self::schema(&beyond.to_string()).graph), "{beyond}");
    }
}
