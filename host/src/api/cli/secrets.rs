//! `host secrets`: values that components may send and never see, kept in the database under the operator's key.
//!
//! A value comes in by standard input alone, since arguments stand in the list of processes and in a shell's history, and
//! no command shows it again.

use tokio::io::AsyncReadExt as _;

use super::Surroundings;
use super::args::after_help;
use super::error::CliError;
use super::exit::Exit;
use super::moment::utc;
use super::output::Output;
use crate::executor::Settings;
use crate::id::{SecretName, TenantId};
use crate::spec::Secret;
use crate::store::{SecretSettings, SecretSource, Store};

/// More than any value may have.
const MOST: u64 = 64 << 10;
const EXITS: [Exit; 5] = [Exit::Ok, Exit::Failed, Exit::Usage, Exit::Configuration, Exit::Unavailable];

/// Keep secrets that components may send and never see.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help(
    &[
        "host secrets key",
        "host secrets set orders_api --tenant acme",
        "host secrets list",
        "host secrets forget orders_api --tenant acme",
    ],
    &EXITS,
))]
pub struct SecretsArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Print a fresh key for `TOOLHOST_SECRETS_KEY`; keep it outside of the database
    #[command(after_help = after_help(&["host secrets key"], &[Exit::Ok, Exit::Usage]))]
    Key,
    /// Keep the value that stands on standard input; it counts from the next call on
    #[command(after_help = after_help(&["host secrets set orders_api --tenant acme"], &EXITS))]
    Set {
        /// The secret's name, as in [[secret]]
        name: SecretName,

        /// Whose it is [default: everybody's]
        #[arg(long, value_name = "ID")]
        tenant: Option<TenantId>,
    },
    /// List whose secrets are kept, without their values
    #[command(after_help = after_help(&["host secrets list"], &EXITS))]
    List,
    /// Remove a value
    #[command(after_help = after_help(&["host secrets forget orders_api --tenant acme"], &EXITS))]
    Forget {
        /// The secret's name
        name: SecretName,

        /// Whose it is [default: everybody's]
        #[arg(long, value_name = "ID")]
        tenant: Option<TenantId>,
    },
}

/// Keeps, lists or removes.
pub(super) async fn run(
    args: SecretsArgs,
    surroundings: Surroundings,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    if let Action::Key = args.action {
        output.text(Store::fresh_secrets_key().expose())?;
        return Ok(Exit::Ok);
    }
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
    match action {
        Action::Key => {}
        Action::Set { name, tenant } => {
            let meant = |it: &&SecretSettings| it.name == name && it.tenant == tenant;
            let entry = settings.store.secrets.iter().find(meant);
            if entry.is_none_or(|entry| entry.source != SecretSource::Store) {
                let whose = whose(tenant.as_ref().map(TenantId::as_str));
                return Err(CliError::Setting(format!(
                    "no [[secret]] named {name} for {whose} has store = true, so that the value would never be used"
                )));
            }
            let mut value = String::new();
            let input = tokio::io::stdin().take(MOST).read_to_string(&mut value).await;
            input.map_err(CliError::Input)?;
            let value = Secret::new(value.trim_end_matches(['\r', '\n']).to_owned());
            store.keep_secret(tenant.as_ref(), &name, &value).await?;
            output.text(&format!("{name} is kept for {}", whose(tenant.as_ref().map(TenantId::as_str))))?;
        }
        Action::List => {
            for (tenant, name, changed) in store.kept_secrets().await? {
                let tenant = Some(tenant.as_str()).filter(|tenant| !tenant.is_empty());
                output.text(&format!("{name}  {}  changed {}", whose(tenant), utc(changed)))?;
            }
        }
        Action::Forget { name, tenant } => {
            if !store.forget_secret(tenant.as_ref(), &name).await? {
                let whose = whose(tenant.as_ref().map(TenantId::as_str));
                return Err(CliError::NotFound(format!("no secret {name} is kept for {whose}")));
            }
            output.text(&format!("{name} is forgotten"))?;
        }
    }
    Ok(Exit::Ok)
}

fn whose(tenant: Option<&str>) -> String {
    tenant.map_or_else(|| "everybody".to_owned(), |tenant| format!("the tenant {tenant}"))
}
