//! Write tools for `toolhost` in Rust.

#[doc(hidden)]
pub mod bindings;

mod arguments;
mod block_on;
mod content;
mod context;
mod failure;
mod guest;
mod input;
mod json;
mod output;
mod schema;
#[cfg(not(target_family = "wasm"))]
pub mod testing;
mod tool;

pub use serde_json::{Value, json};
pub use toolhost_sdk_macros::{ToolType, tool};

pub use self::content::{Content, Link, Media, Resource, ResourceBody};
pub use self::context::{Context, InvokeError, Invoked, Keys, Kv, KvError, KvPage, Level, SecretError};
pub use self::failure::ToolError;
pub use self::input::{InputAnswer, InputRequest, InputRequired};
pub use self::json::{JsonError, to_value};
pub use self::output::{Json, Outcome, ToolOutput};
pub use self::schema::{Date, DateError, Direction, Schema, Schemas, ToolType};
pub use self::tool::{Annotations, Delivery, Example, Reply, Tool, ToolResult, ToolSpec, Wishes};

/// What the macros' expansions call. No part of the contract.
#[doc(hidden)]
pub mod __private {
    pub use crate::arguments::Arguments;
    pub use crate::block_on::block_on;
    pub use crate::guest::{call, describe};
    pub use crate::schema::{Fields, Parameters, choices, described, string_enum};
}

/// Makes tools the component's exports. Written once, in the component's root:
///
/// ```
/// use toolhost_sdk::tool;
///
/// /// Multiplies two numbers. No side effect.
/// #[tool(read_only)]
/// fn multiply(a: f64, b: f64) -> f64 {
///     a * b
/// }
///
/// toolhost_sdk::export!(multiply);
/// # fn main() {}
/// ```
///
/// Each name is a `#[tool]` function, or a type without fields that implements [`Tool`].
#[macro_export]
macro_rules! export {
    ($($($tool:ident)::+),+ $(,)?) => {
        const _: () = {
            struct Exported;

            impl Exported {
                const TOOLS: &'static [&'static dyn $crate::Tool] = &[$(&$($tool)::+ {}),+];
            }

            impl $crate::bindings::exports::toolhost::tool::tools::Guest for Exported {
                fn describe() -> ::std::vec::Vec<$crate::bindings::exports::toolhost::tool::tools::Spec> {
                    $crate::__private::describe(Self::TOOLS)
                }

                fn call(
                    request: $crate::bindings::exports::toolhost::tool::tools::CallRequest,
                ) -> ::std::result::Result<
                    $crate::bindings::exports::toolhost::tool::tools::Reply,
                    $crate::bindings::exports::toolhost::tool::tools::Failure,
                > {
                    $crate::__private::call(Self::TOOLS, request)
                }
            }

            $crate::bindings::export_component!(Exported with_types_in $crate::bindings);
        };
    };
}
