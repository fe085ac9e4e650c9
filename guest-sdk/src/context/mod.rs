//! What a tool is told about its call, and what it may ask of the host. Everything here is set by the host from the
//! authenticated channel; nothing of it can be an argument.

mod host;
mod invoke;
mod kv;

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::input::InputAnswer;

pub(crate) use self::host::Host;
pub use self::invoke::{InvokeError, Invoked};
pub use self::kv::{Keys, Kv, KvError, KvPage};

/// The call's context. A tool takes it as `ctx: &Context`, in any place among its parameters; it is not part of the
/// schema.
pub struct Context {
    host: Box<dyn Host>,
    answers: Vec<InputAnswer>,
    state: Option<Vec<u8>>,
}

impl Context {
    pub(crate) fn new(host: Box<dyn Host>, answers: Vec<InputAnswer>, state: Option<Vec<u8>>) -> Self {
        Self { host, answers, state }
    }

    /// The tenant in whose name the call is made.
    pub fn tenant_id(&self) -> String {
        self.host.tenant_id()
    }

    /// The user in whose name the call is made, where the channel names one.
    pub fn user_id(&self) -> Option<String> {
        self.host.user_id()
    }

    /// The run that the call belongs to.
    pub fn run_id(&self) -> String {
        self.host.run_id()
    }

    /// This call.
    pub fn call_id(&self) -> String {
        self.host.call_id()
    }

    /// Which attempt at this call this is, from 1.
    pub fn attempt(&self) -> u32 {
        self.host.attempt()
    }

    /// A number that grows with each attempt at the same key; a peer that has seen a larger one may refuse this one.
    pub fn fence(&self) -> u64 {
        self.host.fence()
    }

    /// The key under which this call's side effect happens once; to be passed upstream. A read-only call has none.
    pub fn idempotency_key(&self) -> Option<String> {
        self.host.idempotency_key()
    }

    /// How long the call may still take. At zero the host stops the guest.
    pub fn time_left(&self) -> Duration {
        Duration::from_millis(self.host.time_left_ms())
    }

    /// A setting that the operator made for this component and tenant.
    pub fn config(&self, key: &str) -> Option<String> {
        self.host.config(key)
    }

    /// Writes one message for the operator. Bounded; what is over the bound is dropped, and the log says so.
    pub fn log(&self, level: Level, message: impl AsRef<str>) {
        self.host.log(level, message.as_ref());
    }

    /// Logs details for the tool's author.
    pub fn debug(&self, message: impl AsRef<str>) {
        self.log(Level::Debug, message);
    }

    /// Logs what happened.
    pub fn info(&self, message: impl AsRef<str>) {
        self.log(Level::Info, message);
    }

    /// Logs something that may need a look.
    pub fn warn(&self, message: impl AsRef<str>) {
        self.log(Level::Warn, message);
    }

    /// Logs something that went wrong.
    pub fn error(&self, message: impl AsRef<str>) {
        self.log(Level::Error, message);
    }

    /// Tells the caller how much is done, out of how much, and a line about it. Bounded; what is over the bound is
    /// dropped.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        self.host.progress(done, total, message);
    }

    /// The tool's own small store. Each tenant and each component has its own keys.
    pub fn kv(&self) -> Kv<'_> {
        Kv::new(self.host.as_ref())
    }

    /// A placeholder for a secret, good for this call only. The host puts the value into the outgoing request; the
    /// tool never sees it.
    ///
    /// # Errors
    /// [`SecretError::Denied`] without a grant, [`SecretError::Missing`] where this tenant has no value.
    pub fn secret(&self, name: &str) -> Result<String, SecretError> {
        self.host.secret(name)
    }

    /// Calls another tool: through all gates again, for the same caller, with no wider rights and the same deadline.
    /// `arguments` becomes one JSON object.
    ///
    /// # Errors
    /// What the other tool or a gate answered, as a model would be told it; `bad_args` if `arguments` cannot become
    /// JSON.
    pub fn invoke<A: Serialize + ?Sized>(&self, tool: &str, arguments: &A) -> Result<Invoked, InvokeError> {
        let arguments = crate::json::to_value(arguments)
            .map_err(|error| InvokeError::arguments(tool, &error.to_string()))?;
        self.host.invoke(tool, &arguments.to_string())
    }

    /// The answers to the input requests of the call's earlier round, by their ids. They are whatever the client sent: only
    /// [`state`](Self::state) says that this tool asked.
    pub fn answers(&self) -> &[InputAnswer] {
        &self.answers
    }

    /// The answer to the input request with this id: the client's result as MCP defines it for the method.
    pub fn answer(&self, id: &str) -> Option<&Value> {
        self.answers.iter().find(|answer| answer.id == id).map(|answer| &answer.value)
    }

    /// The state that the tool returned with its input requests, as it was.
    pub fn state(&self) -> Option<&[u8]> {
        self.state.as_deref()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("tenant_id", &self.tenant_id())
            .field("call_id", &self.call_id())
            .field("attempt", &self.attempt())
            .finish_non_exhaustive()
    }
}

/// How important a log message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Details for the tool's author.
    Debug,
    /// What happened.
    Info,
    /// Something that may need a look.
    Warn,
    /// Something that went wrong.
    Error,
}

/// Why there is no placeholder for a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretError {
    /// The operator has not granted this secret to this component.
    Denied,
    /// It is granted, but there is no value for this tenant.
    Missing,
}

impl fmt::Display for SecretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Denied => "The operator has not granted this secret to this tool.",
            Self::Missing => "This secret has no value for this tenant.",
        })
    }
}

impl std::error::Error for SecretError {}
