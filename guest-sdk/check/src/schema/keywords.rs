//! The keywords of JSON Schema 2020-12 and what each of them holds.
//!
//! A keyword that is not here is refused: a misspelt `additonalProperties` would otherwise silently open a schema.

/// What the value of a keyword is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// One sub-schema.
    One(Applies),
    /// An array of sub-schemas.
    List(Applies),
    /// An object of sub-schemas.
    Map(Applies),
    /// A reference to a sub-schema that is applied to the same value.
    Reference,
    /// The name of a place that references can use.
    Anchor,
    /// `$id`.
    Id,
    /// Something that constrains the value by itself.
    Assertion,
    /// Something that constrains nothing.
    Annotation,
}

/// To what a sub-schema is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// The same value as the schema around it.
    SameValue,
    /// A part of that value: an item, a member, or a member's name.
    Part,
    /// Nothing, until a reference leads there.
    Nothing,
}

/// What `keyword` holds; `None` if JSON Schema 2020-12 has no such keyword.
#[must_use]
pub fn holds(keyword: &str) -> Option<Holds> {
    Some(match keyword {
        "not" | "if" | "then" | "else" => Holds::One(Applies::SameValue),
        "allOf" | "anyOf" | "oneOf" => Holds::List(Applies::SameValue),
        "dependentSchemas" => Holds::Map(Applies::SameValue),
        "items"
        | "contains"
        | "additionalProperties"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::One(Applies::Part),
        "prefixItems" => Holds::List(Applies::Part),
        "properties" | "patternProperties" => Holds::Map(Applies::Part),
        "$defs" | "definitions" => Holds::Map(Applies::Nothing),
        "contentSchema" => Holds::One(Applies::Nothing),
        "$ref" | "$dynamicRef" => Holds::Reference,
        "$anchor" | "$dynamicAnchor" => Holds::Anchor,
        "$id" => Holds::Id,
        "type" | "enum" | "const" | "multipleOf" | "maximum" | "exclusiveMaximum" | "minimum"
        | "exclusiveMinimum" | "maxLength" | "minLength" | "pattern" | "format" | "maxItems" | "minItems"
        | "uniqueItems" | "maxContains" | "minContains" | "maxProperties" | "minProperties" | "required"
        | "dependentRequired" => Holds::Assertion,
        // The last two belong to OpenAPI; common generators write them beside the keywords that do the work.
        "title" | "description" | "default" | "deprecated" | "readOnly" | "writeOnly" | "examples"
        | "$comment" | "$schema" | "contentEncoding" | "contentMediaType" | "example" | "discriminator" => {
            Holds::Annotation
        }
        extension if extension.starts_with("x-") => Holds::Annotation,
        _ => return None,
    })
}
