//! How a client learns what it has to prove: the answers to requests that are not answered in anybody's name (RFC 6750), and
//! the metadata of this protected resource (RFC 9728), as the authorization of MCP asks for it.
//!
//! Metadata is there if the operator named an issuer of tokens. Keys are handed out by people.

use std::collections::BTreeSet;

use axum::Json;
use axum::http::header::{HOST, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use super::answers::failed;
use super::fault::Fault;
use crate::api::identity::{Refusal, Role};
use crate::executor::Settings;
use crate::policy::Issuer;

/// Where the metadata is; that of `/mcp` is below it, under the same path.
pub(super) const METADATA: &str = "/.well-known/oauth-protected-resource";
pub(super) const METADATA_OF_MCP: &str = "/.well-known/oauth-protected-resource/mcp";

/// What clients are told of identity.
#[derive(Debug)]
pub(super) struct Challenge {
    issuers: Vec<Issuer>,
    public_url: Option<String>,
}

impl Challenge {
    pub(super) fn new(settings: &Settings) -> Self {
        Self { issuers: settings.jwt.clone(), public_url: settings.server.public_url.clone() }
    }

    /// The answer to a request to a path that is refused.
    pub(super) fn refuse(&self, path: &str, headers: &HeaderMap, refusal: Refusal) -> Response {
        let fault = match refusal {
            Refusal::Unavailable => Fault::IdentityUnavailable,
            Refusal::InsufficientScope(_) => Fault::Forbidden,
            Refusal::Missing | Refusal::Invalid | Refusal::Expired | Refusal::WrongAudience => {
                Fault::Unauthenticated
            }
        };
        let mut response = failed(fault, &refusal.to_string());
        if fault == Fault::IdentityUnavailable {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        } else if let Ok(challenge) = HeaderValue::from_str(&self.challenge(path, headers, refusal)) {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }

    /// Every part is this program's own, the operator's, or a `Host` that is admitted: none has a quotation mark in it.
    fn challenge(&self, path: &str, headers: &HeaderMap, refusal: Refusal) -> String {
        let mut challenge = "Bearer realm=\"toolhost\"".to_owned();
        let (fault, role) = match refusal {
            Refusal::InsufficientScope(role) => (Some("insufficient_scope"), role),
            // Whoever sent nothing made no mistake.
            Refusal::Missing => (None, Role::Caller),
            _ => (Some("invalid_token"), Role::Caller),
        };
        if let Some(fault) = fault {
            challenge.push_str(&format!(", error=\"{fault}\""));
        }
        if !self.issuers.is_empty() {
            let below = if path == "/mcp" { path } else { "" };
            let url = self.base(headers);
            challenge.push_str(&format!(", resource_metadata=\"{url}{METADATA}{below}\""));
            challenge.push_str(&format!(", scope=\"{}\"", self.scopes(&[role])));
        }
        challenge
    }

    /// The metadata of what is served below this server's root, or at a path; none without issuers.
    pub(super) fn metadata(&self, path: &str, headers: &HeaderMap) -> Option<Response> {
        if self.issuers.is_empty() {
            return None;
        }
        let servers: Vec<&str> = self.issuers.iter().map(|issuer| issuer.name.as_str()).collect();
        let scopes = self.scopes(&Role::ALL);
        let body = json!({
            "resource": format!("{}{path}", self.base(headers)),
            "authorization_servers": servers,
            "scopes_supported": scopes.split(' ').collect::<Vec<_>>(),
            "bearer_methods_supported": ["header"],
            "resource_name": "toolhost",
        });
        Some(Json(body).into_response())
    }

    /// The scopes that give roles, each once.
    fn scopes(&self, roles: &[Role]) -> String {
        let scopes: BTreeSet<&str> =
            self.issuers.iter().flat_map(|issuer| roles.iter().map(|role| issuer.scope(*role))).collect();
        scopes.into_iter().collect::<Vec<_>>().join(" ")
    }

    /// Where the client reaches this server: as the operator says, else as its own request says, whose `Host` was checked.
    fn base(&self, headers: &HeaderMap) -> String {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
        self.public_url.clone().unwrap_or_else(|| format!("http://{host}"))
    }
}
