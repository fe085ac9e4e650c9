//! From settings to a running host, and what stands in the way of one.

use std::path::PathBuf;
use std::sync::{Arc, RwLock};

use tokio_util::sync::CancellationToken;

use super::configure::InForce;
use super::linger::Lingerers;
use super::load::{self, LoadError};
use super::pools::Pools;
use super::reload::Loaded;
use super::wait::waiters;
use super::{Host, Inner, Settings};
use crate::policy::DirectoryPower;
use crate::provider::Exports;
use crate::registry::Registry;
use crate::sandbox::{
    Compiler, DirectoryError, Egress, Network, Sandbox, SandboxError, SystemNetwork, make_folder,
};
use crate::store::{Store, StoreError};

/// Why a host did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The store could not be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The sandbox could not be set up.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A folder that a tenant has of its own is not there and cannot be made.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// The configuration asks for what must not be done with a tool.
    #[error("the component {}: {fault}", path.display())]
    Tool {
        /// The component's file.
        path: PathBuf,
        /// What is asked for.
        fault: LoadError,
    },
    /// A directory is granted that a guest could replace.
    #[error(
        "{} is granted inside of {}, where a guest may write and could put a link in its place; grant directories \
         that do not lie in each other",
        inner.display(), outer.display()
    )]
    Nested {
        /// The directory.
        inner: PathBuf,
        /// The writable one around it.
        outer: PathBuf,
    },
}

impl Host {
    /// Opens the store, sets up the engine and loads every component. A component that is refused is in
    /// [`load_report`](Self::load_report), and the others are served.
    ///
    /// `compiler` is the way to a compiler: the `host` program, which compiles components in a process of its own, or a
    /// broker that starts it.
    ///
    /// # Errors
    /// [`StartError`] if there is no store, no sandbox, or no folder where a grant names one for each tenant.
    pub async fn start(settings: Settings, compiler: impl Into<Compiler>) -> Result<Self, StartError> {
        Self::start_on(settings, compiler, Arc::new(SystemNetwork::default())).await
    }

    /// The same on another network than the system's. What is checked before it is asked does not change.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub async fn start_on(
        settings: Settings,
        compiler: impl Into<Compiler>,
        network: Arc<dyn Network>,
    ) -> Result<Self, StartError> {
        let folders = settings.clone();
        // A task is lost only if the process ends.
        tokio::task::spawn_blocking(move || make_folders(&folders)).await.unwrap_or(Ok(()))?;
        let store = Store::open(&settings.store).await?;
        let sandbox = Arc::new(Sandbox::new(
            &settings.limits,
            &settings.pools,
            &settings.store.artefacts,
            compiler.into(),
            Egress::new(settings.egress.limits, &settings.egress.authorities, network)
                .map_err(SandboxError::from)?,
            store.clone(),
        )?);
        let changes = store.components().changes().await?;
        let (snapshot, report) = load::load(&settings, &sandbox, &store, None).await?;
        let registry = Registry::default();
        store.announce_tools(snapshot.hash()).await?;
        registry.publish(snapshot);
        let in_force = RwLock::new(Arc::new(InForce::new(settings.clone(), None)));
        let pools = Pools::new(&settings.pools);
        let (lingerers, under_way) = (Lingerers::default(), Arc::new(()));
        let inner = Inner {
            settings,
            in_force,
            store,
            sandbox,
            registry,
            exports: Exports::default(),
            pools,
            loaded: Loaded::new(report, changes),
            lingerers,
            under_way,
            waiters: waiters(),
            feeds: Arc::default(),
            closing: CancellationToken::new(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }
}

/// Refuses directories that lie in each other, and makes every folder that a grant names for each tenant, so that no call is the first to miss one. Blocks the thread.
pub(super) fn make_folders(settings: &Settings) -> Result<(), StartError> {
    let grants: Vec<_> =
        settings.components.iter().flat_map(|component| component.grants.directories.clone()).collect();
    let writable = grants.iter().filter(|grant| matches!(grant.power, DirectoryPower::Writable(_)));
    for outer in writable.map(|grant| &grant.host) {
        let inside = |inner: &&PathBuf| inner.starts_with(outer) && *inner != outer;
        if let Some(inner) = grants.iter().map(|grant| &grant.host).find(inside) {
            return Err(StartError::Nested { inner: inner.clone(), outer: outer.clone() });
        }
    }
    for grant in &grants {
        for tenant in settings.tenants.keys() {
            make_folder(grant, tenant)?;
        }
    }
    Ok(())
}
