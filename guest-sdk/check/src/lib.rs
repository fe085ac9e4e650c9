//! What toolhost checks about arguments and schemas.
//!
//! The host and the SDK's test harness both use this crate, so that a tool's author reads in a test exactly the words
//! that a model would read. It owns gates 3 (is it one JSON object, within bounds, meaning the same to everybody?)
//! and 4 (does it match the schema?), the admission of schemas at load, and the canonical form of arguments. It does
//! no input or output, keeps no state, and takes every text and value as hostile.
//!
//! ```
//! use toolhost_check::{Accept, Arguments, Schema, SchemaLimits};
//!
//! let schema = Schema::admit_input(
//!     r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"],
//!         "additionalProperties": false}"#,
//!     &SchemaLimits::TOOL,
//!     Accept::default(),
//! )?;
//! let arguments = Arguments::parse("add", r#"{"a": "1"}"#)?;
//! let refusal = schema.check("add", &arguments).expect_err("a string is no integer");
//! assert_eq!(
//!     refusal.message,
//!     "The arguments for 'add' do not match its schema. a: expected an integer, found the string \"1\". \
//!      Fix those fields and call the tool again."
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod arguments;
pub mod canonical;
pub mod decimal;
pub mod json;
pub mod refusal;
pub mod schema;

pub use arguments::Arguments;
pub use refusal::Refusal;
pub use schema::{Accept, Schema, SchemaFault, SchemaLimits};
