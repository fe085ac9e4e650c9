//! `[[jwt]]`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::path;
use crate::config::error::ConfigError;
use crate::config::load::small_file;
use crate::config::read::{Table, Value};
use crate::id::TenantId;
use crate::policy::{ALGORITHMS, Algorithm, Issuer, KeySet, KeySource, Role, Tenant, TenantOf};

/// The longest name of an issuer, an audience, a claim or a scope, in bytes.
const LONGEST: usize = 1_024;
const MOST_ISSUERS: usize = 64;
const MOST_LEEWAY: Duration = Duration::from_secs(300);

pub(super) fn read(
    entries: &Value<'_>,
    folder: &Path,
    tenants: &BTreeMap<TenantId, Tenant>,
) -> Result<Vec<Issuer>, ConfigError> {
    let mut issuers: Vec<Issuer> = Vec::new();
    for entry in entries.list()? {
        if issuers.len() == MOST_ISSUERS {
            return Err(entry.fault(format!("is one too many: at most {MOST_ISSUERS} are taken")));
        }
        let mut table = entry.table()?;
        let named = table.need("issuer", "write the issuer as its tokens name it, in iss")?;
        let name = text(&named)?;
        if issuers.iter().any(|other| other.name == name) {
            return Err(named.fault("names an issuer a second time"));
        }
        let audiences =
            audiences(&table.need("audience", "write what its tokens for this host name in aud")?)?;
        let keys = keys(
            &table.need("keys", "write the https URL of its key set, or the path of a file with it")?,
            folder,
        )?;
        let algorithms = match table.take("algorithms") {
            Some(value) => algorithms(&value)?,
            None => vec![Algorithm::RS256, Algorithm::ES256],
        };
        let leeway = table.take("leeway").map(|value| value.duration(MOST_LEEWAY)).transpose()?;
        let tenant = tenant(&mut table, tenants)?;
        let mut claim = |key: &'static str| table.take(key).map(|value| text(&value)).transpose();
        let user_claim = claim("user_claim")?.unwrap_or_else(|| "sub".to_owned());
        let scope_claim = claim("scope_claim")?.unwrap_or_else(|| "scope".to_owned());
        let allow_claim = claim("allow_claim")?;
        let scopes = scopes(table.table("scopes")?)?;
        table.close()?;
        issuers.push(Issuer {
            name,
            audiences,
            keys,
            algorithms,
            leeway: leeway.unwrap_or(Duration::from_secs(30)),
            tenant,
            user_claim,
            scope_claim,
            allow_claim,
            scopes,
        });
    }
    Ok(issuers)
}

fn text(value: &Value<'_>) -> Result<String, ConfigError> {
    let text = value.string()?;
    if text.is_empty() || text.len() > LONGEST || text.chars().any(char::is_control) {
        return Err(value.fault(format!("has 1 to {LONGEST} printable bytes")));
    }
    Ok(text.to_owned())
}

fn audiences(value: &Value<'_>) -> Result<Vec<String>, ConfigError> {
    let audiences: Vec<String> = match value.list() {
        Ok(list) => list.iter().map(text).collect::<Result<_, _>>()?,
        Err(_) => vec![text(value)?],
    };
    if audiences.is_empty() {
        return Err(value.fault("names nobody, so that no token would be taken"));
    }
    Ok(audiences)
}

fn keys(value: &Value<'_>, folder: &Path) -> Result<KeySource, ConfigError> {
    let named = value.string()?;
    if named.contains("://") {
        let url = named.parse().map_err(|fault| value.fault(format!("cannot be used: {fault}")))?;
        return Ok(KeySource::At(url));
    }
    let read =
        small_file(&path(value, folder)?).map_err(|fault| value.fault(format!("cannot be read: {fault}")))?;
    let keys = KeySet::parse(&read).map_err(|fault| value.fault(format!("cannot be used: {fault}")))?;
    Ok(KeySource::Here { keys, file: path(value, folder)? })
}

/// Only algorithms whose keys can be shown to everybody: with the others, whoever checks tokens could make them.
fn algorithms(value: &Value<'_>) -> Result<Vec<Algorithm>, ConfigError> {
    let words: Vec<(String, Algorithm)> = ALGORITHMS.iter().map(|it| (format!("{it:?}"), *it)).collect();
    let words: Vec<(&str, Algorithm)> = words.iter().map(|(word, it)| (word.as_str(), *it)).collect();
    let found: Vec<Algorithm> = value.list()?.iter().map(|it| it.word(&words)).collect::<Result<_, _>>()?;
    if found.is_empty() {
        return Err(value.fault("names none, so that no token would be taken"));
    }
    Ok(found)
}

fn tenant(table: &mut Table<'_>, tenants: &BTreeMap<TenantId, Tenant>) -> Result<TenantOf, ConfigError> {
    match (table.take("tenant"), table.take("tenant_claim")) {
        (Some(value), None) => {
            let tenant: TenantId = value.parsed()?;
            if !tenants.contains_key(&tenant) {
                return Err(value.fault(format!("names a tenant that stands nowhere, {tenant}")));
            }
            Ok(TenantOf::All(tenant))
        }
        (None, Some(value)) => Ok(TenantOf::Claim(text(&value)?)),
        _ => {
            let fault = table.fault("needs to say whose tenant its tokens speak for");
            let help = "write tenant = \"acme\" for all of them, or tenant_claim = \"tenant\" for the claim that names it";
            Err(fault.with_help(help))
        }
    }
}

fn scopes(table: Option<Table<'_>>) -> Result<BTreeMap<&'static str, String>, ConfigError> {
    let mut scopes: BTreeMap<&'static str, String> =
        Role::ALL.into_iter().map(|role| (role.as_str(), format!("toolhost:{role}"))).collect();
    let Some(mut table) = table else { return Ok(scopes) };
    for role in Role::ALL {
        if let Some(value) = table.take(role.as_str()) {
            let scope = text(&value)?;
            // The characters of RFC 6749, which are safe in a header too.
            if !scope.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\') {
                return Err(value.fault("must be one word of ASCII without quotation marks"));
            }
            scopes.insert(role.as_str(), scope);
        }
    }
    table.close()?;
    Ok(scopes)
}
