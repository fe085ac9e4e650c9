//! From files to tools that can be called: read once, hash those bytes, compile, describe, check, and report what
//! was refused and why. One bad component never keeps the others from being served.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use toolhost_check::{Accept, Schema, SchemaLimits};

use super::StartError;
use super::settings::{ComponentSettings, Settings, folder, is_pattern, name_fits};
use crate::id::{Digest, ToolName, hex};
use crate::policy::{ToolOverride, ToolPolicy};
use crate::registry::{Entry, Snapshot, Source};
use crate::sandbox::{COMPONENT_BYTES, PrepareError, Prepared, Sandbox};
use crate::spec::{SpecFault, ToolSpec, is_clean};

/// How many components are prepared at the same time.
const AT_ONCE: usize = 4;

/// Why one component, or one tool of it, is not served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Read(String),
    /// The bytes are not those that the operator pinned.
    #[error("its digest is {found}, but {pinned} is pinned")]
    Digest {
        /// What it is.
        found: Digest,
        /// What it should be.
        pinned: Digest,
    },
    /// The component is not sound.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// A tool is not sound.
    #[error(transparent)]
    Spec(#[from] SpecFault),
    /// Two components would share one store.
    #[error("its store of keys and values would be that of {}, whose file has the same name; rename one", first.display())]
    SharedStore {
        /// The file that keeps the store.
        first: PathBuf,
    },
    /// The operator speaks of a tool that the component does not have.
    #[error("the configuration overrides its tool {0:?}, which it does not have")]
    NoSuchTool(String),
    /// The operator asks to try a tool again that has a side effect each time.
    #[error(
        "the configuration asks to try its tool {0} again, which has a side effect and is not idempotent; say \
         idempotent = true if calling it again changes nothing further, or take retries away"
    )]
    RetriesWrite(ToolName),
}

/// A component that is served.
#[derive(Debug, Clone)]
pub struct LoadedComponent {
    /// The file.
    pub path: PathBuf,
    /// The identity of its code.
    pub digest: Digest,
    /// Its tools.
    pub tools: Vec<ToolName>,
    /// Its word about itself counts.
    pub trusted: bool,
    /// It was compiled before.
    pub from_cache: bool,
}

/// A component, or one tool of it, that is not served.
#[derive(Debug, Clone)]
pub struct RefusedComponent {
    /// The file.
    pub path: PathBuf,
    /// Why, for the operator.
    pub reason: String,
}

/// What became of every component.
#[derive(Debug, Clone, Default)]
pub struct LoadReport {
    /// What is served.
    pub loaded: Vec<LoadedComponent>,
    /// What is not.
    pub refused: Vec<RefusedComponent>,
}

/// Loads every component that the settings name. The order of the settings, then of file names, decides which of
/// two tools of one name is kept.
///
/// # Errors
/// [`StartError::Tool`] if the operator asked for what must not be done.
pub(super) async fn load(
    settings: &Settings,
    sandbox: &Arc<Sandbox>,
) -> Result<(Snapshot, LoadReport), StartError> {
    let mut report = LoadReport::default();
    let mut waiting = files(settings, &mut report).into_iter();
    let mut running = std::collections::VecDeque::new();
    let mut entries = Vec::new();
    loop {
        while running.len() < AT_ONCE
            && let Some((path, component)) = waiting.next()
        {
            let (sandbox, settings) = (sandbox.clone(), settings.clone());
            running.push_back((
                path.clone(),
                tokio::spawn(async move { one(&path, &component, &settings, &sandbox).await }),
            ));
        }
        let Some((path, task)) = running.pop_front() else { break };
        match task.await {
            Ok(Ok((loaded, mut tools))) => {
                report.loaded.push(loaded);
                entries.append(&mut tools);
            }
            Ok(Err(fault @ LoadError::RetriesWrite(_))) => return Err(StartError::Tool { path, fault }),
            Ok(Err(fault)) => report.refused.push(RefusedComponent { path, reason: fault.to_string() }),
            Err(fault) => report.refused.push(RefusedComponent { path, reason: fault.to_string() }),
        }
    }
    refuse_shared_stores(&mut entries, &mut report);
    let (snapshot, taken) = Snapshot::new(entries);
    for fault in taken {
        let path = PathBuf::from(&fault.second);
        report.refused.push(RefusedComponent { path: path.clone(), reason: fault.to_string() });
        if let Some(loaded) = report.loaded.iter_mut().find(|loaded| loaded.path == path) {
            loaded.tools.retain(|name| *name != fault.name);
        }
    }
    Ok((snapshot, report))
}

/// A component's store goes by its file's name without the ending. Of two such components the later is refused, where
/// one of them has a store, since they would read each other's.
fn refuse_shared_stores(entries: &mut Vec<Entry>, report: &mut LoadReport) {
    let mut stores: HashMap<String, Arc<Source>> = HashMap::new();
    let mut refused: Vec<PathBuf> = Vec::new();
    for entry in &*entries {
        let source = &entry.source;
        match stores.get(&source.name) {
            Some(first) if first.path != source.path && (first.grants.kv || source.grants.kv) => {
                if !refused.contains(&source.path) {
                    let reason = LoadError::SharedStore { first: first.path.clone() }.to_string();
                    report.refused.push(RefusedComponent { path: source.path.clone(), reason });
                    refused.push(source.path.clone());
                }
            }
            Some(_) => {}
            None => drop(stores.insert(source.name.clone(), source.clone())),
        }
    }
    entries.retain(|entry| !refused.contains(&entry.source.path));
    report.loaded.retain(|loaded| !refused.contains(&loaded.path));
}

/// The files of every entry. A file that an entry names is not taken from a folder's entry too.
pub(super) fn files(settings: &Settings, report: &mut LoadReport) -> Vec<(PathBuf, ComponentSettings)> {
    let named: HashSet<&Path> =
        settings.components.iter().map(|c| c.path.as_path()).filter(|path| !is_pattern(path)).collect();
    let mut files = Vec::new();
    for component in &settings.components {
        if !is_pattern(&component.path) {
            files.push((component.path.clone(), component.clone()));
            continue;
        }
        match matching(&component.path) {
            Ok(paths) => {
                let paths = paths.into_iter().filter(|path| !named.contains(path.as_path()));
                files.extend(paths.map(|path| (path, component.clone())));
            }
            Err(fault) => report.refused.push(RefusedComponent {
                path: component.path.clone(),
                reason: LoadError::Read(fault.to_string()).to_string(),
            }),
        }
    }
    files
}

/// The files of a folder whose names fit, in the order of their names.
#[expect(clippy::disallowed_methods, reason = "components come from folders that the operator named")]
fn matching(pattern: &Path) -> std::io::Result<Vec<PathBuf>> {
    let name = pattern.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder(pattern))? {
        let path = entry?.path();
        if name_fits(&name, &path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default()) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

async fn one(
    path: &Path,
    component: &ComponentSettings,
    settings: &Settings,
    sandbox: &Sandbox,
) -> Result<(LoadedComponent, Vec<Entry>), LoadError> {
    let bytes = read(path).await?;
    if let Some(pinned) = component.digest {
        let found = Digest::of(&bytes);
        if found != pinned {
            return Err(LoadError::Digest { found, pinned });
        }
    }
    let prepared = sandbox.prepare(&bytes).await?;
    if let Some(name) = component
        .tools
        .keys()
        .find(|name| prepared.specs.iter().all(|spec| spec.name.as_str() != name.as_str()))
    {
        return Err(LoadError::NoSuchTool(name.clone()));
    }
    let (path, component, settings) = (path.to_owned(), component.clone(), settings.clone());
    // Compiling a schema takes up to milliseconds.
    tokio::task::spawn_blocking(move || entries(&path, &component, &settings, prepared))
        .await
        .map_err(|fault| LoadError::Read(fault.to_string()))?
}

/// Reads a component, and no more of it than is taken.
#[expect(clippy::disallowed_methods, reason = "components come from files that the operator named")]
pub(super) async fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    let fault = |e: std::io::Error| LoadError::Read(e.to_string());
    let size = tokio::fs::metadata(path).await.map_err(fault)?.len();
    if usize::try_from(size).unwrap_or(usize::MAX) > COMPONENT_BYTES {
        return Err(PrepareError::TooLarge { found: usize::try_from(size).unwrap_or(usize::MAX) }.into());
    }
    tokio::fs::read(path).await.map_err(fault)
}

fn entries(
    path: &Path,
    component: &ComponentSettings,
    settings: &Settings,
    prepared: Prepared,
) -> Result<(LoadedComponent, Vec<Entry>), LoadError> {
    let source = Arc::new(Source {
        path: path.to_owned(),
        digest: prepared.digest,
        name: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
        grants: component.grants.clone(),
        config: Arc::new(component.config.clone()),
    });
    let mut entries = Vec::with_capacity(prepared.specs.len());
    for spec in prepared.specs {
        entries.push(entry(&source, component, settings, spec)?);
    }
    let loaded = LoadedComponent {
        path: path.to_owned(),
        digest: prepared.digest,
        tools: entries.iter().map(|entry| entry.name.clone()).collect(),
        trusted: component.trust_annotations,
        from_cache: prepared.from_cache,
    };
    Ok((loaded, entries))
}

fn entry(
    source: &Arc<Source>,
    component: &ComponentSettings,
    settings: &Settings,
    spec: ToolSpec,
) -> Result<Entry, LoadError> {
    let untouched = ToolOverride::default();
    let operator = component.tools.get(spec.name.as_str()).unwrap_or(&untouched);
    let name = match &component.prefix {
        Some(prefix) => format!("{prefix}{}", spec.name).parse().map_err(SpecFault::from)?,
        None => spec.name.clone(),
    };
    let fault =
        |which: &'static str, reason: String| SpecFault::Schema { tool: spec.name.clone(), which, reason };
    let bounds = SchemaLimits::default();
    let accept = Accept { open: operator.accept_open_schema, reserved_names: operator.accept_open_schema };
    let input = Schema::admit_input(&spec.input_schema, &bounds, accept)
        .map_err(|e| fault("input", e.to_string()))?;
    if !has_clean_texts(input.source()) {
        return Err(SpecFault::Hidden { tool: spec.name.to_string(), field: "input schema" }.into());
    }
    let output = match &spec.output_schema {
        Some(text) => Some(Schema::compile(text, &bounds).map_err(|e| fault("output", e.to_string()))?),
        None => None,
    };
    if output.as_ref().is_some_and(|output| !has_clean_texts(output.source())) {
        return Err(SpecFault::Hidden { tool: spec.name.to_string(), field: "output schema" }.into());
    }
    let policy = ToolPolicy::effective(&spec, component.trust_annotations, operator, &settings.wider());
    if operator.retries.is_some_and(|retries| retries > policy.retry.retries) {
        return Err(LoadError::RetriesWrite(name));
    }
    let mut hash = Sha256::new();
    hash.update(format!("{spec:?}{policy:?}{:?}{:?}", source.grants, source.config).as_bytes());
    let policy_hash = hex(&hash.finalize());
    Ok(Entry { name, spec, policy, source: source.clone(), input, output, policy_hash })
}

/// Whether every key and string of a schema is what people see. Its depth is bounded where it is compiled.
fn has_clean_texts(schema: &serde_json::Value) -> bool {
    match schema {
        serde_json::Value::String(text) => is_clean(text),
        serde_json::Value::Array(items) => items.iter().all(has_clean_texts),
        serde_json::Value::Object(members) => {
            members.iter().all(|(key, value)| is_clean(key) && has_clean_texts(value))
        }
        _ => true,
    }
}
