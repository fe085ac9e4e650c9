//! Each table of the file, read into the settings of its layer. The document is read in an order in which every
//! value can be checked against what it depends on.

mod component;
mod egress;
mod http;
mod jwt;
mod limits;
mod pools;
mod retry;
mod secret;
mod server;
mod store;
mod tenant;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::error::ConfigError;
use super::read::{Table, Value};
use crate::executor::Settings;

/// The longest setting for a guest.
const LONGEST_SETTING: usize = 64 << 10;

/// Reads the whole document. Paths in it are relative to `folder`.
pub(super) fn document(mut file: Table<'_>, folder: &Path) -> Result<Settings, ConfigError> {
    let mut settings = Settings::built_in(folder);
    if let Some(table) = file.table("limits")? {
        settings.limits = limits::limits(table, settings.limits)?;
    }
    if let Some(table) = file.table("pools")? {
        pools::read(&table, &mut settings.pools)?;
    }
    if let Some(table) = file.table("retry")? {
        settings.retry = retry::read(table, settings.retry)?;
    }
    if let Some(table) = file.table("egress")? {
        settings.egress = egress::read(table, folder, settings.egress)?;
    }
    let store = file.table("store")?;
    let ledger = file.table("ledger")?;
    store::read(store, ledger, folder, &mut settings)?;
    let (tenants, secrets) = (file.take("tenant"), file.take("secret"));
    if let Some(entries) = &tenants {
        settings.tenants = tenant::read(entries, &settings.limits)?;
    }
    if let Some(entries) = &secrets {
        settings.store.secrets = secret::read(entries, folder, &settings.tenants)?;
    }
    if let Some(entries) = &tenants {
        tenant::narrow(entries, &mut settings)?;
    }
    if let Some(entries) = file.take("component") {
        settings.components = component::read(&entries, folder, &settings)?;
    }
    if let Some(entries) = file.take("jwt") {
        settings.jwt = jwt::read(&entries, folder, &settings.tenants)?;
    }
    if let Some(table) = file.table("server")? {
        // Last, because the address that may be listened on depends on the tenants and the issuers.
        server::read(table, &mut settings)?;
    }
    file.close()?;
    Ok(settings)
}

/// A path of the file. One that is not absolute is below the file's folder.
fn path(value: &Value<'_>, folder: &Path) -> Result<PathBuf, ConfigError> {
    let text = value.string()?;
    if text.is_empty() || text.contains('\0') {
        return Err(value.fault("must be a path"));
    }
    Ok(folder.join(text))
}

/// Settings for guests: names and texts.
fn texts(table: &Table<'_>) -> Result<BTreeMap<String, String>, ConfigError> {
    let mut texts = BTreeMap::new();
    for (name, span, value) in table.named_entries() {
        if name.is_empty() || name.len() > 128 {
            return Err(table.fault_at(&span, "the name of a setting has 1 to 128 bytes"));
        }
        let text = value
            .string()
            .map_err(|fault| fault.or_help("settings for guests are strings; put it in quotes"))?;
        if text.len() > LONGEST_SETTING {
            return Err(
                value.fault(format!("may have at most {LONGEST_SETTING} bytes, and has {}", text.len()))
            );
        }
        texts.insert(name.to_owned(), text.to_owned());
    }
    Ok(texts)
}
