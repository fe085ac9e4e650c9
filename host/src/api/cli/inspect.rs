//! `host inspect`: what a component says about itself. Grants nothing, and runs nothing beyond `describe`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::args::after_help;
use super::error::CliError;
use super::exit::Exit;
use super::granted::Granted;
use super::output::{Output, one_line};
use super::{GRACE, Surroundings};
use crate::executor::{Host, Inspection, Settings, described};
use crate::policy::{ToolOverride, ToolPolicy};
use crate::spec::ToolSpec;

/// Show what a component says about itself: tools, imports, wishes, digest, size.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help(
    &["host inspect tools/orders.wasm", "host inspect tools/orders.wasm --json"],
    &[Exit::Ok, Exit::Usage, Exit::Configuration, Exit::Unavailable],
))]
pub struct InspectArgs {
    /// The component's file
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print everything as JSON, schemas too
    #[arg(long)]
    json: bool,
}

/// Prints the description. Wishes are measured against the limits of the configuration.
pub(super) async fn run(
    args: InspectArgs,
    surroundings: Surroundings,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let settings = surroundings.settings?;
    // A host without components: nothing of the operator's is loaded to look at a stranger's file.
    let bare = Settings { components: Vec::new(), ..settings.clone() };
    let host = Host::start(bare, &surroundings.executable).await?;
    let inspected = host.inspect(&args.file).await;
    host.shutdown(GRACE).await;
    let inspection = inspected.map_err(|source| CliError::Load { path: args.file.clone(), source })?;
    if args.json {
        output.json(&value(&inspection, &settings))?;
    } else {
        output.text(&readable(&inspection, &settings))?;
    }
    Ok(Exit::Ok)
}

/// The policy of a tool that nobody has said anything about and nobody trusts.
fn untrusted(spec: &ToolSpec, settings: &Settings) -> ToolPolicy {
    ToolPolicy::effective(spec, false, &ToolOverride::default(), &settings.wider())
}

fn value(inspection: &Inspection, settings: &Settings) -> Value {
    json!({
        "path": inspection.path.display().to_string(),
        "digest": inspection.digest.to_string(),
        "size": inspection.size,
        "imports": inspection.imports,
        "exports": inspection.exports,
        "powers": Granted::of(&inspection.path, &inspection.imports, settings).value(),
        "tools": inspection.specs.iter().map(|spec| tool_value(spec, settings)).collect::<Vec<_>>(),
    })
}

fn tool_value(spec: &ToolSpec, settings: &Settings) -> Value {
    let clamped = untrusted(spec, settings).clamped_timeout.map(|_| millis(settings.limits.attempt_timeout));
    let mut value = described(spec);
    if let Some(wishes) = value.get_mut("wishes").and_then(Value::as_object_mut) {
        wishes.insert("timeout_clamped_to_ms".to_owned(), clamped.into());
    }
    value
}

/// JSON text as JSON. It was parsed when the component was loaded; should it not be JSON, it stays a text.
fn schema(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

fn millis(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn readable(inspection: &Inspection, settings: &Settings) -> String {
    let mut text = format!(
        "{}\n  digest   {}\n  size     {} bytes\n",
        one_line(&inspection.path.display().to_string()),
        inspection.digest,
        inspection.size
    );
    text.push_str(&list("imports", &inspection.imports));
    text.push_str(&list("exports", &inspection.exports));
    for (name, items) in Granted::of(&inspection.path, &inspection.imports, settings).lines() {
        text.push_str(&list(name, &items));
    }
    for spec in &inspection.specs {
        text.push_str(&tool_text(spec, settings));
    }
    text.push_str(
        "\nWhat a component says about itself is a hint: it gives no power, and only an operator's word makes it \
         count.\n",
    );
    text
}

fn list(name: &str, items: &[String]) -> String {
    let mut text = String::new();
    for (at, item) in items.iter().enumerate() {
        let name = if at == 0 { name } else { "" };
        text.push_str(&format!("  {name:<8} {}\n", one_line(item)));
    }
    text
}

fn tool_text(spec: &ToolSpec, settings: &Settings) -> String {
    let title = spec.title.as_deref().map_or_else(String::new, |title| format!(" ({})", one_line(title)));
    let mut text = format!("\ntool {}{title}\n", spec.name);
    for line in spec.description.lines() {
        text.push_str(&format!("  {}\n", one_line(line)));
    }
    let hints = spec.annotations;
    let says = [
        (hints.read_only, "read_only"),
        (hints.destructive, "destructive"),
        (hints.idempotent, "idempotent"),
        (hints.open_world, "open_world"),
    ];
    let says: Vec<&str> = says.iter().filter(|(set, _)| *set).map(|(_, word)| *word).collect();
    text.push_str(&format!(
        "  says     {}\n",
        if says.is_empty() { "nothing".to_owned() } else { says.join(", ") }
    ));
    text.push_str(&list("wishes", &wishes(spec, settings)));
    text.push_str(&list("needs", &spec.required_capabilities));
    let schema = schema(&spec.input_schema);
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let names: Vec<String> = properties.keys().map(|name| parameter(name, &schema)).collect();
        text.push_str(&format!("  takes    {}\n", names.join(", ")));
    }
    text
}

fn parameter(name: &str, schema: &Value) -> String {
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.is_some_and(|names| names.iter().any(|it| it.as_str() == Some(name)));
    format!("{}{}", one_line(name), if required { "" } else { " (optional)" })
}

fn wishes(spec: &ToolSpec, settings: &Settings) -> Vec<String> {
    let wishes = &spec.wishes;
    let mut said = Vec::new();
    if wishes.requires_approval {
        said.push("to be approved before each call".to_owned());
    }
    if let Some(timeout) = wishes.timeout {
        let clamped = untrusted(spec, settings).clamped_timeout.map_or_else(String::new, |_| {
            format!(", clamped to {} ms, the operator's limit", millis(settings.limits.attempt_timeout))
        });
        said.push(format!("timeout {} ms{clamped}", millis(timeout)));
    }
    if let Some(pool) = &wishes.pool {
        let unknown =
            if settings.pools.get(pool.as_str()).is_none() { ", which there is not: default" } else { "" };
        said.push(format!("pool {pool}{unknown}"));
    }
    if let Some(delivery) = wishes.delivery {
        said.push(format!("delivery {}", delivery.as_str()));
    }
    if let Some(template) = &wishes.idempotency_key {
        said.push(format!("idempotency key {template}"));
    }
    said
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::id::Digest;
    use crate::spec::{Annotations, Wishes};

    fn inspection() -> Inspection {
        Inspection {
            path: "tools/orders.wasm".into(),
            digest: Digest::of(b""),
            size: 1234,
            imports: vec!["toolhost:tool/kv@0.1.0".into(), "wasi:io/poll@0.2.6".into()],
            exports: vec!["toolhost:tool/tools@0.1.0".into()],
            specs: vec![ToolSpec {
                name: "cancel_order".parse().unwrap(),
                title: Some("Cancel".into()),
                description: "Cancels an order.\nNot for \u{1b}[2Jreturns.".into(),
                input_schema:
                    r#"{"type":"object","properties":{"order_id":{},"why":{}},"required":["order_id"]}"#
                        .into(),
                output_schema: None,
                annotations: Annotations { destructive: true, ..Annotations::default() },
                wishes: Wishes {
                    requires_approval: true,
                    timeout: Some(Duration::from_secs(600)),
                    pool: Some("nowhere".parse().unwrap()),
                    delivery: None,
                    idempotency_key: Some("cancel:{order_id}".into()),
                },
                required_capabilities: vec![],
                examples: vec![],
            }],
        }
    }

    #[test]
    fn wishes_are_shown_with_what_becomes_of_them() {
        insta::assert_snapshot!("orders", readable(&inspection(), &super::super::tests::settings()));
    }

    #[test]
    fn json_says_the_same_to_programs() {
        let value = value(&inspection(), &super::super::tests::settings());
        let tool = &value["tools"][0];
        assert_eq!(tool["wishes"]["timeout_ms"], 600_000);
        assert_eq!(tool["wishes"]["timeout_clamped_to_ms"], 60_000);
        assert_eq!(tool["input_schema"]["required"][0], "order_id");
        assert_eq!(value["size"], 1234);
    }
}
