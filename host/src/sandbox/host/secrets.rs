//! `secrets`: placeholders for values that the guest never sees. Denied unless granted.

use super::super::bindings::toolhost::tool::secrets::{Error, Host};
use super::super::state::HostState;

impl Host for HostState {
    fn placeholder(&mut self, name: String) -> Result<String, Error> {
        let outgoing = self.hooks.0.as_ref().ok_or(Error::Denied)?;
        let grant = outgoing.granted().secret(&name).ok_or(Error::Denied)?;
        outgoing.held().placeholder(&grant.name).ok_or(Error::Missing)
    }
}
