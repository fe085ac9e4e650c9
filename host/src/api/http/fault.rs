//! What the HTTP API answers that is no success: a closed list of stable codes, each with its status. A failure of a tool
//! is none of these; it is a result.

use axum::http::StatusCode;

/// A stable code of `{error: {code, message}}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    BadRequest,
    UnsupportedFormat,
    BrokenBody,
    Unauthenticated,
    Forbidden,
    HostNotAllowed,
    OriginNotAllowed,
    NoSuchPath,
    NoSuchTool,
    NoSuchCall,
    NoSuchApproval,
    NoSuchTenant,
    NoSuchComponent,
    MethodNotAllowed,
    NotAcceptable,
    SlowBody,
    NotPending,
    KeyMismatch,
    StateMismatch,
    ReplyMismatch,
    NothingWaits,
    OtherVersionWaits,
    NotConfigured,
    NameTaken,
    ToolTaken,
    ComponentIsAFile,
    TooManyComponents,
    TooLarge,
    NotJson,
    NotWasm,
    ComponentRefused,
    TooManyRequests,
    StoreUnavailable,
    IdentityUnavailable,
    ReloadFailed,
}

impl Fault {
    /// All of them, by status.
    pub(super) const ALL: [Self; 35] = [
        Self::BadRequest,
        Self::UnsupportedFormat,
        Self::BrokenBody,
        Self::Unauthenticated,
        Self::Forbidden,
        Self::HostNotAllowed,
        Self::OriginNotAllowed,
        Self::NoSuchPath,
        Self::NoSuchTool,
        Self::NoSuchCall,
        Self::NoSuchApproval,
        Self::NoSuchTenant,
        Self::NoSuchComponent,
        Self::MethodNotAllowed,
        Self::NotAcceptable,
        Self::SlowBody,
        Self::NotPending,
        Self::KeyMismatch,
        Self::StateMismatch,
        Self::ReplyMismatch,
        Self::NothingWaits,
        Self::OtherVersionWaits,
        Self::NotConfigured,
        Self::NameTaken,
        Self::ToolTaken,
        Self::ComponentIsAFile,
        Self::TooManyComponents,
        Self::TooLarge,
        Self::NotJson,
        Self::NotWasm,
        Self::ComponentRefused,
        Self::TooManyRequests,
        Self::StoreUnavailable,
        Self::IdentityUnavailable,
        Self::ReloadFailed,
    ];

    /// The code on the wire.
    pub(super) const fn code(self) -> &'static str {
        self.parts().0
    }

    /// The status that goes with it (RFC 9110, and RFC 6585 for 429).
    pub(super) const fn status(self) -> StatusCode {
        self.parts().1
    }

    /// What it means.
    pub(super) const fn meaning(self) -> &'static str {
        self.parts().2
    }

    const fn parts(self) -> (&'static str, StatusCode, &'static str) {
        match self {
            Self::BadRequest => {
                ("bad_request", StatusCode::BAD_REQUEST, "the request says something that cannot be read")
            }
            Self::UnsupportedFormat => {
                ("unsupported_format", StatusCode::BAD_REQUEST, "tools are not given in this format")
            }
            Self::BrokenBody => ("broken_body", StatusCode::BAD_REQUEST, "the body broke off"),
            Self::Unauthenticated => (
                "unauthenticated",
                StatusCode::UNAUTHORIZED,
                "a key or token is missing, or stands for nobody",
            ),
            Self::Forbidden => {
                ("forbidden", StatusCode::FORBIDDEN, "the key or token does not stand for this")
            }
            Self::HostNotAllowed => {
                ("host_not_allowed", StatusCode::FORBIDDEN, "the Host header names no host that is served")
            }
            Self::OriginNotAllowed => (
                "origin_not_allowed",
                StatusCode::FORBIDDEN,
                "the Origin header names no page that is served",
            ),
            Self::NoSuchPath => ("no_such_path", StatusCode::NOT_FOUND, "there is no such path"),
            Self::NoSuchTool => {
                ("no_such_tool", StatusCode::NOT_FOUND, "there is no such tool that this caller may see")
            }
            Self::NoSuchCall => (
                "no_such_call",
                StatusCode::NOT_FOUND,
                "there is no such call of this tenant, or not any more",
            ),
            Self::NoSuchApproval => {
                ("no_such_approval", StatusCode::NOT_FOUND, "there is no such approval of this tenant")
            }
            Self::NoSuchTenant => ("no_such_tenant", StatusCode::NOT_FOUND, "there is no such tenant"),
            Self::MethodNotAllowed => {
                ("method_not_allowed", StatusCode::METHOD_NOT_ALLOWED, "the path takes other methods")
            }
            Self::NotAcceptable => (
                "not_acceptable",
                StatusCode::NOT_ACCEPTABLE,
                "the Accept header leaves out what is answered",
            ),
            Self::SlowBody => ("slow_body", StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time"),
            Self::NotPending => {
                ("not_pending", StatusCode::CONFLICT, "somebody decided before, or it is too late")
            }
            Self::KeyMismatch => (
                "key_mismatch",
                StatusCode::CONFLICT,
                "the Idempotency-Key header does not fit the calls in the body",
            ),
            Self::StateMismatch => (
                "state_mismatch",
                StatusCode::CONFLICT,
                "the state is not one that this host gave, or is too old",
            ),
            Self::ReplyMismatch => (
                "reply_mismatch",
                StatusCode::CONFLICT,
                "the reply is none of the provider's whose format is named",
            ),
            Self::TooLarge => ("too_large", StatusCode::PAYLOAD_TOO_LARGE, "the body is too long"),
            Self::NotJson => (
                "not_json",
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body is not said to be application/json",
            ),
            Self::TooManyRequests => (
                "too_many_requests",
                StatusCode::TOO_MANY_REQUESTS,
                "the tenant has as many of these requests under way as it may",
            ),
            Self::StoreUnavailable => {
                ("store_unavailable", StatusCode::SERVICE_UNAVAILABLE, "the store does not answer")
            }
            Self::NoSuchComponent => {
                ("no_such_component", StatusCode::NOT_FOUND, "there is no such component")
            }
            Self::NothingWaits => {
                ("nothing_waits", StatusCode::CONFLICT, "no version of the component waits to be accepted")
            }
            Self::OtherVersionWaits => (
                "other_version_waits",
                StatusCode::CONFLICT,
                "another version waits than the one that was asked for",
            ),
            Self::NotConfigured => {
                ("not_configured", StatusCode::CONFLICT, "the configuration takes no upload of this name")
            }
            Self::NameTaken => {
                ("name_taken", StatusCode::CONFLICT, "the name belongs to a component that is a file")
            }
            Self::ToolTaken => (
                "tool_taken",
                StatusCode::CONFLICT,
                "the name of one of its tools belongs to another component",
            ),
            Self::ComponentIsAFile => (
                "component_is_a_file",
                StatusCode::CONFLICT,
                "the component is a file, which is changed in its folder",
            ),
            Self::TooManyComponents => {
                ("too_many_components", StatusCode::CONFLICT, "as many components are uploaded as may be")
            }
            Self::ComponentRefused => {
                ("component_refused", StatusCode::UNPROCESSABLE_ENTITY, "the component is not sound")
            }
            Self::NotWasm => (
                "not_wasm",
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body is not said to be application/wasm",
            ),
            Self::ReloadFailed => (
                "reload_failed",
                StatusCode::SERVICE_UNAVAILABLE,
                "it is changed, but this host serves what it served before",
            ),
            Self::IdentityUnavailable => (
                "identity_unavailable",
                StatusCode::SERVICE_UNAVAILABLE,
                "whom a key or token stands for cannot be told at present",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_differ_and_each_is_an_error() {
        for (at, fault) in Fault::ALL.into_iter().enumerate() {
            assert!(fault.status().is_client_error() || fault.status().is_server_error(), "{fault:?}");
            let before = &Fault::ALL[..at];
            assert!(before.iter().all(|other| other.code() != fault.code()), "{fault:?}");
            assert!(before.iter().all(|other| other.status() <= fault.status()), "{fault:?} is out of order");
        }
    }
}
