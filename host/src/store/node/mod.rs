//! This process among those that use the same store: an id, and a sign that it lives.
//!
//! On SQLite the sign is a lock that the system drops when the process dies, however it ends. Processes of other
//! machines cannot see that, so that on PostgreSQL the sign is a lease by the database's clock, which a thread renews.

mod lease;
mod lock;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::database::{Database, Kind};
use super::error::StoreError;
use super::url::DatabaseUrl;
use lease::Lease;
pub(super) use lock::{OpenLock, create_folder, open_private};

/// The identity of this process in the store. Dropping it says that the process is gone.
#[derive(Debug)]
pub(super) struct Node {
    id: String,
    sign: Sign,
}

#[derive(Debug)]
enum Sign {
    Lock {
        folder: PathBuf,
        /// Held for its drop.
        _lock: lock::Lock,
    },
    Lease {
        database: Arc<Database>,
        lease: Lease,
    },
}

impl Node {
    /// Takes a new identity. On SQLite the caller holds the [`OpenLock`].
    ///
    /// # Errors
    /// Says what is in the way.
    pub(super) async fn join(url: &DatabaseUrl, database: &Arc<Database>) -> Result<Self, String> {
        let id = format!("{:032x}", rand::random::<u128>());
        let sign = match url {
            DatabaseUrl::Sqlite(file) => {
                let folder = file.parent().unwrap_or(Path::new("")).join("nodes");
                let (place, name) = (folder.clone(), id.clone());
                let lock = tokio::task::spawn_blocking(move || lock::Lock::take(&place, &name)).await;
                let lock = lock.map_err(|panic| panic.to_string())?.map_err(|fault| fault.to_string())?;
                Sign::Lock { folder, _lock: lock }
            }
            DatabaseUrl::Postgres(url) => {
                let lease = Lease::take(url, database, &id).await?;
                Sign::Lease { database: database.clone(), lease }
            }
        };
        Ok(Self { id, sign })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Says which tools this process serves. Processes of one machine have one configuration, and are not compared.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub(super) async fn announce(&self, tools: &str) -> Result<(), StoreError> {
        match &self.sign {
            Sign::Lock { .. } => Ok(()),
            Sign::Lease { database, .. } => lease::announce(database, &self.id, tools).await,
        }
    }

    /// Removes what processes left that died long ago.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub(super) async fn forget_the_dead(&self) -> Result<(), StoreError> {
        match &self.sign {
            Sign::Lock { .. } => Ok(()),
            Sign::Lease { database, .. } => lease::forget(database).await,
        }
    }

    /// How many living processes serve other tools than these.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub(super) async fn differing(&self, tools: &str) -> Result<u64, StoreError> {
        match &self.sign {
            Sign::Lock { .. } => Ok(0),
            Sign::Lease { database, .. } => lease::differing(database, tools).await,
        }
    }

    /// Whether another process of that id is known to be gone.
    ///
    /// # Errors
    /// Any [`StoreError`]; nobody knows then.
    pub(super) async fn is_gone(&self, id: &str) -> Result<bool, StoreError> {
        match &self.sign {
            Sign::Lock { folder, .. } => {
                let (folder, id) = (folder.clone(), id.to_owned());
                Ok(tokio::task::spawn_blocking(move || lock::is_gone(&folder, &id)).await.unwrap_or(false))
            }
            Sign::Lease { database, lease } => Ok(lease.is_steady() && lease::is_over(database, id).await?),
        }
    }
}

impl Database {
    /// The condition of a statement that the process whose id is that parameter is known to live.
    pub(super) fn lives(&self, parameter: u32) -> String {
        match self.kind() {
            Kind::Sqlite => "1 = 1".to_owned(),
            Kind::Postgres => lease::condition(parameter),
        }
    }
}
