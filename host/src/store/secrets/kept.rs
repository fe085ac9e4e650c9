//! Secrets in the database, each as [`Cipher`] seals it for its tenant and name, so that a row is of no use in another one's
//! place. The key is the operator's and never
//! in the database.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use super::{SecretError, secret_fault};
use crate::id::{SecretName, TenantId};
use crate::spec::Secret;
use crate::store::cipher::{Cipher, KEY_BYTES};
use crate::store::clock::{column, now_unix_ms};
use crate::store::{Store, StoreError, within};

/// The operator's key, which a text stands for: 32 bytes in Base64.
pub(in super::super) fn secrets_key(text: &Secret) -> Option<Cipher> {
    let text = text.expose().trim();
    Cipher::new(STANDARD.decode(text).or_else(|_| URL_SAFE_NO_PAD.decode(text)).ok()?)
}

/// What a row's value is bound to. Neither text has such a character.
fn place(tenant: Option<&TenantId>, name: &SecretName) -> String {
    format!("{}\u{1f}{name}", owner(tenant))
}

/// The owner's column; everybody's secrets have an empty one, which is no tenant's id.
fn owner(tenant: Option<&TenantId>) -> String {
    tenant.map(ToString::to_string).unwrap_or_default()
}

impl Store {
    /// A text for `TOOLHOST_SECRETS_KEY`.
    #[must_use]
    pub fn fresh_secrets_key() -> Secret {
        Secret::new(STANDARD.encode(rand::random::<[u8; KEY_BYTES]>()))
    }

    fn secrets_key(&self) -> Result<&Cipher, SecretError> {
        self.inner.secrets_key.as_ref().ok_or(SecretError::NoKey)
    }

    /// Keeps a secret for a tenant, or for all.
    ///
    /// # Errors
    /// [`SecretError::Value`] if the value cannot be used, [`SecretError::NoKey`] without a key, others if the store fails.
    pub async fn keep_secret(
        &self,
        tenant: Option<&TenantId>,
        name: &SecretName,
        value: &Secret,
    ) -> Result<(), SecretError> {
        if let Some(fault) = secret_fault(value) {
            return Err(SecretError::Value { name: name.clone(), fault });
        }
        let sealed = self.secrets_key()?.seal(value.expose().as_bytes(), place(tenant, name).as_bytes());
        let row = sqlx::query(
            "INSERT INTO secrets (tenant, name, sealed, changed_unix_ms) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (tenant, name) DO UPDATE SET sealed = excluded.sealed, changed_unix_ms = excluded.changed_unix_ms",
        )
        .bind(owner(tenant))
        .bind(name.to_string())
        .bind(sealed)
        .bind(column(now_unix_ms()));
        self.inner.database.write("keep a secret", row).await?;
        Ok(())
    }

    /// Forgets a secret. False if there was none.
    ///
    /// # Errors
    /// Any [`StoreError`] of writing.
    pub async fn forget_secret(
        &self,
        tenant: Option<&TenantId>,
        name: &SecretName,
    ) -> Result<bool, StoreError> {
        let row = sqlx::query("DELETE FROM secrets WHERE tenant = $1 AND name = $2")
            .bind(owner(tenant))
            .bind(name.to_string());
        Ok(self.inner.database.write("forget a secret", row).await? > 0)
    }

    /// Whose secrets are kept, by tenant and name, with the moment of their last change. An empty tenant stands for all.
    ///
    /// # Errors
    /// Any [`StoreError`] of reading.
    pub async fn kept_secrets(&self) -> Result<Vec<(String, String, u64)>, StoreError> {
        const WHAT: &str = "list secrets";
        let rows: Vec<(String, String, i64)> = within(WHAT, async {
            let rows =
                sqlx::query_as("SELECT tenant, name, changed_unix_ms FROM secrets ORDER BY tenant, name");
            let rows = rows.fetch_all(&self.inner.database.reads).await;
            rows.map_err(|source| StoreError::query(WHAT, source))
        })
        .await?;
        Ok(rows.into_iter().map(|(tenant, name, at)| (tenant, name, at.unsigned_abs())).collect())
    }

    pub(super) async fn kept_secret(
        &self,
        tenant: Option<&TenantId>,
        name: &SecretName,
    ) -> Result<Option<Secret>, SecretError> {
        const WHAT: &str = "read a secret";
        let row: Option<Vec<u8>> = within(WHAT, async {
            let row = sqlx::query_scalar("SELECT sealed FROM secrets WHERE tenant = $1 AND name = $2");
            let row = row.bind(owner(tenant)).bind(name.to_string());
            let row = row.fetch_optional(&self.inner.database.reads).await;
            row.map_err(|source| StoreError::query(WHAT, source))
        })
        .await?;
        let Some(row) = row else { return Ok(None) };
        let other_key = || SecretError::OtherKey(name.clone());
        let value = self.secrets_key()?.open(&row, place(tenant, name).as_bytes()).ok_or_else(other_key)?;
        String::from_utf8(value).map(|value| Some(Secret::new(value))).map_err(|_| other_key())
    }
}
