//! `grants.http` and `grants.secrets` of a component, and the same lists where they take away from it.

use std::collections::BTreeSet;

use crate::config::error::ConfigError;
use crate::config::read::{Table, Value, nearest};
use crate::id::SecretName;
use crate::policy::{Grants, HttpRule, Networks, SecretGrant};

/// Rules of one component or tenant: each request is compared with all of them.
const MOST_RULES: usize = 256;

/// Rules: each a URL without a path, or a table of it and the networks that may lie behind its name.
pub(super) fn rules(table: &mut Table<'_>) -> Result<Option<Vec<HttpRule>>, ConfigError> {
    let Some(value) = table.take("http") else { return Ok(None) };
    let items = value.list()?;
    if items.len() > MOST_RULES {
        return Err(value.fault(format!("has more than {MOST_RULES} rules")));
    }
    items.iter().map(rule).collect::<Result<_, _>>().map(Some)
}

fn rule(value: &Value<'_>) -> Result<HttpRule, ConfigError> {
    let help = "write a URL without a path, as \"https://api.example.com\" or \"https://*.example.com:8443\", or { url = \
                \"...\", networks = [\"10.1.0.0/16\"] }";
    if value.string().is_ok() {
        return value.parsed().map_err(|fault| fault.or_help(help));
    }
    let mut table = value.table().map_err(|fault| fault.or_help(help))?;
    let rule: HttpRule = table.need("url", help)?.parsed().map_err(|fault| fault.or_help(help))?;
    let networks = match table.take("networks") {
        Some(networks) => networks.list()?.iter().map(Value::parsed).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    table.close()?;
    Ok(rule.with_networks(Networks::new(networks)))
}

/// Secrets with their places, which have to be among the rules that are granted already, and to be known by name.
pub(super) fn secrets(
    table: &mut Table<'_>,
    grants: &mut Grants,
    known: &BTreeSet<SecretName>,
) -> Result<(), ConfigError> {
    for value in table.take("secrets").map(|value| value.list()).transpose()?.unwrap_or_default() {
        let mut entry = value.table()?;
        let named = entry.need("name", "say which secret, as name = \"orders_api\"")?;
        let place = entry.need("to", "say where it may go, as to = \"https://api.example.com\"")?;
        let header = entry.need("header", "say in which header, as header = \"authorization\"")?;
        let to: HttpRule = place.parsed()?;
        // The networks stand at the rule, once.
        let same = |rule: &&HttpRule| (*rule).clone().with_networks(Networks::default()) == to;
        let to = grants.http.iter().find(same).cloned().unwrap_or(to);
        let name = name(&named, known)?;
        grants.secrets.push(SecretGrant { name, to, header: header.string()?.to_owned() });
        grants.validate().map_err(|fault| value.fault(format!("cannot be granted: {fault}")))?;
        entry.close()?;
    }
    Ok(())
}

/// The name of a secret that stands in the file.
pub(super) fn name(value: &Value<'_>, known: &BTreeSet<SecretName>) -> Result<SecretName, ConfigError> {
    let name: SecretName = value.parsed()?;
    if known.contains(&name) {
        return Ok(name);
    }
    let fault = value.fault(format!("names a secret that stands nowhere, {:?}", name.as_str()));
    Err(match nearest(name.as_str(), known.iter().map(SecretName::as_str)) {
        Some(near) => fault.with_help(format!("did you mean {near:?}?")),
        None => fault.with_help(format!("add a [[secret]] with name = {:?}", name.as_str())),
    })
}
