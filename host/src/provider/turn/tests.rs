//! Replies as providers send them and as nobody should, and what comes of each.

mod hostile;

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::gate::Surface;
use crate::id::CallId;
use crate::policy::{Access, Tenant};
use crate::provider::fixtures::{corpus, snapshot};
use crate::provider::{Exports, Strict, turn};
use crate::spec::{Code, Content, Failure, Media, Resource, ResourceBody, ResourceLink, Success, Usage};

/// The four who have replies.
const WITH_REPLIES: [Format; 4] = [Format::OpenAi, Format::OpenAiChat, Format::Anthropic, Format::Gemini];

fn read(format: Format, reply: &str) -> Result<Turn, TurnFault> {
    let access = Access::everything();
    let wanted = Wanted { format, strict: Strict::Auto, access: &access, narrowed: None };
    turn(&Exports::default(), &snapshot(corpus()), &wanted, reply.as_bytes())
}

/// A whole reply with these calls: id, name, and arguments as JSON text.
fn reply(format: Format, calls: &[(Option<&str>, &str, &str)], ended: &str) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let id = |key: &str, id: Option<&str>| {
        id.map(|id| format!("{}:{},", quoted(key), quoted(id))).unwrap_or_default()
    };
    let each = calls.iter().map(|(given, name, arguments)| {
        let (name, text) = (quoted(name), quoted(arguments));
        match format {
            Format::OpenAi => {
                let id = id("call_id", *given);
                format!(r#"{{"type":"function_call","id":"fc_1",{id}"name":{name},"arguments":{text},"status":"completed"}}"#)
            }
            Format::OpenAiChat => {
                let id = id("id", *given);
                format!(r#"{{{id}"type":"function","function":{{"name":{name},"arguments":{text}}}}}"#)
            }
            Format::Anthropic => {
                format!(r#"{{"type":"tool_use",{}"name":{name},"input":{arguments}}}"#, id("id", *given))
            }
            Format::Gemini | Format::Mcp => {
                let id = id("id", *given);
                format!(r#"{{"functionCall":{{{id}"name":{name},"args":{arguments}}},"thoughtSignature":"c2ln"}}"#)
            }
        }
    });
    let calls = each.collect::<Vec<_>>().join(",");
    let comma = if calls.is_empty() { "" } else { "," };
    match format {
        Format::OpenAi => format!(
            r#"{{"id":"resp_1","status":"{ended}","output":[{{"type":"reasoning","summary":[]}}{comma}{calls}]}}"#
        ),
        Format::OpenAiChat => format!(
            r#"{{"choices":[{{"index":0,"finish_reason":"{ended}","message":{{"role":"assistant","content":null,"tool_calls":[{calls}]}}}}]}}"#
        ),
        Format::Anthropic => format!(
            r#"{{"role":"assistant","stop_reason":"{ended}","content":[{{"type":"text","text":"I look."}}{comma}{calls}]}}"#
        ),
        Format::Gemini | Format::Mcp => format!(
            r#"{{"candidates":[{{"finishReason":"{ended}","content":{{"role":"model","parts":[{{"text":"I look."}}{comma}{calls}]}}}}]}}"#
        ),
    }
}

fn complete(format: Format) -> &'static str {
    match format {
        Format::OpenAi => "completed",
        Format::OpenAiChat => "tool_calls",
        Format::Anthropic => "tool_use",
        Format::Gemini | Format::Mcp => "STOP",
    }
}

fn caller() -> Caller {
    let tenant = Arc::new(Tenant::local("local".parse().unwrap()));
    Caller { tenant, user: None, surface: Surface::Http }
}

fn outcome(tool: &str, result: Result<Success, Failure>) -> Outcome {
    Outcome {
        call_id: CallId::fresh(),
        tool: tool.to_owned(),
        attempt: 1,
        replayed: false,
        usage: Usage::default(),
        result,
    }
}

fn success(content: Vec<Content>, structured: Option<&str>) -> Result<Success, Failure> {
    let structured =
        structured.map(|text| serde_json::value::RawValue::from_string(text.to_owned()).unwrap());
    Ok(Success { content, structured, truncated: false })
}

#[test]
fn calls_come_out_with_every_digit() {
    let arguments = r#"{"n": 9007199254740993, "price": 0.10, "e": 1.10}"#;
    for format in WITH_REPLIES {
        let text = reply(format, &[(Some("c1"), "exact_numbers", arguments)], complete(format));
        let turn = read(format, &text).unwrap();
        let wanted = Asked {
            id: "c1".to_owned(),
            is_id_made: false,
            tool: "exact_numbers".to_owned(),
            arguments: arguments.to_owned(),
        };
        assert_eq!((turn.asked.as_slice(), &turn.cut_off), (&[wanted][..], &None), "{format}");
        let calls = turn.calls(&caller());
        assert_eq!(calls[0].arguments, arguments.as_bytes());
        assert_eq!(calls[0].key, None);
    }
}

#[test]
fn what_strict_mode_and_names_made_of_arguments_is_taken_back() {
    let strict = r#"{"needed":"x","optional":null,"nullable":null,"needed_nullable":9007199254740993,"choice":null,"fixed":null,"list":null,"inner":null}"#;
    let meant = r#"{"needed":"x","nullable":null,"needed_nullable":9007199254740993}"#;
    for (format, wanted) in [
        (Format::OpenAi, meant),
        (Format::OpenAiChat, meant),
        // These were not shown a form in which null stands for nothing.
        (Format::Anthropic, strict),
        (Format::Gemini, strict),
    ] {
        let text = reply(format, &[(Some("c1"), "optional_and_nullable", strict)], complete(format));
        assert_eq!(read(format, &text).unwrap().asked[0].arguments, wanted, "{format}");
    }
    let exports = Exports::default();
    let (access, snapshot) = (Access::everything(), snapshot(corpus()));
    for format in [Format::Anthropic, Format::Gemini] {
        let wanted = Wanted { format, strict: Strict::On, access: &access, narrowed: None };
        let listed: Value = serde_json::from_str(&exports.of(&snapshot).list(&wanted).text).unwrap();
        let tools = match format {
            Format::Gemini => &listed["tools"][0]["functionDeclarations"],
            _ => &listed["tools"],
        };
        let tool =
            tools.as_array().unwrap().iter().find(|tool| tool["name"] == "odd_property_names").unwrap();
        let form = tool.get("input_schema").or(tool.get("parametersJsonSchema")).unwrap();
        let alias = form["required"][0].as_str().unwrap();
        assert_ne!(alias, "a b");
        let arguments = json!({alias: "x"}).to_string();
        let text = reply(format, &[(None, "odd_property_names", &arguments)], complete(format));
        let turn = turn(&exports, &snapshot, &wanted, text.as_bytes()).unwrap();
        assert_eq!(turn.asked[0].arguments, r#"{"a b":"x"}"#);
    }
}

#[test]
fn missing_empty_and_equal_ids_are_told_apart_and_all_calls_stay() {
    for format in WITH_REPLIES {
        let calls = [
            (None, "no_parameters", "{}"),
            (Some("call_1"), "no_parameters", "{}"),
            (Some(""), "no_parameters", "{}"),
            (Some("same"), "no_parameters", "{}"),
            (Some("same"), "no_parameters", "{}"),
        ];
        let turn = read(format, &reply(format, &calls, complete(format))).unwrap();
        let ids: Vec<(&str, bool)> =
            turn.asked.iter().map(|asked| (asked.id.as_str(), asked.is_id_made)).collect();
        let wanted =
            [("call_2", true), ("call_1", false), ("call_3", true), ("same", false), ("same", false)];
        assert_eq!(ids, wanted, "{format}");
        let texts =
            (0..5).map(|n| outcome("no_parameters", success(vec![Content::Text(n.to_string())], None)));
        let results = serde_json::to_string(&turn.results(&texts.collect::<Vec<_>>())).unwrap();
        let places: Vec<usize> = (0..5).map(|n| results.find(&format!("\"{n}\"")).unwrap()).collect();
        assert!(places.is_sorted(), "{format}: {results}");
        let made = if format == Format::Gemini { 0 } else { 1 };
        assert_eq!(results.matches("call_2").count(), made, "{results}");
        assert_eq!(results.matches("\"same\"").count(), 2, "{results}");
    }
}

#[test]
fn a_reply_that_was_cut_off_runs_nothing_and_says_so_for_each_call() {
    for (format, ended) in [
        (Format::OpenAi, "incomplete"),
        (Format::OpenAi, "failed"),
        (Format::OpenAiChat, "length"),
        (Format::OpenAiChat, "content_filter"),
        (Format::Anthropic, "max_tokens"),
        (Format::Anthropic, "refusal"),
        (Format::Anthropic, "pause_turn"),
        (Format::Anthropic, "model_context_window_exceeded"),
        (Format::Gemini, "MAX_TOKENS"),
        (Format::Gemini, "MALFORMED_FUNCTION_CALL"),
        (Format::OpenAi, "something\nnew"),
    ] {
        let ended_text = ended.replace('\n', "\\n");
        let calls = [(Some("c1"), "no_parameters", "{}"), (Some("c2"), "no_parameters", r#"{"a":1}"#)];
        let turn = read(format, &reply(format, &calls, &ended_text)).unwrap();
        assert_eq!(turn.cut_off.as_deref(), Some(ended), "{format}");
        assert!(turn.calls(&caller()).is_empty());
        let results = serde_json::to_string(&turn.results(&[])).unwrap();
        assert_eq!(results.matches("none of its calls ran").count(), 2, "{results}");
        assert!(results.contains(&format!("({})", ended.replace('\n', " "))), "{results}");
    }
    let whole = r#"{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}"#;
    let turn = read(Format::OpenAi, whole).unwrap();
    assert_eq!(turn.cut_off.as_deref(), Some("max_output_tokens"));
    assert!(turn.results(&[]).is_empty(), "without calls there is nothing to answer");
    let item = r#"[{"type":"function_call","call_id":"c","name":"no_parameters","arguments":"{","status":"incomplete"}]"#;
    assert_eq!(read(Format::OpenAi, item).unwrap().cut_off.as_deref(), Some("incomplete"));
    let part = r#"{"parts":[{"functionCall":{"name":"no_parameters","willContinue":true}}]}"#;
    assert_eq!(read(Format::Gemini, part).unwrap().cut_off.as_deref(), Some("willContinue"));
}

#[test]
fn parts_of_a_reply_are_taken_too_and_other_blocks_are_left() {
    for (format, text, names) in [
        (
            Format::OpenAi,
            r#"[{"type":"message"},{"type":"web_search_call"},{"type":"function_call","call_id":"c","name":"x","arguments":""},{"type":"quantum"}]"#,
            vec!["x"],
        ),
        (Format::OpenAi, r#"[{}]"#, vec![]),
        (Format::OpenAiChat, r#"{"role":"assistant","content":"No."}"#, vec![]),
        (
            Format::OpenAiChat,
            r#"{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"x","arguments":{"a":1.0}}},{"id":"d","type":"custom","custom":{"name":"y","input":"z"}}]}"#,
            vec!["x"],
        ),
        (
            Format::OpenAiChat,
            r#"{"message":{"role":"assistant","tool_calls":null},"finish_reason":"stop"}"#,
            vec![],
        ),
        (
            Format::Anthropic,
            r#"[{"type":"thinking","thinking":"","signature":""},{"type":"tool_use","id":"c","name":"x","input":{}},{"type":"server_tool_use","id":"s","name":"web_search","input":{}}]"#,
            vec!["x"],
        ),
        (Format::Gemini, r#"[{"functionCall":{"name":"x"}},{"executableCode":{}}]"#, vec!["x"]),
        (
            Format::Gemini,
            r#"{"role":"model","parts":[{"function_call":{"name":"x","args":null}}]}"#,
            vec!["x"],
        ),
        (Format::Gemini, r#"{"content":{},"finishReason":"STOP"}"#, vec![]),
    ] {
        let turn = read(format, text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        let found: Vec<&str> = turn.asked.iter().map(|asked| asked.tool.as_str()).collect();
        assert_eq!((found, &turn.cut_off), (names, &None), "{text}");
        for asked in &turn.asked {
            assert!(
                ["{}", r#"{"a":1.0}"#].contains(&asked.arguments.as_str()),
                "{text}: {}",
                asked.arguments
            );
        }
    }
}

#[test]
fn the_list_that_a_model_was_shown_narrows_its_calls() {
    let (access, only) = (Access::everything(), ["x*".parse().unwrap()]);
    let text = r#"[{"type":"tool_use","id":"c","name":"no_parameters","input":{}}]"#;
    for narrowed in [None, Some(&only[..])] {
        let wanted = Wanted { format: Format::Anthropic, strict: Strict::Auto, access: &access, narrowed };
        let turn = turn(&Exports::default(), &snapshot(corpus()), &wanted, text.as_bytes()).unwrap();
        assert_eq!(turn.calls(&caller())[0].allow.as_deref(), narrowed);
    }
}

#[test]
fn what_has_its_result_already_is_not_called_again() {
    let text = r#"[{"type":"function_call","call_id":"a","name":"x","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"1"},{"type":"function_call","call_id":"b","name":"x","arguments":"{}"}]"#;
    let asked = read(Format::OpenAi, text).unwrap().asked;
    assert_eq!(asked.iter().map(|asked| asked.id.as_str()).collect::<Vec<_>>(), ["b"]);
}

#[test]
fn wrong_arguments_reach_the_gates_as_they_are() {
    for format in [Format::OpenAi, Format::OpenAiChat] {
        for arguments in
            [r#"{"needed":"#, r#"{"needed":"a","needed":"b"}"#, "[1]", "\"{}\"", "{\"optional\":null}}"]
        {
            let text = reply(format, &[(Some("c"), "optional_and_nullable", arguments)], complete(format));
            assert_eq!(read(format, &text).unwrap().asked[0].arguments, arguments);
        }
    }
    let deep = format!("{}1{}", "[".repeat(120), "]".repeat(120));
    let text = reply(Format::Anthropic, &[(Some("c"), "optional_and_nullable", &deep)], "tool_use");
    assert_eq!(read(Format::Anthropic, &text).unwrap().asked[0].arguments, deep);
}

#[test]
fn what_is_no_reply_is_refused_with_its_reason() {
    for (format, text, said) in [
        (Format::OpenAi, "", "the reply cannot be read as one of openai: EOF"),
        (Format::OpenAi, r#"{"choices":[]}"#, "missing field `output`"),
        (Format::OpenAi, r#"[{"type":"function_call","call_id":"c"}]"#, "missing field `name`"),
        (Format::OpenAi, r#"[1]"#, "invalid type: integer `1`"),
        (Format::OpenAiChat, r#"{"choices":[]}"#, "it has to have one choice"),
        (Format::OpenAiChat, r#"{"choices":[{"message":{}},{"message":{}}]}"#, "it has to have one choice"),
        (Format::OpenAiChat, r#"{"role":"user"}"#, "it is no completion, choice or message"),
        (Format::Anthropic, r#"{"content":"text"}"#, "invalid type: string"),
        (Format::Anthropic, r#"[{"type":"tool_use","id":1,"name":"x"}]"#, "invalid type: integer `1`"),
        (Format::Gemini, r#"{"candidates":[]}"#, "it has to have one candidate"),
        (Format::Gemini, "{}", "it is no response, candidate, content or list of parts"),
        (Format::Gemini, r#"[{"functionCall":{"args":{}}}]"#, "missing field `name`"),
        (Format::Mcp, "[]", "mcp is no form of a model's reply"),
    ] {
        let fault = read(format, text).unwrap_err().to_string();
        assert!(fault.contains(said), "{text}: {fault}");
    }
    let forged = "[{\"type\":\"function_call\",\"\u{1b}[2J\u{202e}x\":1,\"name\":\"a\",\"name\":\"b\"}]";
    let fault = read(Format::OpenAi, forged).unwrap_err().to_string();
    assert!(!fault.chars().any(|c| c.is_control() || c == '\u{202e}'), "{fault:?}");
    let nested = format!("[{}{}]", "[".repeat(100_000), "]".repeat(100_000));
    for format in WITH_REPLIES {
        assert!(read(format, &nested).is_err());
        assert!(matches!(read(format, "[\"\u{0}"), Err(TurnFault::Unreadable { .. })));
    }
    let (access, snapshot) = (Access::everything(), snapshot(vec![]));
    let wanted = Wanted { format: Format::OpenAi, strict: Strict::Auto, access: &access, narrowed: None };
    assert!(turn(&Exports::default(), &snapshot, &wanted, b"[\"\xff\"]").is_err());
}

#[test]
fn results_are_in_each_providers_form() {
    let media = |mime: &str| Media { data: b"abc".to_vec(), mime_type: mime.to_owned() };
    let outcomes = [
        outcome("a", success(vec![Content::Text("42".to_owned())], Some("9007199254740993.10"))),
        outcome("b", Err(Failure::new(Code::Timeout, "timed out after 10s"))),
        outcome("c", success(vec![], None)),
        outcome("d", success(vec![], Some(r#"{"n":1.10}"#))),
        outcome(
            "e",
            success(
                vec![
                    Content::Text("Look:".to_owned()),
                    Content::Image(media("image/png")),
                    Content::Image(media("image/tiff")),
                    Content::Audio(media("audio/wav")),
                    Content::Resource(Resource {
                        uri: "doc:1".to_owned(),
                        mime_type: None,
                        body: ResourceBody::Text("text".to_owned()),
                    }),
                    Content::Resource(Resource {
                        uri: "doc:2".to_owned(),
                        mime_type: Some("application/pdf".to_owned()),
                        body: ResourceBody::Blob(vec![1, 2]),
                    }),
                    Content::Link(ResourceLink {
                        uri: "https://example.com".to_owned(),
                        name: "page".to_owned(),
                        title: None,
                        description: Some("A page.".to_owned()),
                        mime_type: None,
                        size: None,
                    }),
                ],
                None,
            ),
        ),
    ];
    for format in WITH_REPLIES {
        let calls: Vec<_> = ["a", "b", "c", "d", "e"].iter().map(|name| (Some(*name), *name, "{}")).collect();
        let turn = read(format, &reply(format, &calls, complete(format))).unwrap();
        let results = serde_json::to_string_pretty(&turn.results(&outcomes)).unwrap();
        insta::assert_snapshot!(format!("results_{format}"), results);
        // One that is missing is said to be, and does not shift the others.
        let fewer = serde_json::to_string(&turn.results(&outcomes[..4])).unwrap();
        assert!(fewer.contains("The host did not say how this call ended."), "{fewer}");
    }
}
