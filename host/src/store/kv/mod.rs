//! Keys and values that guests keep, each component of each tenant for itself.
//!
//! A [`Kv`] is made for one scope and can reach no other. Each change is one transaction that begins with the write
//! lock, so that quotas and [`swap`](Kv::swap) hold across processes.

#[cfg(test)]
mod tests;

use sqlx::{Any, AnyConnection, Transaction};

use super::clock::column;
use super::{Store, StoreError, within};
use crate::id::TenantId;

/// The longest key, in bytes.
const LONGEST_KEY: usize = 256;
/// The largest value, in bytes.
const LARGEST_VALUE: usize = 1 << 20;
/// Keys of one scope.
const MOST_KEYS: i64 = 10_000;
/// Keys and values of one scope together, in bytes.
const MOST_BYTES: i64 = 16 << 20;
/// Keys on one page.
const LONGEST_PAGE: u32 = 1_000;

/// Why an operation did not happen. The first two are the guest's doing and may be shown to it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KvError {
    /// A key or a value is not one.
    #[error("{0}")]
    Invalid(String),
    /// The quota is used up.
    #[error("{0}")]
    Quota(String),
    /// The store did not answer. The cause is for operators.
    #[error("the store did not answer")]
    Unavailable(#[from] StoreError),
}

/// Some keys in byte order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyPage {
    /// The keys.
    pub keys: Vec<String>,
    /// To be passed for the next page; none on the last.
    pub cursor: Option<String>,
}

/// The keys and values of one component for one tenant.
#[derive(Debug, Clone)]
pub struct Kv {
    store: Store,
    tenant: String,
    component: String,
}

/// What a key has to hold for a change to happen.
#[derive(Clone, Copy)]
enum Expected<'a> {
    Anything,
    Just(Option<&'a [u8]>),
}

impl Kv {
    pub(super) fn new(store: Store, tenant: &TenantId, component: &str) -> Self {
        Self { store, tenant: tenant.as_str().to_owned(), component: component.to_owned() }
    }

    /// The value of a key, or none.
    ///
    /// # Errors
    /// [`KvError::Invalid`] for a key that cannot be one; [`KvError::Unavailable`].
    pub async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, KvError> {
        check_key(key)?;
        let value =
            sqlx::query_scalar("SELECT value FROM kv WHERE tenant = $1 AND component = $2 AND key = $3")
                .bind(self.tenant.clone())
                .bind(self.component.clone())
                .bind(key.as_bytes().to_vec())
                .fetch_optional(&self.store.inner.database.reads);
        Ok(answer("read a key", value).await?)
    }

    /// Sets a key, whatever it held. On disk when it returns.
    ///
    /// # Errors
    /// Any [`KvError`]; nothing has changed then, unless it is [`KvError::Unavailable`], when nobody knows.
    pub async fn set(&self, key: &str, value: &[u8]) -> Result<(), KvError> {
        self.change(key, Expected::Anything, Some(value)).await.map(|_| ())
    }

    /// Removes a key. True if it was there.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub async fn delete(&self, key: &str) -> Result<bool, KvError> {
        self.change(key, Expected::Anything, None).await
    }

    /// Sets or removes a key if it holds just the expected value, in one step. True if it did.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub async fn swap(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        value: Option<&[u8]>,
    ) -> Result<bool, KvError> {
        self.change(key, Expected::Just(expected), value).await
    }

    /// Keys that begin with a prefix and come after the cursor, in byte order, at most `limit` of them, which is
    /// taken as at least 1 and at most 1,000.
    ///
    /// # Errors
    /// [`KvError::Invalid`] if the prefix or the cursor is longer than a key; [`KvError::Unavailable`].
    pub async fn keys(&self, prefix: &str, cursor: Option<&str>, limit: u32) -> Result<KeyPage, KvError> {
        if prefix.len() > LONGEST_KEY || cursor.is_some_and(|cursor| cursor.len() > LONGEST_KEY) {
            return Err(KvError::Invalid(format!("a prefix or cursor is at most {LONGEST_KEY} bytes long")));
        }
        let limit = limit.clamp(1, LONGEST_PAGE);
        let (from, to) = range(prefix, cursor);
        let keys = sqlx::query_scalar::<_, Vec<u8>>(
            "SELECT key FROM kv WHERE tenant = $1 AND component = $2 AND key >= $3 AND key < $4 ORDER BY key LIMIT $5",
        )
        .bind(self.tenant.clone())
        .bind(self.component.clone())
        .bind(from)
        .bind(to)
        .bind(i64::from(limit) + 1)
        .fetch_all(&self.store.inner.database.reads);
        let mut keys = answer("list keys", keys)
            .await?
            .into_iter()
            .map(|key| {
                String::from_utf8(key)
                    .map_err(|_| StoreError::Damaged { column: "key", id: self.component.clone() })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = keys.len() > limit;
        keys.truncate(limit);
        let cursor = keys.last().filter(|_| more).cloned();
        Ok(KeyPage { keys, cursor })
    }

    /// Puts or removes a value. True if the key held what was expected; for removing, if it held anything.
    async fn change(&self, key: &str, expected: Expected<'_>, value: Option<&[u8]>) -> Result<bool, KvError> {
        const WHAT: &str = "change a key";
        check_key(key)?;
        if value.is_some_and(|value| value.len() > LARGEST_VALUE) {
            return Err(KvError::Invalid(format!("a value is at most {LARGEST_VALUE} bytes long")));
        }
        let refused = within(WHAT, async {
            let fault = |source| StoreError::query(WHAT, source);
            let scope = format!("kv {} {}", self.tenant, self.component);
            let mut transaction = self.store.inner.database.begin(&scope).await.map_err(fault)?;
            let changed =
                self.change_in(&mut transaction, key.as_bytes(), expected, value).await.map_err(fault)?;
            match changed {
                Ok(changed) => {
                    transaction.commit().await.map_err(fault)?;
                    Ok(Ok(changed))
                }
                Err(quota) => {
                    transaction.rollback().await.map_err(fault)?;
                    Ok(Err(quota))
                }
            }
        })
        .await?;
        refused.map_err(KvError::Quota)
    }

    async fn change_in(
        &self,
        transaction: &mut Transaction<'_, Any>,
        key: &[u8],
        expected: Expected<'_>,
        value: Option<&[u8]>,
    ) -> Result<Result<bool, String>, sqlx::Error> {
        let held: Option<Vec<u8>> =
            sqlx::query_scalar("SELECT value FROM kv WHERE tenant = $1 AND component = $2 AND key = $3")
                .bind(self.tenant.clone())
                .bind(self.component.clone())
                .bind(key.to_vec())
                .fetch_optional(&mut **transaction)
                .await?;
        match (expected, value) {
            (Expected::Just(expected), _) if expected != held.as_deref() => return Ok(Ok(false)),
            (Expected::Just(None), None) => return Ok(Ok(true)),
            (Expected::Anything, None) if held.is_none() => return Ok(Ok(false)),
            _ => {}
        }
        let weight = |value: &[u8]| size(key.len() + value.len());
        let bytes = value.map_or(0, weight) - held.as_deref().map_or(0, weight);
        let entries = i64::from(value.is_some()) - i64::from(held.is_some());
        if let Err(quota) = self.charge(transaction, entries, bytes).await? {
            return Ok(Err(quota));
        }
        match value {
            Some(value) => {
                sqlx::query(
                    "INSERT INTO kv (tenant, component, key, value) VALUES ($1, $2, $3, $4) \
                     ON CONFLICT (tenant, component, key) DO UPDATE SET value = excluded.value",
                )
                .bind(self.tenant.clone())
                .bind(self.component.clone())
                .bind(key.to_vec())
                .bind(value.to_vec())
                .execute(&mut **transaction)
                .await?;
            }
            None => {
                sqlx::query("DELETE FROM kv WHERE tenant = $1 AND component = $2 AND key = $3")
                    .bind(self.tenant.clone())
                    .bind(self.component.clone())
                    .bind(key.to_vec())
                    .execute(&mut **transaction)
                    .await?;
            }
        }
        Ok(Ok(true))
    }

    /// Adds to what the scope holds, unless that passes its quota. What makes it smaller is never refused.
    async fn charge(
        &self,
        connection: &mut AnyConnection,
        entries: i64,
        bytes: i64,
    ) -> Result<Result<(), String>, sqlx::Error> {
        let held: Option<(i64, i64)> =
            sqlx::query_as("SELECT entries, bytes FROM kv_usage WHERE tenant = $1 AND component = $2")
                .bind(self.tenant.clone())
                .bind(self.component.clone())
                .fetch_optional(&mut *connection)
                .await?;
        let (held_entries, held_bytes) = held.unwrap_or_default();
        if entries > 0 && held_entries.saturating_add(entries) > MOST_KEYS {
            return Ok(Err(format!("there is room for {MOST_KEYS} keys, and as many are there")));
        }
        if bytes > 0 && held_bytes.saturating_add(bytes) > MOST_BYTES {
            return Ok(Err(format!(
                "there is room for {MOST_BYTES} bytes; {held_bytes} are used and {bytes} more do not fit"
            )));
        }
        sqlx::query(
            "INSERT INTO kv_usage (tenant, component, entries, bytes) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (tenant, component) DO UPDATE SET entries = kv_usage.entries + excluded.entries, \
             bytes = kv_usage.bytes + excluded.bytes",
        )
        .bind(self.tenant.clone())
        .bind(self.component.clone())
        .bind(entries)
        .bind(bytes)
        .execute(connection)
        .await?;
        Ok(Ok(()))
    }
}

/// The keys from the first byte string on, before the second: those with the prefix, after the cursor. No byte of
/// UTF-8 is 0xFF, so that a last byte can always be raised by one.
fn range(prefix: &str, cursor: Option<&str>) -> (Vec<u8>, Vec<u8>) {
    let after = cursor.map_or_else(Vec::new, |cursor| [cursor.as_bytes(), &[0]].concat());
    let from = after.max(prefix.as_bytes().to_vec());
    let mut to = prefix.as_bytes().to_vec();
    match to.last_mut() {
        Some(last) => *last += 1,
        None => to.push(0xFF),
    }
    (from, to)
}

fn check_key(key: &str) -> Result<(), KvError> {
    if key.is_empty() || key.len() > LONGEST_KEY {
        return Err(KvError::Invalid(format!(
            "a key is 1 to {LONGEST_KEY} bytes long, and this one {}",
            key.len()
        )));
    }
    Ok(())
}

fn size(bytes: usize) -> i64 {
    column(u64::try_from(bytes).unwrap_or(u64::MAX))
}

async fn answer<T>(
    what: &'static str,
    query: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, StoreError> {
    within(what, async { query.await.map_err(|source| StoreError::query(what, source)) }).await
}
