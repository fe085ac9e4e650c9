//! The context of a real call: each question goes to the host's import of the same name.

use crate::bindings::toolhost::tool::{context, invoke, kv, log, progress, secrets};
use crate::context::{Host, InvokeError, Invoked, KvError, KvPage, Level, SecretError};

use super::convert;

pub(super) struct Imports;

impl Host for Imports {
    fn tenant_id(&self) -> String {
        context::tenant_id()
    }

    fn user_id(&self) -> Option<String> {
        context::user_id()
    }

    fn run_id(&self) -> String {
        context::run_id()
    }

    fn call_id(&self) -> String {
        context::call_id()
    }

    fn attempt(&self) -> u32 {
        context::attempt()
    }

    fn fence(&self) -> u64 {
        context::fence()
    }

    fn idempotency_key(&self) -> Option<String> {
        context::idempotency_key()
    }

    fn time_left_ms(&self) -> u64 {
        context::time_left_ms()
    }

    fn config(&self, key: &str) -> Option<String> {
        context::config(key)
    }

    fn log(&self, level: Level, message: &str) {
        let level = match level {
            Level::Debug => log::Level::Debug,
            Level::Info => log::Level::Info,
            Level::Warn => log::Level::Warn,
            Level::Error => log::Level::Error,
        };
        log::write(level, message);
    }

    fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        progress::report(done, total, message);
    }

    fn kv_get(&self, key: &str) -> Result<Option<Vec<u8>>, KvError> {
        kv::get(key).map_err(kv_error)
    }

    fn kv_set(&self, key: &str, value: &[u8]) -> Result<(), KvError> {
        kv::set(key, value).map_err(kv_error)
    }

    fn kv_delete(&self, key: &str) -> Result<bool, KvError> {
        kv::delete(key).map_err(kv_error)
    }

    fn kv_swap(&self, key: &str, expected: Option<&[u8]>, value: Option<&[u8]>) -> Result<bool, KvError> {
        kv::swap(key, expected, value).map_err(kv_error)
    }

    fn kv_keys(&self, prefix: &str, cursor: Option<&str>, limit: u32) -> Result<KvPage, KvError> {
        let page = kv::keys(prefix, cursor, limit).map_err(kv_error)?;
        Ok(KvPage { keys: page.keys, cursor: page.cursor })
    }

    fn secret(&self, name: &str) -> Result<String, SecretError> {
        secrets::placeholder(name).map_err(|error| match error {
            secrets::Error::Denied => SecretError::Denied,
            secrets::Error::Missing => SecretError::Missing,
        })
    }

    fn invoke(&self, name: &str, arguments: &str) -> Result<Invoked, InvokeError> {
        match invoke::call(name, arguments) {
            Ok(success) => Ok(Invoked {
                content: success.content.into_iter().map(convert::received).collect(),
                structured: success.structured.map(convert::received_value),
                truncated: success.truncated,
            }),
            Err(error) => Err(InvokeError {
                code: error.code,
                kind: error.kind,
                message: error.message,
                retryable: error.retryable,
                retry_after_ms: error.retry_after_ms,
                may_have_taken_effect: error.may_have_taken_effect,
            }),
        }
    }
}

fn kv_error(error: kv::Error) -> KvError {
    match error {
        kv::Error::Denied => KvError::Denied,
        kv::Error::Invalid(reason) => KvError::Invalid(reason),
        kv::Error::Quota(reason) => KvError::Quota(reason),
        kv::Error::Unavailable(reason) => KvError::Unavailable(reason),
    }
}
