//! One request to run a tool, as every surface hands it over.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::round::Answers;
use crate::id::{CallId, IdempotencyKey, RunId, ToolName, UserId};
use crate::policy::{Pattern, Tenant};
use crate::spec::InputMethod;

/// The way in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Surface {
    /// The command line.
    Cli,
    /// MCP, by either transport.
    Mcp,
    /// The HTTP API.
    Http,
}

impl Surface {
    /// The surface's name in records.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cli => "cli",
            Self::Mcp => "mcp",
            Self::Http => "http",
        }
    }
}

/// The authenticated identity in whose name calls are made. Nothing in it can come from a model.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The tenant.
    pub tenant: Arc<Tenant>,
    /// The user, where the channel names one.
    pub user: Option<UserId>,
    /// The way in.
    pub surface: Surface,
}

/// News from a running guest.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// How much is done.
    pub done: f64,
    /// Out of how much.
    pub total: Option<f64>,
    /// A line about it.
    pub message: Option<String>,
}

/// Who else hears of a guest's news, at once and without waiting.
#[derive(Clone)]
pub struct Hearer(Arc<dyn Fn(&Progress) + Send + Sync>);

impl Hearer {
    /// One that is told of each piece of news. It may not block.
    pub fn new(hear: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }

    /// Tells it.
    pub fn tell(&self, progress: &Progress) {
        (self.0)(progress);
    }
}

impl fmt::Debug for Hearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hearer")
    }
}

/// One request to run a tool. Everything in it but the caller may be hostile.
#[derive(Clone)]
pub struct Call {
    /// The tool's name as it was asked for.
    pub tool: String,
    /// The arguments exactly as they came in, not yet looked at.
    pub arguments: Vec<u8>,
    /// Who calls.
    pub caller: Caller,
    /// The request's own narrower list of tools.
    pub allow: Option<Vec<Pattern>>,
    /// The run that the call belongs to.
    pub run: Option<RunId>,
    /// The caller's own key.
    pub key: Option<IdempotencyKey>,
    /// The caller's own deadline, which can only be shorter than the operator's.
    pub deadline: Option<Duration>,
    /// Where news goes. What does not fit is dropped.
    pub progress: Option<mpsc::Sender<Progress>>,
    /// Who else hears of it; set by the executor.
    pub hearer: Option<Hearer>,
    /// What the client can do, by MCP's names.
    pub client_capabilities: Vec<String>,
    /// What a tool may ask of this client.
    pub asks: Vec<InputMethod>,
    /// Answers to what a tool asked for in an earlier round.
    pub answers: Option<Answers>,
    /// Whether to wait for the reviewer, where one has to agree. It takes no place in a pool, and the deadline begins when
    /// the reviewer has decided. It ends with the question's lifetime.
    pub wait: bool,
    /// The call in which a tool makes this one; none for a caller's own.
    pub within: Option<Within>,
}

/// The call in which a tool calls another.
#[derive(Debug, Clone)]
pub struct Within {
    /// That call.
    pub call: CallId,
    /// The tools that wait for this call, the first called first.
    pub tools: Vec<ToolName>,
    /// The run of all of them was named by the caller.
    pub in_named_run: bool,
    /// What the calling tool's own call is known by, however often it is started.
    pub identity: String,
    /// Which of the equal calls it is that the tool makes in this attempt, from 1.
    pub number: u32,
}

impl Call {
    /// A call with nothing but a name and arguments.
    pub fn new(caller: Caller, tool: impl Into<String>, arguments: impl Into<Vec<u8>>) -> Self {
        Self {
            tool: tool.into(),
            arguments: arguments.into(),
            caller,
            allow: None,
            run: None,
            key: None,
            deadline: None,
            progress: None,
            hearer: None,
            client_capabilities: Vec::new(),
            asks: Vec::new(),
            answers: None,
            wait: false,
            within: None,
        }
    }
}

impl fmt::Debug for Call {
    /// Leaves the arguments out: they may carry what no log should.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("tool", &self.tool)
            .field("tenant", &self.caller.tenant.id)
            .field("arguments", &format_args!("{} bytes", self.arguments.len()))
            .finish_non_exhaustive()
    }
}
