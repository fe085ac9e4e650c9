//! `host components`: what is served, what waits to be accepted and how it differs, and uploads to the store.
//!
//! Whoever reaches the store may accept; that is what makes an operator here. A running server sees a change at once, or
//! within 250 ms on SQLite.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::args::after_help;
use super::error::CliError;
use super::exit::Exit;
use super::moment::utc;
use super::output::{Output, one_line};
use super::{GRACE, Surroundings};
use crate::api::components as wire;
use crate::executor::{ComponentState, ComponentView, Components, Drift, Host, Taken};
use crate::id::{ComponentName, Digest, UserId};
use crate::store::Version;

const EXITS: [Exit; 6] =
    [Exit::Ok, Exit::Failed, Exit::Usage, Exit::Configuration, Exit::Unavailable, Exit::Busy];
const SHORT: [Exit; 5] = [Exit::Ok, Exit::Failed, Exit::Usage, Exit::Configuration, Exit::Unavailable];

/// List components, accept what changed, and upload to the store.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help(
    &[
        "host components",
        "host components show orders",
        "host components accept orders --digest \"$SHOWN\" --as anna",
        "host components add build/orders.wasm",
        "host components remove orders",
    ],
    &EXITS,
))]
pub struct ComponentsArgs {
    #[command(subcommand)]
    action: Option<Action>,

    /// Print the result as JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Default, clap::Subcommand)]
enum Action {
    /// List all components, and whether they are served
    #[default]
    #[command(after_help = after_help(&["host components list --json"], &SHORT))]
    List,
    /// Show one, and what the version that waits would change
    #[command(after_help = after_help(&["host components show orders"], &SHORT))]
    Show {
        /// The component's name: that of its file without the ending
        name: String,
    },
    /// Serve the version that waits
    #[command(after_help = after_help(&["host components accept orders --digest \"$SHOWN\" --as anna"], &SHORT))]
    Accept {
        /// The component's name
        name: String,

        /// The code that was shown, and no other
        #[arg(long, value_name = "DIGEST")]
        digest: Digest,

        /// Who accepts, for the record [default: operator]
        #[arg(long = "as", value_name = "NAME")]
        operator: Option<UserId>,
    },
    /// Throw the waiting version of an uploaded component away
    #[command(after_help = after_help(&["host components reject orders"], &SHORT))]
    Reject {
        /// The component's name
        name: String,

        /// Reject nothing but this code, which was shown
        #[arg(long, value_name = "DIGEST")]
        digest: Option<Digest>,
    },
    /// Upload a component to the store, for all hosts on it
    #[command(after_help = after_help(
        &["host components add build/orders.wasm", "host components add build/release.wasm --name orders"],
        &EXITS,
    ))]
    Add {
        /// The component's file
        file: PathBuf,

        /// Its name [default: that of the file, without the ending]
        #[arg(long, value_name = "NAME")]
        name: Option<ComponentName>,

        /// Who uploads, for the record [default: operator]
        #[arg(long = "as", value_name = "NAME")]
        operator: Option<UserId>,
    },
    /// Take an uploaded component out, or forget a file that is not there any more
    #[command(after_help = after_help(&["host components remove orders"], &SHORT))]
    Remove {
        /// The component's name
        name: String,
    },
}

/// Lists, shows or changes.
pub(super) async fn run(
    args: ComponentsArgs,
    surroundings: Surroundings,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let host = Host::start(surroundings.settings?, &surroundings.executable).await?;
    let acted = act(&host.components(), args.action.unwrap_or_default(), args.json, output).await;
    host.shutdown(GRACE).await;
    acted
}

async fn act(
    components: &Components<'_>,
    action: Action,
    json: bool,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let (value, text) = match action {
        Action::List => {
            let all = components.list().await?;
            let blocks: Vec<String> = all.iter().map(readable).collect();
            let text = if all.is_empty() { "There are no components.".to_owned() } else { blocks.join("\n") };
            (Value::Array(all.iter().map(wire::component).collect()), text)
        }
        Action::Show { name } => {
            let (view, drift) = components.show(&name).await?;
            let value = wire::component_with_changes(&view, drift.as_ref());
            (value, readable(&view) + &drift.as_ref().map(differences).unwrap_or_default())
        }
        Action::Accept { name, digest, operator } => {
            let view = components.accept(&name, Some(digest), &by(operator.as_ref())).await?;
            (wire::component(&view), accepted(&view))
        }
        Action::Reject { name, digest } => {
            components.reject(&name, digest).await?;
            (json!({"name": name, "rejected": true}), format!("Rejected: what waited under {name} is gone."))
        }
        Action::Add { file, name, operator } => {
            let name = match name {
                Some(name) => name,
                None => named_after(&file)?,
            };
            let taken = components.add_file(&name, &file, &by(operator.as_ref())).await?;
            (wire::taken(&taken), uploaded(&name, &taken))
        }
        Action::Remove { name } => {
            components.remove(&name).await?;
            (
                json!({"name": name, "removed": true}),
                format!("Removed: {name}. What it kept for tenants stays."),
            )
        }
    };
    if json {
        output.json(&value)?
    } else {
        output.text(&text)?
    }
    Ok(Exit::Ok)
}

fn by(operator: Option<&UserId>) -> String {
    operator.map_or_else(|| "operator".to_owned(), ToString::to_string)
}

fn named_after(file: &std::path::Path) -> Result<ComponentName, CliError> {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    stem.parse().map_err(|fault| CliError::Usage(format!("{fault}. Give it one with --name")))
}

fn accepted(view: &ComponentView) -> String {
    match (&view.accepted, view.served) {
        (Some(accepted), Some(served)) if accepted.digest == served => {
            format!("Accepted: {} is served with {served}, and offers {}.", view.name, view.tools.join(", "))
        }
        _ => format!("Accepted: {}. It is not served here: {}", view.name, why(view)),
    }
}

fn uploaded(name: &ComponentName, taken: &Taken) -> String {
    match taken {
        Taken::Accepted(version) => {
            format!(
                "Uploaded: {name} is served with {}, and offers {}.",
                version.digest,
                version.tools.join(", ")
            )
        }
        Taken::Waiting(version) => format!(
            "Uploaded: {name} waits to be accepted. Look at it with `host components show {name}`, and serve it with \
             `host components accept {name} --digest {}`.",
            version.digest
        ),
        Taken::Unchanged(_) => format!("Nothing changed: {name} has this code already."),
    }
}

/// What waits, compared with what was accepted.
fn differences(drift: &Drift) -> String {
    let mut text = String::from("\nWhat waits differs from what was accepted:\n");
    for difference in &drift.differences {
        for line in difference.to_string().lines() {
            // Nothing that a component wrote looks like a line of ours.
            let indent = if line.starts_with("  ") { "      " } else { "    " };
            text.push_str(&format!("{indent}{}\n", one_line(line)));
        }
    }
    if drift.differences.is_empty() {
        text.push_str("    its code changed, and nothing that it says about itself\n");
    }
    if drift.omitted > 0 {
        text.push_str(&format!("    and {} more\n", drift.omitted));
    }
    text
}

fn readable(view: &ComponentView) -> String {
    let state = match view.state {
        ComponentState::Served => "served",
        ComponentState::ServedAndWaiting => "served, and a later version waits to be accepted",
        ComponentState::Quarantined => "quarantined",
        ComponentState::Refused => "refused",
        ComponentState::Elsewhere => "not of this host",
    };
    let mut text = format!("{}: {state}\n", one_line(&view.name));
    let mut line = |name: &str, what: &str| text.push_str(&format!("  {name:<8} {}\n", one_line(what)));
    if let Some(path) = &view.path {
        line("from", &path.display().to_string());
    }
    if let Some(served) = view.served {
        line("digest", &served.to_string());
    }
    if !view.tools.is_empty() {
        line("tools", &view.tools.join(", "));
    }
    for (name, version) in [("accepted", &view.accepted), ("waiting", &view.waiting)] {
        if let Some(version) = version {
            line(name, &told(version, view.served));
        }
    }
    for reason in &view.reasons {
        line("why", reason);
    }
    text
}

fn told(version: &Version, served: Option<Digest>) -> String {
    let when = format!("{} by {}", utc(version.since_unix_ms), version.by);
    if served == Some(version.digest) { when } else { format!("{} {when}", version.digest) }
}

fn why(view: &ComponentView) -> String {
    if view.reasons.is_empty() {
        return "this host has no such file, and no entry for it.".to_owned();
    }
    view.reasons.iter().map(|reason| one_line(reason)).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_component_says_forges_no_line() {
        let version = Version {
            digest: Digest::of(b""),
            mark: String::new(),
            tools: Vec::new(),
            by: "tools/a\nb.wasm".into(),
            since_unix_ms: 0,
        };
        let view = ComponentView {
            name: "a\nb".into(),
            path: Some("tools/a\nb.wasm".into()),
            uploaded: false,
            state: ComponentState::Quarantined,
            served: None,
            tools: vec!["x".into()],
            accepted: None,
            waiting: Some(version),
            reasons: vec!["it is quarantined:\nforged: served".into()],
        };
        let digest = Digest::of(b"");
        assert_eq!(
            readable(&view),
            format!(
                "a b: quarantined\n  from     tools/a b.wasm\n  tools    x\n  waiting  {digest} 1970-01-01 00:00:00 UTC by \
                 tools/a b.wasm\n  why      it is quarantined: forged: served\n"
            )
        );
        let before = r#"{"tools": [{"name": "t", "description": "a"}]}"#;
        let after = r#"{"tools": [{"name": "t", "description": "a\nforged: served\u001b[2J"}]}"#;
        assert_eq!(
            differences(&Drift::between(Some(before), Some(after))),
            "\nWhat waits differs from what was accepted:\n    tool t /description\n      + forged: served[2J\n"
        );
    }

    #[test]
    fn a_file_gives_its_name_if_it_is_one() {
        assert_eq!(named_after("build/orders-2.wasm".as_ref()).unwrap().as_str(), "orders-2");
        assert_eq!(named_after("build/my orders.wasm".as_ref()).unwrap_err().exit(), Exit::Usage);
    }
}
