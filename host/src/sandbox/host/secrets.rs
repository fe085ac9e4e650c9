//! `secrets`: placeholders for values that the guest never sees. Denied unless granted.

use super::super::bindings::toolhost::tool::secrets::{Error, Host};
use super::super::state::HostState;

impl Host for HostState {
    async fn placeholder(&mut self, name: String) -> Result<String, Error> {
        let (Some(outgoing), Some(store), Some(context)) = (&mut self.hooks.0, &self.store, &self.context)
        else {
            return Err(Error::Denied);
        };
        let grant = outgoing.granted().secret(&name).cloned().ok_or(Error::Denied)?;
        if let Some(placeholder) = outgoing.held().placeholder(&grant.name) {
            return Ok(placeholder);
        }
        match store.secret(&context.caller.tenant.id, &grant.name).await {
            Ok(Some(value)) => Ok(outgoing.held().take(&grant, value)),
            Ok(None) => Err(Error::Missing),
            Err(fault) => {
                tracing::error!(%fault, "a secret has no value that can be used");
                Err(Error::Missing)
            }
        }
    }
}
