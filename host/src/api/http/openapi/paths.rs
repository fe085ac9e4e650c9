//! The paths of the document, in the order of the router, and the shapes that they name.

use utoipa::openapi::path::{HttpMethod, PathItemBuilder, Paths, PathsBuilder};
use utoipa::openapi::schema::{Array, ObjectBuilder, Type};
use utoipa::openapi::{ComponentsBuilder, PathItem, RefOr, Schema};
use utoipa::{PartialSchema as _, ToSchema};

use super::super::challenge::{METADATA, METADATA_OF_MCP};
use super::super::fault::Fault;
use super::operation::{Draft, in_header, in_path, in_query, open, operation, string, word};
use super::served::{self, ComponentList, ComponentView, ComponentWord};
use super::shapes::{Calls, Error, JsonObject, Outcome, Pattern, Results, SingleCall, Tools};
use super::supervision::{
    Approval, Approvals, CallList, Decision, Healthy, Question, Ready, Trace, Verdicts,
};
use crate::provider::{Format, Strict};

/// All paths.
pub(super) fn paths() -> Paths {
    PathsBuilder::new()
        .path("/mcp", post(mcp()))
        .path("/v1/tools", get(tools()))
        .path("/v1/tools/{name}", get(tool()))
        .path("/v1/tools/{name}/call", post(call()))
        .path("/v1/calls", both(call_list(), calls()))
        .path("/v1/calls/{id}", get(trace()))
        .path("/v1/events", get(events()))
        .path("/v1/explain", post(explain()))
        .path("/v1/approvals", get(approvals()))
        .path("/v1/approvals/{id}", both(approval(), decide()))
        .path("/v1/components", get(served::components()))
        .path("/v1/components/{name}", served::component())
        .path(METADATA, get(metadata()))
        .path(METADATA_OF_MCP, get(metadata_of_mcp()))
        .path("/openapi.json", get(document()))
        .path("/healthz", get(healthy()))
        .path("/readyz", get(ready()))
        .build()
}

/// All shapes, with those that they are made of.
pub(super) fn schemas(components: ComponentsBuilder) -> ComponentsBuilder {
    let mut shapes = Vec::new();
    with_parts::<Error>(&mut shapes);
    with_parts::<JsonObject>(&mut shapes);
    with_parts::<Tools>(&mut shapes);
    with_parts::<SingleCall>(&mut shapes);
    with_parts::<Outcome>(&mut shapes);
    with_parts::<Calls>(&mut shapes);
    with_parts::<Results>(&mut shapes);
    with_parts::<CallList>(&mut shapes);
    with_parts::<Trace>(&mut shapes);
    with_parts::<Question>(&mut shapes);
    with_parts::<Verdicts>(&mut shapes);
    with_parts::<Approvals>(&mut shapes);
    with_parts::<Decision>(&mut shapes);
    with_parts::<ComponentList>(&mut shapes);
    with_parts::<ComponentView>(&mut shapes);
    with_parts::<ComponentWord>(&mut shapes);
    with_parts::<Healthy>(&mut shapes);
    with_parts::<Ready>(&mut shapes);
    components.schemas_from_iter(shapes)
}

fn with_parts<T: ToSchema>(shapes: &mut Vec<(String, RefOr<Schema>)>) {
    shapes.push((T::name().into_owned(), T::schema()));
    T::schemas(shapes);
}

fn get(operation: Draft) -> PathItem {
    PathItem::new(HttpMethod::Get, operation.build())
}

fn post(operation: Draft) -> PathItem {
    PathItem::new(HttpMethod::Post, operation.build())
}

fn both(get: Draft, post: Draft) -> PathItem {
    PathItemBuilder::new()
        .operation(HttpMethod::Get, get.build())
        .operation(HttpMethod::Post, post.build())
        .build()
}

fn mcp() -> Draft {
    operation(
        "mcp",
        "The Model Context Protocol",
        "One JSON-RPC message of MCP over Streamable HTTP, and its answer. What is refused once the caller is known is a \
         JSON-RPC error.",
    )
    .body::<JsonObject>()
    .answers_either::<JsonObject>("text/event-stream", "The answer, and the news before it.")
    .answers_nothing("202", "A notification was taken.", &[])
    .fails(&[Fault::Forbidden])
}

fn tools() -> Draft {
    let allow = Array::new(Pattern::schema());
    operation(
        "list_tools",
        "The tools that the caller may call",
        "Sorted by name, and the same bytes for as long as the tools and the tenant's rules are the same.",
    )
    .parameter(format())
    .parameter(strict())
    .parameter(in_query("allow", "Narrows the list. May be there more than once.", allow).explode(Some(true)))
    .parameter(if_none_match())
    .answers_with::<Tools>("200", "The tools.", &["ETag"])
    .answers_nothing("304", "The list is the one that the client has.", &["ETag"])
    .fails(&[Fault::Forbidden, Fault::UnsupportedFormat])
}

fn tool() -> Draft {
    operation(
        "show_tool",
        "One tool",
        "A tool that the caller may not call is answered as one that never was.",
    )
    .parameter(in_path("name", "The tool's name."))
    .parameter(format())
    .parameter(strict())
    .parameter(if_none_match())
    .answers_with::<JsonObject>("200", "The tool.", &["ETag"])
    .answers_nothing("304", "The tool is the one that the client has.", &["ETag"])
    .fails(&[Fault::Forbidden, Fault::UnsupportedFormat, Fault::NoSuchTool])
}

fn call() -> Draft {
    operation(
        "call_tool",
        "Call a tool",
        "Passes the gates and runs the tool in a fresh sandbox. The call is cancelled if the client goes away; one with an \
         idempotency key goes on for a moment, for the client to ask again.",
    )
    .parameter(in_path("name", "The tool's name."))
    .parameter(key())
    .body::<SingleCall>()
    .answers::<Outcome>("How the call ended. A failure is one of the ways.")
    .fails(&[Fault::Forbidden, Fault::KeyMismatch, Fault::StateMismatch, Fault::StoreUnavailable])
}

fn calls() -> Draft {
    operation(
        "call_many",
        "Make many calls",
        "Read-only calls run side by side, side-effecting ones one after the other in the order given. A model's reply, as its \
         provider gave it, is answered with the messages for the next request to it.",
    )
    .parameter(key())
    .body::<Calls>()
    .answers::<Results>("One outcome for each call, in their order.")
    .fails(&[Fault::Forbidden, Fault::KeyMismatch, Fault::ReplyMismatch])
}

fn call_list() -> Draft {
    let text = || word(64, "^[!-~]+$");
    let limit = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).maximum(Some(1_000));
    operation("list_calls", "The tenant's latest calls", "The latest first, a page at a time.")
        .parameter(in_query("tool", "Only calls of this tool.", text()))
        .parameter(in_query("code", "Only calls that ended with this code.", text()))
        .parameter(in_query("before", "Only calls before this one.", word(64, "^[ -~]+$")))
        .parameter(in_query("limit", "Calls of the page; 100 without it.", limit))
        .answers::<CallList>("A page.")
        .fails(&[Fault::StoreUnavailable])
}

fn trace() -> Draft {
    operation(
        "show_call",
        "One call's record and trace",
        "A call of another tenant is answered as one that never was. An operator sees those of all tenants.",
    )
    .parameter(in_path("id", "The call's id."))
    .answers::<Trace>("The record.")
    .fails(&[Fault::NoSuchCall, Fault::StoreUnavailable])
}

fn events() -> Draft {
    operation(
        "listen",
        "What happens in the tenant's calls",
        "Server-sent events with JSON data, each with `call_id` and `tool`: `started` {run, surface, within}, `gate` \
         {gate, name, passed}, `waits` {approval}, `progress` {done, total, message}, `ended` {code, attempt, replayed, \
         wall_ms}. A client that reads too slowly is told `lost` {n_events}, and the stream ends. Comments show that the \
         connection lives.",
    )
    .answers_text("text/event-stream", "Events, until the client leaves.")
    .fails(&[Fault::Forbidden])
}

fn explain() -> Draft {
    operation(
        "explain",
        "What each gate would say",
        "For operators. Runs nothing, asks nobody and uses nothing up.",
    )
    .body::<Question>()
    .answers::<Verdicts>("Five verdicts.")
    .fails(&[Fault::Forbidden, Fault::NoSuchTenant])
}

fn approvals() -> Draft {
    let all = ObjectBuilder::new().schema_type(Type::Boolean);
    operation(
        "list_approvals",
        "The tenant's questions to reviewers",
        "Those that are open, the newest first.",
    )
    .parameter(in_query("all", "Also those that are decided or expired.", all))
    .answers::<Approvals>("At most 1,000, with their arguments cut.")
    .fails(&[Fault::StoreUnavailable])
}

fn approval() -> Draft {
    operation("show_approval", "One question, whole", "Another tenant's is answered as one that never was.")
        .parameter(in_path("id", "The approval's id."))
        .answers::<Approval>("The question.")
        .fails(&[Fault::NoSuchApproval, Fault::StoreUnavailable])
}

fn decide() -> Draft {
    operation("decide", "Decide a question", "For the tenant's approvers. Of two decisions the first counts.")
        .parameter(in_path("id", "The approval's id."))
        .body::<Decision>()
        .answers::<Approval>("The decided question.")
        .fails(&[Fault::Forbidden, Fault::NoSuchApproval, Fault::NotPending, Fault::StoreUnavailable])
}

fn document() -> Draft {
    open("describe", "This document", "It needs no key.").answers::<JsonObject>("The document.")
}

fn metadata() -> Draft {
    open(
        "metadata",
        "Who issues tokens for this server",
        "The metadata of a protected resource, by RFC 9728. It needs no key.",
    )
    .answers::<JsonObject>("The issuers and their scopes.")
    .fails(&[Fault::NoSuchPath])
}

fn metadata_of_mcp() -> Draft {
    open("metadata_of_mcp", "Who issues tokens for /mcp", "The same for the endpoint of MCP.")
        .answers::<JsonObject>("The issuers and their scopes.")
        .fails(&[Fault::NoSuchPath])
}

fn healthy() -> Draft {
    open("health", "Whether the process answers", "It needs no key.").answers::<Healthy>("It does.")
}

fn ready() -> Draft {
    open("ready", "Whether the host can do its work", "It needs no key.")
        .answers::<Ready>("It can.")
        .answers_with::<Ready>("503", "It cannot, for these reasons.", &[])
}

fn format() -> utoipa::openapi::path::ParameterBuilder {
    let formats =
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(Format::ALL.map(Format::as_str)));
    in_query("format", "The form in which tools are given; MCP's without it.", formats)
}

fn strict() -> utoipa::openapi::path::ParameterBuilder {
    let ways =
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(Strict::ALL.map(Strict::as_str)));
    in_query("strict", "Whether a model is held to the schemas; where that loses nothing, without it.", ways)
}

fn if_none_match() -> utoipa::openapi::path::ParameterBuilder {
    in_header("If-None-Match", "The ETag of what the client has.", string())
}

fn key() -> utoipa::openapi::path::ParameterBuilder {
    let text = "The key of the request's one call, bare or in quotes.";
    in_header("Idempotency-Key", text, word(256, r"^[!#-~]+$"))
}
