//! What goes in and out of a guest as JSON: every digit kept, and everything doubtful refused in the raw bytes.

use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::{Ground, call, text};

#[tokio::test(flavor = "multi_thread")]
async fn every_digit_reaches_the_guest_and_comes_back() {
    let text_guest = Guest::new("say", &Guest::echo()).build();
    let value_guest = Guest::new("give", &Guest::echo_structured()).build();
    let host = Ground::new().component("say", &text_guest).component("give", &value_guest).start().await;
    for arguments in [
        r#"{"a":725653563933458432}"#,
        r#"{"a":9007199254740993}"#,
        r#"{"a":18446744073709551616000000001}"#,
        r#"{"a":0.1000000000000000055511151231257827}"#,
        r#"{"a":1e400}"#,
        r#"{"a":-0.0}"#,
        r#"{ "a" : [1.0, 10e-1, {"b": "é\ud83d\ude00"}] }"#,
        r#"{"a":""}"#,
    ] {
        // Text loses control characters, the structured value loses nothing.
        let said = call(&host, "say", arguments).await;
        assert_eq!(text(&said), arguments);
        let given = call(&host, "give", arguments).await;
        let success = given.result.unwrap();
        assert_eq!(success.structured.unwrap().get(), arguments);
        assert!(!success.truncated);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn doubtful_arguments_are_refused_before_any_library_parses_them() {
    let host = Ground::new().component("t", &Guest::new("t", &Guest::echo()).build()).start().await;
    let deep = format!(r#"{{"a":{}1{}}}"#, "[".repeat(64), "]".repeat(64));
    let very_deep = format!(r#"{{"a":{}"#, "[".repeat(1_000_000));
    let many = format!(r#"{{"a":[{}0]}}"#, "0,".repeat(100_000));
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(1 << 20));
    for arguments in [
        "",
        "   ",
        "{",
        r#"{"a":1,}"#,
        r#"{"a":1} x"#,
        r#"{"a":1,"a":2}"#,
        r#"{"a":1,"\u0061":2}"#,
        r#"{"a":{"b":1,"b":1}}"#,
        r#"{"a":"\ud800"}"#,
        r#"{"a":"\udc00\ud800"}"#,
        "{\"a\":\"\u{1}\"}",
        r#"{"a":01}"#,
        r#"{"a":NaN}"#,
        "[]",
        "null",
        r#""{}""#,
        &deep,
        &very_deep,
        &many,
        &long,
    ] {
        let shown: String = arguments.chars().take(60).collect();
        let outcome = call(&host, "t", arguments).await;
        assert_eq!(outcome.code(), "bad_json", "{shown}: {}", text(&outcome));
        let text = text(&outcome);
        assert!(
            text.starts_with("Error (InvalidJson): The arguments for 't' are not valid JSON: "),
            "{text}"
        );
        assert!(text.ends_with(" Send one JSON object."), "{text}");
    }
    let not_utf8 = call(&host, "t", b"{\"a\":\"\xff\"}".to_vec()).await;
    assert_eq!(not_utf8.code(), "bad_json");
    let just_deep_enough = format!(r#"{{"a":{}1{}}}"#, "[".repeat(63), "]".repeat(63));
    assert_eq!(call(&host, "t", just_deep_enough).await.code(), "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_schema_is_checked_with_exact_numbers_and_every_fault_is_named() {
    let mut tool = GuestTool::new("t");
    tool.input_schema = r#"{"type":"object","additionalProperties":false,"required":["id"],
        "properties":{"id":{"type":"string"},"n":{"maximum":9007199254740992},"on":{"type":"string","format":"date"}}}"#
        .into();
    let host = Ground::new().component("t", &Guest::of(vec![tool], &Guest::echo()).build()).start().await;
    let outcome = call(&host, "t", r#"{"n":9007199254740993,"on":"2026-02-30","tenant_id":"other"}"#).await;
    let failure = outcome.result.clone().unwrap_err();
    assert_eq!(failure.code.as_str(), "bad_args");
    let text = text(&outcome);
    assert!(
        text.starts_with("Error (InvalidArguments): The arguments for 't' do not match its schema. "),
        "{text}"
    );
    assert!(text.ends_with(" Fix those fields and call the tool again."), "{text}");
    for field in ["id", "n", "on", "tenant_id"] {
        assert!(text.contains(&format!(" {field}: ")), "{field} in {text}");
    }
    assert_eq!(call(&host, "t", r#"{"id":"x","n":9007199254740992}"#).await.code(), "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_has_to_keep_its_own_promise() {
    let mut tool = GuestTool::new("t");
    tool.output_schema = Some(r#"{"type":"object","properties":{"a":{"type":"integer"}}}"#.into());
    let silent = Guest::of(vec![tool.clone()], &Guest::text(1024, 1)).build();
    let echo = Guest::of(vec![tool], &Guest::echo_structured()).build();
    let host = Ground::new().component("t", &echo).start().await;
    assert_eq!(call(&host, "t", r#"{"a":1}"#).await.code(), "ok");
    let broken = call(&host, "t", r#"{"a":"x"}"#).await;
    assert_eq!(broken.code(), "bad_result");
    assert!(text(&broken).contains("output schema"), "{}", text(&broken));
    let host = Ground::new().component("t", &silent).start().await;
    assert_eq!(call(&host, "t", "{}").await.code(), "bad_result");
}

#[tokio::test(flavor = "multi_thread")]
async fn long_text_is_cut_and_says_so_and_the_trace_keeps_all() {
    let host = Ground::new().samples(&["orders"]).config(
        "[[component]]\npath = \"tools/orders.wasm\"\ntrust_annotations = true\ngrants = { kv = true }\n",
    );
    let host = host.start().await;
    let outcome = call(&host, "build_report", "{}").await;
    let success = outcome.result.clone().unwrap();
    assert!(success.truncated);
    let text = text(&outcome);
    assert!(
        text.ends_with(" Narrow the query or request a specific section.]"),
        "{}",
        &text[text.len() - 200..]
    );
    assert!((16_384..16_600).contains(&text.chars().count()), "{}", text.chars().count());
    let record = host
        .store()
        .trace(toolhost::store::View::Operator, &outcome.call_id)
        .await
        .unwrap()
        .expect("the call is on record");
    assert!(record.raw_content.unwrap().len() > 200_000);
}
