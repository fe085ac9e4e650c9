//! No argument carries the tenant; each sees only its own; and nothing of one is left for the next.

use toolhost::gate::Call;
use toolhost::spec::Outcome;
use toolhost_tests::guest::Guest;
use toolhost_tests::host::{Ground, caller, text};
use toolhost_tests::rounds;

const TWO_TENANTS: &str = r#"
[[component]]
path = "tools/orders.wasm"
trust_annotations = true
grants = { kv = true }
tool.cancel_order = { requires_approval = false }

[[tenant]]
id = "acme"

[[tenant]]
id = "globex"
allow = ["*"]
deny = ["cancel_*"]
"#;

#[tokio::test(flavor = "multi_thread")]
async fn two_tenants_see_their_own_orders_and_a_cancelled_one_stays_cancelled() {
    let ground = Ground::new().samples(&["orders"]).config(TWO_TENANTS);
    let host = ground.start().await;
    let ask = async |tenant: &str, tool: &str, arguments: &str| -> Outcome {
        host.execute(Call::new(caller(&host, tenant), tool, arguments)).await
    };
    let listed = async |tenant: &str| text(&ask(tenant, "find_orders", r#"{"customer_id":"C-1001"}"#).await);
    let (acme, globex) = tokio::join!(listed("acme"), listed("globex"));
    assert_ne!(acme, globex);
    assert_eq!(acme, listed("acme").await, "the same tenant sees the same orders again");

    let all: serde_json::Value = serde_json::from_str(&text(
        &ask("acme", "find_orders", r#"{"customer_id":"C-1001","status":"open"}"#).await,
    ))
    .unwrap();
    let order = first_order(&all);
    let cancelled =
        ask("acme", "cancel_order", &format!(r#"{{"order_id":"{order}","reason":"changed my mind"}}"#)).await;
    assert_eq!(cancelled.code(), "ok", "{}", text(&cancelled));
    let refused = ask("globex", "cancel_order", r#"{"order_id":"x","reason":"y"}"#).await;
    assert_eq!(
        text(&refused),
        "Error (NotAllowed): You are not permitted to use that tool in this context. \
         Continue with the tools you have been given."
    );
    host.shutdown(std::time::Duration::from_secs(1)).await;

    let again = ground.start().await;
    let order_again = Call::new(caller(&again, "acme"), "get_order", format!(r#"{{"order_id":"{order}"}}"#));
    let seen = text(&again.execute(order_again).await);
    assert!(seen.contains("cancelled"), "{seen}");
}

fn first_order(found: &serde_json::Value) -> String {
    let orders = found.get("orders").unwrap_or(found).as_array().unwrap_or_else(|| panic!("{found}"));
    orders[0]
        .get("order_id")
        .or_else(|| orders[0].get("id"))
        .and_then(|id| id.as_str())
        .unwrap_or_else(|| panic!("{found}"))
        .to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_grant_the_store_is_denied() {
    let host = Ground::new().samples(&["orders"]).start().await;
    let outcome =
        host.execute(Call::new(caller(&host, "local"), "get_customer", r#"{"customer_id":"C-1001"}"#)).await;
    assert_eq!(outcome.code(), "tool_error", "{}", text(&outcome));
}

/// One guest counts its calls in a global and fills its memory; another looks for what is left of it.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_in_memory_is_left_for_the_next_call() {
    let pages = 32;
    let memory = format!(r#"(memory (export "memory") {pages})"#);
    let fill = format!(
        "(memory.fill (i32.const 65536) (i32.const 0xa5) (i32.const {})) {}",
        (pages - 1) * 65_536,
        Guest::text(1024, 5)
    );
    let writer = Guest::new("write", &fill).memory(&memory).build();
    // The host writes the call's own arguments below 131072. Each byte above that is not zero, counted eight at a time; the answer is one digit per sort of finding.
    let scan = format!(
        "(local $at i32) (local $found i64)
         (local.set $at (i32.const 131072))
         (loop $next
            (local.set $found (i64.or (local.get $found) (i64.load (local.get $at))))
            (local.set $at (i32.add (local.get $at) (i32.const 8)))
            (br_if $next (i32.lt_u (local.get $at) (i32.const {end}))))
         (i32.store8 (i32.const 60000) (i32.add (i32.const 48) (i64.ne (local.get $found) (i64.const 0))))
         {answer}",
        end = pages * 65_536 - 65_536,
        answer = Guest::text(60_000, 1)
    );
    let reader = Guest::new("read", &scan).memory(&memory).build();
    let ground = Ground::new()
        .component("write", &writer)
        .component("read", &reader)
        .config("[[component]]\npath = \"tools/*.wasm\"\n[[tenant]]\nid = \"a\"\n[[tenant]]\nid = \"b\"\n");
    let host = ground.start().await;
    for _ in 0..rounds(1_000, 100_000) {
        let wrote = host.execute(Call::new(caller(&host, "a"), "write", "{}")).await;
        assert_eq!(text(&wrote), "write");
        let read = host.execute(Call::new(caller(&host, "b"), "read", "{}")).await;
        assert_eq!(text(&read), "0", "a byte of one tenant was read by another");
    }
}
