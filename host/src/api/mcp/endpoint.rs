//! One caller's end of the protocol: which methods there are, and what each does.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, CustomRequest, CustomResult, ErrorCode,
    ErrorData, Extensions, Implementation, InitializeRequestParams, InitializeResult, JsonObject,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
    SubscriptionFilter, Tool,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::arguments::RawArguments;
use super::input;
use super::news::ToolNews;
use super::progress;
use super::request::RequestMeta;
use super::result;
use super::tools::Listing;
use crate::executor::{Crowd, Host};
use crate::gate::{Call, Caller};
use crate::spec::{Code, Outcome};

/// The revisions that are served, oldest first.
const VERSIONS: &[ProtocolVersion] =
    &[ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28];

/// The methods that are served, beside `ping`.
const METHODS: [&str; 5] =
    ["initialize", "server/discover", "tools/list", "tools/call", "subscriptions/listen"];

const INSTRUCTIONS: &str = "Tools run in sandboxes with limits. A failed call says in its text what to change, and in \
    its _meta under toolhost/outcome whether the same call may be repeated.";

/// How long a client that does not read may hold back a result for the sake of the news before it.
const LAST_NEWS: Duration = Duration::from_secs(1);

/// How many clients may listen for news at once, and how many of one tenant. Each holds a connection, of which there are more.
const MOST_LISTENERS: usize = 256;
const MOST_OF_A_TENANT: usize = 32;

/// What all callers share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) host: Host,
    pub(super) listing: Listing,
    listeners: Crowd,
}

impl Shared {
    pub(super) fn new(host: Host) -> Arc<Self> {
        Arc::new(Self {
            host,
            listing: Listing::default(),
            listeners: Crowd::new(MOST_LISTENERS, MOST_OF_A_TENANT),
        })
    }

    /// Whether any tool wants arguments repeated in headers.
    pub(super) fn compares_headers(&self) -> bool {
        self.listing.compares_headers(&self.host.tools())
    }
}

/// One caller's end of the protocol.
#[derive(Debug, Clone)]
pub(super) struct Endpoint {
    shared: Arc<Shared>,
    caller: Caller,
    gone: CancellationToken,
    /// Clients of revisions that have no subscriptions are told news too, since there is one stream for all.
    tells_all: bool,
}

impl Endpoint {
    /// Serves one caller. All its calls are dropped when `gone` is cancelled.
    pub(super) fn new(shared: Arc<Shared>, caller: Caller, gone: CancellationToken) -> Self {
        Self { shared, caller, gone, tells_all: false }
    }

    /// The same for a client that has one stream for everything.
    pub(super) fn telling_all(self) -> Self {
        Self { tells_all: true, ..self }
    }

    /// The caller, with what holds for its tenant now.
    ///
    /// # Errors
    /// The tenant is not served any more.
    fn caller(&self) -> Result<Caller, ErrorData> {
        match self.shared.host.tenant_now(&self.caller.tenant) {
            Some(tenant) => Ok(Caller { tenant, ..self.caller.clone() }),
            None => {
                Err(ErrorData::invalid_request("The tenant of this client is not served any more.", None))
            }
        }
    }

    /// Refuses a call of a tool that needs what the client did not say it can do. A tool that this caller may not know of
    /// is left to the gates.
    fn check_capabilities(&self, call: &Call) -> Result<(), ErrorData> {
        if !call.caller.tenant.access.permits(&call.tool, call.allow.as_deref()) {
            return Ok(());
        }
        let snapshot = self.shared.host.tools();
        let needed =
            snapshot.get(&call.tool).map_or(&[][..], |entry| entry.spec.required_capabilities.as_slice());
        let missing: Vec<&str> = needed
            .iter()
            .filter(|name| !call.client_capabilities.contains(name))
            .map(String::as_str)
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let text = format!(
            "The tool '{}' needs client capabilities that were not declared: {}.",
            call.tool,
            missing.join(", ")
        );
        let shape: JsonObject = missing.into_iter().map(|name| (name.to_owned(), json!({}))).collect();
        let data = json!({ "requiredCapabilities": shape });
        Err(ErrorData::new(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, text, Some(data)))
    }

    /// The answer to a call. Whoever would not decide about it a moment ago is not asked again.
    async fn answer(
        &self,
        call: &Call,
        outcome: &Outcome,
        undecided: bool,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Err(failure) = &outcome.result {
            match input::asked(failure, result::about(outcome)) {
                Some(Ok(asked)) => return Ok(asked),
                Some(Err(reason)) => return Ok(result::unaskable(outcome, &reason).into()),
                None => {}
            }
            if failure.code == Code::NeedsApproval
                && !undecided
                && let Some(asked) =
                    input::ask_reviewer(&self.shared.host, call, failure, result::about(outcome)).await
            {
                return Ok(asked);
            }
        }
        result::answer(outcome).map(CallToolResponse::from)
    }

    /// Runs a call and tells its news. Dropping the future stops the guest.
    async fn run(&self, mut call: Call, context: &RequestContext<RoleServer>) -> Outcome {
        let host = &self.shared.host;
        let Some(token) = context.meta.get_progress_token() else { return host.execute(call).await };
        let (sender, news) = mpsc::channel(progress::QUEUE);
        call.progress = Some(sender);
        let mut news = pin!(progress::forward(news, context.peer.clone(), token));
        let mut execution = pin!(host.execute(call));
        tokio::select! {
            outcome = &mut execution => {
                // What was said before the end is told before the end. A client that does not read cannot have both.
                let _ = tokio::time::timeout(LAST_NEWS, news).await;
                outcome
            }
            () = &mut news => execution.await,
        }
    }
}

impl ServerHandler for Endpoint {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build())
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
            .with_server_info(Implementation::new("toolhost", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(VERSIONS)
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        if is_modern(&context) {
            return Err(no_method("initialize"));
        }
        let mut answer = self.negotiate_initialize(&request)?;
        if let Some(tools) = answer.capabilities.tools.as_mut().filter(|_| !self.tells_all) {
            tools.list_changed = None;
        }
        // Later requests on the same pipe speak the revision that was agreed, not the one that was asked for.
        request.protocol_version = answer.protocol_version.clone();
        context.peer.set_peer_info(request);
        Ok(answer)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let meta = RequestMeta::parse(&context.meta)?;
        let cursor = request.and_then(|params| params.cursor);
        let snapshot = self.shared.host.tools();
        let caller = self.caller()?;
        let access = &caller.tenant.access;
        self.shared.listing.page(&snapshot, access, meta.allow.as_deref(), cursor.as_deref())
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let meta = RequestMeta::parse(&context.meta)?;
        let arguments = arguments(&context.extensions);
        let caller = self.caller()?;
        let brought = input::read(&self.shared.host, &caller, &mut request, &arguments).await?;
        let mut call = Call::new(caller, request.name, arguments);
        call.run = meta.run;
        call.key = meta.key;
        call.allow = meta.allow;
        call.answers = brought.answers;
        let capabilities = context.client_capabilities();
        call.asks = input::asks(capabilities.as_ref(), is_modern(&context));
        // Whoever is asked at once does not wait for itself.
        call.wait = meta.wait && !input::may_be_asked(&call);
        call.client_capabilities = capabilities.map_or_else(Vec::new, |known| names(&known));
        self.check_capabilities(&call)?;
        tokio::select! {
            biased;
            // Nobody is left to read these two answers: the transport throws them away.
            () = context.ct.cancelled() => Err(cancelled()),
            () = self.gone.cancelled() => Err(cancelled()),
            outcome = self.run(call.clone(), &context) => {
                self.answer(&call, &outcome, brought.undecided).await
            }
        }
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Some(_place) = self.shared.listeners.enter(&self.caller.tenant.id) else {
            let text = format!(
                "{MOST_LISTENERS} clients listen already. Ask for the list of tools from time to time."
            );
            return Err(ErrorData::internal_error(text, None));
        };
        let mut news = ToolNews::new(&self.shared.host, &self.caller.tenant);
        loop {
            let more = tokio::select! {
                () = context.cancelled() => false,
                () = self.gone.cancelled() => false,
                more = news.changed() => more,
            };
            if !more || context.sink().notify_tool_list_changed().await.is_err() {
                return Ok(());
            }
        }
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        // Asked for before the gates, so that what this caller may not call has to look like nothing.
        let known = self.caller().is_ok_and(|caller| caller.tenant.access.permits(name, None));
        known.then(|| self.shared.listing.with_headers(&self.shared.host.tools(), name))?
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A known method comes here if its params could not be read as what the protocol says they are.
        let known = METHODS.contains(&request.method.as_str());
        Err(if known && !(request.method == "initialize" && is_modern(&context)) {
            let text = format!(
                "The params of {} do not have the form that the protocol gives them.",
                request.method
            );
            ErrorData::invalid_params(text, None)
        } else {
            no_method(&request.method)
        })
    }
}

/// Whether a request says itself which revision it speaks. Since that revision there is no handshake.
fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context
        .meta
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

fn no_method(method: &str) -> ErrorData {
    let shown: String = method.chars().take(100).collect();
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("There is no method {shown:?}."), None)
}

/// The arguments that were lifted out of the request; a call without any has none to give.
fn arguments(extensions: &Extensions) -> Vec<u8> {
    let lifted = extensions.get::<RawArguments>().or_else(|| extensions.get::<Parts>()?.extensions.get());
    lifted.map_or_else(|| b"{}".to_vec(), |RawArguments(raw)| raw.to_vec())
}

fn names(capabilities: &ClientCapabilities) -> Vec<String> {
    match serde_json::to_value(capabilities) {
        Ok(Value::Object(object)) => object.into_iter().map(|(name, _)| name).collect(),
        _ => Vec::new(),
    }
}

fn cancelled() -> ErrorData {
    ErrorData::internal_error("The request was cancelled.", None)
}
