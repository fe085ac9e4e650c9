//! One operation of the document, from the few things in which operations differ.

use utoipa::ToSchema;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{Content, Ref, RefOr, Required, ResponseBuilder, Schema};

use super::super::fault::Fault;
use super::meanings;
use super::shapes;

/// What every path may answer.
const ALWAYS: [Fault; 3] = [Fault::HostNotAllowed, Fault::OriginNotAllowed, Fault::NotAcceptable];

/// What every path that asks who somebody is may answer.
const KNOWN: [Fault; 5] = [
    Fault::BadRequest,
    Fault::Unauthenticated,
    Fault::Forbidden,
    Fault::TooManyRequests,
    Fault::IdentityUnavailable,
];

/// An operation under construction.
pub(super) struct Draft {
    operation: OperationBuilder,
    faults: Vec<Fault>,
}

/// An operation that whoever is known may ask for.
pub(super) fn operation(id: &str, summary: &str, description: &str) -> Draft {
    let operation =
        OperationBuilder::new().operation_id(Some(id)).summary(Some(summary)).description(Some(description));
    let faults = [&ALWAYS[..], &KNOWN[..]].concat();
    Draft { operation, faults }
}

/// An operation that needs no key.
pub(super) fn open(id: &str, summary: &str, description: &str) -> Draft {
    let operation = operation(id, summary, description).operation;
    Draft { operation: operation.security(SecurityRequirement::default()), faults: ALWAYS.to_vec() }
}

impl Draft {
    /// It has a body of JSON.
    pub(super) fn body<T: ToSchema>(self) -> Self {
        let content = Content::new(Some(reference::<T>()));
        let body =
            RequestBodyBuilder::new().content("application/json", content).required(Some(Required::True));
        let operation = self.operation.request_body(Some(body.build()));
        Self { operation, ..self }.fails(&[
            Fault::BrokenBody,
            Fault::SlowBody,
            Fault::TooLarge,
            Fault::NotJson,
        ])
    }

    /// It has a component for a body.
    pub(super) fn component(self) -> Self {
        let bytes = ObjectBuilder::new().schema_type(Type::String);
        let body = RequestBodyBuilder::new().content("application/wasm", Content::new(Some(bytes)));
        let operation = self.operation.request_body(Some(body.required(Some(Required::True)).build()));
        Self { operation, ..self }.fails(&[
            Fault::BrokenBody,
            Fault::SlowBody,
            Fault::TooLarge,
            Fault::NotWasm,
        ])
    }

    pub(super) fn parameter(self, parameter: impl Into<Parameter>) -> Self {
        Self { operation: self.operation.parameter(parameter), ..self }
    }

    /// It may fail in further ways.
    pub(super) fn fails(mut self, faults: &[Fault]) -> Self {
        self.faults.extend_from_slice(faults);
        self
    }

    /// It answers with JSON.
    pub(super) fn answers<T: ToSchema>(self, description: &str) -> Self {
        self.answers_with::<T>("200", description, &[])
    }

    /// The same under another status, and with headers.
    pub(super) fn answers_with<T: ToSchema>(self, status: &str, description: &str, headers: &[&str]) -> Self {
        let content = Content::new(Some(reference::<T>()));
        let response = with_headers(ResponseBuilder::new().description(description), headers);
        let response = response.content("application/json", content);
        Self { operation: self.operation.response(status, response.build()), ..self }
    }

    /// It answers with JSON, or with a text of another kind.
    pub(super) fn answers_either<T: ToSchema>(self, kind: &str, description: &str) -> Self {
        let text = ObjectBuilder::new().schema_type(Type::String);
        let response = ResponseBuilder::new()
            .description(description)
            .content("application/json", Content::new(Some(reference::<T>())))
            .content(kind, Content::new(Some(text)));
        Self { operation: self.operation.response("200", response.build()), ..self }
    }

    /// It answers with a text of another kind.
    pub(super) fn answers_text(self, kind: &str, description: &str) -> Self {
        let text = ObjectBuilder::new().schema_type(Type::String);
        let response =
            ResponseBuilder::new().description(description).content(kind, Content::new(Some(text)));
        Self { operation: self.operation.response("200", response.build()), ..self }
    }

    /// It answers without a body.
    pub(super) fn answers_nothing(self, status: &str, description: &str, headers: &[&str]) -> Self {
        let response = with_headers(ResponseBuilder::new().description(description), headers);
        Self { operation: self.operation.response(status, response.build()), ..self }
    }

    pub(super) fn build(self) -> Operation {
        let Self { mut operation, faults } = self;
        for fault in &faults {
            let status = fault.status();
            let headers: &[&str] = match fault {
                Fault::Unauthenticated => &["WWW-Authenticate"],
                Fault::TooManyRequests => &["Retry-After"],
                _ => &[],
            };
            let response =
                with_headers(ResponseBuilder::new().description(meanings(&faults, status)), headers);
            let response =
                response.content("application/json", Content::new(Some(reference::<shapes::Error>())));
            operation = operation.response(status.as_str(), response.build());
        }
        operation.build()
    }
}

fn with_headers(response: ResponseBuilder, names: &[&str]) -> ResponseBuilder {
    names.iter().fold(response, |response, name| {
        response.header(*name, HeaderBuilder::new().schema(Some(string())).build())
    })
}

fn reference<T: ToSchema>() -> RefOr<Schema> {
    Ref::from_schema_name(T::name()).into()
}

/// A text of any length.
pub(super) fn string() -> Object {
    ObjectBuilder::new().schema_type(Type::String).build()
}

/// A text of 1 to `most` characters that match.
pub(super) fn word(most: usize, pattern: &str) -> Object {
    let word = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(most));
    word.pattern(Some(pattern)).build()
}

/// A part of the path.
pub(super) fn in_path(name: &str, description: &str) -> ParameterBuilder {
    let text = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).build();
    parameter(ParameterIn::Path, name, description, text).required(Required::True)
}

/// A parameter of the query that may be left out.
pub(super) fn in_query(name: &str, description: &str, schema: impl Into<RefOr<Schema>>) -> ParameterBuilder {
    parameter(ParameterIn::Query, name, description, schema)
}

/// A header that may be left out.
pub(super) fn in_header(name: &str, description: &str, schema: impl Into<RefOr<Schema>>) -> ParameterBuilder {
    parameter(ParameterIn::Header, name, description, schema)
}

fn parameter(
    place: ParameterIn,
    name: &str,
    description: &str,
    schema: impl Into<RefOr<Schema>>,
) -> ParameterBuilder {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(schema))
}
