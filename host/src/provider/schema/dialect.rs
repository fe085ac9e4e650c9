//! What each provider takes of JSON Schema, in one table. Everything else stands in the description.
//!
//! The figures are those of the providers' documentation and of their own packages in November 2026.

use crate::provider::names::NameRule;

/// What one form takes.
#[derive(Debug)]
pub(in crate::provider) struct Dialect {
    /// The keywords that may stand in any sub-schema.
    keywords: &'static [&'static str],
    /// The formats that may be named; `None` for any.
    formats: Option<&'static [&'static str]>,
    /// The properties' names.
    pub(super) names: NameRule,
    /// The model is held to the schema, so that each sub-schema says what it is, and each object names all it takes.
    pub(in crate::provider) strict: bool,
    /// Each object requires all that it names. What is optional may be null instead.
    pub(super) requires_all: bool,
}

/// What may stand in any sub-schema but the root, whatever the form.
const ANYTHING: &[&str] = &[
    "type",
    "enum",
    "const",
    "title",
    "description",
    "default",
    "examples",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
];

/// Keywords in which an alias of a property would have to be put into something that is no property's name.
const BY_NAME: &[&str] = &[
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "not",
    "if",
    "then",
    "else",
];

/// The formats that both strict modes know.
const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// OpenAI without strict mode. The root is an object without combinations, as with all of them.
pub(in crate::provider) const OPENAI: Dialect =
    Dialect { keywords: ANYTHING, formats: None, names: NameRule::Any, strict: false, requires_all: false };

/// OpenAI's strict mode ("Structured Outputs, supported schemas").
pub(in crate::provider) const OPENAI_STRICT: Dialect = Dialect {
    keywords: &[
        "type",
        "enum",
        "const",
        "title",
        "description",
        "format",
        "pattern",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minItems",
        "maxItems",
        "anyOf",
    ],
    formats: Some(FORMATS),
    names: NameRule::Any,
    strict: true,
    requires_all: true,
};

/// Anthropic without strict mode.
pub(in crate::provider) const ANTHROPIC: Dialect = Dialect {
    keywords: ANYTHING,
    formats: None,
    names: NameRule::Dotted,
    strict: false,
    requires_all: false,
};

/// Anthropic's strict mode, as the `transform_schema` of its package leaves a schema.
pub(in crate::provider) const ANTHROPIC_STRICT: Dialect = Dialect {
    keywords: &[
        "type",
        "enum",
        "const",
        "title",
        "description",
        "format",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
    ],
    formats: Some(&[
        "date-time",
        "time",
        "date",
        "duration",
        "email",
        "hostname",
        "uri",
        "ipv4",
        "ipv6",
        "uuid",
    ]),
    names: NameRule::Dotted,
    strict: true,
    requires_all: false,
};

/// Gemini's `parametersJsonSchema`.
pub(in crate::provider) const GEMINI: Dialect = Dialect {
    keywords: &[
        "type",
        "enum",
        "title",
        "description",
        "format",
        "minimum",
        "maximum",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "anyOf",
    ],
    formats: None,
    names: NameRule::Word,
    strict: false,
    requires_all: false,
};

/// The bounds of OpenAI's strict mode on one schema.
#[derive(Debug)]
pub(super) struct Most {
    pub(super) properties: usize,
    pub(super) depth: usize,
    pub(super) options: usize,
    pub(super) chars: usize,
}

pub(super) const OPENAI_MOST: Most = Most { properties: 5_000, depth: 10, options: 1_000, chars: 120_000 };

/// How many strict tools Anthropic takes in one request, and how much of what makes its grammar large, in all of them.
pub(in crate::provider) const ANTHROPIC_STRICT_TOOLS: usize = 20;
/// Optional properties.
pub(in crate::provider) const ANTHROPIC_OPTIONAL: usize = 24;
/// Properties of more than one type.
pub(in crate::provider) const ANTHROPIC_UNIONS: usize = 16;

impl Dialect {
    /// Whether a keyword may stand in a sub-schema. The root is one object, and no combination of several.
    pub(super) fn keeps(&self, keyword: &str, is_root: bool, renames: bool) -> bool {
        let at_root = !matches!(keyword, "anyOf" | "oneOf" | "allOf" | "not" | "enum" | "const");
        self.keywords.contains(&keyword) && (!is_root || at_root) && (!renames || !BY_NAME.contains(&keyword))
    }

    /// Whether a format may be named.
    pub(super) fn knows(&self, format: &str) -> bool {
        self.formats.is_none_or(|formats| formats.contains(&format))
    }
}
