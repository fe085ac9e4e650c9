//! `host call`: one call through all gates, as any other surface makes it.

use std::path::PathBuf;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;

use super::args::{CallerArgs, after_help, duration};
use super::error::CliError;
use super::exit::Exit;
use super::many;
use super::output::{Output, one_line};
use super::signal::interrupted;
use super::{GRACE, Surroundings};
use crate::api::view;
use crate::executor::Host;
use crate::gate::{Call, Progress};
use crate::id::{IdempotencyKey, RunId};
use crate::spec::{Code, Content, Outcome, ResourceBody, Success};

/// Call one tool through all gates.
///
/// Prints the text of the result; a failure goes to standard error. An interrupt cancels the call.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help(
    &[
        "host call multiply '{\"a\": 6, \"b\": 7}'",
        "host call find_orders '{\"customer_id\": \"c-1\"}' --json",
        "echo '{\"query\": \"returns\"}' | host call search_documents -",
        "host call --many calls.jsonl",
        "host call cancel_order '{\"order_id\": \"o-1\", \"reason\": \"twice\"}' --key refund-o-1 --deadline 10s",
        "host call cancel_order '{\"order_id\": \"o-1\", \"reason\": \"twice\"}' --wait",
    ],
    &Exit::ALL,
))]
pub struct CallArgs {
    /// The tool's name
    #[arg(required_unless_present = "many")]
    tool: Option<String>,

    /// The arguments as one JSON object, or - to read them from standard input
    #[arg(value_name = "ARGS", default_value = "{}", allow_hyphen_values = true)]
    arguments: String,

    /// Make many calls: a file with one JSON object {"tool", "arguments", "idempotency_key"} in each line, or - for
    /// standard input. Prints one line of JSON for each, in their order
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "arguments", "key", "json"])]
    many: Option<PathBuf>,

    /// Print the whole result as JSON, a failure too
    #[arg(long)]
    json: bool,

    /// The run that the call belongs to
    #[arg(long, value_name = "ID")]
    run: Option<RunId>,

    /// Your key for this call: the same key never runs it twice
    #[arg(long, value_name = "KEY")]
    key: Option<IdempotencyKey>,

    /// Wait until a reviewer has decided, where one has to agree; the deadline begins then
    #[arg(long, conflicts_with = "many")]
    wait: bool,

    /// How long the whole call may take, such as 500ms or 10s; never longer than the operator's limit
    #[arg(long, value_name = "TIME", value_parser = duration)]
    deadline: Option<Duration>,

    #[command(flatten)]
    caller: CallerArgs,
}

/// Makes the call and shows how it ended.
pub(super) async fn run(
    args: CallArgs,
    surroundings: Surroundings,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let settings = surroundings.settings?;
    let caller = args.caller.caller(&settings)?;
    if let Some(file) = &args.many {
        let calls = many::read(file, &caller).await?;
        let common = |call| Call {
            allow: args.caller.narrowed(),
            run: args.run.clone(),
            deadline: args.deadline,
            ..call
        };
        let calls = calls.into_iter().map(common).collect();
        return many::run(calls, settings, &surroundings.executable, output).await;
    }
    let arguments = match args.arguments.as_str() {
        "-" => standard_input(settings.limits.arguments_bytes).await?,
        text => text.as_bytes().to_vec(),
    };
    let keyed = args.key.is_some();
    let call = Call {
        allow: args.caller.narrowed(),
        run: args.run,
        key: args.key,
        wait: args.wait,
        deadline: args.deadline,
        ..Call::new(caller, args.tool.unwrap_or_default(), arguments)
    };
    let host = Host::start(settings, &surroundings.executable).await?;
    let outcome = execute(&host, call, output).await;
    host.shutdown(GRACE).await;
    let Some(outcome) = outcome else {
        output.note(if keyed {
            "Interrupted. A call with a key may go on for a moment. Repeat it with the key to learn what became of it."
        } else {
            "Interrupted. The call was stopped and is recorded as cancelled."
        });
        return Ok(Exit::Interrupted);
    };
    show(&outcome, args.json, output)?;
    Ok(Exit::of(&outcome))
}

/// Runs the call to its end, or to the first signal: the future is dropped then, which stops the guest.
async fn execute(host: &Host, mut call: Call, output: &mut Output<'_>) -> Option<Outcome> {
    let (sender, mut news) = mpsc::channel(32);
    call.progress = Some(sender);
    let mut execution = std::pin::pin!(host.execute(call));
    let mut signal = std::pin::pin!(interrupted());
    loop {
        tokio::select! {
            outcome = &mut execution => return Some(outcome),
            () = &mut signal => return None,
            Some(progress) = news.recv() => output.note(&progress_line(&progress)),
        }
    }
}

fn show(outcome: &Outcome, json: bool, output: &mut Output<'_>) -> Result<(), CliError> {
    if json {
        return Ok(output.json(&view::outcome(outcome))?);
    }
    match &outcome.result {
        Ok(success) => output.text(&readable(success))?,
        Err(failure) => {
            output.note(&failure.text());
            if let (Code::NeedsApproval, Some(id)) = (failure.code, &failure.approval) {
                output.note(&format!("To decide: host approvals approve {id}, or host approvals deny {id}"));
            }
        }
    }
    Ok(())
}

/// The content as a person reads it. Bytes are named, not shown.
fn readable(success: &Success) -> String {
    if let ([], Some(structured)) = (success.content.as_slice(), &success.structured) {
        return structured.get().to_owned();
    }
    let blocks: Vec<String> = success.content.iter().map(block).collect();
    blocks.join("\n")
}

fn block(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Image(media) => bytes_named("image", &media.mime_type, media.data.len()),
        Content::Audio(media) => bytes_named("audio", &media.mime_type, media.data.len()),
        Content::Resource(resource) => match &resource.body {
            ResourceBody::Text(text) => text.clone(),
            ResourceBody::Blob(data) => {
                let kind = resource.mime_type.as_deref().unwrap_or("of no stated type");
                format!("{} {}", one_line(&resource.uri), bytes_named("resource", kind, data.len()))
            }
        },
        Content::Link(link) => format!("{}: {}", one_line(&link.name), one_line(&link.uri)),
    }
}

fn bytes_named(what: &str, kind: &str, length: usize) -> String {
    format!("[{what} {}, {length} bytes; --json shows them]", one_line(kind))
}

fn progress_line(progress: &Progress) -> String {
    let total = progress.total.map_or_else(String::new, |total| format!(" of {total}"));
    let message =
        progress.message.as_deref().map_or_else(String::new, |text| format!(": {}", one_line(text)));
    format!("{}{total}{message}", progress.done)
}

/// Reads the arguments. One byte over the limit is enough for the gate to refuse them in its own words.
async fn standard_input(limit: usize) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    tokio::io::stdin().take(most).read_to_end(&mut bytes).await.map_err(CliError::Input)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::spec::{Failure, Media, Resource, ResourceLink, Usage};

    fn outcome(result: Result<Success, Failure>) -> Outcome {
        let call_id = "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
        Outcome { call_id, tool: "t".into(), attempt: 1, replayed: false, usage: Usage::default(), result }
    }

    fn shown(outcome: &Outcome, json: bool) -> (String, String) {
        let (mut results, mut notes) = (Vec::new(), Vec::new());
        show(outcome, json, &mut Output::new(&mut results, &mut notes)).unwrap();
        (String::from_utf8(results).unwrap(), String::from_utf8(notes).unwrap())
    }

    #[test]
    fn text_is_printed_and_bytes_are_named() {
        let resource = |body| {
            Content::Resource(Resource {
                uri: "file:///x".into(),
                mime_type: Some("text/plain".into()),
                body,
            })
        };
        let success = Success {
            content: vec![
                Content::Text("one\u{1b}[31m".into()),
                Content::Image(Media { data: vec![0; 5], mime_type: "image/png".into() }),
                resource(ResourceBody::Text("two".into())),
                resource(ResourceBody::Blob(vec![0; 3])),
                Content::Link(ResourceLink {
                    uri: "https://example.com/a".into(),
                    name: "three".into(),
                    title: None,
                    description: None,
                    mime_type: None,
                    size: None,
                }),
            ],
            structured: None,
            truncated: false,
        };
        let (results, notes) = shown(&outcome(Ok(success)), false);
        assert_eq!(
            results,
            "one[31m\n[image image/png, 5 bytes; --json shows them]\ntwo\n\
             file:///x [resource text/plain, 3 bytes; --json shows them]\nthree: https://example.com/a\n"
        );
        assert_eq!(notes, "");
    }

    #[test]
    fn a_result_without_content_shows_its_value_with_every_digit() {
        let structured = RawValue::from_string("{\"n\":9007199254740993}".into()).unwrap();
        let success = Success { content: Vec::new(), structured: Some(structured), truncated: false };
        assert_eq!(shown(&outcome(Ok(success)), false).0, "{\"n\":9007199254740993}\n");
    }

    #[test]
    fn a_failure_leaves_standard_output_empty_and_says_who_decides() {
        let mut failure = Failure::new(Code::NeedsApproval, "Stop here.");
        failure.approval = Some("apr_1".parse().unwrap());
        let (results, notes) = shown(&outcome(Err(failure)), false);
        assert_eq!(results, "");
        assert_eq!(
            notes,
            "Error (ApprovalRequired): Stop here.\n\
             To decide: host approvals approve apr_1, or host approvals deny apr_1\n"
        );
    }

    #[test]
    fn json_of_a_failure_goes_to_standard_output() {
        let (results, notes) = shown(&outcome(Err(Failure::new(Code::Timeout, "timed out after 10s"))), true);
        let value: serde_json::Value = serde_json::from_str(&results).unwrap();
        assert_eq!(value["ok"], false);
        assert_eq!(value["error"]["code"], "timeout");
        assert_eq!(notes, "");
    }
}
