//! What people do not see: every class of control and invisible character, against every text that a guest can say.

use serde_json::{Value, json};
use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::Ground;
use toolhost_tests::wire::{Served, answering_params};

use super::Stage;

/// Each class with its characters.
const CLASSES: &[(&str, &[std::ops::RangeInclusive<u32>])] = &[
    ("C0 controls", &[0..=8, 0xb..=0x1f, 0x7f..=0x7f]),
    ("C1 controls", &[0x80..=0x9f]),
    ("soft hyphen", &[0xad..=0xad]),
    ("combining grapheme joiner", &[0x34f..=0x34f]),
    ("letters without a form", &[0x115f..=0x1160, 0x17b4..=0x17b5, 0x3164..=0x3164, 0xffa0..=0xffa0]),
    ("marks of direction", &[0x61c..=0x61c, 0x200e..=0x200f]),
    ("overrides of direction", &[0x202a..=0x202e, 0x2066..=0x2069]),
    ("spaces without width", &[0x180e..=0x180e, 0x200b..=0x200b, 0x2060..=0x2060, 0xfeff..=0xfeff]),
    ("separators of lines", &[0x2028..=0x2029]),
    ("operators without a form", &[0x2061..=0x2065]),
    ("deprecated formats", &[0x206a..=0x206f]),
    ("interlinear annotation", &[0xfff0..=0xfffb]),
    ("shorthand formats", &[0x1bca0..=0x1bca3]),
    ("musical formats", &[0x1d173..=0x1d17a]),
    ("tags", &[0xe0000..=0xe007f]),
    ("further variants", &[0xe0100..=0xe01ef]),
    ("no characters", &[0xfdd0..=0xfdef, 0xfffe..=0xffff, 0x1fffe..=0x1ffff, 0x10fffe..=0x10ffff]),
];

/// All characters of each class as one text.
pub(super) fn classes() -> impl Iterator<Item = (&'static str, String)> {
    CLASSES.iter().map(|(class, ranges)| {
        (*class, ranges.iter().flat_map(|range| range.clone()).filter_map(char::from_u32).collect())
    })
}

/// Arguments with the bytes of a text.
pub(super) fn hexadecimal(text: &str) -> String {
    let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!(r#"{{"a":"{digits}"}}"#)
}

/// A text as JSON with an escape for each of its characters.
pub(super) fn escaped(text: &str) -> String {
    let mut units = [0; 2];
    let escapes =
        |c: char| c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
    format!("\"{}\"", text.chars().map(escapes).collect::<String>())
}

/// Every string of an answer, its keys too.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            found.push(key.clone());
            strings(value, found);
        }),
        _ => {}
    }
}

/// Calls the guest with a text of each class, and finds nothing of it in the whole answer that a client gets.
pub(super) async fn in_every_class(stage: &Stage, arguments: impl Fn(&str) -> String) {
    let ground = Ground::new().component("t", &stage.guest.component());
    let served = Served::start(ground.path());
    let mut survived = Vec::new();
    for (class, hidden) in classes() {
        let arguments = arguments(&format!("be{hidden}fore"));
        let params = answering_params(stage.guest.name, &arguments, "", &json!({}));
        let answer = served.request("tools/call", Some(stage.guest.name), &params).await;
        let mut found = Vec::new();
        strings(&answer, &mut found);
        assert!(found.iter().any(|text| text.contains("before")), "{class}: {answer}");
        for text in found {
            if text.chars().any(|c| hidden.contains(c)) {
                survived.push(format!("{class}: {text:?}"));
            }
        }
    }
    assert!(survived.is_empty(), "{survived:#?}");
}

/// A component that says something hidden in one text of its description, and the reason why it is refused.
async fn refusals(tools: Vec<(String, GuestTool)>) -> Vec<(String, String)> {
    let mut ground = Ground::new();
    for (place, tool) in &tools {
        let name = place.replace(' ', "_");
        ground = ground.component(&name, &Guest::of(vec![tool.clone()], &Guest::echo()).build());
    }
    let host = ground.start().await;
    let report = host.load_report();
    let reason = |place: &String| {
        let file = format!("{}.wasm", place.replace(' ', "_"));
        let refused = report.refused.iter().find(|refused| refused.path.ends_with(&file));
        refused.map_or_else(|| "it is served".to_owned(), |refused| refused.reason.clone())
    };
    tools.iter().map(|(place, _)| (place.clone(), reason(place))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_text_of_a_description_hides_anything() {
    let with = |change: &dyn Fn(&mut GuestTool)| {
        let mut tool = GuestTool::new("poison");
        change(&mut tool);
        tool
    };
    let schema = |text: &str| {
        format!(
            r#"{{"type":"object","additionalProperties":false,"properties":{{"a":{{"description":{text}}}}}}}"#
        )
    };
    let tag = "x\u{e0041}y";
    let mut tools = vec![
        ("name", with(&|tool| tool.name = tag.into())),
        ("title", with(&|tool| tool.title = Some(tag.into()))),
        ("pool", with(&|tool| tool.pool = Some(tag.into()))),
        ("key", with(&|tool| tool.idempotency_key = Some(tag.into()))),
        ("input schema", with(&|tool| tool.input_schema = schema(&json!(tag).to_string()))),
        ("input schema escaped", with(&|tool| tool.input_schema = schema(&escaped(tag)))),
        ("output schema", with(&|tool| tool.output_schema = Some(schema(&json!(tag).to_string())))),
        ("output schema escaped", with(&|tool| tool.output_schema = Some(schema(&escaped(tag))))),
        ("capability", with(&|tool| tool.capabilities = vec![tag.into()])),
        ("title of an example", with(&|tool| tool.examples = vec![(tag.into(), "{}".into())])),
        (
            "arguments of an example",
            with(&|tool| tool.examples = vec![("x".into(), format!("{{\"a\":\"{tag}\"}}"))]),
        ),
    ]
    .into_iter()
    .map(|(place, tool)| (place.to_owned(), tool))
    .collect::<Vec<_>>();
    for (class, hidden) in classes() {
        let hidden: String = hidden.chars().take(1).collect();
        tools.push((class.to_owned(), with(&|tool| tool.description = format!("It does{hidden} nothing."))));
    }
    for (place, reason) in refusals(tools).await {
        let known = reason.contains("has control, bidirectional or invisible characters")
            || reason.contains("is not valid: it must ");
        assert!(known, "{place}: {reason}");
        assert!(!reason.contains('\u{e0041}'), "{place}: {reason}");
    }
}
