//! The joint between [`Context`](super::Context) and what answers it: the host's imports in a guest, a fake natively.

use super::{InvokeError, Invoked, KvError, KvPage, Level, SecretError};

/// What a context asks of its host. One function for each import of the `tool` world.
pub(crate) trait Host {
    fn tenant_id(&self) -> String;
    fn user_id(&self) -> Option<String>;
    fn run_id(&self) -> String;
    fn call_id(&self) -> String;
    fn attempt(&self) -> u32;
    fn fence(&self) -> u64;
    fn idempotency_key(&self) -> Option<String>;
    fn time_left_ms(&self) -> u64;
    fn config(&self, key: &str) -> Option<String>;
    fn log(&self, level: Level, message: &str);
    fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>);
    fn kv_get(&self, key: &str) -> Result<Option<Vec<u8>>, KvError>;
    fn kv_set(&self, key: &str, value: &[u8]) -> Result<(), KvError>;
    fn kv_delete(&self, key: &str) -> Result<bool, KvError>;
    fn kv_swap(&self, key: &str, expected: Option<&[u8]>, value: Option<&[u8]>) -> Result<bool, KvError>;
    fn kv_keys(&self, prefix: &str, cursor: Option<&str>, limit: u32) -> Result<KvPage, KvError>;
    fn secret(&self, name: &str) -> Result<String, SecretError>;
    fn invoke(&self, name: &str, arguments: &str) -> Result<Invoked, InvokeError>;
}
