//! What a tool asks for before it can go on: checked, kept to what the client can answer, and sealed with the call's state.

use std::collections::HashSet;

use serde_json::{Map, Value};
use toolhost_check::json;

use super::Host;
use crate::gate::{Admitted, Call};
use crate::spec::{Code, Failure, InputMethod, InputRequest, InputRequired, RawRequest, clean_json};
use crate::store::StoreError;

/// The type that a caller is shown.
const KIND: &str = "InputRequired";
/// Requests of one round.
const REQUESTS: usize = 16;
/// Bytes of a request's name.
const ID_BYTES: usize = 64;
/// Bytes of all parameters of a round together.
const PARAMS_BYTES: usize = 64 << 10;
/// Bytes of a tool's own state.
const STATE_BYTES: usize = 64 << 10;

/// What becomes of a call whose tool asks for input. A client that cannot answer is told what it would need.
pub(super) async fn ask(
    host: &Host,
    call: &Call,
    admitted: &Admitted,
    requests: Vec<RawRequest>,
    state: Option<Vec<u8>>,
) -> Failure {
    let tool = &admitted.entry().name;
    let bad = |reason: String| {
        let message =
            format!("The tool '{tool}' asked for input in a way that cannot be passed on: {reason}.");
        Failure::new(Code::BadResult, message)
    };
    if state.as_ref().is_some_and(|state| state.len() > STATE_BYTES) {
        return bad(format!("its state has more than {STATE_BYTES} bytes"));
    }
    let requests = match checked(requests) {
        Ok(requests) => requests,
        Err(reason) => return bad(reason),
    };
    let asked: Vec<String> =
        requests.iter().map(|asked| format!("{} ({})", asked.id, asked.method)).collect();
    let asked = asked.join(", ");
    let requests: Vec<InputRequest> =
        requests.into_iter().filter(|asked| call.asks.contains(&asked.method)).collect();
    let failure = |message, requests, state| {
        let input = Some(Box::new(InputRequired { requests, state }));
        Failure { kind: KIND.to_owned(), input, ..Failure::new(Code::ToolError, message) }
    };
    if requests.is_empty() {
        let message = format!(
            "The tool '{tool}' needs input before it can go on: {asked}. This client did not say that it can give it; one \
             that speaks MCP 2026-07-28 with that capability can."
        );
        return failure(message, requests, None);
    }
    let ids = requests.iter().map(|asked| asked.id.clone()).collect();
    let sealed = if state.is_some() || admitted.counts_rounds() {
        match seal(host, admitted, ids, state).await {
            Ok(sealed) => Some(sealed),
            Err(fault) => return Failure::internal(admitted.call_id(), fault),
        }
    } else {
        None
    };
    let message = format!(
        "The tool '{tool}' needs input before it can go on: {asked}. Make the same call again with the answers and the \
         state."
    );
    failure(message, requests, sealed)
}

async fn seal(
    host: &Host,
    admitted: &Admitted,
    ids: Vec<String>,
    state: Option<Vec<u8>>,
) -> Result<String, StoreError> {
    let store = &host.inner.store;
    admitted.round(ids, state).seal(store, store.settings().approval_lifetime).await
}

/// The requests as they may be passed on.
fn checked(requests: Vec<RawRequest>) -> Result<Vec<InputRequest>, String> {
    if requests.is_empty() || requests.len() > REQUESTS {
        return Err(format!("there are {} requests; 1 to {REQUESTS} are taken", requests.len()));
    }
    if requests.iter().map(|asked| asked.params.len()).sum::<usize>() > PARAMS_BYTES {
        return Err(format!("the parameters have more than {PARAMS_BYTES} bytes together"));
    }
    let mut ids = HashSet::new();
    requests
        .into_iter()
        .map(|RawRequest { id, method, params }| {
            let named = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
            if id.is_empty() || id.len() > ID_BYTES || !id.bytes().all(named) {
                return Err(format!("a request's id must match [A-Za-z0-9_.-]{{1,{ID_BYTES}}}"));
            }
            if !ids.insert(id.clone()) {
                return Err(format!("two requests have the id {id}"));
            }
            let Some(method) = InputMethod::ALL.into_iter().find(|known| known.as_str() == method) else {
                let known: Vec<&str> = InputMethod::ALL.into_iter().map(InputMethod::as_str).collect();
                return Err(format!("the request {id} has a method that is none of {}", known.join(", ")));
            };
            let params = clean_json(params);
            json::scan_object(params.as_bytes(), &json::Limits::ARGUMENTS)
                .map_err(|fault| format!("the parameters of {id} are not valid: {fault}"))?;
            let object: Map<String, Value> = serde_json::from_str(&params)
                .map_err(|fault| format!("the parameters of {id} are not valid: {fault}"))?;
            if method == InputMethod::Elicit {
                form(&object).map_err(|reason| format!("the request {id} is not a form: {reason}"))?;
            }
            Ok(InputRequest { id, method, params })
        })
        .collect()
}

/// A person is asked by a form alone. A tool of a stranger's does not send people to pages of its own.
fn form(params: &Map<String, Value>) -> Result<(), &'static str> {
    if params.get("mode").is_some_and(|mode| mode != "form") {
        return Err("its mode has to be form");
    }
    let (Some(Value::String(_)), Some(Value::Object(schema))) =
        (params.get("message"), params.get("requestedSchema"))
    else {
        return Err("it needs a message and a requestedSchema");
    };
    let Some(Value::Object(fields)) = schema.get("properties") else {
        return Err("its requestedSchema needs properties");
    };
    // What MCP has forms for: fields side by side, none of them an object.
    let is_field = |field: &Value| {
        let kind = field.get("type").and_then(Value::as_str);
        kind.is_some_and(|kind| ["string", "number", "integer", "boolean", "array"].contains(&kind))
    };
    if fields.values().all(is_field) {
        Ok(())
    } else {
        Err("each of its fields has to be a string, number, boolean or list")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(id: &str, method: &str, params: &str) -> RawRequest {
        RawRequest { id: id.to_owned(), method: method.to_owned(), params: params.to_owned() }
    }

    #[test]
    fn what_cannot_be_passed_on_is_named() {
        let elicit = InputMethod::Elicit.as_str();
        let form = r#"{"message":"m","requestedSchema":{"properties":{"f":{"type":"string"}}}}"#;
        assert_eq!(checked(vec![raw("a", elicit, form), raw("b", "roots/list", "{}")]).unwrap().len(), 2);
        for (requests, said) in [
            (vec![], "there are 0 requests"),
            (vec![raw("", elicit, form)], "a request's id must match"),
            (vec![raw("a b", elicit, form)], "a request's id must match"),
            (vec![raw("a", elicit, form), raw("a", elicit, form)], "two requests have the id a"),
            (vec![raw("a", "tools/call", "{}")], "the request a has a method that is none of"),
            (vec![raw("a", "roots/list", "[]")], "the parameters of a are not valid"),
            (vec![raw("a", "roots/list", r#"{"a":1,"a":2}"#)], "the parameters of a are not valid"),
            (vec![raw("a", elicit, "{}")], "the request a is not a form: it needs a message"),
            (
                vec![raw(
                    "a",
                    elicit,
                    r#"{"message":"m","requestedSchema":{"properties":{"f":{"type":"object"}}}}"#,
                )],
                "the request a is not a form: each of its fields",
            ),
            (
                vec![raw("a", elicit, r#"{"message":"m","requestedSchema":{}}"#)],
                "the request a is not a form: its requestedSchema",
            ),
            (
                vec![raw("a", elicit, r#"{"mode":"url","url":"http://x","message":"m"}"#)],
                "the request a is not a form: its mode",
            ),
            (
                vec![raw("a", elicit, &format!("{{\"m\":\"{}\"}}", "x".repeat(PARAMS_BYTES)))],
                "the parameters have",
            ),
        ] {
            let fault = checked(requests).unwrap_err();
            assert!(fault.starts_with(said), "{fault}");
        }
    }
}
