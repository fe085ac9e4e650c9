//! `host keys`: keys with which callers, reviewers and operators prove who they are.
//!
//! A key is printed once, when it is made, and alone on standard output, so that a script can take it from there. What is
//! kept of it proves it and does not give it back.

use serde_json::{Value, json};

use super::Surroundings;
use super::args::{CallerArgs, after_help, duration};
use super::error::CliError;
use super::exit::Exit;
use super::moment::utc;
use super::output::Output;
use crate::executor::Settings;
use crate::id::{KeyId, TenantId, UserId};
use crate::policy::{Pattern, Role};
use crate::spec::is_clean;
use crate::store::{FreshKey, KeyChange, KeyPowers, KeyState, Store, StoredKey, now_unix_ms};

const EXITS: [Exit; 5] = [Exit::Ok, Exit::Failed, Exit::Usage, Exit::Configuration, Exit::Unavailable];
/// Characters of what a key is for.
const NAME_CHARS: usize = 100;

/// Make keys for callers, reviewers and operators, list them, and take them back.
///
/// Running servers know of a change at once on PostgreSQL, and within 250 ms on SQLite.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help(
    &[
        "host keys create --tenant acme --user anna --allow 'find_*' --expires 30d",
        "host keys create --tenant acme --role approver --name 'the night shift'",
        "host keys list --json",
        "host keys rotate 7M3QK9ZT1VWXY2AB --grace 1h",
        "host keys revoke 7M3QK9ZT1VWXY2AB --as anna",
    ],
    &EXITS,
))]
pub struct KeysArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Make a key and print it; it is not shown again
    #[command(after_help = after_help(&["host keys create --tenant acme --user anna --role caller --role approver"], &EXITS))]
    Create {
        /// The tenant in whose name it speaks [default: local, or the only one]
        #[arg(long, value_name = "ID")]
        tenant: Option<TenantId>,

        /// The person or program whose key it is
        #[arg(long, value_name = "NAME")]
        user: Option<UserId>,

        /// What its bearer may do: caller, approver or operator; can be given again [default: caller]
        #[arg(long = "role", value_name = "ROLE")]
        roles: Vec<Role>,

        /// Only tools that fit one of these patterns, `*` for any characters; can be given again
        #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
        allow: Vec<Pattern>,

        /// How long it is good, such as 12h or 30d [default: until it is revoked]
        #[arg(long, value_name = "TIME", value_parser = duration)]
        expires: Option<std::time::Duration>,

        /// What it is for
        #[arg(long, value_name = "TEXT", value_parser = name)]
        name: Option<String>,

        #[command(flatten)]
        by: ByArgs,
    },
    /// List the keys that are good, never themselves
    #[command(after_help = after_help(&["host keys list --tenant acme --all"], &EXITS))]
    List {
        /// Only this tenant's
        #[arg(long, value_name = "ID")]
        tenant: Option<TenantId>,

        /// Also those that expired or were revoked
        #[arg(long)]
        all: bool,

        /// Print the list as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show one key, and who made, replaced and revoked it
    #[command(after_help = after_help(&["host keys show 7M3QK9ZT1VWXY2AB"], &EXITS))]
    Show {
        /// The key's id
        id: KeyId,

        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Take a key back
    #[command(after_help = after_help(&["host keys revoke 7M3QK9ZT1VWXY2AB"], &EXITS))]
    Revoke {
        /// The key's id, which stands in the key
        id: KeyId,

        #[command(flatten)]
        by: ByArgs,
    },
    /// Make another key that is good for the same, and end this one
    #[command(after_help = after_help(&["host keys rotate 7M3QK9ZT1VWXY2AB --grace 1h"], &EXITS))]
    Rotate {
        /// The key's id, which stands in the key
        id: KeyId,

        /// How long both are good, such as 1h [default: the old one ends at once]
        #[arg(long, value_name = "TIME", value_parser = duration)]
        grace: Option<std::time::Duration>,

        #[command(flatten)]
        by: ByArgs,
    },
}

#[derive(Debug, clap::Args)]
struct ByArgs {
    /// Who does it, for the record [default: the number of the system's user]
    #[arg(long = "as", value_name = "NAME")]
    by: Option<UserId>,
}

impl ByArgs {
    fn name(&self) -> String {
        match &self.by {
            Some(name) => name.to_string(),
            None => format!("user {} of this machine", rustix::process::getuid().as_raw()),
        }
    }
}

/// Makes, lists or changes keys.
pub(super) async fn run(
    args: KeysArgs,
    surroundings: Surroundings,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let settings = surroundings.settings?;
    let store = Store::open(&settings.store).await?;
    let exit = act(&store, &settings, args.action, output).await;
    store.close().await?;
    exit
}

async fn act(
    store: &Store,
    settings: &Settings,
    action: Action,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let keys = store.keys();
    match action {
        Action::Create { tenant, user, roles, allow, expires, name, by } => {
            let meant = CallerArgs { tenant, ..CallerArgs::default() };
            let tenant = meant.caller(settings)?.tenant.id.clone();
            let roles = if roles.is_empty() { vec![Role::Caller] } else { roles };
            let powers = KeyPowers {
                tenant,
                user,
                roles: roles.into_iter().collect(),
                allow: (!allow.is_empty()).then_some(allow),
                name,
            };
            let first = !settings.asks_for_proof() && !keys.were_made().await?;
            show_fresh(&keys.create(powers, expires, &by.name()).await?, output)?;
            if first {
                output.note(
                    "It is the first: from their next start on, servers on this store answer nobody without a key.",
                );
            }
        }
        Action::List { tenant, all, json } => {
            let now = now_unix_ms();
            let mut found = keys.list(tenant.as_ref()).await?;
            found.retain(|key| all || key.state(now) == KeyState::Active);
            if json {
                output.json(&found.iter().map(|key| value(key, now)).collect())?;
            } else if found.is_empty() {
                output.text("There are no keys.")?;
            } else {
                let blocks: Vec<String> = found.iter().map(|key| readable(key, now)).collect();
                output.text(&blocks.join("\n"))?;
            }
        }
        Action::Show { id, json } => {
            let now = now_unix_ms();
            let listed = keys.list(None).await?;
            let key = listed.into_iter().find(|key| key.id == id);
            let key = key.ok_or_else(|| CliError::NotFound(format!("there is no key {id}")))?;
            let changes = keys.changes(&id).await?;
            if json {
                let mut value = value(&key, now);
                let changes: Vec<Value> = changes.iter().map(change).collect();
                if let Some(members) = value.as_object_mut() {
                    members.insert("changes".to_owned(), changes.into());
                }
                output.json(&value)?;
            } else {
                let mut text = readable(&key, now);
                for KeyChange { change, by, unix_ms } in &changes {
                    text.push_str(&format!("{change:<10} {} by {by}\n", utc(*unix_ms)));
                }
                output.text(&text)?;
            }
        }
        Action::Revoke { id, by } => {
            let key = keys.revoke(&id, &by.name()).await?;
            output.text(&format!("Revoked: {id} of the tenant {}.", key.powers.tenant))?;
        }
        Action::Rotate { id, grace, by } => {
            let fresh = keys.rotate(&id, grace.unwrap_or_default(), &by.name()).await?;
            show_fresh(&fresh, output)?;
        }
    }
    Ok(Exit::Ok)
}

/// The key goes to standard output, and what a person has to know of it beside.
fn show_fresh(fresh: &FreshKey, output: &mut Output<'_>) -> Result<(), CliError> {
    output.text(fresh.text.expose())?;
    let FreshKey { key, .. } = fresh;
    let until = key.expires_unix_ms.map_or_else(String::new, |ends| format!(", until {}", utc(ends)));
    output.note(&format!(
        "Made the key {} for the tenant {} ({}){until}. It is not shown again.",
        key.id, key.powers.tenant, key.powers.roles
    ));
    Ok(())
}

fn readable(key: &StoredKey, now: u64) -> String {
    let powers = &key.powers;
    let mut text = format!("{}  {}\n", key.id, key.state(now).as_str());
    let mut line = |name: &str, value: &str| text.push_str(&format!("{name:<10} {value}\n"));
    line("tenant", powers.tenant.as_str());
    if let Some(user) = &powers.user {
        line("user", user.as_str());
    }
    line("roles", &powers.roles.to_string());
    if let Some(allow) = &powers.allow {
        let allow: Vec<String> = allow.iter().map(ToString::to_string).collect();
        line("allow", &allow.join(", "));
    }
    if let Some(name) = &powers.name {
        line("name", name);
    }
    line("made", &utc(key.created_unix_ms));
    if let Some(ends) = key.expires_unix_ms {
        line("expires", &utc(ends));
    }
    if let Some(revoked) = key.revoked_unix_ms {
        line("revoked", &utc(revoked));
    }
    if let Some(other) = &key.replaced_by {
        line("replaced", &format!("by {other}"));
    }
    text
}

fn value(key: &StoredKey, now: u64) -> Value {
    let powers = &key.powers;
    json!({
        "id": key.id.as_str(),
        "state": key.state(now).as_str(),
        "tenant": powers.tenant.as_str(),
        "user": powers.user.as_ref().map(UserId::as_str),
        "roles": powers.roles.iter().map(Role::as_str).collect::<Vec<_>>(),
        "allow": powers.allow.as_ref().map(|it| it.iter().map(ToString::to_string).collect::<Vec<_>>()),
        "name": powers.name,
        "created_unix_ms": key.created_unix_ms,
        "expires_unix_ms": key.expires_unix_ms,
        "revoked_unix_ms": key.revoked_unix_ms,
        "replaced_by": key.replaced_by.as_ref().map(KeyId::as_str),
    })
}

fn change(change: &KeyChange) -> Value {
    json!({"change": change.change, "by": change.by, "unix_ms": change.unix_ms})
}

fn name(text: &str) -> Result<String, String> {
    let fits = (1..=NAME_CHARS).contains(&text.chars().count());
    if fits && is_clean(text) && !text.contains('\n') {
        Ok(text.to_owned())
    } else {
        Err(format!("use 1 to {NAME_CHARS} printable characters"))
    }
}
