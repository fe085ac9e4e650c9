//! What the store is opened with.

use std::path::PathBuf;
use std::time::Duration;

use super::secrets::SecretSettings;
use super::url::DatabaseUrl;
use crate::spec::Secret;

/// Where state is kept, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreSettings {
    /// The database.
    pub database: DatabaseUrl,
    /// The folder of compiled artefacts.
    pub artefacts: PathBuf,
    /// How long traces are kept.
    pub trace_retention: Duration,
    /// How long an approval may be decided and used.
    pub approval_lifetime: Duration,
    /// Where the values of secrets are.
    pub secrets: Vec<SecretSettings>,
    /// The key for the secrets in the database: 32 bytes in Base64.
    pub secrets_key: Option<Secret>,
}

impl StoreSettings {
    /// Whether hosts of other machines may use it too.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self.database, DatabaseUrl::Postgres(_))
    }
}
