//! Keys as rows.

use std::str::FromStr;
use std::sync::Arc;

use sqlx::any::AnyRow;
use sqlx::{Any, Executor, Row as _, Transaction};

use super::cache::Known;
use super::{FreshKey, KeyPowers, StoredKey, text};
use crate::id::{KeyId, TenantId};
use crate::policy::{Pattern, Roles};
use crate::store::StoreError;
use crate::store::clock::{column, figure};
use crate::store::database::Database;

/// The most keys that a list has.
const MOST_LISTED: i64 = 10_000;

/// One thing that was done with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyChange {
    /// What: `created`, `rotated` or `revoked`.
    pub change: String,
    /// Who did it.
    pub by: String,
    /// When.
    pub unix_ms: u64,
}

/// Puts a key into the table, and who made it into the record.
pub(super) async fn insert(
    transaction: &mut Transaction<'_, Any>,
    fresh: &FreshKey,
    by: &str,
) -> Result<(), sqlx::Error> {
    let (key, powers) = (&fresh.key, &fresh.key.powers);
    sqlx::query(
        "INSERT INTO api_keys (id, digest, tenant, user_id, roles, allowed, name, created_unix_ms, expires_unix_ms) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(key.id.to_string())
    .bind(text::digest(fresh.text.expose()))
    .bind(powers.tenant.to_string())
    .bind(powers.user.as_ref().map(ToString::to_string))
    .bind(powers.roles.to_string())
    .bind(powers.allow.as_deref().map(joined))
    .bind(powers.name.clone())
    .bind(column(key.created_unix_ms))
    .bind(key.expires_unix_ms.map(column))
    .execute(&mut **transaction)
    .await?;
    record(transaction, &key.id, "created", by, key.created_unix_ms).await
}

/// Revokes a key.
pub(super) async fn revoke(
    transaction: &mut Transaction<'_, Any>,
    id: &KeyId,
    now: u64,
    by: &str,
) -> Result<(), sqlx::Error> {
    let revoke = sqlx::query("UPDATE api_keys SET revoked_unix_ms = $1 WHERE id = $2");
    revoke.bind(column(now)).bind(id.to_string()).execute(&mut **transaction).await?;
    record(transaction, id, "revoked", by, now).await
}

/// Puts another key in the place of one, which ends at the second of the two moments.
pub(super) async fn replace(
    transaction: &mut Transaction<'_, Any>,
    id: &KeyId,
    by_key: &KeyId,
    (now, ends): (u64, u64),
    by: &str,
) -> Result<(), sqlx::Error> {
    let replace = sqlx::query("UPDATE api_keys SET replaced_by = $1, expires_unix_ms = $2 WHERE id = $3");
    let replace = replace.bind(by_key.to_string()).bind(column(ends)).bind(id.to_string());
    replace.execute(&mut **transaction).await?;
    record(transaction, id, "rotated", by, now).await
}

async fn record(
    transaction: &mut Transaction<'_, Any>,
    id: &KeyId,
    change: &'static str,
    by: &str,
    now: u64,
) -> Result<(), sqlx::Error> {
    let row = sqlx::query(
        "INSERT INTO api_key_changes (key_id, change, changed_by, changed_unix_ms) VALUES ($1, $2, $3, $4)",
    );
    let row = row.bind(id.to_string()).bind(change).bind(by.to_owned()).bind(column(now));
    row.execute(&mut **transaction).await.map(drop)
}

/// A key by its id, which the primary key finds.
pub(super) async fn find(
    connection: impl Executor<'_, Database = Any>,
    id: &KeyId,
) -> Result<Option<Known>, sqlx::Error> {
    let row = sqlx::query("SELECT * FROM api_keys WHERE id = $1").bind(id.to_string());
    row.fetch_optional(connection).await?.as_ref().map(known).transpose()
}

/// All keys, or those of a tenant.
pub(super) async fn list(
    database: &Database,
    what: &'static str,
    tenant: Option<&TenantId>,
) -> Result<Vec<StoredKey>, StoreError> {
    let rows = sqlx::query(
        "SELECT * FROM api_keys WHERE $1 = '' OR tenant = $1 ORDER BY created_unix_ms DESC, id LIMIT $2",
    );
    let rows = rows.bind(tenant.map(ToString::to_string).unwrap_or_default()).bind(MOST_LISTED);
    let fault = |source| StoreError::query(what, source);
    let rows = rows.fetch_all(&database.reads).await.map_err(fault)?;
    rows.iter().map(|row| known(row).map(|known| (*known.key).clone()).map_err(fault)).collect()
}

/// What was done with a key.
pub(super) async fn changes(
    database: &Database,
    what: &'static str,
    id: &KeyId,
) -> Result<Vec<KeyChange>, StoreError> {
    let rows = sqlx::query_as(
        "SELECT change, changed_by, changed_unix_ms FROM api_key_changes WHERE key_id = $1 \
         ORDER BY changed_unix_ms, change",
    );
    let rows: Vec<(String, String, i64)> = rows
        .bind(id.to_string())
        .fetch_all(&database.reads)
        .await
        .map_err(|source| StoreError::query(what, source))?;
    Ok(rows.into_iter().map(|(change, by, at)| KeyChange { change, by, unix_ms: figure(at) }).collect())
}

fn known(row: &AnyRow) -> Result<Known, sqlx::Error> {
    let optional = |column: &str| row.try_get::<Option<String>, _>(column);
    let moment = |column: &str| row.try_get::<Option<i64>, _>(column).map(|at| at.map(figure));
    let key = StoredKey {
        id: parsed(row, "id")?,
        powers: KeyPowers {
            tenant: parsed(row, "tenant")?,
            user: optional("user_id")?.as_deref().map(|text| read("user_id", text)).transpose()?,
            roles: parsed::<Roles>(row, "roles")?,
            allow: optional("allowed")?.as_deref().map(patterns).transpose()?,
            name: optional("name")?,
        },
        created_unix_ms: figure(row.try_get("created_unix_ms")?),
        expires_unix_ms: moment("expires_unix_ms")?,
        revoked_unix_ms: moment("revoked_unix_ms")?,
        replaced_by: optional("replaced_by")?.as_deref().map(|text| read("replaced_by", text)).transpose()?,
    };
    Ok(Known { key: Arc::new(key), digest: row.try_get::<String, _>("digest")?.into() })
}

fn parsed<T: FromStr>(row: &AnyRow, column: &str) -> Result<T, sqlx::Error> {
    read(column, &row.try_get::<String, _>(column)?)
}

/// A text that this program wrote. Any other is a damaged row, which lets nobody in.
fn read<T: FromStr>(column: &str, text: &str) -> Result<T, sqlx::Error> {
    text.parse().map_err(|_| sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source: "this program does not write it so".into(),
    })
}

/// Patterns have no spaces in them.
fn joined(patterns: &[Pattern]) -> String {
    patterns.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn patterns(text: &str) -> Result<Vec<Pattern>, sqlx::Error> {
    text.split(' ').filter(|word| !word.is_empty()).map(|word| read("allowed", word)).collect()
}
