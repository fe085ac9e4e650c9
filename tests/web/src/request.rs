//! One request as a test describes it, and what came back.

use std::fmt::Debug;

use toolhost_sdk::{Context, ToolType};

use crate::bindings::wasi::http::outgoing_handler::{RequestOptions, handle};
use crate::bindings::wasi::http::types::{
    Fields, IncomingBody, Method, OutgoingBody, OutgoingRequest, Scheme,
};

/// A request, in pieces that need not fit together.
#[derive(Debug, Clone, serde::Deserialize, ToolType)]
pub(crate) struct Request {
    /// The method.
    pub(crate) method: Option<String>,
    /// The scheme.
    pub(crate) scheme: String,
    /// Host and port.
    pub(crate) authority: String,
    /// Path and query.
    pub(crate) path: Option<String>,
    /// Names and values; `{NAME}` in a value, in the path or in the body stands for the placeholder of that secret.
    pub(crate) headers: Option<Vec<Vec<String>>>,
    /// What is sent.
    pub(crate) body: Option<String>,
    /// How often the body is sent, each in one write.
    pub(crate) writes: Option<u32>,
    /// The timeout for the connection, in nanoseconds.
    pub(crate) connect_ns: Option<u64>,
    /// Read the body of the answer.
    pub(crate) read: Option<bool>,
}

/// What came back.
#[derive(Debug, Clone, serde::Serialize, ToolType)]
pub(crate) struct Answer {
    /// The status.
    pub(crate) status: u16,
    /// Header fields.
    pub(crate) headers: Vec<Vec<String>>,
    /// The body.
    pub(crate) body: String,
    /// Trailers.
    pub(crate) trailers: Vec<Vec<String>>,
}

/// Sends a request and reads the answer. A failure is told in the words of WASI.
pub(crate) fn send(context: &Context, request: &Request) -> Result<Answer, String> {
    let text = |text: &str| fill(context, text);
    let fields = Fields::new();
    for field in request.headers.iter().flatten() {
        if let [name, value] = field.as_slice() {
            fields.append(name, text(value)?.as_bytes()).map_err(told)?;
        }
    }
    let out = OutgoingRequest::new(fields);
    out.set_method(&method(request.method.as_deref())).map_err(|()| "method")?;
    let scheme = match request.scheme.as_str() {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        other => Scheme::Other(other.to_owned()),
    };
    out.set_scheme(Some(&scheme)).map_err(|()| "scheme")?;
    out.set_authority(Some(&request.authority)).map_err(|()| "authority")?;
    let path = text(request.path.as_deref().unwrap_or("/"))?;
    out.set_path_with_query(Some(&path)).map_err(|()| "path")?;
    let options = RequestOptions::new();
    if let Some(connect) = request.connect_ns {
        options.set_connect_timeout(Some(connect)).map_err(|()| "options")?;
    }
    let sending = out.body().map_err(|()| "body")?;
    let pending = handle(out, Some(options)).map_err(told)?;
    let mut broken = None;
    if let Some(body) = &request.body {
        let body = text(body)?;
        let stream = sending.write().map_err(|()| "write")?;
        for _ in 0..request.writes.unwrap_or(1) {
            let pieces: Vec<&[u8]> = match body.is_empty() {
                true => vec![b""],
                false => body.as_bytes().chunks(4_096).collect(),
            };
            broken =
                pieces.into_iter().find_map(|piece| stream.blocking_write_and_flush(piece).err().map(told));
            if broken.is_some() {
                break;
            }
        }
    }
    let finished = OutgoingBody::finish(sending, None).map_err(told);
    let answer = loop {
        match pending.get() {
            Some(answer) => break answer.map_err(|()| "asked twice")?.map_err(told)?,
            None => pending.subscribe().block(),
        }
    };
    finished?;
    let (status, headers) = (answer.status(), shown(&answer.headers()));
    let body = answer.consume().map_err(|()| "consume")?;
    if request.read == Some(false) {
        return Ok(Answer { status, headers, body: String::new(), trailers: Vec::new() });
    }
    let mut read = Vec::new();
    let stream = body.stream().map_err(|()| "stream")?;
    loop {
        use crate::bindings::wasi::io::streams::StreamError;
        match stream.blocking_read(1 << 16) {
            Ok(piece) => read.extend(piece),
            Err(StreamError::Closed) => break,
            Err(StreamError::LastOperationFailed(fault)) => {
                return Err(format!("after {} bytes: {}", read.len(), fault.to_debug_string()));
            }
        }
    }
    drop(stream);
    let later = IncomingBody::finish(body);
    later.subscribe().block();
    let trailers = match later.get() {
        Some(Ok(Ok(Some(trailers)))) => shown(&trailers),
        _ => Vec::new(),
    };
    match broken {
        Some(fault) => Err(fault),
        None => Ok(Answer { status, headers, body: String::from_utf8_lossy(&read).into_owned(), trailers }),
    }
}

fn method(name: Option<&str>) -> Method {
    match name.unwrap_or("GET") {
        "GET" => Method::Get,
        "POST" => Method::Post,
        "CONNECT" => Method::Connect,
        "TRACE" => Method::Trace,
        other => Method::Other(other.to_owned()),
    }
}

/// Puts placeholders in.
fn fill(context: &Context, text: &str) -> Result<String, String> {
    let mut filled = text.to_owned();
    while let Some((before, rest)) = filled.split_once('{') {
        let Some((name, after)) = rest.split_once('}') else { break };
        let placeholder = context.secret(name).map_err(|fault| format!("{fault:?}"))?;
        filled = format!("{before}{placeholder}{after}");
    }
    Ok(filled)
}

fn shown(fields: &Fields) -> Vec<Vec<String>> {
    let text = |value: Vec<u8>| String::from_utf8_lossy(&value).into_owned();
    fields.entries().into_iter().map(|(name, value)| vec![name, text(value)]).collect()
}

fn told(fault: impl Debug) -> String {
    format!("{fault:?}")
}
