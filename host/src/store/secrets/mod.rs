//! Where the values of secrets are: in the environment, in a file, or in the database under a key of the operator's.
//!
//! A value is looked up for each call that asks for it, so that a changed file or row counts at once. The entry of a
//! tenant goes before the one for all.

mod kept;

use std::path::{Path, PathBuf};

pub(super) use kept::secrets_key;

use super::{Store, StoreError};
use crate::id::{SecretName, TenantId};
use crate::spec::{Secret, is_clean};

/// The shortest value, in bytes: shorter ones would be found in texts that have nothing to do with them.
const SHORTEST: usize = 8;
/// The longest value, in bytes.
const LONGEST: usize = 4_096;

/// One secret, for one tenant or for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretSettings {
    /// Its name.
    pub name: SecretName,
    /// Whose it is; everybody's if nothing stands here.
    pub tenant: Option<TenantId>,
    /// Where its value is.
    pub source: SecretSource,
}

/// Where a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    /// Here, from the environment.
    Value(Secret),
    /// In a file, which is read at each use. A line end at its end is not part of it.
    File(PathBuf),
    /// In the database.
    Store,
}

/// Why there is no value, where there should be one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// The file cannot be read.
    #[error("the file of the secret {name} cannot be read: {reason}")]
    File {
        /// The secret.
        name: SecretName,
        /// The system's reason.
        reason: String,
    },
    /// The value cannot stand in a header.
    #[error("the value of the secret {name} cannot be used: {fault}")]
    Value {
        /// The secret.
        name: SecretName,
        /// What is wrong.
        fault: &'static str,
    },
    /// The row was written under another key.
    #[error("the secret {0} was kept under another key than TOOLHOST_SECRETS_KEY")]
    OtherKey(SecretName),
    /// There is no key.
    #[error(
        "secrets cannot be kept without a key; set TOOLHOST_SECRETS_KEY, as `host secrets key` prints one"
    )]
    NoKey,
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What is wrong with a value, if anything is.
#[must_use]
pub fn secret_fault(value: &Secret) -> Option<&'static str> {
    let text = value.expose();
    match text.len() {
        0..SHORTEST => Some("it has fewer than 8 bytes, so that it would be found in texts by chance"),
        length if length > LONGEST => Some("it has more than 4,096 bytes"),
        _ if text.chars().any(char::is_control) => {
            Some("it has a control character, such as a line end, in it")
        }
        _ if !is_clean(text) => Some("it has a character in it that nobody sees"),
        _ if text.trim() != text => Some("it begins or ends with a blank, which a header does not keep"),
        _ => None,
    }
}

impl Store {
    /// The value of a secret for a tenant; none if it has none.
    ///
    /// # Errors
    /// [`SecretError`] names the secret and never its value.
    pub async fn secret(&self, tenant: &TenantId, name: &SecretName) -> Result<Option<Secret>, SecretError> {
        let known = &self.settings().secrets;
        let of = |owner: Option<&TenantId>| {
            known.iter().find(|secret| secret.name == *name && secret.tenant.as_ref() == owner)
        };
        for (owner, settings) in [(Some(tenant), of(Some(tenant))), (None, of(None))] {
            let value = match settings.map(|settings| &settings.source) {
                None => continue,
                Some(SecretSource::Value(value)) => Some(value.clone()),
                Some(SecretSource::File(file)) => Some(read(name, file).await?),
                Some(SecretSource::Store) => self.kept_secret(owner, name).await?,
            };
            if let Some(value) = value {
                return match secret_fault(&value) {
                    Some(fault) => Err(SecretError::Value { name: name.clone(), fault }),
                    None => Ok(Some(value)),
                };
            }
        }
        Ok(None)
    }
}

#[expect(clippy::disallowed_methods, reason = "the operator named this file")]
async fn read(name: &SecretName, file: &Path) -> Result<Secret, SecretError> {
    use tokio::io::AsyncReadExt as _;
    let fault = |reason: std::io::Error| SecretError::File { name: name.clone(), reason: reason.to_string() };
    let most = u64::try_from(LONGEST).unwrap_or(u64::MAX) + 2;
    let mut text = String::new();
    // Opening another kind of file may never end.
    if !tokio::fs::metadata(file).await.map_err(fault)?.is_file() {
        return Err(SecretError::File { name: name.clone(), reason: "it is not a regular file".to_owned() });
    }
    let mut opened = tokio::fs::File::open(file).await.map_err(fault)?.take(most);
    opened.read_to_string(&mut text).await.map_err(fault)?;
    Ok(Secret::new(text.trim_end_matches(['\r', '\n']).to_owned()))
}
