use serde_json::value::RawValue;
use serde_json::{json, to_value};

use super::*;
use crate::id::CallId;
use crate::spec::{Gate, Media, Success, Usage};

fn ended(result: Result<Success, Failure>) -> Outcome {
    Outcome {
        call_id: "01JDTEST".parse::<CallId>().unwrap(),
        tool: "multiply".to_owned(),
        attempt: 2,
        replayed: true,
        usage: Usage { wall_ms: 3, fuel: 42, memory_peak_bytes: 65_536 },
        result,
    }
}

fn success(content: Vec<Content>, structured: Option<&str>) -> Success {
    let structured = structured.map(|text| RawValue::from_string(text.to_owned()).unwrap());
    Success { content, structured, truncated: true }
}

#[test]
fn a_success_carries_its_outcome_in_meta() {
    let outcome = ended(Ok(success(vec![Content::Text("42".to_owned())], Some("[9007199254740993,1.10]"))));
    let result = answer(&outcome).unwrap();
    assert_eq!(
        serde_json::to_string(&result).unwrap(),
        concat!(
            r#"{"resultType":"complete","content":[{"type":"text","text":"42"}],"#,
            r#""structuredContent":[9007199254740993,1.10],"isError":false,"#,
            r#""_meta":{"toolhost/outcome":{"code":"ok","call_id":"01JDTEST","attempt":2,"replayed":true,"#,
            r#""truncated":true,"usage":{"wall_ms":3,"fuel":42,"memory_peak_bytes":65536}}}}"#
        )
    );
}

#[test]
fn a_failure_is_a_result_without_structured_content() {
    let failure =
        Failure { pointers: vec!["/a".to_owned()], ..Failure::new(Code::BadArgs, "Fix a.").at(Gate::Schema) };
    let result = to_value(answer(&ended(Err(failure))).unwrap()).unwrap();
    assert_eq!(result["isError"], true);
    assert_eq!(result.get("structuredContent"), None);
    assert_eq!(result["content"], json!([{"type": "text", "text": "Error (InvalidArguments): Fix a."}]));
    assert_eq!(
        result["_meta"]["toolhost/outcome"].to_string(),
        concat!(
            r#"{"code":"bad_args","type":"InvalidArguments","retryable":true,"retry_after_ms":null,"gate":"schema","#,
            r#""pointers":["/a"],"may_have_taken_effect":false,"call_id":"01JDTEST","attempt":2,"replayed":true,"#,
            r#""usage":{"wall_ms":3,"fuel":42,"memory_peak_bytes":65536}}"#
        )
    );
}

#[test]
fn an_unknown_tool_is_the_protocol_s_error_with_the_same_text() {
    let failure = Failure::new(Code::NoSuchTool, "There is no tool named 'x'.").at(Gate::Exists);
    let error = answer(&ended(Err(failure.clone()))).unwrap_err();
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert_eq!(error.message, "There is no tool named 'x'.");
    let data = error.data.unwrap();
    assert_eq!((&data["code"], &data["type"]), (&json!("no_such_tool"), &json!("UnknownTool")));
    assert_eq!(data["message"], failure.message);
}

#[test]
fn every_other_code_is_a_result() {
    for code in [Code::NotAllowed, Code::BadJson, Code::NeedsApproval, Code::Timeout, Code::Internal] {
        let result = answer(&ended(Err(Failure::new(code, "m")))).unwrap();
        assert_eq!(result.is_error, Some(true), "{code}");
    }
}

#[test]
fn blocks_read_as_the_shared_view_writes_them() {
    let blocks = vec![
        Content::Text("t".to_owned()),
        Content::Image(Media { data: vec![1, 2], mime_type: "image/png".to_owned() }),
        Content::Audio(Media { data: vec![3], mime_type: "audio/wav".to_owned() }),
        Content::Resource(crate::spec::Resource {
            uri: "u:1".to_owned(),
            mime_type: Some("text/plain".to_owned()),
            body: ResourceBody::Text("x".to_owned()),
        }),
        Content::Resource(crate::spec::Resource {
            uri: "u:2".to_owned(),
            mime_type: None,
            body: ResourceBody::Blob(vec![9]),
        }),
        Content::Link(ResourceLink {
            uri: "u:3".to_owned(),
            name: "n".to_owned(),
            title: Some("T".to_owned()),
            description: None,
            mime_type: Some("a/b".to_owned()),
            size: Some(5),
        }),
    ];
    for content in &blocks {
        assert_eq!(to_value(block(content)).unwrap(), view::content(content));
    }
}
