//! Tools in the forms of providers, and their models' own replies for calls.

use serde_json::json;

use super::*;

/// The names of a list in a form.
async fn names(served: &Served, key: &str, format: &str, at: &str) -> Vec<String> {
    let answer = get(served, key, &format!("/v1/tools?format={format}&allow=*o*&allow=hidden")).await;
    let list = answer.json();
    let tools = list.pointer(at).and_then(Value::as_array).unwrap_or_else(|| panic!("{list}"));
    let name = |tool: &Value| tool.get("name").or_else(|| tool.pointer("/function/name")).unwrap().clone();
    tools.iter().map(|tool| name(tool).as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_form_lists_what_the_caller_may_call() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    for (format, at) in [
        ("mcp", "/tools"),
        ("openai", "/tools"),
        ("openai-chat", "/tools"),
        ("anthropic", "/tools"),
        ("gemini", "/tools/0/functionDeclarations"),
    ] {
        assert_eq!(names(&served, ACME, format, at).await, ["echo", "hidden"], "{format}");
        assert_eq!(names(&served, GLOBEX, format, at).await, ["echo"], "{format}");
    }
    let strict = get(&served, ACME, "/v1/tools/echo?format=openai&strict=off").await;
    assert_eq!(strict.json()["strict"], false, "{strict:?}");
    assert_eq!(get(&served, ACME, "/v1/tools/echo?format=gemini").await.json()["name"], "echo");
    for wrong in ["format=OpenAI", "format=x", "strict=maybe"] {
        let answer = get(&served, ACME, &format!("/v1/tools?{wrong}")).await;
        assert_fault(&answer, 400, "unsupported_format");
    }
    let of = async |query: &str| {
        let answer = get(&served, ACME, &format!("/v1/tools?{query}")).await;
        answer.header("etag").unwrap().to_owned()
    };
    assert_ne!(of("format=openai").await, of("format=openai&strict=off").await);
    assert_eq!(of("format=openai").await, of("format=openai&strict=auto").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_models_reply_is_answered_with_the_messages_for_the_next_request() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let reply = json!({"role": "assistant", "content": null, "tool_calls": [
        call("one", "echo", r#"{"a":9007199254740993}"#),
        call("two", "hidden", "{}"),
        call("three", "nowhere", "{}"),
        call("four", "echo", "{"),
    ]});
    let body = json!({"format": "openai-chat", "reply": reply, "run": "r"}).to_string();
    let answer = post(&served, GLOBEX, "/v1/calls", &body).await.json();
    let messages = answer["messages"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let told: Vec<(&str, &str)> = messages
        .iter()
        .map(|message| (message["tool_call_id"].as_str().unwrap(), message["content"].as_str().unwrap()))
        .collect();
    assert_eq!(told[0], ("one", r#"{"a":9007199254740993}"#));
    for (at, (id, begins)) in
        [("two", "Error (NotAllowed)"), ("three", "Error (UnknownTool)"), ("four", "Error (InvalidJson)")]
            .iter()
            .enumerate()
    {
        let (own, text) = told[at + 1];
        assert!(own == *id && text.starts_with(begins), "{told:?}");
    }
    assert_eq!(answer["results"].as_array().map(Vec::len), Some(4));
    assert_eq!(answer["cut_off"], Value::Null);

    let cut = json!({"choices": [{"finish_reason": "length", "message": reply}]});
    let body = json!({"format": "openai-chat", "reply": cut}).to_string();
    let answer = post(&served, ACME, "/v1/calls", &body).await.json();
    assert_eq!(
        (answer["results"].clone(), answer["messages"].as_array().map(Vec::len)),
        (json!([]), Some(4)),
        "{answer}"
    );
    assert!(answer["cut_off"].is_string(), "{answer}");

    let other = json!({"format": "anthropic", "reply": [1]}).to_string();
    assert_fault(&post(&served, ACME, "/v1/calls", &other).await, 409, "reply_mismatch");
    let unknown = json!({"format": "x", "reply": {}}).to_string();
    assert_fault(&post(&served, ACME, "/v1/calls", &unknown).await, 400, "bad_request");
    let both = json!({"format": "openai", "reply": {}, "calls": []}).to_string();
    assert_fault(&post(&served, ACME, "/v1/calls", &both).await, 400, "bad_request");
}
