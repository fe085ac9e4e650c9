//! Why a schema is refused at load.
//!
//! Every variant names the fault and the place, so that the author of a tool can mend it without a debugger.

use crate::json;

/// A reason to refuse a schema. `pointer` is the JSON pointer of the sub-schema at fault; empty for the root.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaFault {
    /// The text has more bytes than the bound.
    #[error("the schema has {bytes} bytes, more than {limit}")]
    TooLarge {
        /// Bytes of the text.
        bytes: usize,
        /// The bound.
        limit: usize,
    },
    /// The text is not valid JSON.
    #[error("the schema is not valid JSON: {0}")]
    Json(json::Fault),
    /// The schema is not a JSON object.
    #[error("the schema must be a JSON object, found {found}")]
    NotAnObject {
        /// What it is instead.
        found: &'static str,
    },
    /// `$schema` names another dialect.
    #[error("the dialect {found:?} is not supported; use JSON Schema 2020-12 or leave '$schema' out")]
    Dialect {
        /// The value of `$schema`.
        found: String,
    },
    /// A keyword that JSON Schema 2020-12 does not have.
    #[error("unknown keyword '{keyword}' at '{pointer}'; extensions begin with 'x-'")]
    UnknownKeyword {
        /// Where.
        pointer: String,
        /// The keyword.
        keyword: String,
    },
    /// A keyword has a value of a wrong type or form.
    #[error("the value at '{pointer}' is not what JSON Schema 2020-12 allows there")]
    WrongValue {
        /// The pointer of the value itself.
        pointer: String,
    },
    /// Sub-schemas are nested too deeply.
    #[error("sub-schemas are nested deeper than {limit} levels at '{pointer}'")]
    TooDeep {
        /// Where.
        pointer: String,
        /// The bound.
        limit: usize,
    },
    /// There are too many sub-schemas.
    #[error("more than {limit} sub-schemas")]
    TooManySubschemas {
        /// The bound.
        limit: usize,
    },
    /// There are too many regular expressions.
    #[error("more than {limit} regular expressions")]
    TooManyPatterns {
        /// The bound.
        limit: usize,
    },
    /// There are too many `unevaluated...` keywords.
    #[error("'unevaluatedProperties' and 'unevaluatedItems' are used more than {limit} times")]
    TooManyUnevaluated {
        /// The bound.
        limit: usize,
    },
    /// A regular expression is broken, too large, or not linear.
    #[error("the pattern {pattern:?} at '{pointer}' is refused: {reason}")]
    BadPattern {
        /// Where.
        pointer: String,
        /// The regular expression, cut to a short length.
        pattern: String,
        /// Why.
        reason: &'static str,
    },
    /// A divisor that has too many digits for exact arithmetic.
    #[error("'multipleOf' at '{pointer}' has more than {limit} digits")]
    LongDivisor {
        /// Where.
        pointer: String,
        /// The bound.
        limit: usize,
    },
    /// A reference leads out of the schema.
    #[error("the reference {reference:?} at '{pointer}' leads out of the schema; only '#...' is followed")]
    RemoteRef {
        /// Where.
        pointer: String,
        /// The reference.
        reference: String,
    },
    /// A reference leads to no sub-schema.
    #[error("the reference {reference:?} at '{pointer}' leads to no sub-schema")]
    DanglingRef {
        /// Where.
        pointer: String,
        /// The reference.
        reference: String,
    },
    /// `$id` below the root, which would change what `#` means.
    #[error("'$id' is only allowed at the root, found at '{pointer}'")]
    NestedId {
        /// Where.
        pointer: String,
    },
    /// Two anchors with one name.
    #[error("the anchor '{anchor}' is defined twice, the second time at '{pointer}'")]
    DoubledAnchor {
        /// Where.
        pointer: String,
        /// The name.
        anchor: String,
    },
    /// A sub-schema leads back to itself for the same value, which would never end.
    #[error("the sub-schema at '{pointer}' leads back to itself for the same value")]
    Cycle {
        /// Where.
        pointer: String,
    },
    /// One value would meet too many sub-schemas.
    #[error("one value can meet more than {limit} sub-schemas at '{pointer}', references followed")]
    Expansion {
        /// Where the bound is first passed.
        pointer: String,
        /// The bound.
        limit: usize,
    },
    /// Checking the deepest value would need too much stack.
    #[error("checking a deep value would stack more than {limit} sub-schemas on each other")]
    Frames {
        /// The bound.
        limit: usize,
    },
    /// The schema library refuses what all checks here accept.
    #[error("the schema does not compile: {message}")]
    Uncompilable {
        /// The library's words, cut to a short length.
        message: String,
    },
    /// An input schema whose root is not `type: object`.
    #[error("an input schema must have \"type\": \"object\" at its root")]
    NotObjectTyped,
    /// An input schema that takes properties it does not name.
    #[error(
        "an input schema must refuse unknown properties: set \"additionalProperties\": false at its root, without \
         'patternProperties' beside it"
    )]
    Open,
    /// An input schema with a property named like a value of the context or the policy.
    #[error(
        "the property '{name}' at '{pointer}' is named like a value that the host gives or decides; rename it"
    )]
    ReservedName {
        /// The sub-schema that has the property.
        pointer: String,
        /// The property.
        name: String,
    },
}
