//! `[[secret]]`.

use std::collections::BTreeMap;
use std::path::Path;

use super::path;
use crate::config::environment;
use crate::config::error::ConfigError;
use crate::config::read::Value;
use crate::id::{SecretName, TenantId};
use crate::policy::Tenant;
use crate::store::{SecretSettings, SecretSource, secret_fault};

pub(super) fn read(
    entries: &Value<'_>,
    folder: &Path,
    tenants: &BTreeMap<TenantId, Tenant>,
) -> Result<Vec<SecretSettings>, ConfigError> {
    let mut secrets: Vec<SecretSettings> = Vec::new();
    for entry in entries.list()? {
        let mut table = entry.table()?;
        let named = table.need("name", "every secret has a name, as name = \"orders_api\"")?;
        let name: SecretName = named.parsed()?;
        let tenant = match table.take("tenant") {
            Some(value) => {
                let tenant: TenantId = value.parsed()?;
                if !tenants.contains_key(&tenant) {
                    return Err(value.fault(format!("names a tenant that stands nowhere, {tenant}")));
                }
                Some(tenant)
            }
            None => None,
        };
        if secrets.iter().any(|other| other.name == name && other.tenant == tenant) {
            return Err(named.fault("names a secret of the same tenant a second time"));
        }
        let sources = [table.take("env"), table.take("file"), table.take("store")];
        let source = match &sources {
            [Some(variable), None, None] => SecretSource::Value(from_environment(variable)?),
            [None, Some(file), None] => SecretSource::File(path(file, folder)?),
            [None, None, Some(store)] if store.boolean()? => SecretSource::Store,
            _ => {
                let fault = table.fault("needs one place where its value is");
                let help = "write env = \"A_VARIABLE\", file = \"a/file\", or store = true for one set by `host secrets`";
                return Err(fault.with_help(help));
            }
        };
        if matches!(source, SecretSource::Store) && environment::secrets_key().is_none() {
            let fault = table.fault("is kept in the database, and there is no key to read it with");
            return Err(fault.with_help("set TOOLHOST_SECRETS_KEY; `host secrets key` makes one"));
        }
        table.close()?;
        secrets.push(SecretSettings { name, tenant, source });
    }
    Ok(secrets)
}

fn from_environment(variable: &Value<'_>) -> Result<crate::spec::Secret, ConfigError> {
    let name = variable.string()?;
    let Some(secret) = environment::secret(name) else {
        return Err(variable.fault(format!("names the environment variable {name:?}, which is not set")));
    };
    match secret_fault(&secret) {
        Some(fault) => Err(variable.fault(format!("names a variable whose value cannot be used: {fault}"))),
        None => Ok(secret),
    }
}
