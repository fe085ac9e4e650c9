//! `secrets`: placeholders for values that the guest never sees. No secret can be granted in this version.

use super::super::bindings::toolhost::tool::secrets::{Error, Host};
use super::super::state::HostState;

impl Host for HostState {
    fn placeholder(&mut self, _name: String) -> Result<String, Error> {
        Err(Error::Denied)
    }
}
