//! A context that answers from memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;

use crate::context::{Context, Host, InvokeError, Invoked, KvError, KvPage, Level, SecretError};
use crate::input::InputAnswer;

/// The bounds of the host's store.
const MAX_KEY: usize = 256;
const MAX_VALUE: usize = 1 << 20;
const MAX_PAGE: u32 = 1_000;

/// A context for tests: one tenant's view of a host. What a tool stores, logs and reports stays in it from call to
/// call, and a clone shares it.
///
/// ```
/// use toolhost_sdk::testing::FakeContext;
///
/// let fake = FakeContext::new().tenant("acme").user("ada").config("currency", "EUR").kv("visits", "3");
/// let ctx = fake.context();
/// assert_eq!(ctx.kv().get_text("visits"), Ok(Some("3".to_owned())));
/// ctx.info("looked");
/// assert_eq!(fake.logs().len(), 1);
/// ```
#[derive(Clone)]
pub struct FakeContext {
    state: Rc<RefCell<State>>,
}

struct State {
    tenant_id: String,
    user_id: Option<String>,
    run_id: String,
    call_id: String,
    attempt: u32,
    fence: u64,
    idempotency_key: Option<String>,
    time_left: Duration,
    config: BTreeMap<String, String>,
    secrets: BTreeMap<String, Option<String>>,
    kv: Result<BTreeMap<String, Vec<u8>>, KvError>,
    tools: BTreeMap<String, FakeTool>,
    answers: Vec<InputAnswer>,
    sealed: Option<Vec<u8>>,
    logs: Vec<(Level, String)>,
    progress: Vec<Progress>,
}

type FakeTool = Rc<dyn Fn(&Value) -> Result<Invoked, InvokeError>>;

/// One report of progress.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// How much is done.
    pub done: f64,
    /// Out of how much.
    pub total: Option<f64>,
    /// A line about it.
    pub message: Option<String>,
}

impl FakeContext {
    /// The first attempt of call `call-1` in run `run-1` of the tenant `local`, with a minute left, an empty store
    /// and no grants.
    #[expect(clippy::new_without_default, reason = "a context is never a default: a test says whose it is")]
    pub fn new() -> Self {
        let state = State {
            tenant_id: "local".to_owned(),
            user_id: None,
            run_id: "run-1".to_owned(),
            call_id: "call-1".to_owned(),
            attempt: 1,
            fence: 1,
            idempotency_key: None,
            time_left: Duration::from_secs(60),
            config: BTreeMap::new(),
            secrets: BTreeMap::new(),
            kv: Ok(BTreeMap::new()),
            tools: BTreeMap::new(),
            answers: Vec::new(),
            sealed: None,
            logs: Vec::new(),
            progress: Vec::new(),
        };
        Self { state: Rc::new(RefCell::new(state)) }
    }

    /// The context that a tool is given.
    pub fn context(&self) -> Context {
        let (answers, sealed) = {
            let state = self.state.borrow();
            (state.answers.clone(), state.sealed.clone())
        };
        Context::new(Box::new(self.clone()), answers, sealed)
    }

    /// Sets the tenant.
    #[must_use]
    pub fn tenant(self, id: impl Into<String>) -> Self {
        self.with(|state| state.tenant_id = id.into())
    }

    /// Sets the user.
    #[must_use]
    pub fn user(self, id: impl Into<String>) -> Self {
        self.with(|state| state.user_id = Some(id.into()))
    }

    /// Sets the run.
    #[must_use]
    pub fn run(self, id: impl Into<String>) -> Self {
        self.with(|state| state.run_id = id.into())
    }

    /// Sets the call.
    #[must_use]
    pub fn call_id(self, id: impl Into<String>) -> Self {
        self.with(|state| state.call_id = id.into())
    }

    /// Sets the number of the attempt, and its fence to the same.
    #[must_use]
    pub fn attempt(self, attempt: u32) -> Self {
        self.with(|state| {
            state.attempt = attempt;
            state.fence = u64::from(attempt);
        })
    }

    /// Sets the fence.
    #[must_use]
    pub fn fence(self, fence: u64) -> Self {
        self.with(|state| state.fence = fence)
    }

    /// Sets the idempotency key.
    #[must_use]
    pub fn idempotency_key(self, key: impl Into<String>) -> Self {
        self.with(|state| state.idempotency_key = Some(key.into()))
    }

    /// Sets the time that is left. It does not run down.
    #[must_use]
    pub fn time_left(self, time: Duration) -> Self {
        self.with(|state| state.time_left = time)
    }

    /// Sets one of the operator's settings.
    #[must_use]
    pub fn config(self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.with(|state| {
            state.config.insert(key.into(), value.into());
        })
    }

    /// Grants a secret, of which the tool gets this placeholder. Any other one is denied.
    #[must_use]
    pub fn secret(self, name: impl Into<String>, placeholder: impl Into<String>) -> Self {
        self.with(|state| {
            state.secrets.insert(name.into(), Some(placeholder.into()));
        })
    }

    /// Grants a secret that has no value for this tenant.
    #[must_use]
    pub fn missing_secret(self, name: impl Into<String>) -> Self {
        self.with(|state| {
            state.secrets.insert(name.into(), None);
        })
    }

    /// Puts a value into the store.
    #[must_use]
    pub fn kv(self, key: impl Into<String>, value: impl AsRef<[u8]>) -> Self {
        self.with(|state| {
            if let Ok(kv) = &mut state.kv {
                kv.insert(key.into(), value.as_ref().to_vec());
            }
        })
    }

    /// Makes every operation on the store fail, such as with [`KvError::Denied`].
    #[must_use]
    pub fn kv_fails(self, error: KvError) -> Self {
        self.with(|state| state.kv = Err(error))
    }

    /// Offers another tool to be invoked. A tool that is not offered is unknown.
    #[must_use]
    pub fn tool<F>(self, name: impl Into<String>, answer: F) -> Self
    where
        F: Fn(&Value) -> Result<Invoked, InvokeError> + 'static,
    {
        self.with(|state| {
            state.tools.insert(name.into(), Rc::new(answer));
        })
    }

    /// Gives the answer to an earlier input request.
    #[must_use]
    pub fn answer(self, id: impl Into<String>, value: Value) -> Self {
        self.with(|state| state.answers.push(InputAnswer { id: id.into(), value }))
    }

    /// Gives back the state that the tool returned with its input requests.
    #[must_use]
    pub fn sealed_state(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.with(|state| state.sealed = Some(bytes.into()))
    }

    /// What the tool has logged, in order.
    pub fn logs(&self) -> Vec<(Level, String)> {
        self.state.borrow().logs.clone()
    }

    /// What progress the tool has reported, in order.
    pub fn reports(&self) -> Vec<Progress> {
        self.state.borrow().progress.clone()
    }

    fn with(self, change: impl FnOnce(&mut State)) -> Self {
        change(&mut self.state.borrow_mut());
        self
    }

    fn stored<T>(
        &self,
        key: &str,
        work: impl FnOnce(&mut BTreeMap<String, Vec<u8>>) -> Result<T, KvError>,
    ) -> Result<T, KvError> {
        if key.is_empty() || key.len() > MAX_KEY {
            return Err(KvError::Invalid(format!("a key is 1 to {MAX_KEY} bytes long")));
        }
        match &mut self.state.borrow_mut().kv {
            Ok(kv) => work(kv),
            Err(error) => Err(error.clone()),
        }
    }
}

impl fmt::Debug for FakeContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeContext").field("tenant_id", &self.tenant_id()).finish_non_exhaustive()
    }
}

impl Host for FakeContext {
    fn tenant_id(&self) -> String {
        self.state.borrow().tenant_id.clone()
    }

    fn user_id(&self) -> Option<String> {
        self.state.borrow().user_id.clone()
    }

    fn run_id(&self) -> String {
        self.state.borrow().run_id.clone()
    }

    fn call_id(&self) -> String {
        self.state.borrow().call_id.clone()
    }

    fn attempt(&self) -> u32 {
        self.state.borrow().attempt
    }

    fn fence(&self) -> u64 {
        self.state.borrow().fence
    }

    fn idempotency_key(&self) -> Option<String> {
        self.state.borrow().idempotency_key.clone()
    }

    fn time_left_ms(&self) -> u64 {
        u64::try_from(self.state.borrow().time_left.as_millis()).unwrap_or(u64::MAX)
    }

    fn config(&self, key: &str) -> Option<String> {
        self.state.borrow().config.get(key).cloned()
    }

    fn log(&self, level: Level, message: &str) {
        self.state.borrow_mut().logs.push((level, message.to_owned()));
    }

    fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        let message = message.map(str::to_owned);
        self.state.borrow_mut().progress.push(Progress { done, total, message });
    }

    fn kv_get(&self, key: &str) -> Result<Option<Vec<u8>>, KvError> {
        self.stored(key, |kv| Ok(kv.get(key).cloned()))
    }

    fn kv_set(&self, key: &str, value: &[u8]) -> Result<(), KvError> {
        self.stored(key, |kv| set(kv, key, value))
    }

    fn kv_delete(&self, key: &str) -> Result<bool, KvError> {
        self.stored(key, |kv| Ok(kv.remove(key).is_some()))
    }

    fn kv_swap(&self, key: &str, expected: Option<&[u8]>, value: Option<&[u8]>) -> Result<bool, KvError> {
        self.stored(key, |kv| {
            if kv.get(key).map(Vec::as_slice) != expected {
                return Ok(false);
            }
            match value {
                Some(value) => set(kv, key, value)?,
                None => {
                    kv.remove(key);
                }
            }
            Ok(true)
        })
    }

    fn kv_keys(&self, prefix: &str, cursor: Option<&str>, limit: u32) -> Result<KvPage, KvError> {
        if limit == 0 || limit > MAX_PAGE {
            return Err(KvError::Invalid(format!("a page has 1 to {MAX_PAGE} keys")));
        }
        let state = self.state.borrow();
        let kv = state.kv.as_ref().map_err(Clone::clone)?;
        let after =
            |key: &&String| key.starts_with(prefix) && cursor.is_none_or(|cursor| key.as_str() > cursor);
        let mut left = kv.keys().filter(after);
        let keys: Vec<String> =
            left.by_ref().take(usize::try_from(limit).unwrap_or(usize::MAX)).cloned().collect();
        let cursor = left.next().and(keys.last().cloned());
        Ok(KvPage { keys, cursor })
    }

    fn secret(&self, name: &str) -> Result<String, SecretError> {
        match self.state.borrow().secrets.get(name) {
            Some(Some(placeholder)) => Ok(placeholder.clone()),
            Some(None) => Err(SecretError::Missing),
            None => Err(SecretError::Denied),
        }
    }

    fn invoke(&self, name: &str, arguments: &str) -> Result<Invoked, InvokeError> {
        // The answer may itself use this context, so that nothing is borrowed while it runs.
        let tool = self.state.borrow().tools.get(name).cloned();
        let Some(tool) = tool else {
            return Err(InvokeError {
                code: "no_such_tool".to_owned(),
                kind: "UnknownTool".to_owned(),
                message: format!("There is no tool named '{name}'."),
                retryable: true,
                retry_after_ms: None,
                may_have_taken_effect: false,
            });
        };
        tool(&serde_json::from_str(arguments).unwrap_or_default())
    }
}

fn set(kv: &mut BTreeMap<String, Vec<u8>>, key: &str, value: &[u8]) -> Result<(), KvError> {
    if value.len() > MAX_VALUE {
        return Err(KvError::Invalid(format!("a value is at most {MAX_VALUE} bytes long")));
    }
    kv.insert(key.to_owned(), value.to_vec());
    Ok(())
}
