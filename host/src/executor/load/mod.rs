//! From bytes to tools that can be called: read once, hash those bytes, compile, describe, check, compare with what was
//! accepted, and report what was refused and why. One bad component never keeps the others from being served.

mod entries;
mod find;
mod judge;
mod pins;

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::StartError;
use super::settings::{ComponentSettings, Settings};
use crate::id::{Digest, ToolName};
use crate::registry::{Entry, Snapshot};
use crate::sandbox::{PrepareError, Prepared, Sandbox};
use crate::spec::SpecFault;
use crate::store::{KnownComponent, Store, Version};

pub(super) use entries::entries;
use find::Bytes;
pub(super) use find::{Candidate, files, read, uploaded_path};
use judge::Loading;
pub(super) use judge::version;
pub(super) use pins::{Verdict, met, quarantined, verdict};

/// How many components are prepared at the same time.
const AT_ONCE: usize = 4;

/// Why one component, or one tool of it, is not served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no such file.
    #[error("it is not there")]
    Gone,
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
    /// Two components have one name.
    #[error(
        "its name is that of {}; what a component keeps, and what was accepted of it, go by the name, so rename one",
        first.display()
    )]
    SharedName {
        /// The one that has the name.
        first: PathBuf,
    },
    /// A file has the name of an uploaded component.
    #[error(
        "an uploaded component has its name; rename the file, or take the other out with `host components remove`"
    )]
    NameOfUploaded,
    /// No entry says what an uploaded component is given.
    #[error("no [[component]] of the configuration has an `uploaded` that fits its name")]
    NoEntry,
    /// It is not as it was accepted.
    #[error(
        "it is quarantined, since it is not what was accepted ({accepted}): {drift}. Look at it with `host components \
         show {name}`, and serve it with `host components accept {name} --digest {found}`"
    )]
    Quarantined {
        /// The component's name.
        name: String,
        /// The code that was accepted.
        accepted: Digest,
        /// The code that it has now.
        found: Digest,
        /// What changed in its description.
        drift: String,
    },
    /// It was uploaded, and nobody accepted it yet.
    #[error(
        "it is quarantined, since nobody accepted it yet. Look at it with `host components show {name}`, and serve it with \
         `host components accept {name} --digest {found}`"
    )]
    NeverAccepted {
        /// The component's name.
        name: String,
        /// Its code.
        found: Digest,
    },
    /// The operator speaks of a tool that the component does not have.
    #[error("the configuration overrides its tool {0:?}, which it does not have")]
    NoSuchTool(String),
    /// The operator asks to try a tool again that has a side effect each time.
    #[error(
        "the configuration asks to try its tool {0} again, which has a side effect and is not idempotent; say \
         idempotent = true if calling it again changes nothing further, or take retries away"
    )]
    RetriesWrite(ToolName, Digest),
}

impl ComponentSettings {
    /// Refuses other code than the one that the operator pinned.
    pub(super) fn check_digest(&self, found: Digest) -> Result<(), LoadError> {
        match self.digest {
            Some(pinned) if pinned != found => Err(LoadError::Digest { found, pinned }),
            _ => Ok(()),
        }
    }
}

/// A component that is served.
#[derive(Debug, Clone)]
pub struct LoadedComponent {
    /// The file; of an uploaded one its name, behind `uploaded:`.
    pub path: PathBuf,
    /// Its name.
    pub name: String,
    /// The identity of its code.
    pub digest: Digest,
    /// Its tools.
    pub tools: Vec<ToolName>,
    /// Its word about itself counts.
    pub trusted: bool,
    /// It was compiled before.
    pub from_cache: bool,
    /// What was found when it was prepared.
    pub prepared: Arc<Prepared>,
}

/// A component, or one tool of it, that is not served.
#[derive(Debug, Clone)]
pub struct RefusedComponent {
    /// The file; of an uploaded one its name, behind `uploaded:`.
    pub path: PathBuf,
    /// Its name; empty for a folder that cannot be read.
    pub name: String,
    /// Why, for the operator.
    pub reason: String,
    /// The version that waits to be accepted, if that is why.
    pub waiting: Option<Version>,
}

/// What became of every component.
#[derive(Debug, Clone, Default)]
pub struct LoadReport {
    /// What is served.
    pub loaded: Vec<LoadedComponent>,
    /// What is not.
    pub refused: Vec<RefusedComponent>,
}

impl LoadReport {
    fn refuse(&mut self, candidate: &Candidate, fault: &LoadError) {
        self.refuse_by(&candidate.path, &candidate.name, fault);
    }

    fn refuse_by(&mut self, path: &Path, name: &str, fault: &dyn std::fmt::Display) {
        let (path, name, reason) = (path.to_owned(), name.to_owned(), fault.to_string());
        self.refused.push(RefusedComponent { path, name, reason, waiting: None });
    }
}

/// Loads every component that the settings name, beside what is served. The order of the settings, then of names, decides
/// which of two tools of one name is kept.
///
/// What `served` has and did not change is served on. Where a component has a fault now, or waits to be accepted, what is
/// served of it goes on being served, under the settings of now. Of what was met for the first time, and of what changed,
/// the store remembers what became of it.
///
/// # Errors
/// [`StartError::Tool`] if the operator asked for what must not be done; [`StartError::Store`].
pub(super) async fn load(
    settings: &Settings,
    sandbox: &Arc<Sandbox>,
    store: &Store,
    served: Option<&LoadReport>,
) -> Result<(Snapshot, LoadReport), StartError> {
    let known = store.components().list().await?;
    let known: HashMap<String, KnownComponent> =
        known.into_iter().map(|known| (known.name.clone(), known)).collect();
    let (given, names) = (settings.clone(), known.clone());
    let found = tokio::task::spawn_blocking(move || {
        let mut report = LoadReport::default();
        let candidates = find::candidates(&given, &names, &mut report);
        (candidates, report)
    });
    // A task is lost only if the process ends.
    let (candidates, report) = found.await.unwrap_or_default();
    let mut loading = Loading::new(settings, store, known, served, report);
    let mut waiting = candidates.into_iter();
    let mut running = VecDeque::new();
    loop {
        while running.len() < AT_ONCE
            && let Some(candidate) = waiting.next()
        {
            let of_now = loading.served(&candidate.name).cloned();
            let (one, settings) = (candidate.clone(), loading.settings.clone());
            let (sandbox, store) = (sandbox.clone(), store.clone());
            let task = async move {
                let prepared = one.prepare(&store, &sandbox, of_now.as_deref()).await?;
                checked(one, settings, prepared).await
            };
            running.push_back((candidate, tokio::spawn(task)));
        }
        let Some((candidate, task)) = running.pop_front() else { break };
        let checked = task.await.unwrap_or_else(|fault| Err(LoadError::Read(fault.to_string())));
        loading.take(&candidate, checked).await?;
    }
    loading.end().await
}

/// The tools of a component that was prepared. Compiling a schema takes up to milliseconds.
pub(super) async fn checked(
    candidate: Candidate,
    settings: Arc<Settings>,
    prepared: Prepared,
) -> Result<(LoadedComponent, Vec<Entry>), LoadError> {
    let checked = tokio::task::spawn_blocking(move || entries(&candidate, &settings, &prepared)).await;
    checked.map_err(|fault| LoadError::Read(fault.to_string()))?
}

impl Candidate {
    /// Reads, compiles and describes it; what is served with the same code is not described anew.
    async fn prepare(
        &self,
        store: &Store,
        sandbox: &Sandbox,
        served: Option<&Prepared>,
    ) -> Result<Prepared, LoadError> {
        if let Bytes::Store(digest) = self.bytes
            && let Some(served) = served.filter(|served| served.digest == digest)
        {
            self.component.check_digest(digest)?;
            return Ok(served.clone());
        }
        let bytes = self.read(&store.components()).await?;
        let found = Digest::of(&bytes);
        self.component.check_digest(found)?;
        match served.filter(|served| served.digest == found) {
            Some(served) => Ok(served.clone()),
            None => Ok(sandbox.prepare(&bytes).await?),
        }
    }
}
