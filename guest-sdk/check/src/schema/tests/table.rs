//! A table of schemas made to cost more than they weigh: refused at load with the reason, or taken and then checked
//! within bounds.

use super::*;

fn nested(open: &str, close: &str, depth: usize) -> String {
    format!("{}true{}", open.repeat(depth), close.repeat(depth))
}

fn many(what: impl Fn(usize) -> String, number: usize) -> String {
    (0..number).map(what).collect::<Vec<_>>().join(",")
}

/// Refused, and a part of the reason.
fn refused() -> Vec<(String, &'static str)> {
    let owned = |text: &str| text.to_owned();
    vec![
        (owned(r##"{"$ref":"#"}"##), "leads back to itself"),
        (owned(r##"{"allOf":[{"$ref":"#"}]}"##), "leads back to itself"),
        (owned(r##"{"anyOf":[{"type":"null"},{"$ref":"#"}]}"##), "leads back to itself"),
        (owned(r##"{"oneOf":[true,{"$ref":"#"}]}"##), "leads back to itself"),
        (owned(r##"{"not":{"$ref":"#"}}"##), "leads back to itself"),
        (owned(r##"{"if":{"$ref":"#"},"then":true}"##), "leads back to itself"),
        (owned(r##"{"dependentSchemas":{"a":{"$ref":"#"}}}"##), "leads back to itself"),
        (
            owned(r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##),
            "leads back to itself",
        ),
        (owned(r#"{"$ref":"http://x.test/schema"}"#), "leads out of the schema"),
        (owned(r#"{"$ref":"file:///etc/passwd"}"#), "leads out of the schema"),
        (owned(r#"{"$ref":"other.json"}"#), "leads out of the schema"),
        (owned(r##"{"$ref":"#/$defs/none"}"##), "leads to no sub-schema"),
        (owned(r##"{"$ref":"#none"}"##), "leads to no sub-schema"),
        (owned(r#"{"properties":{"a":{"$id":"http://x.test/"}}}"#), "'$id' is only allowed at the root"),
        (owned(r#"{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}"#), "is defined twice"),
        (owned(r#"{"$schema":"http://json-schema.org/draft-07/schema#"}"#), "is not supported"),
        (owned(r#"{"typ":"object"}"#), "unknown keyword"),
        (owned(r#"{"type":"strin"}"#), "'/type'"),
        (owned(r#"{"minLength":-1}"#), "'/minLength'"),
        (owned(r#"{"type":"object","type":"string"}"#), "appears twice"),
        (owned("[]"), "must be a JSON object"),
        (nested(r#"{"items":"#, "}", 200), "nested deeper than"),
        (nested(r#"{"not":"#, "}", 40), "nested deeper than"),
        (format!(r#"{{"properties":{{{}}}}}"#, many(|at| format!(r#""p{at}":{{}}"#), 2_000)), "sub-schemas"),
        (format!(r#"{{"anyOf":[{}]}}"#, many(|_| "{}".to_owned(), 300)), "can meet more than"),
        (format!(r#"{{"enum":[{}]}}"#, many(|at| at.to_string(), 20_000)), "bytes, more than"),
        (format!(r#"{{"description":"{}"}}"#, "x".repeat(70_000)), "bytes, more than"),
        (
            format!(r#"{{"patternProperties":{{{}}}}}"#, many(|at| format!(r#""p{at}":true"#), 65)),
            "regular expressions",
        ),
        (format!(r#"{{"pattern":"{}"}}"#, "a".repeat(1_001)), "is refused"),
        (owned(r#"{"pattern":"(?=a)"}"#), "is refused"),
        (owned(r#"{"pattern":"(?<!a)b"}"#), "is refused"),
        (owned(r#"{"pattern":"(a)\\1"}"#), "is refused"),
        (owned(r#"{"pattern":"("}"#), "is refused"),
        (owned(r#"{"pattern":"(a{1000}){1000}"}"#), "is refused"),
        (owned(r#"{"patternProperties":{"((a{100}){100}){100}":true}}"#), "is refused"),
        (format!(r#"{{"multipleOf":0.{}}}"#, "1".repeat(500)), "digits"),
        (
            format!(r#"{{"allOf":[{}]}}"#, many(|_| r#"{"unevaluatedProperties":false}"#.to_owned(), 17)),
            "are used more than",
        ),
    ]
}

#[test]
fn what_could_go_wrong_later_is_refused_with_its_reason() {
    let table = refused();
    assert!(table.len() >= 30);
    for (text, reason) in table {
        let shown: String = text.chars().take(80).collect();
        let fault = fault_of(&text);
        assert!(fault.contains(reason), "{shown}: {fault}");
        assert!(fault.len() < 400, "{shown}: {} bytes of reason", fault.len());
    }
}

#[test]
fn what_is_taken_is_checked_within_bounds() {
    let wide = format!("[{}]", vec!["[]"; 50_000].join(","));
    let long = format!("\"{}!\"", "a".repeat(500_000));
    for (text, value) in [
        (r#"{"pattern":"^(a|a)*$"}"#, long.as_str()),
        (r#"{"pattern":"^(a*)*b$"}"#, &long),
        (r#"{"pattern":"(x+x+)+y"}"#, &long),
        (r#"{"uniqueItems":true}"#, &wide),
        (r#"{"items":{"not":{"const":[]}}}"#, &wide),
        (r#"{"contains":{"type":"string"}}"#, &wide),
        (r#"{"prefixItems":[{"type":"null"}],"unevaluatedItems":false}"#, &wide),
        (r#"{"maxLength":10}"#, &long),
    ] {
        let faults = said(&schema(text), value);
        // It says what is wrong, and in few words, whatever it was given.
        assert!(!faults.is_empty() && faults.len() < 10_000, "{text}: {} bytes", faults.len());
    }
}
