//! `kv`: a store of the component's own, for each tenant. Denied unless granted.

use super::super::bindings::toolhost::tool::kv::{Error, Host, Page};
use super::super::state::HostState;
use crate::store::{Kv, KvError};

impl HostState {
    fn granted(&self) -> Result<&Kv, Error> {
        self.kv.as_ref().ok_or(Error::Denied)
    }
}

impl From<KvError> for Error {
    fn from(fault: KvError) -> Self {
        match fault {
            KvError::Invalid(rule) => Self::Invalid(rule),
            KvError::Quota(rule) => Self::Quota(rule),
            KvError::Unavailable(fault) => {
                tracing::error!(%fault, "a guest's key-value store did not answer");
                Self::Unavailable("the store did not answer; the call may be repeated later".to_owned())
            }
        }
    }
}

impl Host for HostState {
    async fn get(&mut self, key: String) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.granted()?.get(&key).await?)
    }

    async fn set(&mut self, key: String, value: Vec<u8>) -> Result<(), Error> {
        Ok(self.granted()?.set(&key, &value).await?)
    }

    async fn delete(&mut self, key: String) -> Result<bool, Error> {
        Ok(self.granted()?.delete(&key).await?)
    }

    async fn swap(
        &mut self,
        key: String,
        expected: Option<Vec<u8>>,
        value: Option<Vec<u8>>,
    ) -> Result<bool, Error> {
        Ok(self.granted()?.swap(&key, expected.as_deref(), value.as_deref()).await?)
    }

    async fn keys(&mut self, prefix: String, cursor: Option<String>, limit: u32) -> Result<Page, Error> {
        let page = self.granted()?.keys(&prefix, cursor.as_deref(), limit).await?;
        Ok(Page { keys: page.keys, cursor: page.cursor })
    }
}
