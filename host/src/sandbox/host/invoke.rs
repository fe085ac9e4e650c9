//! `invoke`: calls to other tools. Denied unless granted, as a tool that the caller may not use.

use super::super::bindings::toolhost::tool::invoke::{Error, Host, Success};
use super::super::convert;
use super::super::state::HostState;
use crate::spec::{Code, Failure};

impl Host for HostState {
    async fn call(&mut self, name: String, arguments: String) -> Result<Success, Error> {
        let Some(others) = self.others.clone() else {
            let message = "This component was not granted calls to other tools.";
            return Err(error(Failure::new(Code::NotAllowed, message)));
        };
        match others.invoke(name, arguments).await {
            Ok(success) => Ok(Success {
                content: success.content.into_iter().map(convert::block).collect(),
                structured: success.structured.map(|value| value.get().to_owned()),
                truncated: success.truncated,
            }),
            Err(failure) => Err(error(failure)),
        }
    }
}

fn error(failure: Failure) -> Error {
    Error {
        code: failure.code.as_str().to_owned(),
        kind: failure.kind,
        message: failure.message,
        retryable: failure.retryable,
        retry_after_ms: failure.retry_after_ms,
        may_have_taken_effect: failure.may_have_taken_effect,
    }
}
