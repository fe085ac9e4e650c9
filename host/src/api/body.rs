//! The body of a request, mostly JSON: bounded in length and in the time that it takes to arrive.

use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Body;

/// The largest request, in bytes. Arguments have a lower bound of their own.
pub(super) const MAX_BODY: usize = 4 << 20;

const JSON: &str = "application/json";

/// How long a body may take to arrive.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// Why there is no body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum BodyFault {
    /// The request says that it is something else.
    #[error("The Content-Type must be {0}.")]
    Kind(&'static str),
    /// It is longer than so many bytes.
    #[error("The body is longer than {0} bytes.")]
    TooLarge(usize),
    /// It broke off.
    #[error("The body could not be read to its end.")]
    Broken,
    /// It took too long.
    #[error("The body did not arrive within {} s.", .0.as_secs_f64())]
    TooSlow(Duration),
}

impl BodyFault {
    /// The status that says so.
    pub(super) const fn status(self) -> StatusCode {
        match self {
            Self::Kind(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Broken => StatusCode::BAD_REQUEST,
            Self::TooSlow(_) => StatusCode::REQUEST_TIMEOUT,
        }
    }
}

/// Reads a body of JSON, which is not looked at.
pub(super) async fn read<B>(headers: &HeaderMap, body: B, within: Duration) -> Result<Bytes, BodyFault>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    read_as(JSON, MAX_BODY, headers, body, within).await
}

/// Reads a body of another kind and of another length at most.
pub(super) async fn read_as<B>(
    kind: &'static str,
    most: usize,
    headers: &HeaderMap,
    body: B,
    within: Duration,
) -> Result<Bytes, BodyFault>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if !is_kind(headers, kind) {
        return Err(BodyFault::Kind(kind));
    }
    match tokio::time::timeout(within, Limited::new(body, most).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(BodyFault::TooLarge(most)),
        Ok(Err(_)) => Err(BodyFault::Broken),
        Err(_elapsed) => Err(BodyFault::TooSlow(within)),
    }
}

/// Whether the body is said to be JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    is_kind(headers, JSON)
}

fn is_kind(headers: &HeaderMap, kind: &str) -> bool {
    headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|essence| essence.trim().eq_ignore_ascii_case(kind))
}
