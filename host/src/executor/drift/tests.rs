use serde_json::json;

use super::*;

fn tool(name: &str) -> Value {
    json!({
        "name": name,
        "description": "Cancels an order.\nAsk first.\nIt has a side effect.",
        "input_schema": {
            "type": "object",
            "properties": {"order_id": {"type": "string"}, "a/b": {"maximum": 5}},
            "required": ["order_id"],
        },
        "annotations": {"read_only": true},
        "wishes": {"timeout_ms": null},
        "examples": [],
    })
}

fn drift(before: &Value, after: &Value) -> Drift {
    Drift::between(Some(&before.to_string()), Some(&after.to_string()))
}

fn lines(drift: &Drift) -> Vec<String> {
    drift.differences.iter().map(ToString::to_string).collect()
}

#[test]
fn each_kind_of_change_is_told_in_a_line_of_its_own() {
    let before = json!({"imports": ["wasi:io/poll@0.2.6"], "tools": [tool("a"), tool("gone")]});
    let mut changed = tool("a");
    changed["description"] = json!("Cancels an order.\nNever ask.\nIt has a side effect.");
    changed["input_schema"]["properties"]["order_id"]["type"] = json!("integer");
    changed["input_schema"]["properties"]["a/b"]["maximum"] = json!(6);
    changed["input_schema"]["required"] = json!(["order_id", "a/b"]);
    changed["annotations"]["read_only"] = json!(false);
    changed["wishes"]["timeout_ms"] = json!(500);
    changed["examples"] = json!([{"title": "x"}]);
    let after = json!({
        "imports": ["wasi:http/outgoing-handler@0.2.6", "wasi:io/poll@0.2.6"],
        "tools": [tool("new"), changed],
    });
    let found = drift(&before, &after);
    assert_eq!(
        lines(&found),
        [
            "import \"wasi:http/outgoing-handler@0.2.6\" added",
            "tool new added",
            "tool a /description\n  - Ask first.\n  + Never ask.",
            "tool a /input_schema/properties/order_id/type: \"string\" became \"integer\"",
            "tool a /input_schema/properties/a~1b/maximum: 5 became 6",
            "tool a /input_schema/required added: \"a/b\"",
            "tool a /annotations/read_only: true became false",
            "tool a /wishes/timeout_ms: null became 500",
            "tool a /examples/0 added: {\"title\":\"x\"}",
            "tool gone removed",
        ]
    );
    assert!(found.summary().starts_with("changed: import \"wasi:http"), "{}", found.summary());
    let value = Value::from(&found.differences[3]);
    assert_eq!(
        value,
        json!({"tool": "a", "place": "/input_schema/properties/order_id/type", "before": "string", "after": "integer"})
    );
}

#[test]
fn what_says_the_same_changed_its_code_alone() {
    let same = json!({"imports": [], "tools": [tool("a")]});
    let found = drift(&same, &same);
    assert_eq!(found, Drift::default());
    assert_eq!(found.summary(), "its code changed, and nothing that it says about itself");
}

#[test]
fn texts_in_another_order_are_a_change() {
    let mut turned = tool("a");
    turned["input_schema"]["required"] = json!(["x", "order_id"]);
    let mut other = turned.clone();
    other["input_schema"]["required"] = json!(["order_id", "x"]);
    assert_eq!(lines(&drift(&json!({"tools": [turned]}), &json!({"tools": [other]}))).len(), 2);
}

#[test]
fn however_much_changes_what_is_told_is_bounded() {
    let many = |value: &str| {
        let properties: Map<String, Value> =
            (0..1_000).map(|at| (format!("p{at}"), json!(value.repeat(5_000)))).collect();
        let mut tool = tool("a");
        tool["input_schema"]["properties"] = properties.into();
        json!({"tools": [tool]})
    };
    let found = drift(&many("x"), &many("y"));
    assert_eq!((found.differences.len(), found.omitted), (MOST, 800));
    assert!(found.summary().chars().count() <= LONGEST_SUMMARY + " and more".len());
    assert!(lines(&found).iter().all(|line| line.len() < 3 * LONGEST_VALUE));
    assert_eq!(Drift::between(None, Some("no JSON")), Drift::default());
}

#[test]
fn lines_that_stay_are_not_told() {
    assert_eq!(lines::diff("a\nb\nc\nd", "b\nx\nd\ne"), ["- a", "- c", "+ x", "+ e"]);
    assert_eq!(lines::diff("", "a"), ["+ a"]);
    assert_eq!(lines::diff("a\na", "a"), ["- a"]);
    let long = "x\n".repeat(2_000);
    assert_eq!(lines::diff(&long, "y").len(), 2_001);
}
