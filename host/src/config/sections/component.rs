//! `[[component]]`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{http, limits, path, retry, texts};
use crate::config::error::ConfigError;
use crate::config::read::{Table, Value, nearest};
use crate::executor::{ComponentSettings, OnChange, Origin, Settings, is_pattern};
use crate::id::{ComponentName, PoolName, ToolName};
use crate::policy::{DirectoryGrant, DirectoryPower, DirectoryQuota, Grants, Pools, Redaction, ToolOverride};
use crate::spec::Delivery;
use crate::store::DatabaseUrl;

/// The longest prefix leaves as much again for the tool's own name.
const LONGEST_PREFIX: usize = 24;
/// How many places of a tool's values traces may leave out.
const MOST_PLACES: usize = 64;
const ON_CHANGE: [(&str, OnChange); 2] = [("quarantine", OnChange::Quarantine), ("accept", OnChange::Accept)];

pub(super) fn read(
    entries: &Value<'_>,
    folder: &Path,
    settings: &Settings,
) -> Result<Vec<ComponentSettings>, ConfigError> {
    let mut components = Vec::new();
    let mut origins = BTreeSet::new();
    for entry in entries.list()? {
        let mut table = entry.table()?;
        let (place, origin) = origin(&mut table, folder)?;
        if !origins.insert(origin.clone()) {
            let fault = place.fault("names a component that stands here already");
            return Err(fault.with_help("put all that is said about it into one entry"));
        }
        let is_pattern = match &origin {
            Origin::Files(path) => is_pattern(path),
            Origin::Uploaded(pattern) => pattern.contains('*'),
        };
        let digest = match table.take("digest") {
            Some(value) if is_pattern => {
                return Err(value.fault("pins one component, and this entry is for several"));
            }
            Some(value) => Some(value.parsed()?),
            None => None,
        };
        let on_change = table.take("on_change").map(|value| value.word(&ON_CHANGE)).transpose()?;
        let prefix = table.take("prefix").map(|value| prefix(&value)).transpose()?;
        let trust_annotations = flag(&mut table, "trust_annotations")?.unwrap_or(false);
        let grants = match table.table("grants")? {
            Some(grants) => read_grants(grants, folder, settings)?,
            None => Grants::default(),
        };
        let config = table.table("config")?.map(|table| texts(&table)).transpose()?.unwrap_or_default();
        let mut tools = BTreeMap::new();
        if let Some(named) = table.table("tool")? {
            for (name, span, value) in named.named_entries() {
                let _: ToolName = name.parse().map_err(|fault| named.fault_at(&span, format!("{fault}")))?;
                tools.insert(name.to_owned(), tool(value.table()?, settings)?);
            }
        }
        table.close()?;
        components.push(ComponentSettings {
            origin,
            digest,
            prefix,
            grants,
            config,
            trust_annotations,
            on_change: on_change.unwrap_or_default(),
            tools,
        });
    }
    Ok(components)
}

/// Where the components of an entry come from, and the value that says so.
fn origin<'a>(table: &mut Table<'a>, folder: &Path) -> Result<(Value<'a>, Origin), ConfigError> {
    match (table.take("path"), table.take("uploaded")) {
        (Some(path), None) => {
            let files = Origin::Files(component_path(&path, folder)?);
            Ok((path, files))
        }
        (None, Some(uploaded)) => {
            let pattern = uploaded.string()?;
            // With a letter in the star's place it has to be a name.
            if pattern.matches('*').count() > 1 || pattern.replace('*', "a").parse::<ComponentName>().is_err()
            {
                let fault = uploaded.fault("must be the name of a component, with at most one * in it");
                return Err(fault.with_help("write uploaded = \"orders\", or uploaded = \"*\" for all"));
            }
            let pattern = Origin::Uploaded(pattern.to_owned());
            Ok((uploaded, pattern))
        }
        (Some(_), Some(uploaded)) => {
            let fault = uploaded.fault("stands beside a path, and a component is either a file or uploaded");
            Err(fault.with_help("write an entry for each"))
        }
        (None, None) => {
            let help = "every component has a path, as path = \"tools/math.wasm\"; or uploaded = \"NAME\" for one in the \
                        store";
            Err(table.fault("[component] has no path").with_help(help))
        }
    }
}

fn component_path(value: &Value<'_>, folder: &Path) -> Result<PathBuf, ConfigError> {
    let file = path(value, folder)?;
    let above = file.parent().unwrap_or(Path::new(""));
    if file.file_name().is_none() || value.string()?.ends_with('/') {
        return Err(value
            .fault("must name a file")
            .with_help("for a folder of them, write \"tools/*.wasm\""));
    }
    if above.to_string_lossy().contains('*')
        && value.string()?.contains('*')
        && !folder_has_star(folder, above)
    {
        return Err(value.fault("may have a * in the name of the file only"));
    }
    Ok(file)
}

/// Whether the star of a path comes from the folder of the configuration file alone.
fn folder_has_star(folder: &Path, above: &Path) -> bool {
    above.strip_prefix(folder).is_ok_and(|below| !below.to_string_lossy().contains('*'))
}

fn prefix(value: &Value<'_>) -> Result<String, ConfigError> {
    let text = value.string()?;
    if text.len() > LONGEST_PREFIX || text.parse::<ToolName>().is_err() {
        return Err(value.fault(format!(
            "must begin a tool name: a letter or _, then letters, digits, _ or -, at most {LONGEST_PREFIX} in all"
        )));
    }
    Ok(text.to_owned())
}

fn tool(mut table: Table<'_>, settings: &Settings) -> Result<ToolOverride, ConfigError> {
    let pool = match table.take("pool") {
        Some(value) => {
            let name: PoolName = value.parsed()?;
            if settings.pools.get(name.as_str()).is_none() {
                let fault = value.fault(format!("names a pool that does not exist, {:?}", name.as_str()));
                return Err(match nearest(name.as_str(), settings.pools.iter().map(|(name, _)| name)) {
                    Some(near) => fault.with_help(format!("did you mean {near:?}?")),
                    None => fault.with_help(format!("add [pools.{name}] with a size")),
                });
            }
            if name.as_str() == Pools::DELEGATE {
                let fault =
                    value.fault("names the pool for tools that wait for another one, in which none runs");
                return Err(fault.with_help("take another pool"));
            }
            Some(name)
        }
        None => None,
    };
    let deliveries = [Delivery::AtMostOnce, Delivery::AtLeastOnce].map(|it| (it.as_str(), it));
    let delivery = match table.take("delivery") {
        Some(value) => Some(value.word(&deliveries)?),
        None => None,
    };
    let idempotency_key = match table.take("idempotency_key") {
        Some(value) if !(1..=256).contains(&value.string()?.chars().count()) => {
            return Err(value.fault("must have 1 to 256 characters"));
        }
        Some(value) => Some(value.string()?.to_owned()),
        None => None,
    };
    let read = ToolOverride {
        requires_approval: flag(&mut table, "requires_approval")?,
        read_only: flag(&mut table, "read_only")?,
        destructive: flag(&mut table, "destructive")?,
        idempotent: flag(&mut table, "idempotent")?,
        open_world: flag(&mut table, "open_world")?,
        pool,
        weight: table.take("weight").map(|value| value.weight()).transpose()?,
        retries: table
            .take("retries")
            .map(|value| value.count_or_none(retry::MOST_RETRIES))
            .transpose()?
            .map(|retries| u32::try_from(retries).unwrap_or(u32::MAX)),
        repeatable: flag(&mut table, "repeatable")?,
        delivery,
        idempotency_key,
        redaction: redaction(&mut table)?,
        accept_open_schema: flag(&mut table, "accept_open_schema")?.unwrap_or(false),
        ceilings: limits::narrower(&mut table, &settings.limits)?,
    };
    table.close()?;
    Ok(read)
}

fn read_grants(mut table: Table<'_>, folder: &Path, settings: &Settings) -> Result<Grants, ConfigError> {
    let mut grants = Grants {
        kv: flag(&mut table, "kv")?.unwrap_or(false),
        invoke: flag(&mut table, "invoke")?.unwrap_or(false),
        http: http::rules(&mut table)?.unwrap_or_default(),
        ..Grants::default()
    };
    http::secrets(&mut table, &mut grants, &settings.secret_names())?;
    for entry in table.take("directories").map(|value| value.list()).transpose()?.unwrap_or_default() {
        let mut directory = entry.table()?;
        let host = directory.need("host", "say which directory is given, as host = \"documents\"")?;
        let guest = directory.need("guest", "say where the guest sees it, as guest = \"/documents\"")?;
        let access = directory.need("access", "say access = \"read_only\" or access = \"writable\"")?;
        let writable = access.word(&[("read_only", false), ("writable", true)])?;
        let power = match (writable, directory.take("max_bytes").or(directory.take("max_files"))) {
            (true, _) => DirectoryPower::Writable(quota(&mut directory)?),
            (false, None) => DirectoryPower::ReadOnly,
            (false, Some(value)) => {
                let fault = value.fault("is about what a tool may write, and this directory is read_only");
                return Err(fault.with_help("take it out, or say access = \"writable\""));
            }
        };
        let given = path(&host, folder)?;
        check_directory(&host, &given, power, settings)?;
        directory.close()?;
        grants.directories.push(DirectoryGrant { host: given, guest: guest.string()?.to_owned(), power });
        grants.validate().map_err(|fault| guest.fault(format!("cannot be granted: {fault}")))?;
    }
    table.close()?;
    Ok(grants)
}

/// How much a tool may write, where that stands there.
fn quota(directory: &mut Table<'_>) -> Result<DirectoryQuota, ConfigError> {
    let mut quota = DirectoryQuota::default();
    if let Some(value) = directory.take("max_bytes") {
        quota.bytes = value.size(DirectoryQuota::MOST_BYTES)?;
    }
    if let Some(value) = directory.take("max_files") {
        quota.files = value.count(DirectoryQuota::MOST_FILES)?;
    }
    Ok(quota)
}

/// Refuses what cannot be given, and what would give the host itself away.
fn check_directory(
    value: &Value<'_>,
    given: &Path,
    power: DirectoryPower,
    settings: &Settings,
) -> Result<(), ConfigError> {
    let text = value.string()?;
    if text.replace("{tenant}", "").contains(['{', '}']) {
        return Err(value.fault("may have {tenant} in it, and no other brace"));
    }
    let store = &settings.store;
    // A tenant's id is one plain name, so that no tenant's directory lies outside this one.
    let fixed: PathBuf =
        given.components().take_while(|part| !part.as_os_str().to_string_lossy().contains('{')).collect();
    let shared = fixed.components().count() < given.components().count();
    if !shared && !given.is_dir() {
        return Err(value.fault(format!("names {}, which is not a directory", given.display())));
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let holds = |directory: &Path, path: &Path| {
        path.starts_with(directory) || real(path.parent().unwrap_or(path)).starts_with(real(directory))
    };
    let database = match &store.database {
        DatabaseUrl::Sqlite(file) => holds(given, file),
        DatabaseUrl::Postgres(_) => false,
    };
    if !shared && (database || holds(given, &store.artefacts.join("x"))) {
        let fault = value.fault("names a directory that holds the host's own state");
        return Err(fault.with_help("give a directory of its own to the component"));
    }
    let compiled = real(&fixed).starts_with(real(&store.artefacts));
    if compiled && power != DirectoryPower::ReadOnly {
        return Err(value.fault("names the compiled components of the host, which must not be written to"));
    }
    Ok(())
}

fn redaction(table: &mut Table<'_>) -> Result<Redaction, ConfigError> {
    let places = table.take("redact").map(|value| value.list()).transpose()?.unwrap_or_default();
    if let Some(further) = places.get(MOST_PLACES) {
        return Err(further.fault(format!("is one more place than the {MOST_PLACES} that are taken")));
    }
    places.iter().map(Value::parsed).collect::<Result<_, _>>().map(Redaction::of)
}

fn flag(table: &mut Table<'_>, key: &'static str) -> Result<Option<bool>, ConfigError> {
    table.take(key).map(|value| value.boolean()).transpose()
}

#[cfg(test)]
mod tests;
