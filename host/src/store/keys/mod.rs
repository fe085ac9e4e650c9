//! Keys with which callers, reviewers and operators prove who they are. The store keeps what each is good for, and of the
//! key itself a digest. A key is shown once, when it is made.

mod cache;
mod rows;
#[cfg(test)]
mod tests;
mod text;

use std::sync::Arc;
use std::time::Duration;

use super::bells::KEYS;
use super::clock::millis;
use super::database::Kind;
use super::{Store, StoreError, within};
use crate::id::{KeyId, TenantId, UserId, same};
use crate::policy::{Pattern, Roles};
use crate::spec::Secret;
pub(super) use cache::KeyCache;
use cache::Known;
pub use rows::KeyChange;
pub use text::KEY_PREFIX;

/// What a key is good for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPowers {
    /// The tenant in whose name it speaks.
    pub tenant: TenantId,
    /// The user, if it is one user's.
    pub user: Option<UserId>,
    /// What its bearer may do.
    pub roles: Roles,
    /// The tools that it leaves of the tenant's; all if nothing stands here.
    pub allow: Option<Vec<Pattern>>,
    /// What it is for, in the operator's words.
    pub name: Option<String>,
}

/// A key as the store knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    /// Its id, which stands in the key.
    pub id: KeyId,
    /// What it is good for.
    pub powers: KeyPowers,
    /// When it was made.
    pub created_unix_ms: u64,
    /// When it ends by itself, if it does.
    pub expires_unix_ms: Option<u64>,
    /// When it was revoked, if it was.
    pub revoked_unix_ms: Option<u64>,
    /// The key that takes its place.
    pub replaced_by: Option<KeyId>,
}

/// What a key is at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// It is good.
    Active,
    /// It has expired.
    Expired,
    /// It was revoked.
    Revoked,
}

/// A key that was just made.
#[derive(Debug, Clone)]
pub struct FreshKey {
    /// The key itself. Nobody is shown it again.
    pub text: Secret,
    /// What is known of it.
    pub key: StoredKey,
}

/// Why a key was not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// There is no such key.
    #[error("there is no key {0}")]
    NotFound(KeyId),
    /// It is good for nothing any more, or another one has its place already.
    #[error("the key {0} cannot be changed: {1}")]
    Ended(KeyId, &'static str),
    /// The store failed. Nobody knows whether the change was made.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl KeyState {
    /// The state in one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

impl StoredKey {
    /// What the key is at a moment.
    #[must_use]
    pub fn state(&self, now_unix_ms: u64) -> KeyState {
        if self.revoked_unix_ms.is_some() {
            KeyState::Revoked
        } else if self.expires_unix_ms.is_some_and(|ends| ends <= now_unix_ms) {
            KeyState::Expired
        } else {
            KeyState::Active
        }
    }
}

/// The keys of a store.
#[derive(Debug, Clone)]
pub struct Keys {
    store: Store,
}

impl Keys {
    pub(super) fn new(store: Store) -> Self {
        Self { store }
    }

    /// Makes a key, which ends by itself after a while if one is given. `by` is who makes it, for the record.
    ///
    /// # Errors
    /// Any [`StoreError`] of writing.
    pub async fn create(
        &self,
        powers: KeyPowers,
        lifetime: Option<Duration>,
        by: &str,
    ) -> Result<FreshKey, StoreError> {
        let now = self.store.inner.database.now().await?;
        let fresh = fresh(powers, lifetime, now);
        self.change("make a key", async |transaction| rows::insert(transaction, &fresh, by).await).await?;
        Ok(fresh)
    }

    /// All keys, the newest first; those of one tenant, if one is named.
    ///
    /// # Errors
    /// Any [`StoreError`] of reading.
    pub async fn list(&self, tenant: Option<&TenantId>) -> Result<Vec<StoredKey>, StoreError> {
        const WHAT: &str = "list keys";
        within(WHAT, rows::list(&self.store.inner.database, WHAT, tenant)).await
    }

    /// What was done with a key, the first first.
    ///
    /// # Errors
    /// Any [`StoreError`] of reading.
    pub async fn changes(&self, id: &KeyId) -> Result<Vec<KeyChange>, StoreError> {
        const WHAT: &str = "read what was done with a key";
        within(WHAT, rows::changes(&self.store.inner.database, WHAT, id)).await
    }

    /// Whether any key was ever made. One that has ended counts: nobody is let in because the last key was revoked.
    ///
    /// # Errors
    /// Any [`StoreError`] of reading.
    pub async fn were_made(&self) -> Result<bool, StoreError> {
        let count = sqlx::query("SELECT COUNT(*) FROM (SELECT 1 FROM api_keys LIMIT 1) AS one");
        Ok(self.store.inner.database.number("count keys", count).await? > 0)
    }

    /// Takes a key back. Hosts on the same store refuse it within 250 ms, or at once where they are told.
    ///
    /// # Errors
    /// [`KeyError`] says why nothing was changed.
    pub async fn revoke(&self, id: &KeyId, by: &str) -> Result<StoredKey, KeyError> {
        let now = self.store.inner.database.now().await?;
        self.change("revoke a key", async |transaction| {
            let Some(Known { key, .. }) = rows::find(&mut **transaction, id).await? else {
                return Ok(Err(KeyError::NotFound(id.clone())));
            };
            if key.state(now) == KeyState::Revoked {
                return Ok(Err(KeyError::Ended(id.clone(), "it was revoked already")));
            }
            rows::revoke(transaction, id, now, by).await?;
            Ok(Ok(StoredKey { revoked_unix_ms: Some(now), ..(*key).clone() }))
        })
        .await?
    }

    /// Makes a key with the powers and the lifetime of another, which ends after `grace`, or at once without any.
    ///
    /// # Errors
    /// [`KeyError`] says why nothing was changed.
    pub async fn rotate(&self, id: &KeyId, grace: Duration, by: &str) -> Result<FreshKey, KeyError> {
        let now = self.store.inner.database.now().await?;
        self.change("replace a key", async |transaction| {
            let Some(Known { key, .. }) = rows::find(&mut **transaction, id).await? else {
                return Ok(Err(KeyError::NotFound(id.clone())));
            };
            let ended = match key.state(now) {
                KeyState::Revoked => Some("it was revoked"),
                KeyState::Expired => Some("it has expired; make another one"),
                KeyState::Active if key.replaced_by.is_some() => Some("another one takes its place already"),
                KeyState::Active => None,
            };
            if let Some(why) = ended {
                return Ok(Err(KeyError::Ended(id.clone(), why)));
            }
            let lifetime = key.expires_unix_ms.map(|ends| ends.saturating_sub(key.created_unix_ms));
            let fresh = fresh(key.powers.clone(), lifetime.map(Duration::from_millis), now);
            rows::insert(transaction, &fresh, by).await?;
            let ends = now.saturating_add(millis(grace)).min(key.expires_unix_ms.unwrap_or(u64::MAX));
            rows::replace(transaction, id, &fresh.key.id, (now, ends), by).await?;
            Ok(Ok(fresh))
        })
        .await?
    }

    /// The key that a text is; none if it is no key that was ever made. Whether it is still good is the caller's question.
    /// It is read at most once in 100 ms, or where processes tell each other of changes, once until one is told.
    ///
    /// # Errors
    /// Any [`StoreError`] of reading.
    pub async fn find(&self, text: &str) -> Result<Option<Arc<StoredKey>>, StoreError> {
        const WHAT: &str = "look up a key";
        let Some(id) = text::id(text) else { return Ok(None) };
        let cache = &self.store.inner.keys;
        let known = match cache.get(&id) {
            Some(known) => known,
            None => {
                let change = cache.changes();
                let reads = &self.store.inner.database.reads;
                let row = within(WHAT, async {
                    rows::find(reads, &id).await.map_err(|source| StoreError::query(WHAT, source))
                });
                let Some(known) = row.await? else { return Ok(None) };
                cache.put(id, known.clone(), change);
                known
            }
        };
        Ok(same(&known.digest, &text::digest(text)).then_some(known.key))
    }

    /// Changes keys in one transaction, which tells the other processes too.
    async fn change<T>(
        &self,
        what: &'static str,
        work: impl AsyncFnOnce(&mut sqlx::Transaction<'_, sqlx::Any>) -> Result<T, sqlx::Error>,
    ) -> Result<T, StoreError> {
        let inner = &self.store.inner;
        let done = within(what, async {
            let fault = |source| StoreError::query(what, source);
            let mut transaction = inner.database.begin("keys").await.map_err(fault)?;
            let done = work(&mut transaction).await.map_err(fault)?;
            if inner.database.kind() == Kind::Postgres {
                let tell = sqlx::query("SELECT pg_notify($1, '')").bind(KEYS);
                tell.execute(&mut *transaction).await.map_err(fault)?;
            }
            transaction.commit().await.map_err(fault)?;
            Ok(done)
        })
        .await?;
        inner.keys.changed();
        Ok(done)
    }
}

fn fresh(powers: KeyPowers, lifetime: Option<Duration>, now: u64) -> FreshKey {
    let id = KeyId::fresh();
    let text = text::fresh(&id);
    let expires_unix_ms = lifetime.map(|lifetime| now.saturating_add(millis(lifetime)));
    let key = StoredKey {
        id,
        powers,
        created_unix_ms: now,
        expires_unix_ms,
        revoked_unix_ms: None,
        replaced_by: None,
    };
    FreshKey { text, key }
}
