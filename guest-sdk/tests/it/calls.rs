//! Tools called natively: what a model reads of a result, of a failure, and of wrong arguments.

use std::fmt;
use std::time::Duration;

use toolhost_sdk::testing::{self, FakeContext, Progress, Seen};
use toolhost_sdk::{
    Content, Context, Date, InputRequired, Invoked, KvError, Level, Outcome, SecretError, Tool, ToolError,
    json, tool,
};

fn call(tool: &dyn Tool, arguments: &str) -> Seen {
    testing::call(tool, &FakeContext::new(), arguments)
}

/// Multiplies two numbers. No side effect.
#[tool(read_only)]
fn multiply(a: f64, #[arg(default = 1)] b: f64) -> f64 {
    a * b
}

#[test]
fn a_default_stands_in_for_what_is_missing() {
    assert_eq!(call(&multiply {}, r#"{"a": 6}"#).text, "6.0");
    assert_eq!(call(&multiply {}, r#"{"b": 7, "a": 6}"#).structured, Some(json!(42.0)));
    assert_eq!(multiply(6.0, 7.0), 42.0);
}

#[test]
fn wrong_arguments_are_told_in_the_words_of_the_host() {
    let seen = call(&multiply {}, r#"{"a": "6", "c": 1}"#);
    insta::assert_snapshot!(seen.text);
    assert!(seen.is_error && seen.retryable);
    insta::assert_snapshot!(call(&multiply {}, "{}").text);
    let seen = call(&multiply {}, r#"{"a": 1,}"#);
    assert_eq!(seen.kind.as_deref(), Some("InvalidJson"));
    insta::assert_snapshot!(seen.text);
    assert_eq!(call(&multiply {}, "[1]").kind.as_deref(), Some("InvalidJson"));
    assert_eq!(call(&multiply {}, r#"{"a": 1, "a": 2}"#).kind.as_deref(), Some("InvalidJson"));
}

#[test]
fn what_slips_past_the_schema_is_told_by_the_guest_in_the_same_form() {
    let seen = call(&multiply {}, r#"{"a": 1e400, "b": -1e999}"#);
    assert_eq!(
        seen.text,
        "Error (InvalidArguments): The arguments for 'multiply' do not match its schema. a: 1e400 does not fit into 64 \
         bit. b: -1e999 does not fit into 64 bit. Fix those fields and call the tool again."
    );
    // Past the host's gates altogether.
    let context = FakeContext::new().context();
    let error = multiply {}.call(&context, r#"{"b": [], "c": 1}"#).expect_err("three faults");
    assert_eq!((error.kind(), error.is_retryable()), ("InvalidArguments", false));
    assert_eq!(
        error.message(),
        "The arguments for 'multiply' do not match its schema. a: required, but missing. b: invalid type: sequence, \
         expected f64. c: unknown; the tool takes no such argument. Fix those fields and call the tool again."
    );
    assert_eq!(multiply {}.call(&context, "[]").expect_err("no object").kind(), "InvalidArguments");
    assert_eq!(multiply {}.call(&context, "{").expect_err("no JSON").kind(), "InvalidJson");
}

/// Returns its number. No side effect.
#[tool]
fn unsigned(number: u64) -> u64 {
    number
}

/// Returns its number. No side effect.
#[tool]
fn signed(number: i64) -> i64 {
    number
}

#[test]
fn integers_keep_every_digit_there_and_back() {
    for number in ["0", "9007199254740993", "18446744073709551615"] {
        assert_eq!(call(&unsigned {}, &format!(r#"{{"number": {number}}}"#)).text, number);
    }
    for number in ["-9223372036854775808", "-9007199254740993", "9223372036854775807"] {
        assert_eq!(call(&signed {}, &format!(r#"{{"number": {number}}}"#)).text, number);
    }
    assert_eq!(call(&unsigned {}, r#"{"number": 10e-1}"#).text, "1");
    for number in ["-1", "18446744073709551616", "0.5", "1e400", "\"1\""] {
        let seen = call(&unsigned {}, &format!(r#"{{"number": {number}}}"#));
        assert_eq!(seen.kind.as_deref(), Some("InvalidArguments"), "{number}");
        assert!(seen.text.contains(" number: "), "{}", seen.text);
    }
}

/// Divides. No side effect.
#[tool]
fn divide(a: f64, b: f64) -> f64 {
    a / b
}

#[test]
fn what_json_cannot_say_still_meets_the_output_schema() {
    for (arguments, text) in [
        (r#"{"a": 0, "b": 0}"#, "NaN"),
        (r#"{"a": 1, "b": 0}"#, "Infinity"),
        (r#"{"a": -1, "b": 0}"#, "-Infinity"),
    ] {
        let seen = call(&divide {}, arguments);
        assert_eq!((seen.text.as_str(), seen.structured), (text, Some(json!(text))));
    }
}

/// Says which day. No side effect.
#[tool]
async fn day(on: Option<Date>) -> Option<Date> {
    on
}

#[test]
fn an_option_may_be_missing_or_null_and_a_date_has_to_exist() {
    assert_eq!(call(&day {}, "{}").text, "null");
    assert_eq!(call(&day {}, r#"{"on": null}"#).text, "null");
    assert_eq!(call(&day {}, r#"{"on": "2024-02-29"}"#).text, "2024-02-29");
    let seen = call(&day {}, r#"{"on": "2023-02-29"}"#);
    assert_eq!(seen.kind.as_deref(), Some("InvalidArguments"));
}

#[derive(Debug)]
struct OutOfStock;

impl fmt::Display for OutOfStock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("None left. Choose another article.")
    }
}

/// Fails.
#[tool]
fn order(how: String) -> Result<u8, Box<dyn std::error::Error>> {
    match how.as_str() {
        "later" => Err(Box::new(ToolError::new("Try again later.").retryable())),
        "parse" => Ok("x".parse::<u8>()?),
        _ => Ok(1),
    }
}

/// Fails.
#[tool]
fn buy() -> Result<(), OutOfStock> {
    Err(OutOfStock)
}

#[test]
fn an_error_is_a_failure_with_the_name_of_its_type() {
    let seen = call(&buy {}, "{}");
    assert_eq!(seen.text, "Error (OutOfStock): None left. Choose another article.");
    assert!(seen.is_error && !seen.retryable);
    let seen = call(&order {}, r#"{"how": "later"}"#);
    assert_eq!((seen.text.as_str(), seen.retryable), ("Error (ToolError): Try again later.", true));
    assert_eq!(call(&order {}, r#"{"how": "parse"}"#).text, "Error (Error): invalid digit found in string");
    assert_eq!(call(&order {}, r#"{"how": ""}"#).text, "1");
}

/// Tells everything about its call.
#[tool]
fn about(key: String, ctx: &Context) -> Result<String, KvError> {
    ctx.info("begun");
    ctx.progress(1.0, Some(2.0), Some("half"));
    let count = ctx.kv().get_json::<u64>("count")?.unwrap_or(0) + 1;
    ctx.kv().set_json("count", &count)?;
    Ok(format!(
        "{} {:?} {} {} {} {} {:?} {:?} {:?} {count}",
        ctx.tenant_id(),
        ctx.user_id(),
        ctx.run_id(),
        ctx.call_id(),
        ctx.attempt(),
        ctx.fence(),
        ctx.idempotency_key(),
        ctx.time_left(),
        ctx.config(&key),
    ))
}

#[test]
fn the_context_is_what_the_test_says() {
    let fake = FakeContext::new()
        .tenant("acme")
        .user("ada")
        .run("r")
        .call_id("c")
        .attempt(2)
        .fence(7)
        .idempotency_key("k")
        .time_left(Duration::from_millis(1_500))
        .config("currency", "EUR");
    let text = r#"acme Some("ada") r c 2 7 Some("k") 1.5s Some("EUR") "#;
    assert_eq!(testing::call(&about {}, &fake, r#"{"key": "currency"}"#).text, format!("{text}1"));
    assert_eq!(testing::call(&about {}, &fake, r#"{"key": "currency"}"#).text, format!("{text}2"));
    assert_eq!(fake.logs().first(), Some(&(Level::Info, "begun".to_owned())));
    let half = Progress { done: 1.0, total: Some(2.0), message: Some("half".to_owned()) };
    assert_eq!(fake.reports(), [half.clone(), half]);

    let denied = FakeContext::new().kv_fails(KvError::Denied);
    let seen = testing::call(&about {}, &denied, r#"{"key": "x"}"#);
    assert_eq!(seen.text, "Error (KvError): The operator has not granted the key-value store to this tool.");
}

#[test]
fn the_store_keeps_the_bounds_of_the_real_one() {
    let fake = FakeContext::new();
    let ctx = fake.context();
    let kv = ctx.kv();
    for number in 0..1_005 {
        kv.set(&format!("n/{number:04}"), "x").expect("stored");
    }
    kv.set("other", "x").expect("stored");
    let keys: Vec<String> = kv.keys("n/").collect::<Result<_, _>>().expect("listed");
    assert_eq!((keys.len(), keys.last().map(String::as_str)), (1_005, Some("n/1004")));
    assert_eq!(kv.swap("other", Some(b"y"), Some(b"z")), Ok(false));
    assert_eq!(kv.swap("other", Some(b"x"), Some(b"z")), Ok(true));
    assert_eq!(kv.swap("new", None, Some(b"1")), Ok(true));
    assert_eq!(kv.swap("new", Some(b"1"), None), Ok(true));
    assert_eq!(kv.get("new"), Ok(None));
    assert_eq!(kv.delete("other"), Ok(true));
    assert_eq!(kv.delete("other"), Ok(false));
    assert!(matches!(kv.set("", "x"), Err(KvError::Invalid(_))));
    assert!(matches!(kv.set(&"k".repeat(257), "x"), Err(KvError::Invalid(_))));
    assert!(matches!(kv.set("k", vec![0; (1 << 20) + 1]), Err(KvError::Invalid(_))));
    kv.set("text", b"\xFF").expect("stored");
    assert!(matches!(kv.get_text("text"), Err(KvError::Malformed(_))));
}

#[test]
fn secrets_and_other_tools_are_denied_unless_granted() {
    let fake =
        FakeContext::new().secret("api", "{{secret}}").missing_secret("other").tool("double", |arguments| {
            let number = arguments.get("n").and_then(serde_json::Value::as_u64).unwrap_or_default();
            Ok(Invoked { content: vec![Content::text((number * 2).to_string())], ..Invoked::default() })
        });
    let ctx = fake.context();
    assert_eq!(ctx.secret("api"), Ok("{{secret}}".to_owned()));
    assert_eq!(ctx.secret("other"), Err(SecretError::Missing));
    assert_eq!(ctx.secret("third"), Err(SecretError::Denied));
    let doubled = ctx.invoke("double", &json!({ "n": 21 })).expect("offered");
    assert_eq!(doubled.text(), "42");
    let error = ctx.invoke("triple", &json!({})).expect_err("not offered");
    assert_eq!((error.code.as_str(), error.kind.as_str()), ("no_such_tool", "UnknownTool"));
}

/// Orders a shirt, and asks for the size.
#[tool]
fn shirt(ctx: &Context) -> Outcome<String> {
    match (ctx.answer("size"), ctx.state()) {
        (Some(size), Some(state)) => Outcome::Done(format!("{size} {}", state.len())),
        _ => Outcome::Ask(
            InputRequired::new()
                .ask("size", "elicitation/create", json!({ "message": "Which size?" }))
                .with_state(*b"abc"),
        ),
    }
}

#[test]
fn a_question_is_asked_once_and_its_answer_is_read() {
    let asked = call(&shirt {}, "{}").asks.expect("a question");
    assert_eq!(asked.requests.first().map(|request| request.id.as_str()), Some("size"));
    let fake = FakeContext::new()
        .answer("size", json!({ "action": "accept" }))
        .sealed_state(asked.state.unwrap_or_default());
    assert_eq!(testing::call(&shirt {}, &fake, "{}").text, r#"{"action":"accept"} 3"#);
}

/// Waits for ever.
#[tool]
async fn never() {
    std::future::pending::<()>().await;
}

#[test]
fn a_tool_that_nothing_can_wake_fails_at_once() {
    assert_eq!(call(&never {}, "{}").kind.as_deref(), Some("NeverWoken"));
}
