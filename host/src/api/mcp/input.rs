//! What a client is asked before a call can go on, and its answers: results of the type `input_required` (MCP 2026-07-28,
//! SEP-2322). The state that a client keeps in between is sealed, and opened before anything looks at it.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ErrorData, InputRequest, InputRequests,
    InputRequiredResult, InputResponses, MetaObject,
};
use serde_json::{Value, json};
use toolhost_check::Arguments;

use crate::api::identity::{REASON_CHARS, decides_itself};
use crate::api::round;
use crate::executor::Host;
use crate::gate::{Answers, Call, Caller, Kept};
use crate::id::{ApprovalId, hex};
use crate::spec::{Failure, InputAnswer, InputMethod, InputRequired, clean};
use crate::store::{Approval, DecideError, Decision, SealError};

/// Under which name a reviewer is asked, and answers.
const APPROVAL: &str = "approval";
/// Characters of the arguments that fit into a question.
const SHOWN_CHARS: usize = 2_000;

/// What a request brings of an earlier round.
#[derive(Debug, Default)]
pub(super) struct Brought {
    /// Answers for the tool.
    pub(super) answers: Option<Answers>,
    /// The client was asked to decide about the call, and would not.
    pub(super) undecided: bool,
}

/// What this client may be asked. Older revisions know no such results.
pub(super) fn asks(capabilities: Option<&ClientCapabilities>, modern: bool) -> Vec<InputMethod> {
    let declared = capabilities.filter(|_| modern).and_then(|known| serde_json::to_value(known).ok());
    let Some(declared) = declared else { return Vec::new() };
    let may = |method: &InputMethod| match (method, declared.get(method.capability())) {
        // A client that names modes has only those; without any it has forms.
        (InputMethod::Elicit, Some(Value::Object(modes))) => modes.is_empty() || modes.contains_key("form"),
        (_, found) => found.is_some_and(|found| !found.is_null()),
    };
    InputMethod::ALL.into_iter().filter(may).collect()
}

/// Whether whoever makes a call may be asked to decide about it.
pub(super) fn may_be_asked(call: &Call) -> bool {
    call.asks.contains(&InputMethod::Elicit) && decides_itself(&call.caller.tenant).is_some()
}

/// Reads what a request brings of an earlier round, and takes a reviewer's decision down.
///
/// # Errors
/// Invalid params for a state that is not ours or too old, and for answers that are none.
pub(super) async fn read(
    host: &Host,
    caller: &Caller,
    request: &mut CallToolRequestParams,
    arguments: &[u8],
) -> Result<Brought, ErrorData> {
    let given = request.input_responses.take();
    let kept = match request.request_state.take() {
        Some(text) => Some(Kept::open(host.store(), &text).await.map_err(not_ours)?),
        None => None,
    };
    let round = match kept {
        Some(Kept::Approval { id, tenant }) if tenant == caller.tenant.id => {
            let asked = host.store().approvals().get(&id).await.map_err(|fault| not_ours(fault.into()))?;
            let about = asked.is_some_and(|asked| is_about(&asked, caller, &request.name, arguments));
            if !about {
                return Err(not_ours(SealError::Forged));
            }
            let undecided = !decide(host, caller, &id, given.as_ref()).await?;
            return Ok(Brought { answers: None, undecided });
        }
        Some(Kept::Approval { .. }) => return Err(not_ours(SealError::Forged)),
        Some(Kept::Round(round)) => Some(round),
        None => None,
    };
    let given = given.map(answers).transpose()?;
    let answers = match (given, round) {
        (None, None) => None,
        (given, round) => Some(Answers { given: given.unwrap_or_default(), round }),
    };
    Ok(Brought { answers, undecided: false })
}

/// The result that asks for what a tool needs; none if the failure is not about that.
///
/// # Errors
/// Says what cannot be asked.
pub(super) fn asked(failure: &Failure, meta: MetaObject) -> Option<Result<CallToolResponse, String>> {
    let InputRequired { requests, state } = &**failure.input.as_ref()?;
    if requests.is_empty() {
        return None;
    }
    let requests: Result<InputRequests, String> = requests
        .iter()
        .map(|asked| {
            // The host checked that the parameters are one object.
            let params: Value = serde_json::from_str(&asked.params).unwrap_or_default();
            let request = serde_json::from_value(json!({"method": asked.method.as_str(), "params": params}));
            let request: InputRequest = request.map_err(|fault| format!("{}: {fault}", asked.id))?;
            Ok((asked.id.clone(), request))
        })
        .collect();
    Some(
        requests
            .map(|requests| InputRequiredResult::new(Some(requests), state.clone()).with_meta(meta).into()),
    )
}

/// The result that asks whoever made a call to decide about it, where that person may; none otherwise.
pub(super) async fn ask_reviewer(
    host: &Host,
    call: &Call,
    failure: &Failure,
    meta: MetaObject,
) -> Option<CallToolResponse> {
    let id = failure.approval.clone().filter(|_| may_be_asked(call))?;
    // As it is compared, so that nothing can be pushed out of sight. What is too long is decided where all of it is seen.
    let arguments = Arguments::parse_bytes(&call.tool, &call.arguments).ok()?.canonical();
    if arguments.chars().count() > SHOWN_CHARS {
        return None;
    }
    let message = clean(format!("May the tool '{}' run with these arguments? {arguments} ({id})", call.tool));
    let question = json!({
        "method": InputMethod::Elicit.as_str(),
        "params": {
            "mode": "form",
            "message": message,
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "approve": {"type": "boolean", "title": "Approve", "description": "Let this very call run, once."},
                    "reason": {
                        "type": "string",
                        "title": "Reason",
                        "description": "Why not. The model is told.",
                        "maxLength": REASON_CHARS,
                    },
                },
                "required": ["approve"],
            },
        },
    });
    let question: InputRequest = serde_json::from_value(question).ok()?;
    let store = host.store();
    let kept = Kept::Approval { id, tenant: call.caller.tenant.id.clone() };
    // Without a state there is no question; the failure says how else to decide.
    let state = kept.seal(store, store.settings().approval_lifetime).await.ok()?;
    let requests = InputRequests::from([(APPROVAL.to_owned(), question)]);
    Some(InputRequiredResult::new(Some(requests), Some(state)).with_meta(meta).into())
}

/// Whether a question is about this very call, of this very user.
fn is_about(asked: &Approval, caller: &Caller, tool: &str, arguments: &[u8]) -> bool {
    let arguments = Arguments::parse_bytes(tool, arguments).map(|arguments| hex(&arguments.digest()));
    asked.binding.user == caller.user
        && asked.binding.tool.as_str() == tool
        && arguments.is_ok_and(|digest| digest == asked.binding.arguments_digest)
}

/// Takes a decision down, if the answer is one. Gives whether it is; whoever was faster has decided then.
async fn decide(
    host: &Host,
    caller: &Caller,
    id: &ApprovalId,
    given: Option<&InputResponses>,
) -> Result<bool, ErrorData> {
    let Some(approver) = decides_itself(&caller.tenant) else { return Ok(false) };
    let Some(answer) = given.and_then(|given| given.get(APPROVAL)) else { return Ok(false) };
    let content = answer.get("content");
    let reason = content.and_then(|content| content.get("reason")).and_then(Value::as_str);
    let reason = reason.map(|text| clean(text.chars().take(REASON_CHARS).collect()));
    let reason = reason.as_deref().filter(|text| !text.trim().is_empty());
    let approve = content.and_then(|content| content.get("approve")).and_then(Value::as_bool);
    // Whatever is not a clear yes is a no, and what is neither is nothing.
    let decision = match (answer.get("action").and_then(Value::as_str), approve) {
        (Some("accept"), Some(true)) => Decision::Approve { reason, edited: None },
        (Some("accept"), Some(false)) | (Some("decline"), _) => {
            Decision::Deny { reason: reason.unwrap_or("The reviewer declined.") }
        }
        _ => return Ok(false),
    };
    match host.store().approvals().decide(id, &approver, decision).await {
        Ok(_) | Err(DecideError::NotPending { .. } | DecideError::NotFound(_)) => Ok(true),
        Err(DecideError::Store(fault)) => {
            tracing::error!(%fault, "an approval cannot be decided");
            Err(ErrorData::internal_error("The store does not answer. Try again in a moment.", None))
        }
    }
}

/// The answers as the guest gets them.
fn answers(given: InputResponses) -> Result<Vec<InputAnswer>, ErrorData> {
    round::answers(given.into_iter()).map_err(|reason| ErrorData::invalid_params(reason, None))
}

fn not_ours(fault: SealError) -> ErrorData {
    match fault {
        SealError::Store(fault) => {
            tracing::error!(%fault, "a sealed state cannot be opened");
            ErrorData::internal_error("The store does not answer. Try again in a moment.", None)
        }
        fault => {
            let text = format!("The requestState cannot be used: {fault}. Make the call again without it.");
            ErrorData::invalid_params(text, None)
        }
    }
}
