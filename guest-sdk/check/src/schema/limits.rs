//! The bounds on a schema, and on the work of one check.

/// Bounds on one schema and on checking one value against it.
///
/// Together they bound a check: the walk over the value stops after [`SchemaLimits::steps`] steps, and the verdict
/// that follows applies at most [`SchemaLimits::expansion`] sub-schemas to each of the value's elements, since the
/// library remembers what it found for a `$ref` target. The stack is bounded by [`SchemaLimits::frames`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaLimits {
    /// Bytes of the schema's text.
    pub bytes: usize,
    /// Sub-schemas inside each other, as written.
    pub depth: usize,
    /// Sub-schemas in all.
    pub subschemas: usize,
    /// Regular expressions in all (`pattern` and the keys of `patternProperties`).
    pub patterns: usize,
    /// Characters of one regular expression.
    pub pattern_chars: usize,
    /// Bytes of one compiled regular expression.
    pub pattern_bytes: usize,
    /// `unevaluatedProperties` and `unevaluatedItems` in all; each of them looks at its neighbours again.
    pub unevaluated: usize,
    /// Sub-schemas that one value can meet at one place, through `$ref`, `anyOf` and the like.
    pub expansion: usize,
    /// Sub-schemas on top of each other while the deepest value is checked.
    pub frames: usize,
    /// Steps of one walk: sub-schemas met, members and options looked at.
    pub steps: usize,
    /// Faults that a message lists.
    pub faults: usize,
}

impl SchemaLimits {
    /// The bounds of a tool's schemas.
    ///
    /// 400 frames were measured to need less than half of a thread's usual 2 MiB, without optimisation.
    pub const TOOL: Self = Self {
        bytes: 64 * 1024,
        depth: 32,
        subschemas: 1_000,
        patterns: 64,
        pattern_chars: 1_000,
        pattern_bytes: 256 * 1024,
        unevaluated: 16,
        expansion: 256,
        frames: 400,
        steps: 1_000_000,
        faults: 20,
    };
}

impl Default for SchemaLimits {
    fn default() -> Self {
        Self::TOOL
    }
}
