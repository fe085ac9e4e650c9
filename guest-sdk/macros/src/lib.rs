//! The macros of `toolhost-sdk`. Use them through that crate, which documents them.

mod derive;
mod doc;
mod mistakes;
mod tool;

use proc_macro::TokenStream;
use quote::ToTokens;

/// Makes a function a tool.
///
/// The tool's name is the function's, its description the doc comment, its input schema comes from the parameters'
/// types and its output schema from the return type. A parameter `ctx: &Context`, anywhere in the list, is the
/// call's context and no part of the schema. The function stays what it is; beside it stands a type of the same
/// name, so that `multiply {}` is the tool of `fn multiply`.
///
/// # Options
/// | option | value |
/// |---|---|
/// | `name`, `title`, `description` | text, in place of the function's name and doc comment |
/// | `read_only`, `destructive`, `idempotent`, `open_world` | hints about behaviour; alone or `= true` |
/// | `requires_approval` | ask a person before each call |
/// | `timeout` | the longest that one attempt may take: `"250ms"`, `"10s"`, `"2m"` |
/// | `pool` | the pool of executions that the tool would like to run in |
/// | `delivery` | `"at_most_once"` or `"at_least_once"` |
/// | `idempotency_key` | a template such as `"refund:{order_id}"`; names in braces are parameters |
///
/// # Parameters
/// A doc comment on a parameter, or `#[arg(description = "...")]`, describes it. `#[arg(default = 20)]` makes it
/// optional and stands in the schema; a default is a literal or any expression of the parameter's type that can be
/// serialized. A parameter of type `Option` is optional without one, and may be null.
///
/// # Refused at compile time
/// No description; a bad name; an unknown, doubled or invalid option; a template that names no parameter; a
/// parameter that is a pattern, is borrowed, or has the name of a context or policy value; two contexts; a receiver;
/// generics; a type without a schema. All mistakes are told at once.
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(options.into(), item.into()).into()
}

/// Gives a struct or an enum a JSON Schema, from the same attributes that `serde` reads.
///
/// - A struct with named fields is an object that refuses unknown properties. A field is optional if its type is
///   `Option`, or with `#[serde(default)]` or `#[serde(skip_serializing_if = "...")]`.
/// - A struct around one value has that value's schema.
/// - An enum without data is a string `enum`.
/// - An enum with data is an `anyOf` of its variants, in `serde`'s four forms: by default an object with one field,
///   with `tag`, with `tag` and `content`, or `untagged`.
///
/// Doc comments on the type and its fields become descriptions. `rename`, `rename_all`, `rename_all_fields` and
/// `skip` are honoured. Attributes that change the JSON in ways that a schema cannot follow (`flatten`, `with`,
/// `from` and their like) are refused.
#[proc_macro_derive(ToolType, attributes(serde))]
pub fn derive_tool_type(item: TokenStream) -> TokenStream {
    match syn::parse(item) {
        Ok(input) => derive::expand(&input).into(),
        Err(error) => error.to_compile_error().to_token_stream().into(),
    }
}
