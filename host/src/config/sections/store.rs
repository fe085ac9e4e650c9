//! `[store]` and `[ledger]`.

use std::path::Path;
use std::time::Duration;

use super::path;
use crate::config::environment;
use crate::config::error::ConfigError;
use crate::config::read::{Table, Value};
use crate::executor::Settings;
use crate::store::{DatabaseUrl, PostgresUrl};

const DAY: Duration = Duration::from_secs(86_400);

pub(super) fn read(
    store: Option<Table<'_>>,
    ledger: Option<Table<'_>>,
    folder: &Path,
    settings: &mut Settings,
) -> Result<(), ConfigError> {
    let Settings { store: kept, runs, .. } = settings;
    kept.secrets_key = environment::secrets_key();
    let mut said = None;
    if let Some(mut store) = store {
        if let Some(url) = store.take("url") {
            kept.database = database(&url, folder)?;
        }
        if let Some(artefacts) = store.take("artefacts") {
            kept.artefacts = path(&artefacts, folder)?;
        }
        if let Some(retention) = store.take("trace_retention") {
            kept.trace_retention = retention.duration(DAY * 3_650)?;
            said = Some(retention);
        }
        store.close()?;
    }
    if let Some(mut ledger) = ledger {
        if let Some(lifetime) = ledger.take("approval_lifetime") {
            kept.approval_lifetime = lifetime.duration(DAY * 365)?;
            said = Some(lifetime);
        }
        if let Some(attempts) = ledger.take("attempts") {
            *runs = u32::try_from(attempts.count(10)?).unwrap_or(u32::MAX);
        }
        ledger.close()?;
    }
    // What was answered or approved once could be used again after the ledger has forgotten it.
    if let Some(said) = said.filter(|_| kept.approval_lifetime > kept.trace_retention) {
        let fault = said.fault("makes approvals live longer than the record of what ran on them");
        return Err(fault.with_help(
            "[ledger] approval_lifetime may be as long as [store] trace_retention, and no longer",
        ));
    }
    Ok(())
}

fn database(url: &Value<'_>, folder: &Path) -> Result<DatabaseUrl, ConfigError> {
    let text = url.string()?;
    let help = "write \"sqlite:\" and the path of a file, as \"sqlite:.toolhost/toolhost.db\", or the URL of a PostgreSQL \
                database, as \"postgres://toolhost@db.example/toolhost\"";
    let Some((scheme, rest)) = text.split_once(':') else {
        return Err(url.fault("must be a URL").with_help(help));
    };
    match scheme {
        "sqlite" => {}
        "postgres" | "postgresql" => {
            return PostgresUrl::parse(text).map(DatabaseUrl::Postgres).map_err(|fault| url.fault(fault));
        }
        _ => return Err(url.fault(format!("has an unknown scheme, {scheme:?}")).with_help(help)),
    }
    let file = rest.strip_prefix("//").unwrap_or(rest);
    if file.is_empty() || file.ends_with('/') || file.starts_with(':') || file.contains(['?', '\0']) {
        let fault =
            "must name a file, without parameters: what is only in memory would not survive the process";
        return Err(url.fault(fault).with_help(help));
    }
    Ok(DatabaseUrl::Sqlite(folder.join(file)))
}
