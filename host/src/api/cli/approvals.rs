//! `host approvals`: the questions that wait for a reviewer, and their answers.
//!
//! Whoever reaches the store's file may decide; that is what makes an approver here. Nobody approves their own call
//! unless the tenant's settings say so, and who decided is recorded.

use serde_json::Value;
use toolhost_check::Arguments;

use super::Surroundings;
use super::args::after_help;
use super::error::CliError;
use super::exit::Exit;
use super::moment::utc;
use super::output::{Output, one_line};
use crate::api::identity::REASON_CHARS;
use crate::api::view;
use crate::executor::Settings;
use crate::id::{ApprovalId, TenantId, UserId};
use crate::store::{Approval, DecideError, Decision, Store};

const EXITS: [Exit; 6] =
    [Exit::Ok, Exit::Failed, Exit::Usage, Exit::Refused, Exit::Configuration, Exit::Unavailable];

/// List the calls that wait for a reviewer, and decide about them.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help(
    &[
        "host approvals list",
        "host approvals approve apr_01JZ8Q4W2K5T7V9X1Y3Z5A7B9C --as anna",
        "host approvals deny apr_01JZ8Q4W2K5T7V9X1Y3Z5A7B9C --reason 'The parcel has left already.'",
    ],
    &EXITS,
))]
pub struct ApprovalsArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List what waits for an answer
    #[command(after_help = after_help(
        &["host approvals list", "host approvals list --tenant acme --all --json"],
        &[Exit::Ok, Exit::Usage, Exit::Configuration, Exit::Unavailable],
    ))]
    List {
        /// Only this tenant's
        #[arg(long, value_name = "ID")]
        tenant: Option<TenantId>,

        /// Also those that are decided, used or expired
        #[arg(long)]
        all: bool,

        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show one with all of its arguments, which a list cuts
    #[command(after_help = after_help(
        &["host approvals show apr_01JZ8Q4W2K5T7V9X1Y3Z5A7B9C"],
        &[Exit::Ok, Exit::Failed, Exit::Usage, Exit::Configuration, Exit::Unavailable],
    ))]
    Show {
        /// The approval's id
        id: ApprovalId,

        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Agree to one call; it runs when its caller repeats it
    #[command(after_help = after_help(
        &[
            "host approvals approve apr_01JZ8Q4W2K5T7V9X1Y3Z5A7B9C --as anna",
            "host approvals approve apr_01JZ8Q4W2K5T7V9X1Y3Z5A7B9C --as anna --arguments '{\"amount\":5}'",
        ],
        &EXITS,
    ))]
    Approve {
        /// The approval's id
        id: ApprovalId,

        /// Arguments that it runs with instead of its own; its caller is told what was changed
        #[arg(long, value_name = "JSON", value_parser = arguments)]
        arguments: Option<String>,

        /// Who decides, for the record [default: operator, where a caller may approve its own calls]
        #[arg(long = "as", value_name = "NAME")]
        approver: Option<UserId>,
    },
    /// Refuse one call; its caller is told the reason
    #[command(after_help = after_help(
        &["host approvals deny apr_01JZ8Q4W2K5T7V9X1Y3Z5A7B9C --reason 'The parcel has left already.'"],
        &EXITS,
    ))]
    Deny {
        /// The approval's id
        id: ApprovalId,

        /// What the caller is told
        #[arg(long, value_name = "TEXT", value_parser = reason)]
        reason: String,

        /// Who decides, for the record
        #[arg(long = "as", value_name = "NAME")]
        approver: Option<UserId>,
    },
}

/// Lists or decides.
pub(super) async fn run(
    args: ApprovalsArgs,
    surroundings: Surroundings,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let settings = surroundings.settings?;
    let store = Store::open(&settings.store).await?;
    let exit = match args.action {
        Action::List { tenant, all, json } => list(&store, tenant.as_ref(), all, json, output).await,
        Action::Show { id, json } => {
            let asked = find(&store, &id).await?;
            if json {
                output.json(&view::approval(&asked))?
            } else {
                output.text(&readable(&asked))?
            }
            Ok(Exit::Ok)
        }
        Action::Approve { id, arguments, approver } => {
            let asked = find(&store, &id).await?;
            let approver = approver_of(&asked, approver.as_ref(), &settings)?;
            let decision = Decision::Approve { reason: None, edited: arguments.as_deref() };
            decide(&store, &id, &approver, decision, output).await
        }
        Action::Deny { id, reason, approver } => {
            let approver = approver.as_ref().map_or("operator", UserId::as_str);
            decide(&store, &id, approver, Decision::Deny { reason: &reason }, output).await
        }
    }?;
    store.close().await?;
    Ok(exit)
}

async fn list(
    store: &Store,
    tenant: Option<&TenantId>,
    all: bool,
    json: bool,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let approvals = store.approvals().list(tenant, !all).await?;
    if json {
        output.json(&Value::Array(approvals.iter().map(view::approval).collect()))?;
    } else if approvals.is_empty() {
        output.text(if all { "No approvals were asked for." } else { "Nothing waits for a reviewer." })?;
    } else {
        let blocks: Vec<String> = approvals.iter().map(readable).collect();
        output.text(&blocks.join("\n"))?;
    }
    Ok(Exit::Ok)
}

async fn find(store: &Store, id: &ApprovalId) -> Result<Approval, CliError> {
    store.approvals().get(id).await?.ok_or_else(|| DecideError::NotFound(id.clone()).into())
}

async fn decide(
    store: &Store,
    id: &ApprovalId,
    approver: &str,
    decision: Decision<'_>,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let decided = store.approvals().decide(id, approver, decision).await?.approval;
    let tool = &decided.binding.tool;
    output.text(&match decision {
        Decision::Approve { edited, .. } => format!(
            "Approved by {approver}: {id}. The call of {tool} runs once{} when it is repeated, until {}.",
            if edited.is_some() { ", with your arguments," } else { "" },
            utc(decided.expires_unix_ms)
        ),
        Decision::Deny { .. } => {
            format!(
                "Denied by {approver}: {id}. The call of {tool} does not run, and its caller is told why."
            )
        }
    })?;
    Ok(Exit::Ok)
}

/// Who approves, if that person may.
fn approver_of(asked: &Approval, named: Option<&UserId>, settings: &Settings) -> Result<String, CliError> {
    let own = settings.tenants.get(&asked.binding.tenant).is_some_and(|tenant| tenant.self_approve);
    let caller = asked.binding.user.as_ref().map_or(asked.binding.tenant.as_str(), UserId::as_str);
    match named.map(UserId::as_str) {
        None if own => Ok("operator".to_owned()),
        None => Err(CliError::Usage(format!(
            "callers of the tenant {} may not approve their own calls. Say who decides with --as NAME",
            asked.binding.tenant
        ))),
        Some(name) if name == caller && !own => Err(CliError::Refused(format!(
            "{name} made this call and may not approve it. Somebody else has to, or the tenant's self_approve has \
             to be set"
        ))),
        Some(name) => Ok(name.to_owned()),
    }
}

fn readable(approval: &Approval) -> String {
    let binding = &approval.binding;
    let caller = binding.user.as_ref().map_or_else(String::new, |user| format!(", user {user}"));
    let mut text = format!(
        "{} {}\n  {} {}{}\n  for tenant {}{caller}\n  asked {}, open until {}\n",
        approval.id,
        approval.state.as_str(),
        binding.tool,
        one_line(&approval.arguments),
        if approval.arguments_cut { "...[cut; see host approvals show ID]" } else { "" },
        binding.tenant,
        utc(approval.created_unix_ms),
        utc(approval.expires_unix_ms)
    );
    if let Some(edited) = &approval.edited_arguments {
        text.push_str(&format!("  with other arguments: {}\n", one_line(edited)));
    }
    if let (Some(by), Some(when)) = (&approval.decided_by, approval.decided_unix_ms) {
        let reason =
            approval.reason.as_ref().map_or_else(String::new, |text| format!(": {}", one_line(text)));
        text.push_str(&format!("  decided by {} {}{reason}\n", one_line(by), utc(when)));
    }
    text
}

fn arguments(text: &str) -> Result<String, String> {
    match Arguments::parse("the tool", text) {
        Ok(arguments) => Ok(arguments.raw().to_owned()),
        Err(refusal) => Err(refusal.message),
    }
}

fn reason(text: &str) -> Result<String, String> {
    let text = one_line(text);
    match text.chars().count() {
        0 => Err("say why, in a sentence".to_owned()),
        1..=REASON_CHARS => Ok(text),
        _ => Err(format!("at most {REASON_CHARS} characters")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Digest;
    use crate::policy::Tenant;
    use crate::store::{ApprovalState, Binding};

    fn asked(user: Option<&str>) -> Approval {
        Approval {
            id: "apr_1".parse().unwrap(),
            state: ApprovalState::Pending,
            binding: Binding {
                tenant: "acme".parse().unwrap(),
                user: user.map(|it| it.parse().unwrap()),
                tool: "cancel_order".parse().unwrap(),
                digest: Digest::of(b""),
                arguments_digest: String::new(),
                policy_hash: String::new(),
            },
            arguments_cut: false,
            edited_arguments: None,
            arguments: "{\"order_id\":\n\"o-1\u{1b}\"}".into(),
            created_unix_ms: 0,
            expires_unix_ms: 86_400_000,
            decided_unix_ms: None,
            decided_by: None,
            reason: None,
        }
    }

    fn settings(self_approve: bool) -> Settings {
        let tenant = Tenant { self_approve, ..Tenant::local("acme".parse().unwrap()) };
        let mut settings = super::super::tests::settings();
        settings.tenants = [(tenant.id.clone(), tenant)].into();
        settings
    }

    #[test]
    fn nobody_approves_their_own_call_unless_the_tenant_says_so() {
        let may = |user, named: Option<&str>, own| {
            let named: Option<UserId> = named.map(|it| it.parse().unwrap());
            approver_of(&asked(user), named.as_ref(), &settings(own)).map_err(|error| error.exit())
        };
        assert_eq!(may(Some("anna"), Some("anna"), false), Err(Exit::Refused));
        assert_eq!(may(None, Some("acme"), false), Err(Exit::Refused));
        assert_eq!(may(Some("anna"), None, false), Err(Exit::Usage));
        assert_eq!(may(Some("anna"), Some("ben"), false), Ok("ben".to_owned()));
        assert_eq!(may(Some("anna"), Some("anna"), true), Ok("anna".to_owned()));
        assert_eq!(may(Some("anna"), None, true), Ok("operator".to_owned()));
        let gone = super::super::tests::settings();
        let own: UserId = "anna".parse().unwrap();
        assert!(approver_of(&asked(Some("anna")), Some(&own), &gone).is_err());
    }

    #[test]
    fn a_question_forges_no_line() {
        assert_eq!(
            readable(&asked(Some("anna"))),
            "apr_1 pending\n  cancel_order {\"order_id\": \"o-1\"}\n  for tenant acme, user anna\n  \
             asked 1970-01-01 00:00:00 UTC, open until 1970-01-02 00:00:00 UTC\n"
        );
    }

    #[test]
    fn a_reason_is_a_sentence() {
        assert_eq!(reason(" Too\nlate "), Ok("Too late".to_owned()));
        assert!(reason(" \n").is_err());
        assert!(reason(&"x".repeat(501)).is_err());
    }
}
