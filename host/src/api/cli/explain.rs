//! `host explain`: what each gate would say to a call, for operators. Runs nothing and uses nothing up.

use serde_json::Value;

use super::args::{CallerArgs, after_help};
use super::error::CliError;
use super::exit::Exit;
use super::output::{Output, one_line};
use super::{GRACE, Surroundings};
use crate::api::view;
use crate::executor::Host;
use crate::gate::{Call, Explained};

/// Show each gate's verdict on a call, and the rule that decided.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help(
    &[
        "host explain multiply '{\"a\": 6}'",
        "host explain cancel_order '{\"order_id\": \"o-1\"}' --tenant acme --user anna --json",
    ],
    &[Exit::Ok, Exit::Usage, Exit::Refused, Exit::Configuration, Exit::Unavailable],
))]
pub struct ExplainArgs {
    /// The tool's name
    tool: String,

    /// The arguments as one JSON object
    #[arg(value_name = "ARGS", default_value = "{}", allow_hyphen_values = true)]
    arguments: String,

    /// Print the verdicts as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    caller: CallerArgs,
}

/// Prints the verdicts. The code says whether the call would run.
pub(super) async fn run(
    args: ExplainArgs,
    surroundings: Surroundings,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let settings = surroundings.settings?;
    let caller = args.caller.caller(&settings)?;
    let call = Call { allow: args.caller.narrowed(), ..Call::new(caller, args.tool, args.arguments) };
    let host = Host::start(settings, &surroundings.executable).await?;
    let verdicts = host.explain(&call);
    host.shutdown(GRACE).await;
    if args.json {
        output.json(&Value::Array(verdicts.iter().map(view::verdict).collect()))?;
    } else {
        output.text(&readable(&verdicts))?;
    }
    let runs = verdicts.iter().all(|verdict| verdict.passed == Some(true));
    Ok(if runs { Exit::Ok } else { Exit::Refused })
}

fn readable(verdicts: &[Explained]) -> String {
    let mut text = String::new();
    for verdict in verdicts {
        let word = match verdict.passed {
            Some(true) => "passes",
            Some(false) => "refuses",
            None => "-",
        };
        let gate = format!("{} {}", verdict.gate.number(), verdict.gate.as_str());
        text.push_str(&format!("{gate:<11} {word:<8} {}\n", one_line(&verdict.rule)));
        if let Some(message) = &verdict.message {
            text.push_str(&format!("{:20} {}\n", "", one_line(message)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Gate;

    #[test]
    fn a_refusal_stands_under_its_rule() {
        let verdict = |gate, passed, rule: &str, message: Option<&str>| Explained {
            gate,
            passed,
            rule: rule.into(),
            message: message.map(str::to_owned),
        };
        let verdicts = [
            verdict(Gate::Exists, Some(true), "tools/math.wasm offers it", None),
            verdict(
                Gate::Allowed,
                Some(false),
                "the tenant's deny pattern *",
                Some("You are not permitted."),
            ),
            verdict(Gate::Json, None, "not reached, since an earlier gate refused", None),
        ];
        assert_eq!(
            readable(&verdicts),
            "1 exists    passes   tools/math.wasm offers it\n\
             2 allowed   refuses  the tenant's deny pattern *\n\
             \u{20}                    You are not permitted.\n\
             3 json      -        not reached, since an earlier gate refused\n"
        );
        assert_eq!(view::verdict(&verdicts[1])["passed"], false);
        assert_eq!(view::verdict(&verdicts[2])["passed"], Value::Null);
    }
}
