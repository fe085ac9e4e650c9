//! Databases that earlier versions made and filled.

#![expect(clippy::disallowed_methods, reason = "the tests make the file that an earlier version left")]

use sqlx::{AnyPool, AssertSqlSafe};

use super::*;
use crate::id::{ApprovalId, CallId, Digest};
use crate::store::clock::now_unix_ms;
use crate::store::tests::{settings, tenant};
use crate::store::{ApprovalState, Binding};

/// What a version's tables have.
struct Has {
    ledger: bool,
    /// The ledger counts runs.
    runs: bool,
    /// The name of the type of bytes.
    bytes: &'static str,
}

/// Fills the tables of a version with one row each of what has to outlive it.
async fn fill(first: &AnyPool, has: &Has, binding: &Binding) {
    let (now, call) = (i64::try_from(now_unix_ms()).unwrap(), CallId::fresh());
    let approval = format!(
        "INSERT INTO approvals (id, state, binding, tenant, user_id, tool, component, arguments_digest, policy_hash, \
         arguments, created_unix_ms, expires_unix_ms, decided_unix_ms, decided_by) VALUES \
         ('{}', 'approved', '{}', 'shop', 'ann', 'cancel_order', '{}', 'a', 'p', '{{}}', {now}, {}, {now}, 'bob')",
        ApprovalId::fresh(),
        binding.hash(),
        binding.digest,
        now + 60_000,
    );
    let call_row = format!(
        "INSERT INTO calls (call_id, tenant, run_id, tool, surface, side_effect, started_unix_ms, wall_ms, fuel, \
         memory_peak_bytes, attempt, code, arguments, node) VALUES \
         ('{call}', 'shop', 'run-1', 'cancel_order', 'mcp', 1, {now}, 5, 7, 9, 1, 'ok', '{{}}', 'gone')"
    );
    let kv = "INSERT INTO kv (tenant, component, key, value) VALUES ('shop', 'orders', CAST('k' AS BYTES), CAST('v' AS BYTES))";
    let usage = "INSERT INTO kv_usage (tenant, component, entries, bytes) VALUES ('shop', 'orders', 1, 2)";
    let mut rows = vec![approval, call_row, kv.replace("BYTES", has.bytes), usage.to_owned()];
    let [column, value] = if has.runs { [", runs", ", 1"] } else { ["", ""] };
    if has.ledger {
        rows.push(format!(
            "INSERT INTO ledger (tenant, tool, key, arguments_digest, state, call_id, node, claimed_unix_ms{column}) \
             VALUES ('shop', 'cancel_order', 'refund:1', 'a', 'unknown', '{call}', 'gone', {now}{value})"
        ));
    }
    for row in rows {
        let inserted = sqlx::query(AssertSqlSafe(row.clone())).execute(first).await;
        inserted.unwrap_or_else(|fault| panic!("{row}: {fault}"));
    }
}

#[tokio::test]
async fn what_earlier_versions_kept_is_still_there() {
    let versions = tables(&settings(&tempfile::tempdir().unwrap()).database).migrations.len();
    for version in 1..=versions {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(&folder);
        if let DatabaseUrl::Sqlite(file) = &settings.database {
            std::fs::create_dir(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        let all = tables(&settings.database).migrations.to_vec();
        let steps = all[..version].to_vec();
        let said = |text: &str| steps.iter().any(|step| step.sql.as_str().contains(text));
        let (ledger, runs) = (said("CREATE TABLE ledger"), said("runs "));
        let bytes = if matches!(settings.database, DatabaseUrl::Sqlite(_)) { "BLOB" } else { "BYTEA" };
        let first = database::first(&settings.database).await.unwrap();
        Migrator::with_migrations(steps).run(&first).await.unwrap();
        let binding = Binding {
            tenant: tenant("shop"),
            user: Some("ann".parse().unwrap()),
            tool: "cancel_order".parse().unwrap(),
            digest: Digest::of(b"x"),
            arguments_digest: "a".into(),
            policy_hash: "p".into(),
        };
        fill(&first, &Has { ledger, runs, bytes }, &binding).await;
        first.close().await;

        let store = Store::open(&settings).await.unwrap();
        let kept = store.approvals().list(None, false).await.unwrap();
        assert_eq!(
            (kept.len(), kept[0].state, &kept[0].binding),
            (1, ApprovalState::Approved, &binding),
            "{version}"
        );
        let orders = store.kv(&tenant("shop"), "orders");
        assert_eq!(orders.get("k").await.unwrap().as_deref(), Some(&b"v"[..]), "{version}");
        let question = sqlx::query("SELECT COUNT(*) FROM calls WHERE code = 'ok' AND tool = 'cancel_order'");
        assert_eq!(store.inner.database.number("count", question).await.unwrap(), 1, "{version}");
        if ledger {
            let question = sqlx::query("SELECT COUNT(*) FROM ledger WHERE state = 'unknown' AND runs = 1");
            assert_eq!(store.inner.database.number("count", question).await.unwrap(), 1, "{version}");
        }
    }
}
