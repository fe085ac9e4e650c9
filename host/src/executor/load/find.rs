//! Which components there are: files of the folders that the operator named, and uploaded ones that an entry fits.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::{LoadError, LoadReport};
use crate::executor::settings::{ComponentSettings, Settings, folder, is_pattern, name_fits};
use crate::id::Digest;
use crate::sandbox::{COMPONENT_BYTES, PrepareError};
use crate::store::{Components, KnownComponent};

/// A component that may be served.
#[derive(Debug, Clone)]
pub(in crate::executor) struct Candidate {
    /// The file; of an uploaded one what people know it by.
    pub(in crate::executor) path: PathBuf,
    /// Its name.
    pub(in crate::executor) name: String,
    /// The entry that it belongs to.
    pub(in crate::executor) component: ComponentSettings,
    /// Where its bytes are.
    pub(in crate::executor) bytes: Bytes,
}

/// Where the bytes of a component are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::executor) enum Bytes {
    /// In its file.
    File,
    /// In the store, under their digest.
    Store(Digest),
}

impl Candidate {
    fn file(path: PathBuf, component: &ComponentSettings) -> Self {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Self { path, name, component: component.clone(), bytes: Bytes::File }
    }

    /// An uploaded component with the bytes of that digest.
    pub(in crate::executor) fn uploaded(name: &str, component: &ComponentSettings, digest: Digest) -> Self {
        let bytes = Bytes::Store(digest);
        Self { path: uploaded_path(name), name: name.to_owned(), component: component.clone(), bytes }
    }

    pub(in crate::executor) fn is_uploaded(&self) -> bool {
        matches!(self.bytes, Bytes::Store(_))
    }

    /// Its bytes, and no more of them than are taken.
    pub(super) async fn read(&self, components: &Components) -> Result<Vec<u8>, LoadError> {
        match &self.bytes {
            Bytes::File => read(&self.path).await,
            Bytes::Store(digest) => {
                let bytes = components.bytes(digest, COMPONENT_BYTES).await;
                let bytes = bytes.map_err(|fault| LoadError::Read(fault.to_string()))?;
                let gone =
                    || LoadError::Read("its bytes are not in the store as they were uploaded".to_owned());
                bytes.ok_or_else(gone)
            }
        }
    }
}

/// What people know an uploaded component by, where others have the path of their file.
pub(in crate::executor) fn uploaded_path(name: &str) -> PathBuf {
    PathBuf::from(format!("uploaded:{name}"))
}

/// All components that may be served, in the order of the entries and then of names. Of two of one name the later is
/// refused: its state, and what was accepted of it, go by the name. Reads folders.
pub(super) fn candidates(
    settings: &Settings,
    known: &HashMap<String, KnownComponent>,
    report: &mut LoadReport,
) -> Vec<Candidate> {
    let mut all = files(settings, report);
    for candidate in &all {
        if known.get(&candidate.name).is_some_and(|known| known.uploaded) {
            report.refuse(candidate, &LoadError::NameOfUploaded);
        }
    }
    all.retain(|candidate| known.get(&candidate.name).is_none_or(|known| !known.uploaded));
    let mut uploaded: Vec<&KnownComponent> = known.values().filter(|known| known.uploaded).collect();
    uploaded.sort_by(|one, two| one.name.cmp(&two.name));
    for known in uploaded {
        match (settings.uploaded(&known.name), &known.accepted) {
            (Some(component), Some(accepted)) => {
                all.push(Candidate::uploaded(&known.name, component, accepted.digest));
            }
            (Some(_), None) => {}
            (None, _) => report.refuse_by(&uploaded_path(&known.name), &known.name, &LoadError::NoEntry),
        }
    }
    let mut first: HashMap<String, PathBuf> = HashMap::new();
    all.retain(|candidate| match first.get(&candidate.name) {
        Some(first) => {
            report.refuse(candidate, &LoadError::SharedName { first: first.clone() });
            false
        }
        None => {
            first.insert(candidate.name.clone(), candidate.path.clone());
            true
        }
    });
    all
}

/// The files of every entry. A file that an entry names is not taken from a folder's entry too. Reads folders.
pub(in crate::executor) fn files(settings: &Settings, report: &mut LoadReport) -> Vec<Candidate> {
    let entries = || settings.components.iter().filter_map(|it| Some((it.origin.files()?, it)));
    let named: HashSet<&Path> = entries().map(|(path, _)| path).filter(|path| !is_pattern(path)).collect();
    let mut files = Vec::new();
    for (path, component) in entries() {
        if !is_pattern(path) {
            files.push(Candidate::file(path.to_owned(), component));
            continue;
        }
        match matching(path) {
            Ok(paths) => {
                let paths = paths.into_iter().filter(|path| !named.contains(path.as_path()));
                files.extend(paths.map(|path| Candidate::file(path, component)));
            }
            Err(fault) => report.refuse_by(path, "", &LoadError::Read(fault.to_string())),
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

/// Reads a component, and no more of it than is taken.
#[expect(clippy::disallowed_methods, reason = "components come from files that the operator named")]
pub(in crate::executor) async fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    let fault = |fault: std::io::Error| match fault.kind() {
        std::io::ErrorKind::NotFound => LoadError::Gone,
        _ => LoadError::Read(fault.to_string()),
    };
    let size = tokio::fs::metadata(path).await.map_err(fault)?.len();
    if usize::try_from(size).unwrap_or(usize::MAX) > COMPONENT_BYTES {
        return Err(PrepareError::TooLarge { found: usize::try_from(size).unwrap_or(usize::MAX) }.into());
    }
    tokio::fs::read(path).await.map_err(fault)
}
