//! `[[tenant]]`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{http, limits, texts};
use crate::config::error::ConfigError;
use crate::config::read::{Table, Value};
use crate::executor::Settings;
use crate::id::{Digest, SecretName, TenantId};
use crate::policy::{Access, Ceilings, Limits, Narrowing, Pattern, Quotas, Tenant};

/// More than any host uses, and exact as a floating-point number.
const MOST_PER_MINUTE: u64 = 1 << 53;

pub(super) fn read(entries: &Value<'_>, wider: &Limits) -> Result<BTreeMap<TenantId, Tenant>, ConfigError> {
    let mut tenants = BTreeMap::new();
    let mut all_keys = BTreeSet::new();
    for entry in entries.list()? {
        let mut table = entry.table()?;
        let id_value = table.need("id", "every tenant has an id, as id = \"acme\"")?;
        let id: TenantId = id_value.parsed()?;
        if tenants.contains_key(&id) {
            return Err(id_value.fault(format!("names the tenant {id} a second time")));
        }
        let allow = match table.take("allow") {
            Some(value) => patterns(&value)?,
            None => vec![Pattern::any()],
        };
        let deny = table.take("deny").map(|value| patterns(&value)).transpose()?.unwrap_or_default();
        let keys = keys(table.take("keys"), &mut all_keys)?;
        let approver_keys = self::keys(table.take("approver_keys"), &mut all_keys)?;
        let operator_keys = self::keys(table.take("operator_keys"), &mut all_keys)?;
        let config = table.table("config")?.map(|table| texts(&table)).transpose()?.unwrap_or_default();
        let self_approve =
            table.take("self_approve").map(|value| value.boolean()).transpose()?.unwrap_or(false);
        let weight = table.take("weight").map(|value| value.weight()).transpose()?.unwrap_or(1);
        let ceilings = match table.table("limits")? {
            Some(mut lower) => {
                let ceilings = limits::narrower(&mut lower, wider)?;
                lower.close()?;
                ceilings
            }
            None => Ceilings::default(),
        };
        let quotas = table.table("quotas")?.map(quotas).transpose()?.unwrap_or_default();
        // Read when the secrets are known.
        let _ = table.take("grants");
        table.close()?;
        let tenant = Tenant {
            id: id.clone(),
            access: Access { allow, deny, within: Vec::new() },
            ceilings,
            quotas,
            narrowing: Narrowing::default(),
            config: Arc::new(config),
            keys,
            approver_keys,
            operator_keys,
            self_approve,
            weight,
        };
        tenants.insert(id, tenant);
    }
    if tenants.is_empty() {
        return Err(entries
            .fault("has no entry")
            .with_help("leave the key out for the one tenant \"local\""));
    }
    Ok(tenants)
}

fn quotas(mut table: Table<'_>) -> Result<Quotas, ConfigError> {
    let mut count = |key, most| table.take(key).map(|value| value.count(most)).transpose();
    let narrow = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    let calls_per_second = count("calls_per_second", 1_000_000)?.map(narrow);
    let concurrent_calls = count("concurrent_calls", 1_000_000)?.map(narrow);
    let fuel_per_minute = count("fuel_per_minute", MOST_PER_MINUTE)?;
    let egress =
        table.take("egress_bytes_per_minute").map(|value| value.size(MOST_PER_MINUTE)).transpose()?;
    table.close()?;
    Ok(Quotas { calls_per_second, concurrent_calls, fuel_per_minute, egress_bytes_per_minute: egress })
}

/// Reads what each tenant is left of its components' grants.
pub(super) fn narrow(entries: &Value<'_>, settings: &mut Settings) -> Result<(), ConfigError> {
    let known = settings.secret_names();
    for entry in entries.list()? {
        let mut table = entry.table()?;
        let id: TenantId = table.need("id", "")?.parsed()?;
        let Some(left) = table.table("grants")? else { continue };
        let narrowing = narrowing(left, &known)?;
        if let Some(tenant) = settings.tenants.get_mut(&id) {
            tenant.narrowing = narrowing;
        }
    }
    Ok(())
}

fn narrowing(mut table: Table<'_>, known: &BTreeSet<SecretName>) -> Result<Narrowing, ConfigError> {
    let mut flag = |key| table.take(key).map(|value| value.boolean()).transpose();
    let (kv, invoke, writable) = (flag("kv")?, flag("invoke")?, flag("writable")?);
    let directories = match table.take("directories") {
        Some(value) => {
            let guests = value.list()?;
            Some(guests.iter().map(|guest| guest.string().map(str::to_owned)).collect::<Result<_, _>>()?)
        }
        None => None,
    };
    let secrets = match table.take("secrets") {
        Some(value) => Some(value.list()?.iter().map(|it| http::name(it, known)).collect::<Result<_, _>>()?),
        None => None,
    };
    let http = http::rules(&mut table)?;
    if http.iter().flatten().any(|rule| !rule.networks().is_empty()) {
        let fault = table.fault("names networks, which only a component's own rules may do");
        return Err(fault.with_help("write each rule as a URL here"));
    }
    table.close()?;
    Ok(Narrowing {
        kv: kv.unwrap_or(true),
        invoke: invoke.unwrap_or(true),
        writable: writable.unwrap_or(true),
        directories,
        http,
        secrets,
    })
}

/// The digests of keys, none of which stands anywhere else.
fn keys(values: Option<Value<'_>>, all: &mut BTreeSet<Digest>) -> Result<Vec<String>, ConfigError> {
    let mut keys = Vec::new();
    for value in values.map(|value| value.list()).transpose()?.unwrap_or_default() {
        let digest: Digest = value
            .parsed()
            .map_err(|fault| fault.or_help("keys stand here as their SHA-256 digests, never themselves"))?;
        if !all.insert(digest) {
            return Err(
                value.fault("is a key that stands here already; one key names one tenant, in one part")
            );
        }
        keys.push(digest.hex());
    }
    Ok(keys)
}

fn patterns(values: &Value<'_>) -> Result<Vec<Pattern>, ConfigError> {
    values.list()?.iter().map(Value::parsed).collect()
}
