//! Write tools for `toolhost` in Rust.
//!
//! A tool is a function. Its doc comment is what a model reads, its parameters are what a model fills in, and what it
//! returns is what a model gets. This is a whole component:
//!
//! ```
//! use toolhost_sdk::{Context, ToolError, tool};
//!
//! /// Adds to a counter of yours and returns its new value. Use it to count things across conversations.
//! /// It has a side effect.
//! #[tool(timeout = "5s")]
//! fn count(ctx: &Context, name: String, #[arg(default = 1)] by: i64) -> Result<i64, ToolError> {
//!     let kv = ctx.kv();
//!     let before = kv.get_json::<i64>(&name).map_err(ToolError::from_error)?.unwrap_or(0);
//!     let after = before.checked_add(by).ok_or_else(|| ToolError::new("The counter is full. Use another name."))?;
//!     kv.set_json(&name, &after).map_err(ToolError::from_error)?;
//!     Ok(after)
//! }
//!
//! toolhost_sdk::export!(count);
//! # fn main() {
//! # use toolhost_sdk::testing::{self, FakeContext};
//! # let fake = FakeContext::new().kv("visits", "41");
//! # assert_eq!(testing::call(&count {}, &fake, r#"{"name": "visits"}"#).text, "42");
//! # }
//! ```
//!
//! - [`tool`](macro@tool) makes a function a tool and lists its options; [`export!`] makes tools the component's.
//! - [`ToolType`](macro@ToolType) gives types of yours a schema; [`ToolOutput`] lists what may be returned.
//! - [`Context`] is what the host says about a call, and what it grants: a store, secrets, other tools.
//! - [`testing`] runs tools natively, in the words that a model would read.
//! - [`index`] finds passages in a folder or in the store.
//! - [`Tool`] is beneath the macro, for tools whose schema is only known at run time.
//!
//! # What a guest can rely on
//! Each call has a fresh sandbox with one thread: a `static` holds nothing from call to call, and an `async` tool is
//! simply run to its end. The host has checked the arguments against the schema before the guest starts; it stops
//! the guest at its deadline. A side effect that must happen once passes [`Context::idempotency_key`] on.
//!
//! # Numbers
//! Integers up to 64 bit keep every digit, to the tool and back. What JSON has no number for is returned as a string:
//! `NaN`, `Infinity`, `-Infinity`, and integers beyond 64 bit. The output schema of a float says so.
//!
//! # Build
//! A component is a `cdylib` for `wasm32-wasip2`, best with `panic = "abort"` and `opt-level = "s"`. Without
//! [`export!`] it has no `tools` interface, and the host refuses to load it.

#[doc(hidden)]
pub mod bindings;

mod arguments;
mod block_on;
mod content;
mod context;
mod failure;
mod guest;
pub mod index;
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
            #[cfg_attr(
                not(target_family = "wasm"),
                allow(dead_code, reason = "a native build exports nothing, and is checked all the same")
            )]
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

            // Native linkers refuse the names that a component's exports have. The tools are in use all the same.
            #[cfg(target_family = "wasm")]
            $crate::bindings::export_component!(Exported with_types_in $crate::bindings);
            #[cfg(not(target_family = "wasm"))]
            const _: &[&dyn $crate::Tool] = Exported::TOOLS;
        };
    };
}
