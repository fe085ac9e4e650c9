//! The fixtures that ask the client for input.

use toolhost_sdk::{Content, Context, InputRequired, Outcome, ToolError, Value, json, tool};

const ELICIT: &str = "elicitation/create";
const SAMPLE: &str = "sampling/createMessage";
const ROOTS: &str = "roots/list";

/// A form with one field.
fn form(message: &str, field: &str, kind: &str) -> Value {
    json!({
        "message": message,
        "requestedSchema": { "type": "object", "properties": { field: { "type": kind } }, "required": [field] }
    })
}

fn prompt(text: &str) -> Value {
    json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": text } }], "maxTokens": 100 })
}

/// The field of a form, if the person filled it in.
fn field<'a>(ctx: &'a Context, id: &str, name: &str) -> Option<&'a Value> {
    let answer = ctx.answer(id)?;
    let accepted = answer.get("action").is_some_and(|action| action == "accept");
    answer.get("content")?.get(name).filter(|_| accepted)
}

fn done(text: impl Into<String>) -> Outcome<Content> {
    Outcome::Done(Content::text(text))
}

/// Asks for a name and greets. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
pub fn test_input_required_result_elicitation(ctx: &Context) -> Outcome<Content> {
    match field(ctx, "user_name", "name").and_then(Value::as_str) {
        Some(name) => done(format!("Hello, {name}!")),
        None => Outcome::Ask(InputRequired::new().ask(
            "user_name",
            ELICIT,
            form("What is your name?", "name", "string"),
        )),
    }
}

/// Asks the client's model. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
pub fn test_input_required_result_sampling(ctx: &Context) -> Outcome<Content> {
    match ctx.answer("capital_question") {
        Some(answer) => done(answer.pointer("/content/text").and_then(Value::as_str).unwrap_or_default()),
        None => Outcome::Ask(InputRequired::new().ask(
            "capital_question",
            SAMPLE,
            prompt("What is the capital of France?"),
        )),
    }
}

/// Asks for the client's folders. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
pub fn test_input_required_result_list_roots(ctx: &Context) -> Outcome<Content> {
    match ctx.answer("client_roots") {
        Some(answer) => done(format!("The roots are {answer}.")),
        None => Outcome::Ask(InputRequired::new().ask("client_roots", ROOTS, json!({}))),
    }
}

/// Asks once, and looks at what it kept. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
pub fn test_input_required_result_request_state(ctx: &Context) -> Result<Outcome<Content>, ToolError> {
    match ctx.state() {
        None => Ok(confirm()),
        Some(b"kept") if ctx.answer("confirm").is_some() => Ok(done("state-ok")),
        Some(_) => Err(ToolError::new("The state is not the one that was given.")),
    }
}

/// Asks once, for its state to be tampered with. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
pub fn test_input_required_result_tampered_state(ctx: &Context) -> Outcome<Content> {
    if ctx.state().is_some() { done("The state is the one that was given.") } else { confirm() }
}

fn confirm() -> Outcome<Content> {
    let question = InputRequired::new().ask("confirm", ELICIT, form("Please confirm", "ok", "boolean"));
    Outcome::Ask(question.with_state(b"kept".as_slice()))
}

/// Asks three things at once. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
pub fn test_input_required_result_multiple_inputs(ctx: &Context) -> Outcome<Content> {
    if ["user_name", "greeting", "client_roots"].iter().all(|id| ctx.answer(id).is_some()) {
        return done("All three answers are there.");
    }
    let question = InputRequired::new()
        .ask("user_name", ELICIT, form("What is your name?", "name", "string"))
        .ask("greeting", SAMPLE, prompt("Generate a greeting"))
        .ask("client_roots", ROOTS, json!({}));
    Outcome::Ask(question.with_state(b"asked".as_slice()))
}

/// Asks twice, one after the other. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
pub fn test_input_required_result_multi_round(ctx: &Context) -> Outcome<Content> {
    let text = |id, name| field(ctx, id, name).and_then(Value::as_str).map(str::to_owned);
    match ctx.state() {
        None => {
            let question = form("Step 1: What is your name?", "name", "string");
            Outcome::Ask(InputRequired::new().ask("step1", ELICIT, question).with_state(Vec::new()))
        }
        Some([]) => {
            let name = text("step1", "name").unwrap_or_default();
            let question = form("Step 2: What is your favorite color?", "color", "string");
            Outcome::Ask(
                InputRequired::new().ask("step2", ELICIT, question).with_state(format!("name={name}")),
            )
        }
        Some(name) => {
            let color = text("step2", "color").unwrap_or_default();
            done(format!("{}, color={color}", String::from_utf8_lossy(name)))
        }
    }
}

/// Asks two things, of which the client is asked what it can answer. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
pub fn test_input_required_result_capabilities(ctx: &Context) -> Outcome<Content> {
    if !ctx.answers().is_empty() {
        return done("There is an answer.");
    }
    Outcome::Ask(
        InputRequired::new().ask("user_name", ELICIT, form("What is your name?", "name", "string")).ask(
            "greeting",
            SAMPLE,
            prompt("Generate a greeting"),
        ),
    )
}
