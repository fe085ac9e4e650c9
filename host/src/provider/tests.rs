//! Whole lists: every tool of the corpus in every form, as golden files and as rules that each form has to keep.

use serde_json::{Value, json};

use super::fixtures::{corpus, schema, snapshot};
use super::*;
use crate::policy::Access;

fn listed(exports: &Exports, snapshot: &Arc<Snapshot>, format: Format, strict: Strict) -> Listed {
    let access = Access::everything();
    tools(exports, snapshot, &Wanted { format, strict, access: &access, narrowed: None })
}

/// A line longer than this is shown by its length and its digest.
const LONGEST: usize = 4_000;

/// The text of the list and of its report, for people to read: a line for each tool.
fn shown(listed: &Listed) -> String {
    let list: Value = serde_json::from_str(&listed.text).unwrap();
    let functions = list.pointer("/tools/0/functionDeclarations").unwrap_or(&list["tools"]);
    let tools = functions.as_array().unwrap().iter().map(|tool| {
        let line = tool.to_string();
        if line.len() <= LONGEST {
            return line;
        }
        format!("{} has {} bytes, {}", tool["name"], line.len(), crate::id::Digest::of(line.as_bytes()))
    });
    let remarks = listed.report.remarks().map(ToString::to_string);
    tools.chain([String::new()]).chain(remarks).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_form_is_as_it_was() {
    let snapshot = snapshot(corpus());
    for format in Format::ALL {
        for strict in Strict::ALL {
            // The other combinations are one of these.
            let differs = match format {
                Format::OpenAi | Format::OpenAiChat => strict != Strict::Off || format == Format::OpenAi,
                Format::Anthropic => strict != Strict::Auto,
                Format::Mcp | Format::Gemini => strict == Strict::Off,
            };
            if differs && (format != Format::OpenAiChat || strict == Strict::Auto) {
                let listed = listed(&Exports::default(), &snapshot, format, strict);
                insta::assert_snapshot!(format!("{format}_{strict}"), shown(&listed));
            }
        }
    }
}

#[test]
fn the_same_tools_give_the_same_bytes() {
    let (one, two) = (snapshot(corpus()), snapshot(corpus().into_iter().rev().collect()));
    for format in Format::ALL {
        for strict in Strict::ALL {
            let first = listed(&Exports::default(), &one, format, strict);
            assert_eq!(listed(&Exports::default(), &two, format, strict), first);
        }
    }
}

#[test]
fn a_tool_is_written_once_for_each_snapshot() {
    let (exports, one) = (Exports::default(), snapshot(corpus()));
    let kept = exports.of(&one);
    assert!(Arc::ptr_eq(&exports.of(&one), &kept));
    let two = snapshot(vec![("other".to_owned(), schema(&json!({"type": "object"})))]);
    let text = listed(&exports, &two, Format::OpenAi, Strict::Off).text;
    assert!(text.contains("other") && !text.contains("no_parameters"), "{text}");
    assert!(!Arc::ptr_eq(&exports.of(&two), &kept));
}

#[test]
fn a_list_has_what_the_caller_may_call() {
    let tool = |name: &str| (name.to_owned(), schema(&json!({"type": "object"})));
    let snapshot = snapshot(vec![tool("b"), tool("a"), tool("c")]);
    let access = Access::everything();
    let only: [crate::policy::Pattern; 2] = ["a".parse().unwrap(), "c".parse().unwrap()];
    for format in Format::ALL {
        let exports = Exports::default();
        let all = tools(
            &exports,
            &snapshot,
            &Wanted { format, strict: Strict::Auto, access: &access, narrowed: None },
        );
        let names = |listed: &Listed| -> Vec<String> {
            listed.report.tools.iter().map(|tool| tool.name.to_string()).collect()
        };
        assert_eq!(names(&all), ["a", "b", "c"]);
        let some = tools(
            &exports,
            &snapshot,
            &Wanted { format, strict: Strict::Auto, access: &access, narrowed: Some(&only) },
        );
        assert_eq!(names(&some), ["a", "c"]);
        assert!(!some.text.contains(r#""name":"b""#), "{}", some.text);
        let none = tools(
            &exports,
            &snapshot,
            &Wanted { format, strict: Strict::Auto, access: &access, narrowed: Some(&[]) },
        );
        assert_eq!(none.text, r#"{"tools":[]}"#);
    }
}

#[test]
fn anthropic_is_sent_no_more_strict_tools_than_it_takes() {
    let plain = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
    let optional: Value = (0..10)
        .map(|n| (format!("p{n}"), json!({"type": "string"})))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let optional = json!({"type": "object", "properties": optional, "additionalProperties": false});
    let union: Value = (0..10)
        .map(|n| (format!("p{n}"), json!({"type": ["string", "null"]})))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let names: Vec<String> = (0..10).map(|n| format!("p{n}")).collect();
    let union =
        json!({"type": "object", "properties": union, "required": names, "additionalProperties": false});
    for (source, n_tools, n_strict, said) in [
        (plain, 30, 20, "21 strict tools; Anthropic takes 20"),
        (optional, 5, 2, "30 optional properties of strict tools; Anthropic takes 24"),
        (union, 5, 1, "20 properties of several types in strict tools; Anthropic takes 16"),
    ] {
        let tools = (0..n_tools).map(|n| (format!("t{n:02}"), schema(&source))).collect();
        let listed = listed(&Exports::default(), &snapshot(tools), Format::Anthropic, Strict::On);
        let strict = listed.report.tools.iter().filter(|tool| tool.strict).count();
        assert_eq!((strict, listed.text.matches(r#""strict":true"#).count()), (n_strict, n_strict));
        let last = listed.report.tools.last().unwrap();
        assert!(last.not_strict.as_deref().unwrap().contains(said), "{last}");
    }
}

#[test]
fn what_cannot_be_held_is_said_by_name() {
    let snapshot = snapshot(corpus());
    let auto = listed(&Exports::default(), &snapshot, Format::OpenAi, Strict::Auto);
    let strict: Vec<&str> =
        auto.report.tools.iter().filter(|tool| tool.strict).map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        strict,
        [
            "all_of_at_the_root",
            "default_value",
            "described_root",
            "exact_numbers",
            "no_parameters",
            "no_properties_keyword",
            "odd_property_names",
            "optional_and_nullable",
            "properties_named_as_keywords",
            "references",
            "stray_dialect",
            "tagged_union_inside",
        ]
    );
    for tool in auto.report.tools.iter().filter(|tool| !tool.strict) {
        assert!(tool.not_strict.is_some(), "{tool}");
    }
    let gemini = listed(&Exports::default(), &snapshot, Format::Gemini, Strict::Auto);
    let remarks: Vec<String> = gemini.report.remarks().map(ToString::to_string).collect();
    let said = remarks.iter().find(|line| line.contains("recursion:")).unwrap();
    assert!(
        said.ends_with("'$ref' at /properties/tree/properties/children/items leads back to itself"),
        "{said}"
    );
}

#[test]
fn a_token_is_four_bytes() {
    let snapshot = snapshot(corpus());
    let listed = listed(&Exports::default(), &snapshot, Format::OpenAi, Strict::Off);
    let list: Value = serde_json::from_str(&listed.text).unwrap();
    for (tool, report) in list["tools"].as_array().unwrap().iter().zip(&listed.report.tools) {
        assert_eq!(report.tokens, tool.to_string().len().div_ceil(4));
    }
    assert_eq!(listed.report.tokens(), listed.report.tools.iter().map(|tool| tool.tokens).sum::<usize>());
}
