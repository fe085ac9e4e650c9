//! `host trace`: one call's life as it was recorded, with what the guest returned before anything was cut.

use super::Surroundings;
use super::args::after_help;
use super::error::CliError;
use super::exit::Exit;
use super::moment::utc;
use super::output::{Output, one_line};
use crate::api::view;
use crate::id::CallId;
use crate::store::{CallRecord, Store, View};

/// How much of a recorded text is shown to people, in characters.
const SHOWN: usize = 2_000;

/// Show one call's life, from its request to its raw result.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help(
    &["host trace 01JZ8Q4W2K5T7V9X1Y3Z5A7B9C", "host trace 01JZ8Q4W2K5T7V9X1Y3Z5A7B9C --json"],
    &[Exit::Ok, Exit::Failed, Exit::Usage, Exit::Configuration, Exit::Unavailable],
))]
pub struct TraceArgs {
    /// The call's id, as every result carries it
    call: CallId,

    /// Print the record as JSON, nothing cut
    #[arg(long)]
    json: bool,
}

/// Prints the record of one call of any tenant.
pub(super) async fn run(
    args: TraceArgs,
    surroundings: Surroundings,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let settings = surroundings.settings?;
    let store = Store::open(&settings.store).await?;
    let record = store.trace(View::Operator, &args.call).await?;
    store.close().await?;
    let Some(record) = record else {
        return Err(CliError::NotFound(format!(
            "no call {} is recorded in {}. Records are kept for {} days, and read-only calls are written within a \
             moment",
            args.call,
            settings.store.database,
            settings.store.trace_retention.as_secs() / 86_400
        )));
    };
    if args.json {
        output.json(&view::trace(&record, View::Operator))?;
    } else {
        output.text(&readable(&record))?;
    }
    Ok(Exit::Ok)
}

fn readable(record: &CallRecord) -> String {
    let none = || "-".to_owned();
    let effect = if record.side_effect { "side-effecting" } else { "read-only" };
    let mut rows = vec![
        ("call", record.call_id.to_string()),
        ("tool", format!("{} ({effect})", one_line(&record.tool))),
        ("component", record.component.map_or_else(none, |digest| digest.to_string())),
        ("tenant", record.tenant.to_string()),
        ("user", record.user.as_ref().map_or_else(none, ToString::to_string)),
        ("run", record.run.to_string()),
        ("came in", format!("{} by {}", utc(record.started_unix_ms), record.surface)),
        ("ended as", ending(record)),
        (
            "used",
            format!(
                "{} ms, {} fuel, {} KiB of memory, attempt {}",
                record.wall_ms,
                record.fuel,
                record.memory_peak_bytes.div_ceil(1024),
                record.attempt
            ),
        ),
    ];
    let optional = [
        ("message", &record.message),
        ("operator", &record.operator),
        ("content", &record.raw_content),
        ("structured", &record.raw_structured),
    ];
    rows.push(("arguments", shown(&record.arguments)));
    rows.extend(optional.into_iter().filter_map(|(name, text)| Some((name, shown(text.as_ref()?)))));
    let mut text = String::new();
    for (name, said) in rows {
        text.push_str(&format!("{name:<11} {said}\n"));
    }
    for event in &record.events {
        let line = format!("{:>8.1} ms {} {}", micros(event.offset_us), event.name, one_line(&event.detail));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn ending(record: &CallRecord) -> String {
    let kind = record.kind.as_ref().map_or_else(String::new, |kind| format!(" ({})", one_line(kind)));
    let gate = record
        .gate
        .map_or_else(String::new, |gate| format!(", refused at gate {} {}", gate.number(), gate.as_str()));
    format!("{}{kind}{gate}", record.code)
}

/// A recorded text on one line. What is left out is said, and where to find it.
fn shown(text: &str) -> String {
    let cut: String = text.chars().take(SHOWN).collect();
    let rest = text.chars().count().saturating_sub(SHOWN);
    let notice =
        if rest == 0 { String::new() } else { format!(" [{rest} more characters; --json shows them]") };
    format!("{}{notice}", one_line(&cut))
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people, rounded to a tenth of a millisecond")]
fn micros(offset_us: u64) -> f64 {
    offset_us as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Gate;
    use crate::store::TraceEvent;

    fn record() -> CallRecord {
        CallRecord {
            call_id: "01JZ8Q4W2K5T7V9X1Y3Z5A7B9C".parse().unwrap(),
            tenant: "acme".parse().unwrap(),
            user: None,
            run: "r1".parse().unwrap(),
            tool: "cancel\norder".into(),
            component: None,
            surface: "mcp",
            side_effect: true,
            started_unix_ms: 951_782_400_000,
            wall_ms: 12,
            fuel: 345,
            memory_peak_bytes: 65_537,
            attempt: 1,
            code: "needs_approval".into(),
            gate: Some(Gate::Approved),
            kind: Some("ApprovalRequired".into()),
            message: Some("Stop here.".into()),
            operator: None,
            arguments: "{\"n\": 9007199254740993}".into(),
            raw_content: None,
            raw_structured: None,
            events: vec![TraceEvent {
                offset_us: 1_250,
                name: "gate".into(),
                detail: "asked\u{1b}[2J".into(),
            }],
        }
    }

    #[test]
    fn a_record_is_told_in_order_and_forges_no_line() {
        assert_eq!(
            readable(&record()),
            "call        01JZ8Q4W2K5T7V9X1Y3Z5A7B9C\n\
             tool        cancel order (side-effecting)\n\
             component   -\n\
             tenant      acme\n\
             user        -\n\
             run         r1\n\
             came in     2000-02-29 00:00:00 UTC by mcp\n\
             ended as    needs_approval (ApprovalRequired), refused at gate 5 approved\n\
             used        12 ms, 345 fuel, 65 KiB of memory, attempt 1\n\
             arguments   {\"n\": 9007199254740993}\n\
             message     Stop here.\n\
             \u{20}    1.2 ms gate asked[2J\n"
        );
    }

    #[test]
    fn json_has_every_field_and_cuts_nothing() {
        let long = CallRecord { raw_content: Some("x".repeat(SHOWN * 2)), ..record() };
        assert!(readable(&long).contains("[2000 more characters; --json shows them]"));
        let value = view::trace(&long, View::Operator);
        assert_eq!(value["raw_content"].as_str().map(str::len), Some(SHOWN * 2));
        assert_eq!(value["gate"], "approved");
        assert_eq!(value["usage"]["fuel"], 345);
        assert_eq!(value["arguments"], "{\"n\": 9007199254740993}");
    }
}
