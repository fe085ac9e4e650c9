//! `invoke`: calls to other tools. No such call can be granted in this version: each is answered as a tool that the
//! caller may not use.

use super::super::bindings::toolhost::tool::invoke::{Error, Host, Success};
use super::super::state::HostState;
use crate::spec::Code;

impl Host for HostState {
    async fn call(&mut self, _name: String, _arguments: String) -> Result<Success, Error> {
        Err(Error {
            code: Code::NotAllowed.as_str().to_owned(),
            kind: Code::NotAllowed.kind().to_owned(),
            message: "This host does not let tools call other tools.".to_owned(),
            retryable: false,
            retry_after_ms: None,
            may_have_taken_effect: false,
        })
    }
}
