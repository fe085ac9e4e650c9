//! A request as it will be sent: rebuilt from parsed parts, with nothing of the guest's that says where it goes or how it is
//! framed.

use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, HOST};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use wasmtime_wasi_http::{Error, RequestOptions};

use super::Outgoing;
use super::held::Held;
use crate::id::SecretName;
use crate::policy::{Destination, FRAMING, HttpRule, target};

/// Header fields of one request.
const FIELDS: usize = 100;

/// Why a request is not sent: what the guest is told, and the operator.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) error: Error,
    pub(super) note: String,
}

fn refused(error: Error, note: String) -> Refused {
    Refused { error, note }
}

/// A request that may be sent, if its host's addresses may be dialled.
pub(super) struct Checked {
    pub(super) call: Arc<Outgoing>,
    pub(super) to: Destination,
    /// All but the body. The placeholders stand in it still.
    pub(super) parts: Parts,
    /// What its body has to come to, if the guest said so.
    pub(super) length: Option<u64>,
    /// The header fields with the values of secrets in them, which are put in when everything else is done.
    pub(super) filled: Option<HeaderMap>,
    /// The rules of the secrets in them: what is dialled has to be admitted by each of these alone.
    pub(super) bound: Vec<HttpRule>,
    pub(super) connect: Duration,
    pub(super) first_byte: Duration,
    pub(super) between: Duration,
}

impl Checked {
    pub(super) fn new(
        call: Arc<Outgoing>,
        mut parts: Parts,
        options: Option<RequestOptions>,
    ) -> Result<Self, Refused> {
        let to = destination(&parts.uri)?;
        let granted = call.granted();
        if !granted.admits(&to) {
            return Err(refused(Error::HttpRequestDenied, format!("{to} refused: no rule admits it")));
        }
        let path = parts.uri.path_and_query().map_or("", |path| path.as_str());
        let path = target(path)
            .map_err(|fault| refused(Error::HttpRequestUriInvalid, format!("{to} refused: {fault}")))?;
        // It opens a tunnel, or has the peer repeat what it was sent.
        let reflects = |name: &str| parts.method.as_str().eq_ignore_ascii_case(name);
        if reflects(Method::CONNECT.as_str()) || reflects(Method::TRACE.as_str()) {
            let note = format!("{to} refused: the method {} is not sent", parts.method);
            return Err(refused(Error::HttpRequestMethodInvalid, note));
        }
        if !call.budget.request() {
            let most = call.budget.limits().requests;
            let note = format!("{to} refused: the call has made {most} requests, and may make no more");
            return Err(refused(Error::ConnectionLimitReached, note));
        }
        let length = length(&parts.headers, &to)?;
        reframe(&mut parts.headers, &to, call.held.scrubber().is_some())?;
        let (filled, bound) = filled(&parts.headers, &path, &to, &call.held)?;
        parts.uri = path
            .parse()
            .map_err(|_| refused(Error::HttpRequestUriInvalid, format!("{to} refused: no such path")))?;
        parts.version = http::Version::HTTP_11;
        let limits = call.budget.limits();
        let within = |asked: Option<Duration>, most: Duration| {
            asked.unwrap_or(most).clamp(Duration::from_millis(1), most)
        };
        let options = options.unwrap_or_default();
        let connect = within(options.connect_timeout, limits.connect);
        let first_byte = within(options.first_byte_timeout, limits.first_byte);
        let between = within(options.between_bytes_timeout, limits.first_byte);
        Ok(Self { call, to, parts, length, filled, bound, connect, first_byte, between })
    }

    /// Writes down what became of the request.
    pub(super) fn note(&self, what: std::fmt::Arguments<'_>) {
        self.call.notes.add(format!("{} {what}", self.to));
    }
}

fn destination(uri: &http::Uri) -> Result<Destination, Refused> {
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    Destination::parse(uri.scheme_str().unwrap_or_default(), authority).map_err(|fault| {
        // What stands there is the guest's own text, and could hold anything.
        refused(Error::HttpRequestUriInvalid, format!("a request refused: {fault}"))
    })
}

/// The one length that a guest may have declared.
fn length(headers: &HeaderMap, to: &Destination) -> Result<Option<u64>, Refused> {
    let mut declared = headers.get_all(CONTENT_LENGTH).iter();
    let (first, second) = (declared.next(), declared.next());
    let digits = |value: &HeaderValue| {
        let text = value.to_str().ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
        text.parse::<u64>().ok()
    };
    match (first, second) {
        (None, _) => Ok(None),
        (Some(value), None) if digits(value).is_some() => Ok(digits(value)),
        _ => Err(refused(Error::HttpProtocolError, format!("{to} refused: its length cannot be told"))),
    }
}

/// Takes out what frames a message or binds it to a connection, and writes the host anew.
fn reframe(headers: &mut HeaderMap, to: &Destination, holds_secrets: bool) -> Result<(), Refused> {
    if headers.len() > FIELDS {
        let note = format!("{to} refused: it has more than {FIELDS} header fields");
        return Err(refused(Error::HttpRequestHeaderSectionSize(None), note));
    }
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in FRAMING {
        headers.remove(name);
    }
    for name in named {
        headers.remove(name);
    }
    if holds_secrets {
        // What comes back is looked through, and has to be readable.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    }
    let host = HeaderValue::from_str(&to.authority())
        .map_err(|_| refused(Error::HttpRequestUriInvalid, format!("{to} refused: no such host")))?;
    headers.insert(HOST, host);
    Ok(())
}

/// The header fields with values for the placeholders, if there are any. One that stands anywhere else than it may is
/// refused with the request.
fn filled(
    headers: &HeaderMap,
    path: &str,
    to: &Destination,
    held: &Held,
) -> Result<(Option<HeaderMap>, Vec<HttpRule>), Refused> {
    let misplaced = |name: &SecretName, place: &str| {
        let note = format!("{to} refused: the secret {name} may not stand in {place} of a request there");
        refused(Error::HttpRequestDenied, note)
    };
    if let Some(secret) = held.within(path).next() {
        return Err(misplaced(&secret.grant.name, "the path"));
    }
    let mut filled = headers.clone();
    let mut bound = Vec::new();
    for (name, value) in &mut filled {
        let mut text = String::from_utf8_lossy(value.as_bytes()).into_owned();
        let secrets: Vec<_> = held.within(&text).cloned().collect();
        for secret in &secrets {
            if !secret.grant.admits(to, name.as_str()) {
                return Err(misplaced(&secret.grant.name, &format!("the header {name}")));
            }
            text = text.replace(&secret.placeholder, secret.value.expose());
        }
        if !secrets.is_empty() {
            *value = HeaderValue::from_bytes(text.as_bytes()).map_err(|_| {
                refused(Error::HttpRequestDenied, format!("{to} refused: a secret is no header"))
            })?;
            value.set_sensitive(true);
            bound.extend(secrets.into_iter().map(|secret| secret.grant.to));
        }
    }
    Ok(((!bound.is_empty()).then_some(filled), bound))
}
