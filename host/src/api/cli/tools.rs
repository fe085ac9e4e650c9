//! `host tools`: what a caller would be shown.

use clap::builder::TypedValueParser;

use super::args::{CallerArgs, after_help};
use super::error::CliError;
use super::exit::Exit;
use super::output::{Output, one_line};
use super::{GRACE, Surroundings};
use crate::executor::Host;
use crate::provider::{self, Strict, Wanted};
use crate::registry::Entry;

/// List the tools that a caller would be shown.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help(
    &[
        "host tools",
        "host tools --format openai --strict on",
        "host tools --tenant acme --allow 'get_*' --allow multiply",
    ],
    &[Exit::Ok, Exit::Usage, Exit::Configuration, Exit::Unavailable],
))]
pub struct ToolsArgs {
    /// The form of the list
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,

    /// Whether a model is held to the schemas: where that loses nothing, wherever it can be, or nowhere
    #[arg(long, default_value_t = Strict::Auto, value_parser = strictness())]
    strict: Strict,

    #[command(flatten)]
    caller: CallerArgs,
}

/// A form of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people: name, what is in force, first sentence
    Table,
    /// As MCP's tools/list answers
    Mcp,
    /// For OpenAI's Responses API
    Openai,
    /// For OpenAI's Chat Completions API
    OpenaiChat,
    /// For Anthropic's Messages API
    Anthropic,
    /// For Gemini's API
    Gemini,
}

/// Prints the list.
pub(super) async fn run(
    args: ToolsArgs,
    surroundings: Surroundings,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let settings = surroundings.settings?;
    let caller = args.caller.caller(&settings)?;
    let narrowed = args.caller.narrowed();
    let host = Host::start(settings, &surroundings.executable).await?;
    let tools = host.tools();
    let access = &caller.tenant.access;
    if let Some(format) = args.format.of_a_provider() {
        let wanted = Wanted { format, strict: args.strict, access, narrowed: narrowed.as_deref() };
        let listed = provider::tools(host.exports(), &tools, &wanted);
        output.json(&serde_json::from_str(&listed.text).map_err(std::io::Error::from)?)?;
        for tool in listed.report.remarks() {
            output.note(&format!("{tool}."));
        }
        output.note(&summary(&listed.report, format));
    } else {
        let rows: Vec<[String; 3]> =
            tools.visible(access, narrowed.as_deref()).map(|entry| row(entry)).collect();
        output.text(&table(&rows))?;
    }
    for refused in &host.load_report().refused {
        output.note(&super::serve::refusal(refused));
    }
    host.shutdown(GRACE).await;
    Ok(Exit::Ok)
}

impl Format {
    fn of_a_provider(self) -> Option<provider::Format> {
        Some(match self {
            Self::Table => return None,
            Self::Mcp => provider::Format::Mcp,
            Self::Openai => provider::Format::OpenAi,
            Self::OpenaiChat => provider::Format::OpenAiChat,
            Self::Anthropic => provider::Format::Anthropic,
            Self::Gemini => provider::Format::Gemini,
        })
    }
}

fn strictness() -> impl TypedValueParser<Value = Strict> {
    let names = Strict::ALL.map(Strict::as_str);
    clap::builder::PossibleValuesParser::new(names).try_map(|name| name.parse::<Strict>())
}

/// How many tools the list has, how many of them are strict, and about what they cost.
fn summary(report: &provider::Report, format: provider::Format) -> String {
    let n_strict = report.tools.iter().filter(|tool| tool.strict).count();
    let strict = if n_strict > 0 { format!(", {n_strict} of them strict") } else { String::new() };
    let tools = if report.tools.len() == 1 { "tool" } else { "tools" };
    format!("{} {tools} for {format}{strict}; about {} tokens.", report.tools.len(), report.tokens())
}

fn row(entry: &Entry) -> [String; 3] {
    let policy = &entry.policy;
    let flags = [
        (policy.read_only, "read-only"),
        (policy.annotations.destructive, "destructive"),
        (policy.idempotent, "idempotent"),
        (policy.annotations.open_world, "open-world"),
        (policy.requires_approval, "needs-approval"),
    ];
    let flags: Vec<&str> = flags.iter().filter(|(set, _)| *set).map(|(_, flag)| *flag).collect();
    let flags = if flags.is_empty() { "-".to_owned() } else { flags.join(",") };
    [entry.name.to_string(), flags, first_sentence(&entry.spec.description)]
}

/// The first sentence of a description, on one line and no longer than a terminal is wide.
fn first_sentence(description: &str) -> String {
    const WIDEST: usize = 80;
    let line = one_line(description);
    let sentence = line.split_once(". ").map_or(line.as_str(), |(first, _)| first).trim_end_matches('.');
    if sentence.chars().count() <= WIDEST {
        return sentence.to_owned();
    }
    let cut: String = sentence.chars().take(WIDEST - 3).collect();
    format!("{}...", cut.trim_end())
}

fn table(rows: &[[String; 3]]) -> String {
    if rows.is_empty() {
        return "No tools.".to_owned();
    }
    let head = ["NAME", "IN FORCE", "WHAT IT DOES"].map(str::to_owned);
    let width = |column: fn(&[String; 3]) -> &str| {
        std::iter::once(&head).chain(rows).map(|row| column(row).chars().count()).max().unwrap_or(0)
    };
    let (names, flags) = (width(|[name, ..]| name), width(|[_, flags, _]| flags));
    let mut text = String::new();
    for [name, in_force, what] in std::iter::once(&head).chain(rows) {
        let line = format!("{name:names$}  {in_force:flags$}  {what}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_shown_by_its_first_sentence() {
        assert_eq!(first_sentence("Multiplies two\nnumbers. Use it for..."), "Multiplies two numbers");
        assert_eq!(first_sentence("Finds v1.2 files."), "Finds v1.2 files");
        let long = first_sentence(&"word ".repeat(40));
        assert!(long.ends_with("...") && long.chars().count() <= 80, "{long}");
        assert_eq!(first_sentence("Forges\u{1b}[2J\na line"), "Forges[2J a line");
    }

    #[test]
    fn columns_line_up() {
        let rows =
            [["a", "-", "x"], ["longer_name", "read-only,idempotent", "y"]].map(|row| row.map(str::to_owned));
        assert_eq!(
            table(&rows),
            "NAME         IN FORCE              WHAT IT DOES\n\
             a            -                     x\n\
             longer_name  read-only,idempotent  y\n"
        );
        assert_eq!(table(&[]), "No tools.");
    }
}
