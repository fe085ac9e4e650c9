use serde_json::value::RawValue;

use super::*;
use crate::id::CallId;
use crate::spec::{Code, Gate, Media, Success};

fn ended(result: Result<Success, Failure>) -> Outcome {
    Outcome {
        call_id: "01JDTEST".parse::<CallId>().unwrap(),
        tool: "multiply".to_owned(),
        attempt: 1,
        replayed: false,
        usage: Usage { wall_ms: 3, fuel: 42, memory_peak_bytes: 65_536 },
        result,
    }
}

#[test]
fn a_success_has_the_contract_s_keys_in_order_and_every_digit() {
    let raw = r#"{"big":9007199254740993,"exact":1.10,"z":1,"a":2}"#;
    let success = Success {
        content: vec![Content::Text("42".to_owned())],
        structured: Some(RawValue::from_string(raw.to_owned()).unwrap()),
        truncated: false,
    };
    assert_eq!(
        outcome(&ended(Ok(success))).to_string(),
        format!(
            r#"{{"ok":true,"content":[{{"type":"text","text":"42"}}],"structured":{raw},"truncated":false,"#
        ) + r#""replayed":false,"attempt":1,"usage":{"wall_ms":3,"fuel":42,"memory_peak_bytes":65536},"#
            + r#""call_id":"01JDTEST","tool":"multiply"}"#
    );
}

#[test]
fn a_failure_has_the_contract_s_keys_in_order_and_no_operator_text() {
    let failure = Failure {
        pointers: vec!["/a".to_owned()],
        operator: Some("the secret reason".to_owned()),
        ..Failure::new(Code::BadArgs, "Fix a.").at(Gate::Schema)
    };
    assert_eq!(
        outcome(&ended(Err(failure))).to_string(),
        concat!(
            r#"{"ok":false,"error":{"code":"bad_args","type":"InvalidArguments","retryable":true,"#,
            r#""retry_after_ms":null,"gate":"schema","message":"Fix a.","pointers":["/a"],"#,
            r#""may_have_taken_effect":false},"#,
            r#""content":[{"type":"text","text":"Error (InvalidArguments): Fix a."}],"#,
            r#""replayed":false,"attempt":1,"usage":{"wall_ms":3,"fuel":42,"memory_peak_bytes":65536},"#,
            r#""call_id":"01JDTEST","tool":"multiply"}"#
        )
    );
}

#[test]
fn an_approval_is_named_only_where_there_is_one() {
    let failure =
        Failure { approval: Some("apr_1".parse().unwrap()), ..Failure::new(Code::NeedsApproval, "Wait.") };
    assert_eq!(error(&failure)["approval"], "apr_1");
    assert!(error(&Failure::new(Code::Timeout, "Late.")).get("approval").is_none());
}

#[test]
fn every_block_has_mcp_s_form() {
    let media = || Media { data: vec![0xFB, 0xFF], mime_type: "image/png".to_owned() };
    let text = Resource {
        uri: "file:///a".to_owned(),
        mime_type: None,
        body: ResourceBody::Text("hello".to_owned()),
    };
    let blob = Resource {
        uri: "file:///b".to_owned(),
        mime_type: Some("application/pdf".to_owned()),
        body: ResourceBody::Blob(vec![1]),
    };
    let link = ResourceLink {
        uri: "file:///c".to_owned(),
        name: "c".to_owned(),
        title: None,
        description: Some("third".to_owned()),
        mime_type: None,
        size: Some(u64::MAX),
    };
    for (block, wire) in [
        (Content::Image(media()), r#"{"type":"image","data":"+/8=","mimeType":"image/png"}"#),
        (Content::Audio(media()), r#"{"type":"audio","data":"+/8=","mimeType":"image/png"}"#),
        (Content::Resource(text), r#"{"type":"resource","resource":{"uri":"file:///a","text":"hello"}}"#),
        (
            Content::Resource(blob),
            r#"{"type":"resource","resource":{"uri":"file:///b","mimeType":"application/pdf","blob":"AQ=="}}"#,
        ),
        (
            Content::Link(link),
            r#"{"type":"resource_link","uri":"file:///c","name":"c","description":"third","size":18446744073709551615}"#,
        ),
    ] {
        assert_eq!(content(&block).to_string(), wire);
    }
}
