//! The schema of every supported type, as golden files.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use toolhost_sdk::testing::admit;
use toolhost_sdk::{
    Content, Context, Date, DateError, Delivery, InputRequired, Json, Outcome, Tool, ToolError, ToolResult,
    ToolType, json, tool,
};

fn pretty(tool: &dyn Tool) -> String {
    assert_eq!(admit(&[tool]), Ok(()), "the host has to take it");
    let spec = tool.spec();
    let both = json!({ "input": spec.input_schema, "output": spec.output_schema });
    format!("{both:#}")
}

/// Takes every scalar. No side effect.
#[tool]
#[expect(unused_variables, reason = "only the schema is looked at")]
fn scalars(
    text: String,
    letter: char,
    flag: bool,
    small: u8,
    short: i16,
    int: i32,
    word: u32,
    long: i64,
    unsigned: u64,
    size: usize,
    offset: isize,
    single: f32,
    double: f64,
    day: Date,
) {
}

#[test]
fn scalars_have_their_bounds() {
    insta::assert_snapshot!(pretty(&scalars {}));
}

/// Takes containers. No side effect.
#[tool]
#[allow(clippy::boxed_local, reason = "a boxed parameter is what is looked at")]
#[expect(unused_variables, reason = "only the schema is looked at")]
fn containers(
    maybe: Option<u8>,
    maybe_day: Option<Date>,
    maybe_status: Option<Status>,
    maybe_address: Option<Address>,
    maybe_shape: Option<Shape>,
    list: Vec<String>,
    matrix: Vec<Vec<f64>>,
    map: BTreeMap<String, i64>,
    unordered: HashMap<String, Vec<Status>>,
    boxed: Box<Address>,
) {
}

#[test]
fn containers_hold_the_schemas_of_what_they_hold() {
    insta::assert_snapshot!(pretty(&containers {}));
}

/// What has become of an order.
#[derive(Serialize, Deserialize, ToolType, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Status {
    Open,
    ShippedAbroad,
    #[serde(rename = "gone")]
    Cancelled,
}

/// Where somebody lives.
#[derive(Serialize, Deserialize, ToolType)]
#[serde(rename_all = "camelCase")]
struct Address {
    /// The street
    /// and the number.
    street_line: String,
    #[serde(rename = "zip")]
    postal_code: Option<String>,
    #[serde(default)]
    floor: u8,
    #[serde(skip)]
    #[expect(dead_code, reason = "it is not part of the JSON")]
    cached: Option<String>,
}

#[derive(Serialize, Deserialize, ToolType)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    /// A circle.
    Circle {
        /// How far from the middle to the rim.
        radius: f64,
    },
    Rectangle {
        width: f64,
        height: f64,
    },
    Point,
}

#[derive(Serialize, Deserialize, ToolType)]
enum External {
    Named { a: u8 },
    Wrapped(Address),
    Unit,
}

#[derive(Serialize, Deserialize, ToolType)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Text(String),
    Many { list: Vec<u8> },
    Nothing,
}

#[derive(Serialize, Deserialize, ToolType)]
#[serde(untagged)]
enum Either {
    Number(i64),
    Text(String),
}

#[derive(Serialize, Deserialize, ToolType)]
struct Wrapper(Status);

#[derive(Serialize, Deserialize, ToolType)]
struct Page<T> {
    items: Vec<T>,
    next: Option<String>,
}

/// Takes what is derived. No side effect.
#[tool]
#[expect(unused_variables, reason = "only the schema is looked at")]
fn derived(
    status: Status,
    /// The parameter's own words come first.
    address: Address,
    shape: Shape,
    external: External,
    adjacent: Adjacent,
    either: Either,
    wrapper: Wrapper,
) -> Page<Address> {
    Page { items: Vec::new(), next: None }
}

#[test]
fn derived_types_follow_serde() {
    insta::assert_snapshot!(pretty(&derived {}));
}

/// A file or a folder of them.
#[derive(Serialize, Deserialize, ToolType)]
#[serde(rename_all = "snake_case")]
enum Node {
    File(String),
    Folder(Vec<Node>),
}

#[derive(Serialize, Deserialize, ToolType)]
struct Person {
    name: String,
    boss: Option<Box<Person>>,
    desk: Desk,
}

#[derive(Serialize, Deserialize, ToolType)]
struct Desk {
    owner: Option<Box<Person>>,
    notes: Vec<Node>,
}

/// Takes types that contain themselves. No side effect.
#[tool]
#[expect(unused_variables, reason = "only the schema is looked at")]
fn recursive(tree: Node, again: Node, person: Person) -> Option<Box<Person>> {
    None
}

#[test]
fn a_type_that_contains_itself_becomes_a_definition() {
    insta::assert_snapshot!(pretty(&recursive {}));
}

/// Has defaults. No side effect.
#[tool]
#[expect(unused_variables, reason = "only the schema is looked at")]
fn defaults(
    #[arg(default = 1)] number: f64,
    #[arg(default = -5)] negative: i8,
    #[arg(default = 18446744073709551615)] largest: u64,
    #[arg(default = 0.5)] half: f64,
    #[arg(default = "any \"x\"", description = "Which ones.")] text: String,
    #[arg(default = false)] flag: bool,
    #[arg(default = "gone")] status: Status,
    #[arg(default = Status::Open)] expression: Status,
    #[arg(default = vec![1, 2])] list: Vec<u8>,
    #[arg(default = 3)] maybe: Option<u8>,
    r#type: String,
    ctx: &Context,
) -> f64 {
    number
}

#[test]
fn defaults_stand_in_the_schema_and_the_context_does_not() {
    insta::assert_snapshot!(pretty(&defaults {}));
}

#[test]
fn a_schema_is_the_same_text_each_time() {
    for tool in [&derived {} as &dyn Tool, &recursive {}, &containers {}] {
        assert_eq!(tool.spec().input_schema.to_string(), tool.spec().input_schema.to_string());
    }
}

/// Refunds an order.
///
/// Not for
/// cancelled ones.
#[tool(
    name = "refund-order",
    title = "Refund",
    destructive,
    idempotent = true,
    open_world,
    requires_approval,
    timeout = "1500ms",
    pool = "slow",
    delivery = "at_least_once",
    idempotency_key = "refund:{order_id}:{type}"
)]
#[expect(unused_variables, reason = "only the spec is looked at")]
fn refund(order_id: String, #[arg(default = 1)] r#type: u8) {}

/// Read-only all the same.
#[tool(read_only, description = "Says when.", timeout = "2m", delivery = "at_most_once")]
async fn when() -> Result<Date, DateError> {
    Date::new(2026, 11, 30)
}

#[test]
fn options_become_the_spec() {
    let spec = refund {}.spec();
    assert_eq!((refund {}).name(), "refund-order");
    assert_eq!(spec.title.as_deref(), Some("Refund"));
    assert_eq!(spec.description, "Refunds an order.\n\nNot for cancelled ones.");
    let annotations = spec.annotations;
    assert_eq!(
        (annotations.read_only, annotations.destructive, annotations.idempotent, annotations.open_world),
        (false, true, true, true)
    );
    assert!(spec.wishes.requires_approval);
    assert_eq!(spec.wishes.timeout_ms, Some(1_500));
    assert_eq!(spec.wishes.pool.as_deref(), Some("slow"));
    assert_eq!(spec.wishes.delivery, Some(Delivery::AtLeastOnce));
    assert_eq!(spec.wishes.idempotency_key.as_deref(), Some("refund:{order_id}:{type}"));
    assert_eq!(spec.output_schema, None);

    let spec = when {}.spec();
    assert_eq!(spec.description, "Says when.");
    assert!(spec.annotations.read_only && !spec.wishes.requires_approval);
    assert_eq!(spec.wishes.timeout_ms, Some(120_000));
    assert_eq!(spec.wishes.delivery, Some(Delivery::AtMostOnce));
    assert_eq!(spec.output_schema, Some(json!({ "type": "string", "format": "date" })));
}

/// Blocks.
#[tool]
fn block() -> Content {
    Content::text("x")
}

/// Blocks.
#[tool]
fn blocks() -> Result<Vec<Content>, ToolError> {
    Ok(Vec::new())
}

/// Blocks.
#[tool]
fn result() -> ToolResult {
    ToolResult::new()
}

/// Anything.
#[tool]
fn anything() -> Json<Vec<u128>> {
    Json(Vec::new())
}

/// A question.
#[tool]
fn question() -> Outcome<u8> {
    Outcome::Ask(InputRequired::new())
}

/// A constant text.
#[tool]
fn constant() -> &'static str {
    "x"
}

#[test]
fn only_values_with_a_schema_have_an_output_schema() {
    for tool in [&block {} as &dyn Tool, &blocks {}, &result {}, &anything {}] {
        assert_eq!(tool.spec().output_schema, None, "{}", tool.name());
    }
    assert_eq!(constant {}.spec().output_schema, Some(json!({ "type": "string" })));
    assert_eq!(
        question {}.spec().output_schema,
        Some(json!({ "type": "integer", "minimum": 0, "maximum": 255 }))
    );
}
