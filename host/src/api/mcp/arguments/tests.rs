use rmcp::model::{ErrorCode, NumberOrString};

use super::*;

fn call(arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"t","arguments":{arguments}}}}}"#
    )
}

fn lifted(message: &str) -> Lifted {
    lift(Bytes::from(message.to_owned())).unwrap()
}

fn refused(message: &str) -> Unreadable {
    lift(Bytes::from(message.to_owned())).unwrap_err()
}

#[test]
fn arguments_arrive_byte_for_byte_whatever_is_wrong_with_them() {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    for arguments in [
        r#"{"a":1}"#,
        r#"{ "a" : 1.10 , "b":9007199254740993 }"#,
        r#"{"path":"/a","path":"/etc"}"#,
        r#"{"s":"\ud800"}"#,
        r#"{"n":1e999999}"#,
        "[1,2]",
        "null",
        "\"text\"",
        deep.as_str(),
    ] {
        let lifted = lifted(&call(arguments));
        assert_eq!(lifted.message, call("{}"), "{arguments}");
        assert_eq!(lifted.arguments, Some(RawArguments(Bytes::from(arguments.to_owned()))));
    }
}

#[test]
fn only_the_arguments_of_the_params_are_lifted() {
    for message in [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","arguments":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"arguments":{"a":1}}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","x":{"params":{"arguments":1}}}"#,
    ] {
        assert_eq!(
            lifted(message),
            Lifted { message: Bytes::from(message.to_owned()), arguments: None, whole: None }
        );
    }
}

#[test]
fn only_sound_objects_are_left_in_the_whole_message() {
    for (arguments, sound) in
        [("{}", true), (r#"{"a":1}"#, true), ("[]", false), ("null", false), (r#"{"a":1,"a":2}"#, false)]
    {
        let message = call(arguments);
        assert_eq!(lifted(&message).whole.is_some_and(|whole| whole == message), sound, "{arguments}");
    }
}

#[test]
fn an_escaped_key_is_the_same_key() {
    let message = r#"{"method":"tools/call","params":{"name":"t","\u0061rguments":{"a":1,"a":2}}}"#;
    assert_eq!(lifted(message).arguments, Some(RawArguments(Bytes::from_static(br#"{"a":1,"a":2}"#))));
}

#[test]
fn faults_around_the_arguments_are_answered_with_the_request_s_id() {
    for (message, code) in [
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","method":"tools/call"}"#,
            ErrorCode::INVALID_REQUEST,
        ),
        (r#"{"id":7,"params":{"name":"a","name":"b","arguments":{}}}"#, ErrorCode::INVALID_REQUEST),
        (r#"{"id":7,"params":{"arguments":{"a":1},"arguments":{"a":2}}}"#, ErrorCode::INVALID_REQUEST),
        (r#"{"id":7,"params":{"name":"\udc00"}}"#, ErrorCode::INVALID_REQUEST),
        (r#"{"id":7,"params":{"$serde_json::private::Number":"1"}}"#, ErrorCode::INVALID_REQUEST),
        (r#"{"id":7,"method":"tools/call" oops}"#, ErrorCode::PARSE_ERROR),
        (r#"{"id":7,"method":"tools/call"} {}"#, ErrorCode::PARSE_ERROR),
    ] {
        let unreadable = refused(message);
        assert_eq!(unreadable.error.code, code, "{message}: {}", unreadable.error.message);
        assert_eq!(unreadable.id, Some(NumberOrString::Number(7)), "{message}");
    }
}

#[test]
fn broken_syntax_in_the_arguments_breaks_the_message() {
    let unreadable = refused(&call(r#"{"a":tru}"#));
    assert_eq!(unreadable.error.code, ErrorCode::PARSE_ERROR);
    assert_eq!(unreadable.id, Some(NumberOrString::Number(7)));
    assert!(unreadable.error.message.contains("line 1, column 6"), "{}", unreadable.error.message);
}

#[test]
fn an_id_that_cannot_be_told_is_left_out() {
    for message in [r#"{"id":1,"id":2,"x":}"#, r#"{"id":1,"id":2}"#, "{", "", r#"{"a":1,"a":2}"#] {
        assert_eq!(refused(message).id, None, "{message}");
    }
}

#[test]
fn what_is_no_object_is_no_message() {
    for message in ["[]", r#" [{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "1", "null", "\"{}\""] {
        assert_eq!(refused(message).error.code, ErrorCode::INVALID_REQUEST, "{message}");
    }
}
