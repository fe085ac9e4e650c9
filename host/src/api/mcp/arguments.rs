//! The arguments of a call as raw bytes, lifted out of the request before any library parses it.
//!
//! A parser keeps the last of two equal keys, rounds numbers and gives up on half a surrogate pair, and each would
//! hide from gate 3 what the client really sent. So `params.arguments` is cut out and replaced by an empty object,
//! and travels beside the request.

use axum::body::Bytes;
use rmcp::model::{ErrorData, RequestId};
use toolhost_check::json::{self, Fault, Limits, Reason};

#[cfg(test)]
mod tests;

/// Where a call's arguments stand in its request.
const ARGUMENTS: [&str; 2] = ["params", "arguments"];

/// The raw bytes of `params.arguments`: well-formed JSON of any kind, with any fault that leaves its end visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawArguments(pub(super) Bytes);

/// A message without its arguments.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Lifted {
    /// The message, safe to parse: it means the same to every parser.
    pub(super) message: Bytes,
    /// The arguments, if there were any.
    pub(super) arguments: Option<RawArguments>,
    /// The message with its arguments, where these are one sound object.
    pub(super) whole: Option<Bytes>,
}

/// A message that is not looked at any further.
#[derive(Debug, PartialEq)]
pub(super) struct Unreadable {
    /// The request that is answered, where its id could be read all the same.
    pub(super) id: Option<RequestId>,
    /// The answer.
    pub(super) error: Box<ErrorData>,
}

impl Unreadable {
    pub(super) fn new(id: Option<RequestId>, error: ErrorData) -> Self {
        Self { id, error: Box::new(error) }
    }
}

/// Takes the arguments out of a message.
///
/// # Errors
/// [`Unreadable`] if the message is not one JSON object, or is at fault anywhere but in its arguments.
pub(super) fn lift(message: Bytes) -> Result<Lifted, Unreadable> {
    let located = json::locate(&message, &ARGUMENTS, &Limits::ARGUMENTS);
    if let Some(fault) = located.outside {
        return Err(Unreadable::new(id(&message), fault_error(&fault)));
    }
    let Some(span) = located.span else {
        // Broken syntax inside hides where the arguments end, and with it the rest of the message.
        if let Some(fault) = located.inside {
            let error = ErrorData::parse_error(format!("params.arguments is not valid JSON: {fault}"), None);
            return Err(Unreadable::new(id(&message), error));
        }
        return one_object(&message).map(|()| Lifted { message, arguments: None, whole: None });
    };
    let (Some(before), Some(after)) = (message.get(..span.start), message.get(span.end..)) else {
        return Ok(Lifted { message, arguments: None, whole: None });
    };
    let rest = [before, b"{}", after].concat();
    let raw = message.slice(span);
    let sound = located.inside.is_none() && raw.starts_with(b"{");
    Ok(Lifted { message: rest.into(), arguments: Some(RawArguments(raw)), whole: sound.then_some(message) })
}

/// The error for a message that JSON can read and JSON-RPC cannot.
pub(super) fn not_a_message() -> ErrorData {
    ErrorData::invalid_request("The message is not a JSON-RPC 2.0 request, notification or response.", None)
}

fn one_object(message: &[u8]) -> Result<(), Unreadable> {
    match message.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => Ok(()),
        Some(b'[') => {
            let text = "The message is a batch, which MCP does not have. Send each message by itself.";
            Err(Unreadable::new(None, ErrorData::invalid_request(text, None)))
        }
        _ => Err(Unreadable::new(None, not_a_message())),
    }
}

/// Text that is not JSON is a parse error; JSON that readers disagree about is an invalid request.
fn fault_error(fault: &Fault) -> ErrorData {
    let text = format!("The message is not valid JSON: {fault}.");
    match fault.reason {
        Reason::DuplicateKey { .. }
        | Reason::ReservedKey
        | Reason::TooDeep { .. }
        | Reason::TooManyElements { .. }
        | Reason::LoneSurrogate
        | Reason::NumberTooLong { .. }
        | Reason::ExponentTooLarge { .. } => ErrorData::invalid_request(text, None),
        _ => ErrorData::parse_error(text, None),
    }
}

/// The id of a faulty message. One that is there twice is none.
pub(super) fn id(message: &[u8]) -> Option<RequestId> {
    let located = json::locate(message, &["id"], &Limits::ARGUMENTS);
    let doubled =
        matches!(&located.outside, Some(Fault { reason: Reason::DuplicateKey { key }, .. }) if key == "id");
    let raw = message.get(located.span?).filter(|_| located.inside.is_none() && !doubled)?;
    serde_json::from_slice(raw).ok()
}
