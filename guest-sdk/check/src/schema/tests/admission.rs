use super::*;

fn admit(text: &str, accept: Accept) -> String {
    match Schema::admit_input(text, &SchemaLimits::TOOL, accept) {
        Ok(_) => "admitted".to_owned(),
        Err(fault) => fault.to_string(),
    }
}

fn open() -> String {
    SchemaFault::Open.to_string()
}

#[test]
fn the_root_must_be_an_object() {
    for text in ["{}", r#"{"type":"string"}"#, r#"{"type":["object","null"],"additionalProperties":false}"#] {
        assert_eq!(admit(text, Accept::default()), SchemaFault::NotObjectTyped.to_string(), "for {text}");
    }
}

#[test]
fn unknown_properties_must_be_refused() {
    for text in [
        r#"{"type":"object","additionalProperties":false}"#,
        r#"{"type":"object","unevaluatedProperties":false}"#,
        r##"{"type":"object","$ref":"#/$defs/a","$defs":{"a":{"additionalProperties":false}}}"##,
        r#"{"type":"object","allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}"#,
    ] {
        assert_eq!(admit(text, Accept::default()), "admitted", "for {text}");
    }
    for text in [
        r#"{"type":"object"}"#,
        r#"{"type":"object","additionalProperties":true}"#,
        r#"{"type":"object","additionalProperties":{"type":"string"}}"#,
        r#"{"type":"object","patternProperties":{"^x-":true},"additionalProperties":false}"#,
        r#"{"type":"object","anyOf":[{"additionalProperties":false},{"minProperties":1}]}"#,
        r#"{"type":"object","allOf":[{"additionalProperties":true}],"unevaluatedProperties":false}"#,
        r#"{"type":"object","anyOf":[{"patternProperties":{"^z$":true}}],"unevaluatedProperties":false}"#,
        r#"{"type":"object","properties":{"a":{"additionalProperties":false}}}"#,
    ] {
        assert_eq!(admit(text, Accept::default()), open(), "for {text}");
        assert_eq!(admit(text, Accept { open: true, ..Accept::default() }), "admitted", "for {text}");
    }
}

#[test]
fn names_of_the_context_and_the_policy_are_not_arguments() {
    for name in RESERVED_NAMES {
        for (text, pointer) in [
            (
                format!(r#"{{"type":"object","properties":{{"{name}":true}},"additionalProperties":false}}"#),
                "",
            ),
            (format!(r#"{{"type":"object","required":["{name}"],"additionalProperties":false}}"#), ""),
            (
                format!(
                    r#"{{"type":"object","anyOf":[true,{{"properties":{{"{name}":true}}}}],"unevaluatedProperties":false}}"#
                ),
                "/anyOf/1",
            ),
            (
                format!(
                    r##"{{"type":"object","$ref":"#/$defs/a","$defs":{{"a":{{"properties":{{"{name}":true}}}}}},"additionalProperties":false}}"##
                ),
                "/$defs/a",
            ),
            (
                format!(
                    r#"{{"type":"object","patternProperties":{{"^{name}$":true}},"additionalProperties":false}}"#
                ),
                "",
            ),
        ] {
            let fault = SchemaFault::ReservedName { pointer: pointer.to_owned(), name: name.to_owned() };
            assert_eq!(admit(&text, Accept::default()), fault.to_string(), "for {text}");
            assert_eq!(admit(&text, Accept { open: true, reserved_names: true }), "admitted", "for {text}");
        }
        // Deeper down it is data like any other.
        let text = format!(
            r#"{{"type":"object","properties":{{"user":{{"properties":{{"{name}":true}}}}}},"additionalProperties":false}}"#
        );
        assert_eq!(admit(&text, Accept::default()), "admitted");
    }
}
