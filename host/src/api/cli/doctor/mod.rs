//! `host doctor`: what works on this machine, what does not, and what to do about it. Changes nothing but what a
//! start of the host creates anyway.

mod checks;

use std::fmt;

use serde_json::{Value, json};

use super::args::after_help;
use super::error::CliError;
use super::exit::Exit;
use super::output::{Output, one_line};
use super::{GRACE, Surroundings};
use crate::executor::Host;
use crate::wall::Standing;

/// Check this machine, the configuration, the components and the store.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help(
    &["host doctor", "host doctor --config /srv/tools/host.toml --json"],
    &[Exit::Ok, Exit::Usage, Exit::Configuration, Exit::Unavailable],
))]
pub struct DoctorArgs {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// It works.
    Ok,
    /// It works, but not as somebody may expect.
    Warning,
    /// It does not work.
    Fault,
}

/// What was found about one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    /// The thing.
    about: &'static str,
    /// How grave it is.
    state: State,
    /// What was found.
    found: String,
    /// What to do about it.
    advice: Option<String>,
}

impl Finding {
    fn ok(about: &'static str, found: impl Into<String>) -> Self {
        Self { about, state: State::Ok, found: found.into(), advice: None }
    }

    fn warning(about: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { about, state: State::Warning, found: found.into(), advice: Some(advice.into()) }
    }

    fn fault(about: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { about, state: State::Fault, found: found.into(), advice: Some(advice.into()) }
    }
}

/// Looks at everything and prints what was found. A warning alone is no failure.
pub(super) async fn run(
    args: &DoctorArgs,
    surroundings: Surroundings,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let mut findings = vec![checks::command(&surroundings.search_path, &surroundings.executable)];
    let mut exit = Exit::Unavailable;
    match surroundings.settings {
        Err(fault) => {
            exit = Exit::Configuration;
            let advice = "Correct the file; nothing else can be checked before.";
            findings.push(Finding::fault("configuration", fault.to_string(), advice));
        }
        Ok(settings) => {
            findings.push(checks::configuration(&settings));
            findings.push(checks::exposure(&settings));
            findings.push(checks::port(&settings).await);
            findings.push(checks::wall(settings.server.wall, Standing::offered()));
            findings.extend(checks::directories(&settings));
            match Host::start(settings.clone(), &surroundings.executable).await {
                Ok(host) => {
                    findings.push(Finding::ok("store", format!("{} opens", settings.store.database)));
                    if host.store().keys().were_made().await.is_ok_and(|made| made) {
                        findings.push(Finding::ok(
                            "keys",
                            "keys were made, so that every caller is asked for one",
                        ));
                    }
                    findings.extend(checks::components(host.load_report()));
                    findings.extend(checks::engine(host.engine_report()));
                    host.shutdown(GRACE).await;
                }
                Err(fault) => {
                    let advice = "Without this, no command that calls tools works.";
                    findings.push(Finding::fault("start", fault.to_string(), advice));
                }
            }
            findings.extend(checks::state_folders(&settings));
        }
    }
    if findings.iter().all(|finding| finding.state < State::Fault) {
        exit = Exit::Ok;
    }
    if args.json {
        output.json(&value(&findings, exit))?;
    } else {
        output.text(&readable(&findings))?;
    }
    Ok(exit)
}

fn value(findings: &[Finding], exit: Exit) -> Value {
    json!({
        "ok": exit == Exit::Ok,
        "findings": findings.iter().map(|finding| json!({
            "about": finding.about,
            "state": finding.state.to_string(),
            "found": finding.found,
            "advice": finding.advice,
        })).collect::<Vec<_>>(),
    })
}

fn readable(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let state = finding.state.to_string();
        text.push_str(&format!("{state:<8} {:<14} {}\n", finding.about, one_line(&finding.found)));
        if let Some(advice) = &finding.advice {
            text.push_str(&format!("{:23} {}\n", "", one_line(advice)));
        }
    }
    let count = |state| findings.iter().filter(|finding| finding.state == state).count();
    text.push_str(&match (count(State::Fault), count(State::Warning)) {
        (0, 0) => "\nAll is well.\n".to_owned(),
        (0, warnings) => format!("\nIt works, with {warnings} warning(s).\n"),
        (faults, _) => format!("\n{faults} fault(s).\n"),
    });
    text
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Fault => "fault",
        })
    }
}

#[cfg(test)]
mod tests;
