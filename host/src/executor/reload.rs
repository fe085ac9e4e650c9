//! Change while the host runs: what is served is built anew beside what is served now, and takes its place at once.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use super::configure::InForce;
use super::load::{LoadReport, load};
use super::{Host, ListenError, Settings, StartError};
use crate::id::{Digest, PoolName, ToolName};
use crate::registry::{Snapshot, Source};
use crate::store::StoreError;

/// Why nothing changed. What was served is served on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReloadError {
    /// The components cannot be loaded so.
    #[error(transparent)]
    Load(#[from] StartError),
    /// Somebody without a key would come to an address that others reach.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// A tool is to run in a pool that is not there yet.
    #[error("a tool is to run in the pool {0}, which is there from the next start on")]
    NewPool(PoolName),
    /// The store does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a reload changed in the list of tools, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reloaded {
    /// Tools that were not there before.
    pub added: Vec<ToolName>,
    /// Tools that are not there any more.
    pub removed: Vec<ToolName>,
    /// Tools that are there with other code, another description or other rules.
    pub changed: Vec<ToolName>,
}

impl ReloadError {
    /// Whether the same may succeed when nothing but time has passed.
    #[must_use]
    pub const fn is_of_the_store(&self) -> bool {
        matches!(self, Self::Store(_) | Self::Load(StartError::Store(_)))
    }
}

impl Reloaded {
    fn between(before: &Snapshot, after: &Snapshot) -> Self {
        let mut reloaded = Self::default();
        for entry in after.all() {
            match before.get(entry.name.as_str()) {
                None => reloaded.added.push(entry.name.clone()),
                Some(old) if *old.source != *entry.source || old.policy_hash != entry.policy_hash => {
                    reloaded.changed.push(entry.name.clone());
                }
                Some(_) => {}
            }
        }
        let gone = before.all().iter().filter(|entry| after.get(entry.name.as_str()).is_none());
        reloaded.removed.extend(gone.map(|entry| entry.name.clone()));
        reloaded
    }

    /// Whether the list of tools is the same as before.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

/// What was loaded last, and what is still used of what was loaded before.
#[derive(Debug)]
pub(super) struct Loaded {
    report: RwLock<Arc<LoadReport>>,
    changes: u64,
    /// Components that are not served any more. Calls that were admitted before may still run their code.
    retired: Mutex<Vec<Weak<Source>>>,
    /// One reload at a time.
    turn: tokio::sync::Mutex<()>,
}

impl Loaded {
    /// What a host starts with, when the store had counted so many changes.
    pub(super) fn new(report: LoadReport, changes: u64) -> Self {
        let (retired, turn) = (Mutex::default(), tokio::sync::Mutex::default());
        Self { report: RwLock::new(Arc::new(report)), changes, retired, turn }
    }

    /// How many changes of components the store had counted before the first load.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    fn retired(&self) -> MutexGuard<'_, Vec<Weak<Source>>> {
        self.retired.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn report(&self) -> Arc<LoadReport> {
        self.report.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Host {
    /// Loads the components anew: files that changed, came or went, and what the store says of uploaded and accepted ones.
    ///
    /// The new list is published as a whole. Calls under way keep the tools that they were admitted with; a tool that is
    /// gone is unknown to the next call. A component that has a fault now is served on as it was, and
    /// [`load_report`](Self::load_report) says why. One reload runs at a time.
    ///
    /// Dropping the future changes nothing, or everything.
    ///
    /// # Errors
    /// [`ReloadError`]; nothing changed then.
    pub async fn reload(&self) -> Result<Reloaded, ReloadError> {
        self.load_anew(None).await
    }

    /// Loads the components of the settings that are in force, or of others, which are in force from then on.
    pub(super) async fn load_anew(&self, settings: Option<Settings>) -> Result<Reloaded, ReloadError> {
        let inner = &self.inner;
        let _turn = inner.loaded.turn.lock().await;
        let served = inner.loaded.report();
        let old = self.in_force();
        let new = settings.map(|settings| Arc::new(InForce::new(settings, Some(&old.uses))));
        let in_force = new.as_ref().unwrap_or(&old);
        let (snapshot, report) =
            load(&in_force.settings, &inner.sandbox, &inner.store, Some(&served)).await?;
        let before = inner.registry.snapshot();
        let reloaded = Reloaded::between(&before, &snapshot);
        inner.store.announce_tools(snapshot.hash()).await?;
        *inner.loaded.report.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(report);
        let others = new.is_some();
        if let Some(new) = new {
            *inner.in_force.write().unwrap_or_else(PoisonError::into_inner) = new;
        }
        // Other tenants may see other tools, even if these are the same.
        if others || !reloaded.is_empty() {
            inner.registry.publish(snapshot);
        }
        self.retire(&before);
        self.let_go();
        Ok(reloaded)
    }

    /// Lets go of code that no call can reach any more, unless a reload is under way.
    pub(super) fn let_go_of_retired(&self) {
        if let Ok(_turn) = self.inner.loaded.turn.try_lock() {
            self.let_go();
        }
    }

    fn retire(&self, before: &Snapshot) {
        let now = self.inner.registry.snapshot();
        let mut retired = self.inner.loaded.retired();
        for old in before.all() {
            let is_served = now.all().iter().any(|entry| Arc::ptr_eq(&entry.source, &old.source));
            let is_retired = retired.iter().any(|source| source.as_ptr() == Arc::as_ptr(&old.source));
            if !is_served && !is_retired {
                retired.push(Arc::downgrade(&old.source));
            }
        }
    }

    /// Keeps the code of what is served, and of what calls under way were admitted with. Only while nothing is loaded.
    fn let_go(&self) {
        let now = self.inner.registry.snapshot();
        let mut retired = self.inner.loaded.retired();
        retired.retain(|source| source.strong_count() > 0);
        let used = retired.iter().filter_map(Weak::upgrade).map(|source| source.digest);
        // A component whose tools all belong to others may get them yet.
        let report = self.inner.loaded.report();
        let used = used.chain(report.loaded.iter().map(|loaded| loaded.digest));
        let used: HashSet<Digest> = used.chain(now.all().iter().map(|entry| entry.source.digest)).collect();
        self.inner.sandbox.keep(&used);
    }
}
