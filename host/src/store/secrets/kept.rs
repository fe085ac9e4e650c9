//! Secrets in the database, each under XChaCha20-Poly1305 with a random nonce before it. The tenant and the name are
//! authenticated with the value, so that a row is of no use in another one's place. The key is the operator's and never
//! in the database.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};

use super::{SecretError, secret_fault};
use crate::id::{SecretName, TenantId};
use crate::spec::Secret;
use crate::store::clock::{column, now_unix_ms};
use crate::store::{Store, StoreError, within};

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;

/// The operator's key.
pub(in super::super) struct SecretsKey(XChaCha20Poly1305);

impl fmt::Debug for SecretsKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretsKey")
    }
}

impl SecretsKey {
    /// The key that a text stands for: 32 bytes in Base64.
    pub(in super::super) fn parse(text: &Secret) -> Option<Self> {
        let text = text.expose().trim();
        let bytes = STANDARD.decode(text).or_else(|_| URL_SAFE_NO_PAD.decode(text)).ok()?;
        let key: [u8; KEY_BYTES] = bytes.try_into().ok()?;
        Some(Self(XChaCha20Poly1305::new(&Key::from(key))))
    }
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

    fn secrets_key(&self) -> Result<&SecretsKey, SecretError> {
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
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let place = place(tenant, name);
        let payload = Payload { msg: value.expose().as_bytes(), aad: place.as_bytes() };
        // It fails only for values of many gigabytes.
        let sealed = self.secrets_key()?.0.encrypt(&XNonce::from(nonce), payload).unwrap_or_default();
        let row = sqlx::query(
            "INSERT INTO secrets (tenant, name, sealed, changed_unix_ms) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (tenant, name) DO UPDATE SET sealed = excluded.sealed, changed_unix_ms = excluded.changed_unix_ms",
        )
        .bind(owner(tenant))
        .bind(name.to_string())
        .bind([&nonce[..], &sealed].concat())
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
        let (nonce, sealed) = row.split_first_chunk::<NONCE_BYTES>().ok_or_else(other_key)?;
        let place = place(tenant, name);
        let payload = Payload { msg: sealed, aad: place.as_bytes() };
        let value = self.secrets_key()?.0.decrypt(&XNonce::from(*nonce), payload).map_err(|_| other_key())?;
        String::from_utf8(value).map(|value| Some(Secret::new(value))).map_err(|_| other_key())
    }
}
