//! Unions through a real call. Numbers inside them have to keep every digit, which is where `serde_json` alone fails.

use serde::{Deserialize, Serialize};
use toolhost_sdk::testing::{self, FakeContext};
use toolhost_sdk::{ToolType, tool};

#[derive(Debug, Serialize, Deserialize, ToolType)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Tagged {
    Amount { value: f64, id: u64 },
    Nothing,
}

#[derive(Debug, Serialize, Deserialize, ToolType)]
#[serde(untagged)]
enum Untagged {
    Whole(i64),
    Float(f64),
    List(Vec<Untagged>),
    Text(String),
}

#[derive(Debug, Serialize, Deserialize, ToolType)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Float(f64),
    Unit,
}

#[derive(Debug, Serialize, Deserialize, ToolType)]
enum External {
    Float(f64),
    Named { id: u64 },
    Unit,
}

/// Shows what it was given. No side effect.
#[tool]
fn show(
    tagged: Option<Tagged>,
    untagged: Option<Untagged>,
    adjacent: Option<Adjacent>,
    external: Option<External>,
) -> String {
    format!("{tagged:?} {untagged:?} {adjacent:?} {external:?}")
}

fn shown(arguments: &str) -> String {
    let seen = testing::call(&show {}, &FakeContext::new(), arguments);
    assert!(!seen.is_error, "{}", seen.text);
    seen.text.replace("None", "").trim().to_owned()
}

#[test]
fn every_form_reads_numbers_as_they_were_written() {
    assert_eq!(
        shown(r#"{"tagged": {"kind": "amount", "value": 0.10, "id": 9007199254740993}}"#),
        "Some(Amount { value: 0.1, id: 9007199254740993 })"
    );
    assert_eq!(
        shown(r#"{"tagged": {"value": 1e2, "id": 18446744073709551615.0, "kind": "amount"}}"#),
        "Some(Amount { value: 100.0, id: 18446744073709551615 })"
    );
    assert_eq!(shown(r#"{"tagged": {"kind": "nothing"}}"#), "Some(Nothing)");
    assert_eq!(
        shown(r#"{"untagged": [9007199254740993, 0.10, "x", 1e30]}"#),
        r#"Some(List([Whole(9007199254740993), Float(0.1), Text("x"), Float(1e30)]))"#
    );
    assert_eq!(shown(r#"{"adjacent": {"t": "Float", "c": 2.50}}"#), "Some(Float(2.5))");
    assert_eq!(shown(r#"{"adjacent": {"t": "Unit"}}"#), "Some(Unit)");
    assert_eq!(shown(r#"{"external": {"Float": 0.30}}"#), "Some(Float(0.3))");
    assert_eq!(shown(r#"{"external": {"Named": {"id": 1}}}"#), "Some(Named { id: 1 })");
    assert_eq!(shown(r#"{"external": "Unit"}"#), "Some(Unit)");
}

#[test]
fn another_form_is_refused_by_its_name() {
    for arguments in [
        r#"{"tagged": {"kind": "other"}}"#,
        r#"{"tagged": {"kind": "amount", "value": 1}}"#,
        r#"{"tagged": {"kind": "nothing", "more": 1}}"#,
        r#"{"adjacent": {"t": "Float"}}"#,
        r#"{"external": {"Float": 1, "Unit": null}}"#,
        r#"{"external": "Named"}"#,
    ] {
        let seen = testing::call(&show {}, &FakeContext::new(), arguments);
        assert_eq!(seen.kind.as_deref(), Some("InvalidArguments"), "{arguments}: {}", seen.text);
        let field = arguments.split('"').nth(1).expect("a name");
        assert!(seen.text.contains(&format!(" {field}")), "{}", seen.text);
    }
}
