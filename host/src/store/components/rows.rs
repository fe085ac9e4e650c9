//! Components as rows: written and read.

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, Row as _};

use super::{KnownComponent, Version};
use crate::store::StoreError;
use crate::store::clock::{column, figure};

/// All columns but the descriptions, which may be large.
pub(super) const COLUMNS: &str = "name, uploaded, accepted_digest, accepted_mark, accepted_tools, accepted_by, \
     accepted_unix_ms, waiting_digest, waiting_mark, waiting_tools, waiting_by, waiting_unix_ms";

/// Binds a version and its description, in the order of the columns.
pub(super) fn version<'q>(
    statement: Query<'q, Any, AnyArguments>,
    version: &Version,
    description: &str,
) -> Query<'q, Any, AnyArguments> {
    statement
        .bind(version.digest.to_string())
        .bind(version.mark.clone())
        .bind(version.tools.join(" "))
        .bind(description.to_owned())
        .bind(version.by.clone())
        .bind(column(version.since_unix_ms))
}

pub(super) fn known(row: &AnyRow) -> Result<KnownComponent, StoreError> {
    let fault = |source| StoreError::query("read a component", source);
    let name: String = row.try_get("name").map_err(fault)?;
    let uploaded: i64 = row.try_get("uploaded").map_err(fault)?;
    let accepted = read(
        row,
        &name,
        ["accepted_digest", "accepted_mark", "accepted_tools", "accepted_by", "accepted_unix_ms"],
    )?;
    let waiting = read(
        row,
        &name,
        ["waiting_digest", "waiting_mark", "waiting_tools", "waiting_by", "waiting_unix_ms"],
    )?;
    Ok(KnownComponent { uploaded: uploaded != 0, accepted, waiting, name })
}

fn read(row: &AnyRow, name: &str, columns: [&'static str; 5]) -> Result<Option<Version>, StoreError> {
    let [digest, mark, tools, by, since] = columns;
    let fault = |source| StoreError::query("read a component", source);
    let damaged = |column| StoreError::Damaged { column, id: name.to_owned() };
    let Some(text) = row.try_get::<Option<String>, _>(digest).map_err(fault)? else { return Ok(None) };
    let text_of =
        |column| row.try_get::<Option<String>, _>(column).map_err(fault)?.ok_or_else(|| damaged(column));
    let since_unix_ms = row.try_get::<Option<i64>, _>(since).map_err(fault)?.ok_or_else(|| damaged(since))?;
    Ok(Some(Version {
        digest: text.parse().map_err(|_| damaged(digest))?,
        mark: text_of(mark)?,
        tools: text_of(tools)?.split_whitespace().map(str::to_owned).collect(),
        by: text_of(by)?,
        since_unix_ms: figure(since_unix_ms),
    }))
}
