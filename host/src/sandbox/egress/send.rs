//! Sends a checked request over a connection of its own and gives back the head of the answer; the body follows as the guest
//! reads it.

use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::time::timeout;
use wasmtime_wasi_http::{Error, WasiBody};

use super::Sent;
use super::body::{Download, Upload};
use super::connect::connect;
use super::request::Checked;
use crate::spec::Scrubber;

/// The head of an answer, in bytes and in fields.
const HEAD_BYTES: usize = 64 << 10;
const HEAD_FIELDS: usize = 100;

/// Sends the request. Dropping the future, or the answer with what drives it, closes the connection.
pub(super) async fn send(checked: Checked, body: WasiBody) -> Sent {
    let sent = exchange(&checked, body).await;
    if let Err(error) = &sent {
        // What the guest is told; the reason stands in an earlier line where there is one.
        checked.note(format_args!("failed: {}", told(error)));
    }
    sent
}

async fn exchange(checked: &Checked, body: WasiBody) -> Sent {
    // Waiting for a place, the name, the connection and TLS are one budget.
    let reached = timeout(checked.connect, async {
        let place = checked.call.budget.place().await.map_err(|_| Error::ConnectionLimitReached)?;
        Ok::<_, Error>((place, connect(checked).await?))
    });
    let (place, connection) = reached.await.map_err(|_| Error::ConnectionTimeout)??;
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEAD_FIELDS)
        .handshake::<_, Upload>(TokioIo::new(connection))
        .await?;
    let mut driver = Driver(tokio::spawn(connection));
    let upload = Upload::new(body, checked.call.budget.clone(), checked.length);
    let answer = timeout(checked.first_byte, sender.send_request(filled(checked, upload))).await;
    let answer = checked_head(checked, answer.map_err(|_| Error::HttpResponseTimeout)??)?;
    checked.note(format_args!("answered {}", answer.status().as_u16()));
    let scrubber = checked.call.scrubber().cloned();
    let answer = answer.map(|body| {
        Download::new(body, checked.call.budget.clone(), checked.between, scrubber, place).boxed_unsync()
    });
    // The connection lives for as long as the guest holds the answer.
    let driven = async move {
        match (&mut driver.0).await {
            Ok(Err(fault)) => Err(Error::from(fault)),
            _ => Ok(()),
        }
    };
    Ok((answer, Box::new(driven)))
}

/// An error without what a peer may have written into it.
fn told(error: &Error) -> String {
    match error {
        Error::Hyper(fault) if fault.is_parse() => "the answer is not HTTP/1.1".to_owned(),
        Error::Hyper(fault) if fault.is_incomplete_message() => "the answer broke off".to_owned(),
        Error::Hyper(fault) if fault.is_user() => "the body of the request broke off".to_owned(),
        Error::Hyper(_) => "the connection broke off".to_owned(),
        other => other.to_string(),
    }
}

/// What drives a connection, and ends it when it is dropped.
pub(super) struct Driver(pub(super) tokio::task::JoinHandle<Result<(), hyper::Error>>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The request with its secrets, which stand in it from here on.
fn filled(checked: &Checked, body: Upload) -> http::Request<Upload> {
    let mut parts = checked.parts.clone();
    if let Some(filled) = &checked.filled {
        parts.headers = filled.clone();
    }
    http::Request::from_parts(parts, body)
}

/// The head of an answer, of a kind that a guest can be given, and without secrets.
fn checked_head(checked: &Checked, mut answer: Response<Incoming>) -> Result<Response<Incoming>, Error> {
    if answer.status() == StatusCode::SWITCHING_PROTOCOLS {
        return Err(Error::HttpUpgradeFailed);
    }
    let Some(scrubber) = checked.call.scrubber() else { return Ok(answer) };
    // What the coding is called is the peer's own text, and could be anything.
    if answer.headers().get_all(CONTENT_ENCODING).iter().any(|coding| coding != "identity") {
        return Err(Error::HttpResponseContentCoding(None));
    }
    // What is left of the body may be shorter.
    answer.headers_mut().remove(CONTENT_LENGTH);
    scrub(answer.headers_mut(), scrubber);
    Ok(answer)
}

/// Takes secrets out of header fields. A name that holds one goes with its value.
pub(super) fn scrub(headers: &mut HeaderMap, scrubber: &Scrubber) {
    let named: Vec<_> = headers
        .keys()
        .filter(|name| matches!(scrubber.bytes(name.as_str().as_bytes()), std::borrow::Cow::Owned(_)))
        .cloned()
        .collect();
    for name in named {
        headers.remove(name);
    }
    for value in headers.values_mut() {
        if let std::borrow::Cow::Owned(clean) = scrubber.bytes(value.as_bytes()) {
            *value = HeaderValue::from_bytes(&clean).unwrap_or_else(|_| HeaderValue::from_static("[secret]"));
        }
    }
}
