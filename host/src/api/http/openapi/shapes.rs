//! What requests and answers look like on the wire, for the document alone. That they do look so is tested from outside: every
//! answer of a real server is compared with them.

#![expect(dead_code, reason = "shapes are described and never made")]

use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

use super::super::fault::Fault;
use crate::provider::{Format, Strict};

/// Any request that was not answered.
#[derive(ToSchema)]
pub(super) struct Error {
    /// What is wrong.
    error: ErrorBody,
}

/// What is wrong with a request.
#[derive(ToSchema)]
pub(super) struct ErrorBody {
    /// The stable code.
    #[schema(schema_with = fault_code)]
    code: String,
    /// A sentence for people. It may change.
    message: String,
    /// The header's value that is not admitted.
    #[schema(nullable = false)]
    value: Option<String>,
    /// The operator's setting that admits more.
    #[schema(nullable = false)]
    setting: Option<String>,
}

fn fault_code() -> RefOr<Schema> {
    let codes: Vec<&str> = Fault::ALL.into_iter().map(Fault::code).collect();
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(codes)).into()
}

fn always(value: bool) -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([value])).into()
}

pub(super) fn yes() -> RefOr<Schema> {
    always(true)
}

pub(super) fn no() -> RefOr<Schema> {
    always(false)
}

/// One JSON object.
#[derive(ToSchema)]
#[schema(value_type = Object)]
pub(super) struct JsonObject(Value);

/// The tools that the caller may call, by name.
#[derive(ToSchema)]
pub(super) struct Tools {
    /// In the form that was asked for. In MCP's, as its `tools/list` has them.
    tools: Vec<JsonObject>,
}

/// One call of a tool.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SingleCall {
    /// The arguments: one JSON object, every digit of which reaches the tool. Anything else is refused by the gates; without any it is `{}`.
    #[schema(nullable = false, required = false)]
    arguments: Value,
    /// What the call belongs to.
    #[schema(
        nullable = false,
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"
    )]
    run: Option<String>,
    /// The caller's name for "the same call again"; or the header `Idempotency-Key`.
    #[schema(
        nullable = false,
        min_length = 1,
        max_length = 256,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"
    )]
    idempotency_key: Option<String>,
    /// The request's own narrower list of tools.
    #[schema(nullable = false, inline)]
    allow: Option<Vec<Pattern>>,
    /// Whether to wait for the reviewer, where one has to agree.
    #[schema(nullable = false)]
    wait: Option<bool>,
    /// How long the whole call may take; the operator's limit, if that is shorter.
    #[schema(nullable = false, minimum = 1, maximum = 31_622_400_000_u64)]
    deadline_ms: Option<u64>,
    /// Answers to what the tool asked for in an earlier answer, by the name of the question: each the result of the method.
    #[schema(nullable = false, schema_with = answers, required = false)]
    answers: Option<Value>,
    /// The state of that answer's `input`. One that this host did not make is refused.
    #[schema(nullable = false)]
    state: Option<String>,
}

fn answers() -> RefOr<Schema> {
    let any = ObjectBuilder::new().schema_type(Type::Object);
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .additional_properties(Some(any))
        .max_properties(Some(64))
        .into()
}

/// A pattern of tool names, in which `*` stands for any characters.
#[derive(ToSchema)]
#[schema(value_type = String, min_length = 1, max_length = 64, pattern = r"^[A-Za-z0-9_*-]{1,64}$")]
pub(super) struct Pattern(String);

/// Many calls of one request; or one, which may wait for its reviewer; or a model's reply with calls in it.
#[derive(ToSchema)]
#[serde(untagged)]
pub(super) enum Calls {
    Many(ManyCalls),
    Waiting(WaitingCall),
    Reply(ModelReply),
}

/// Up to 256 calls.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ManyCalls {
    #[schema(max_items = 256)]
    calls: Vec<WrittenCall>,
    /// What the calls belong to.
    #[schema(
        nullable = false,
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"
    )]
    run: Option<String>,
    /// The request's own narrower list of tools.
    #[schema(nullable = false, inline)]
    allow: Option<Vec<Pattern>>,
    #[schema(schema_with = no, required = false)]
    wait: bool,
}

/// A call that waits for its reviewer, where one has to agree.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitingCall {
    #[schema(max_items = 1)]
    calls: Vec<WrittenCall>,
    /// What the call belongs to.
    #[schema(
        nullable = false,
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"
    )]
    run: Option<String>,
    /// The request's own narrower list of tools.
    #[schema(nullable = false, inline)]
    allow: Option<Vec<Pattern>>,
    #[schema(schema_with = yes)]
    wait: bool,
}

/// A model's reply as its provider gave it.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelReply {
    #[schema(schema_with = provider)]
    format: String,
    /// The response, the message or its content.
    #[schema(value_type = Object)]
    reply: Value,
    /// How the tools were shown to the model; `auto` without it.
    #[schema(schema_with = strict, required = false)]
    strict: String,
    /// What the calls belong to.
    #[schema(
        nullable = false,
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"
    )]
    run: Option<String>,
    /// The list that narrowed what the model was shown.
    #[schema(nullable = false, inline)]
    allow: Option<Vec<Pattern>>,
}

fn provider() -> RefOr<Schema> {
    let formats = Format::ALL.into_iter().filter(|format| *format != Format::Mcp);
    let names: Vec<&str> = formats.map(Format::as_str).collect();
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).into()
}

fn strict() -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(Strict::ALL.map(Strict::as_str))).into()
}

/// One of many calls.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenCall {
    tool: String,
    /// One JSON object; without any it is `{}`.
    #[schema(nullable = false, required = false)]
    arguments: Value,
    #[schema(
        nullable = false,
        min_length = 1,
        max_length = 256,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"
    )]
    idempotency_key: Option<String>,
}

/// One outcome for each call, in their order.
#[derive(ToSchema)]
pub(super) struct Results {
    results: Vec<Outcome>,
    /// After a model's reply: what goes behind it into the next request to its provider.
    #[schema(value_type = Vec<Object>, required = false)]
    messages: Vec<Value>,
    /// After a model's reply: why it was cut off, so that nothing ran; else null.
    #[schema(required = false)]
    cut_off: Option<String>,
}

/// How a call ended.
#[derive(ToSchema)]
#[serde(untagged)]
pub(super) enum Outcome {
    Success(Success),
    Failure(Failure),
}

/// A call that succeeded.
#[derive(ToSchema)]
pub(super) struct Success {
    #[schema(schema_with = yes)]
    ok: bool,
    content: Vec<Content>,
    /// The structured value, or null.
    structured: Value,
    /// Text was cut.
    truncated: bool,
    replayed: bool,
    attempt: u32,
    usage: Usage,
    call_id: String,
    tool: String,
}

/// A call that failed, or was refused.
#[derive(ToSchema)]
pub(super) struct Failure {
    #[schema(schema_with = no)]
    ok: bool,
    error: ToolFailure,
    content: Vec<Content>,
    /// What the tool asks for before it can go on.
    #[schema(nullable = false)]
    input: Option<Input>,
    replayed: bool,
    attempt: u32,
    usage: Usage,
    call_id: String,
    tool: String,
}

/// Why a call failed.
#[derive(ToSchema)]
pub(super) struct ToolFailure {
    /// The stable code.
    code: String,
    /// The type that a model is shown.
    r#type: String,
    retryable: bool,
    #[schema(required)]
    retry_after_ms: Option<u64>,
    /// The gate that refused.
    #[schema(required)]
    gate: Option<String>,
    message: String,
    /// JSON pointers (RFC 6901) of the arguments at fault.
    pointers: Vec<String>,
    may_have_taken_effect: bool,
    /// The question that a reviewer has to answer.
    #[schema(nullable = false)]
    approval: Option<String>,
}

/// What a tool asks for.
#[derive(ToSchema)]
pub(super) struct Input {
    requests: Vec<InputRequest>,
    /// To be sent back with the answers.
    #[schema(required)]
    state: Option<String>,
}

/// One question, as MCP 2026-07-28 has it.
#[derive(ToSchema)]
pub(super) struct InputRequest {
    id: String,
    method: String,
    #[schema(value_type = Object)]
    params: Value,
}

/// A block of content, as MCP has it. Which fields there are beside `type` depends on that.
#[derive(ToSchema)]
pub(super) struct Content {
    #[schema(schema_with = content_type)]
    r#type: String,
    #[schema(nullable = false)]
    text: Option<String>,
}

fn content_type() -> RefOr<Schema> {
    let types = ["text", "image", "audio", "resource", "resource_link"];
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(types)).into()
}

/// What a call used.
#[derive(ToSchema)]
pub(super) struct Usage {
    wall_ms: u64,
    fuel: u64,
    memory_peak_bytes: u64,
}
