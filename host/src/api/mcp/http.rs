//! MCP over Streamable HTTP: one POST, one answer, no session. Which caller a request has is settled before it comes
//! here.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::header::{ALLOW, AUTHORIZATION, CONTENT_TYPE, COOKIE};
use axum::http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Limited};
use rmcp::model::{ErrorData, JsonRpcError, RequestId};
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use tokio_util::sync::CancellationToken;

use super::arguments::{self, Unreadable};
use super::endpoint::{Endpoint, Shared};
use crate::api::body::{self, MAX_BODY, is_json};
use crate::executor::Host;
use crate::gate::Caller;

/// The longest text of a refusal that is passed on, in bytes.
const MAX_REFUSAL: usize = 4 << 10;

/// The MCP endpoint of an HTTP server.
#[derive(Debug, Clone)]
pub struct Mount {
    shared: Arc<Shared>,
    config: StreamableHttpServerConfig,
    sessions: Arc<NeverSessionManager>,
}

impl Mount {
    /// An endpoint on a host. Cancelling `stop` ends all streams and drops all calls behind them.
    #[must_use]
    pub fn new(host: Host, stop: CancellationToken) -> Self {
        let config = StreamableHttpServerConfig::default()
            // The server checks both headers on all its routes, more strictly, and tells which setting admits more.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_legacy_session_mode(false)
            // Plain JSON where an answer is all there is. A call with news is answered by a stream all the same.
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY)
            .with_cancellation_token(stop);
        Self { shared: Shared::new(host), config, sessions: Arc::default() }
    }

    /// Answers one request of one caller. If the future is dropped, or the body that it gives, the calls behind it
    /// are dropped too.
    pub async fn respond(&self, caller: Caller, request: Request<Body>) -> Response<Body> {
        if request.method() != Method::POST {
            let error = ErrorData::invalid_request("This endpoint takes only POST.", None);
            let mut response = refuse(StatusCode::METHOD_NOT_ALLOWED, None, error);
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
            return response;
        }
        let (mut parts, body) = request.into_parts();
        let message = match body::read(&parts.headers, body, body::PATIENCE).await {
            Ok(message) => message,
            Err(fault) => {
                let error = ErrorData::invalid_request(fault.to_string(), None);
                return refuse(fault.status(), None, error);
            }
        };
        let lifted = match arguments::lift(message) {
            Ok(lifted) => lifted,
            Err(Unreadable { id, error }) => return refuse(StatusCode::BAD_REQUEST, id, *error),
        };
        // Who calls is settled. What proves it has no business in the request's further life.
        parts.headers.remove(AUTHORIZATION);
        parts.headers.remove(COOKIE);
        if let Some(raw) = lifted.arguments {
            parts.extensions.insert(raw);
        }
        // Where a tool wants arguments repeated in headers, rmcp compares the two, and has to see both.
        let message = match lifted.whole {
            Some(whole) if self.shared.compares_headers() => whole,
            _ => lifted.message,
        };
        let endpoint = Endpoint::new(self.shared.clone(), caller, CancellationToken::new());
        let service = StreamableHttpService::new(
            move || Ok(endpoint.clone()),
            self.sessions.clone(),
            self.config.clone(),
        );
        let response = service.handle(Request::from_parts(parts, Body::from(message))).await;
        match response.status() {
            // The media type was right, so that this can only mean a message that JSON-RPC does not know.
            StatusCode::UNSUPPORTED_MEDIA_TYPE => {
                refuse(StatusCode::BAD_REQUEST, None, arguments::not_a_message())
            }
            status if status.is_client_error() && !is_json(response.headers()) => in_json(response).await,
            _ => response.map(Body::new),
        }
    }
}

/// What rmcp refuses in plain text, as the protocol's own kind of error.
async fn in_json(response: Response<BoxBody<Bytes, Infallible>>) -> Response<Body> {
    let (parts, body) = response.into_parts();
    let text =
        Limited::new(body, MAX_REFUSAL).collect().await.map(|text| text.to_bytes()).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    refuse(parts.status, None, ErrorData::invalid_request(text, None))
}

fn refuse(status: StatusCode, id: Option<RequestId>, error: ErrorData) -> Response<Body> {
    let body = serde_json::to_vec(&JsonRpcError::new(id, error)).unwrap_or_default();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
