//! The latest calls of a tenant, a page at a time, as far as a list shows them.

use std::sync::LazyLock;

use sqlx::AnyPool;
use sqlx::any::AnyRow;

use super::calls::get;
use super::clock::figure;
use super::error::StoreError;
use super::{Store, within};
use crate::id::{CallId, RunId, TenantId, UserId};

/// Calls of one page.
const MOST: usize = 1_000;

/// Calls that one page looks at. What a page costs does not depend on how rare the wanted calls are; one that found few
/// says where the next page begins.
const LOOKED_AT: i64 = 10_000;

/// Which calls are wanted.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Those of this tool alone, as callers named it.
    pub tool: Option<String>,
    /// Those that ended with this code alone.
    pub code: Option<String>,
    /// Those that came in before this one alone.
    pub before: Option<CallId>,
    /// At most so many; 1,000 if it is more.
    pub limit: usize,
}

/// One call, as far as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSummary {
    /// The call.
    pub call_id: CallId,
    /// The person or program behind it.
    pub user: Option<UserId>,
    /// What it belonged to.
    pub run: RunId,
    /// The tool as the caller named it.
    pub tool: String,
    /// The way in: `cli`, `mcp` or `http`.
    pub surface: String,
    /// The tool was to be taken as having a side effect.
    pub side_effect: bool,
    /// When the call came in, in milliseconds since 1970.
    pub started_unix_ms: u64,
    /// From the beginning to the end, in milliseconds.
    pub wall_ms: u64,
    /// The attempt that decided, from 1; 0 if none was made.
    pub attempt: u32,
    /// `ok`, a failure's code, or [`EXECUTING`](super::EXECUTING).
    pub code: String,
}

/// Calls, the latest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallPage {
    /// The calls.
    pub calls: Vec<CallSummary>,
    /// What to ask for calls before, to get the next page; none if there are no earlier ones.
    pub next: Option<CallId>,
}

const COLUMNS: &str = "call_id, user_id, run_id, tool, surface, side_effect + 0 AS side_effect, started_unix_ms, \
    wall_ms, attempt, code";

/// An id is made of the moment at which its call came in, so that ids are in the order of calls.
static PAGE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {COLUMNS} FROM calls WHERE tenant = $1 AND call_id < $2 AND call_id >= $3 \
         AND ($4 = '' OR tool = $4) AND ($5 = '' OR code = $5) ORDER BY call_id DESC LIMIT $6"
    )
});

/// The first call that a page does not look at any more.
const LAST_LOOKED_AT: &str = "SELECT call_id FROM calls WHERE tenant = $1 AND call_id < $2 \
    ORDER BY call_id DESC LIMIT 1 OFFSET $3";

/// Stands behind every id that the host makes, in the order of any collation: ids are capital letters and digits.
const AFTER_ALL: &str = "ZZZZZZZZZZZZZZZZZZZZZZZZZZ";

impl Store {
    /// A tenant's latest calls: all that ended, and the side-effecting ones that have begun.
    ///
    /// # Errors
    /// Any [`StoreError`] of reading.
    pub async fn recent(&self, tenant: &TenantId, wanted: &Wanted) -> Result<CallPage, StoreError> {
        // What cannot be written yet cannot be read yet; what is written can.
        let _ = self.inner.log.flush().await;
        within("list calls", page(&self.inner.database.reads, tenant, wanted)).await
    }
}

async fn page(pool: &AnyPool, tenant: &TenantId, wanted: &Wanted) -> Result<CallPage, StoreError> {
    let fault = |source| StoreError::query("list calls", source);
    let limit = wanted.limit.clamp(1, MOST);
    let before = wanted.before.as_ref().map_or(AFTER_ALL, CallId::as_str);
    let last: Option<String> = sqlx::query_scalar(LAST_LOOKED_AT)
        .bind(tenant.as_str().to_owned())
        .bind(before.to_owned())
        .bind(LOOKED_AT - 1)
        .fetch_optional(pool)
        .await
        .map_err(fault)?;
    // One more than is shown, to know whether there are more.
    let rows = sqlx::query(PAGE.as_str())
        .bind(tenant.as_str().to_owned())
        .bind(before.to_owned())
        .bind(last.clone().unwrap_or_default())
        .bind(wanted.tool.clone().unwrap_or_default())
        .bind(wanted.code.clone().unwrap_or_default())
        .bind(i64::try_from(limit + 1).unwrap_or(i64::MAX))
        .fetch_all(pool)
        .await
        .map_err(fault)?;
    let mut calls = rows.iter().map(summary).collect::<Result<Vec<_>, _>>()?;
    let next = if calls.len() > limit {
        calls.truncate(limit);
        calls.last().map(|call| call.call_id.clone())
    } else {
        last.and_then(|last| last.parse().ok())
    };
    Ok(CallPage { calls, next })
}

fn summary(row: &AnyRow) -> Result<CallSummary, StoreError> {
    let id: String = get(row, "call_id")?;
    let damaged = |column| StoreError::Damaged { column, id: id.clone() };
    let user: Option<String> = get(row, "user_id")?;
    Ok(CallSummary {
        call_id: id.parse().map_err(|_| damaged("call_id"))?,
        user: user.map(|it| it.parse()).transpose().map_err(|_| damaged("user_id"))?,
        run: get::<String>(row, "run_id")?.parse().map_err(|_| damaged("run_id"))?,
        tool: get(row, "tool")?,
        surface: get(row, "surface")?,
        side_effect: get::<i64>(row, "side_effect")? != 0,
        started_unix_ms: figure(get(row, "started_unix_ms")?),
        wall_ms: figure(get(row, "wall_ms")?),
        attempt: u32::try_from(get::<i64>(row, "attempt")?).map_err(|_| damaged("attempt"))?,
        code: get(row, "code")?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ended, store, tenant};
    use super::*;

    fn wanted(limit: usize) -> Wanted {
        Wanted { limit, ..Wanted::default() }
    }

    /// Records calls of the tenant `shop`, and one of another tenant in between. Gives their ids, the latest first.
    async fn recorded(store: &Store, number: u64) -> Vec<CallId> {
        let mut ids = Vec::new();
        for at in 0..number {
            let id: CallId = format!("01JZ8Q4W2K5T7V9X1Y3Z{at:06}").parse().unwrap();
            let mut record = ended(&id);
            record.tool = if at % 2 == 0 { "even" } else { "odd" }.to_owned();
            record.code = if at == 0 { "timeout" } else { "ok" }.into();
            let slot = store.log().try_reserve(0).unwrap();
            slot.finish(|row| row.fill(&record));
            ids.push(id);
        }
        let mut other = ended(&"01JZ8Q4W2K5T7V9X1Y3Z000002x".parse().unwrap());
        other.tenant = tenant("other");
        store.log().try_reserve(0).unwrap().finish(|row| row.fill(&other));
        ids.reverse();
        ids
    }

    fn ids(page: &CallPage) -> Vec<CallId> {
        page.calls.iter().map(|call| call.call_id.clone()).collect()
    }

    #[tokio::test]
    async fn a_tenant_sees_its_own_calls_page_by_page_the_latest_first() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder).await;
        let all = recorded(&store, 5).await;
        let shop = tenant("shop");
        let first = store.recent(&shop, &wanted(2)).await.unwrap();
        assert_eq!((ids(&first), &first.next), (all[..2].to_vec(), &Some(all[1].clone())));
        let rest = store.recent(&shop, &Wanted { before: first.next, ..wanted(3) }).await.unwrap();
        assert_eq!((ids(&rest), rest.next), (all[2..].to_vec(), None));
        assert_eq!(store.recent(&tenant("nobody"), &wanted(9)).await.unwrap(), CallPage::default());
    }

    #[tokio::test]
    async fn calls_are_found_by_tool_and_by_code() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder).await;
        let all = recorded(&store, 5).await;
        let shop = tenant("shop");
        let odd = Wanted { tool: Some("odd".into()), ..wanted(9) };
        assert_eq!(ids(&store.recent(&shop, &odd).await.unwrap()), [all[1].clone(), all[3].clone()]);
        let late = Wanted { code: Some("timeout".into()), ..wanted(9) };
        assert_eq!(ids(&store.recent(&shop, &late).await.unwrap()), [all[4].clone()]);
        let neither = Wanted { tool: Some("odd".into()), ..late };
        assert_eq!(store.recent(&shop, &neither).await.unwrap(), CallPage::default());
    }

    #[tokio::test]
    async fn a_page_looks_at_so_many_calls_and_says_where_to_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder).await;
        let all = recorded(&store, u64::try_from(LOOKED_AT).unwrap() + 2).await;
        let shop = tenant("shop");
        let late = Wanted { code: Some("timeout".into()), ..wanted(9) };
        let nothing = store.recent(&shop, &late).await.unwrap();
        assert_eq!((nothing.calls.len(), &nothing.next), (0, &Some(all[9_999].clone())));
        let found = store.recent(&shop, &Wanted { before: nothing.next, ..late }).await.unwrap();
        assert_eq!((ids(&found), found.next), (vec![all[10_001].clone()], None));
    }
}
