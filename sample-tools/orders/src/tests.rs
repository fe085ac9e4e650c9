use toolhost_sdk::Value;
use toolhost_sdk::testing::{self, FakeContext, Seen};

use super::*;

#[test]
fn the_host_takes_all_of_them() {
    assert_eq!(
        testing::admit(&[
            &get_customer {},
            &get_order {},
            &find_orders {},
            &cancel_order {},
            &build_report {}
        ]),
        Ok(())
    );
}

#[test]
fn each_tenant_sees_its_own_orders() {
    let (acme, beta) = (FakeContext::new().tenant("acme"), FakeContext::new().tenant("beta"));
    let of = |fake| testing::call(&get_order {}, fake, r#"{"order_id": "O-10001"}"#);
    assert!(!of(&acme).is_error, "{}", of(&acme).text);
    assert_eq!(of(&acme), of(&acme));
    assert_ne!(of(&acme).structured, of(&beta).structured);
    let customer = testing::call(&get_customer {}, &acme, r#"{"customer_id": "C-1001"}"#);
    assert_eq!(field(&customer, "customer_id"), "C-1001");
}

#[test]
fn orders_are_found_by_status_and_day_newest_first() {
    let acme = FakeContext::new().tenant("acme");
    let all = find(&acme, "");
    assert_eq!(all.matching, 5);
    assert!(all.orders.is_sorted_by(|newer, older| newer.placed >= older.placed));
    let each: u32 = ["open", "shipped", "cancelled"]
        .iter()
        .map(|it| find(&acme, &format!(r#", "status": "{it}""#)).matching)
        .sum();
    assert_eq!(each, 5);
    let open = find(&acme, r#", "status": "open""#);
    assert!(open.matching >= 1 && open.orders.iter().all(|order| order.status == Status::Open));

    let newest = all.orders.first().map(|order| order.placed.to_string()).unwrap_or_default();
    let since = find(&acme, &format!(r#", "since": "{newest}""#));
    assert!(since.matching >= 1 && since.matching < 5, "the day itself counts, and older ones do not");
    assert_eq!(find(&acme, r#", "since": null"#), all);

    let two = find(&acme, r#", "limit": 2"#);
    assert_eq!((two.matching, two.orders.len()), (5, 2));
}

#[test]
fn a_cancelled_order_stays_cancelled_and_no_other_is() {
    let acme = FakeContext::new().tenant("acme");
    let beta = FakeContext::new().tenant("beta");
    let before = find(&acme, "");
    let cancel = |reason: &str| {
        testing::call(&cancel_order {}, &acme, &format!(r#"{{"order_id": "O-10001", "reason": "{reason}"}}"#))
    };
    let cancelled = cancel("too small");
    assert_eq!(
        (field(&cancelled, "status"), field(&cancelled, "cancel_reason")),
        ("cancelled".into(), "too small".into())
    );
    assert_eq!(cancel("too large"), cancelled, "a second cancel changes nothing");

    let after = find(&acme, "");
    let others = |found: &FoundOrders| -> Vec<Order> {
        found.orders.iter().filter(|order| order.order_id != "O-10001").cloned().collect()
    };
    assert_eq!(others(&before), others(&after));
    assert_eq!(
        field(&testing::call(&get_order {}, &acme, r#"{"order_id": "O-10001"}"#), "status"),
        "cancelled"
    );
    assert_eq!(field(&testing::call(&get_order {}, &beta, r#"{"order_id": "O-10001"}"#), "status"), "open");
}

#[test]
fn a_shipped_order_is_not_cancelled() {
    let acme = FakeContext::new().tenant("acme");
    let shipped = shelf::load(&acme.context()).expect("a shop").orders;
    let shipped = shipped.iter().find(|order| order.status == Status::Shipped).expect("one is shipped");
    let arguments = format!(r#"{{"order_id": "{}", "reason": "changed my mind"}}"#, shipped.order_id);
    let seen = testing::call(&cancel_order {}, &acme, &arguments);
    assert_eq!((seen.kind.as_deref(), seen.retryable), (Some("AlreadyShipped"), false));
    assert_eq!(find(&acme, "").matching, 5);
    let now = testing::call(&get_order {}, &acme, &format!(r#"{{"order_id": "{}"}}"#, shipped.order_id));
    assert_eq!(field(&now, "status"), "shipped");
}

#[test]
fn two_changes_at_once_both_happen() {
    let acme = FakeContext::new().tenant("acme");
    let ctx = acme.context();
    let mut rounds = 0;
    let done = shelf::update(&ctx, |shop| {
        rounds += 1;
        if rounds == 1 {
            // Another call comes between this one's reading and writing.
            testing::call(&cancel_order {}, &acme, r#"{"order_id": "O-10006", "reason": "first"}"#);
        }
        let order = shop.orders.iter_mut().find(|order| order.order_id == "O-10001").expect("there is one");
        order.status = Status::Cancelled;
        Ok(())
    });
    assert_eq!((done, rounds), (Ok(()), 2));
    let status = |id: &str| {
        field(&testing::call(&get_order {}, &acme, &format!(r#"{{"order_id": "{id}"}}"#)), "status")
    };
    assert_eq!((status("O-10001"), status("O-10006")), ("cancelled".into(), "cancelled".into()));
}

#[test]
fn what_is_not_there_is_said() {
    let acme = FakeContext::new().tenant("acme");
    let order = testing::call(&get_order {}, &acme, r#"{"order_id": "O-1"}"#);
    assert_eq!(
        order.text,
        "Error (NotFound): There is no order 'O-1'. Ids look like 'O-10001'; find_orders lists those of a customer."
    );
    let customer = testing::call(&find_orders {}, &acme, r#"{"customer_id": "C-9"}"#);
    assert_eq!(
        customer.text,
        "Error (NotFound): There is no customer 'C-9'. Ids look like 'C-1001'; ask for the right one."
    );
    let denied = FakeContext::new().kv_fails(toolhost_sdk::KvError::Denied);
    assert_eq!(testing::call(&build_report {}, &denied, "{}").kind.as_deref(), Some("KvError"));
    let long = "x".repeat(REASON_CHARS + 1);
    let refused =
        testing::call(&cancel_order {}, &acme, &format!(r#"{{"order_id": "O-10001", "reason": "{long}"}}"#));
    assert_eq!(refused.text, "Error (ToolError): The reason is too long. Say it in at most 500 characters.");
}

#[test]
fn the_report_is_long_and_is_json() {
    let acme = FakeContext::new().tenant("acme");
    let report = testing::call(&build_report {}, &acme, "{}");
    assert!((200_000..256 * 1024).contains(&report.text.len()), "{} bytes", report.text.len());
    let rows: Value = report.text.parse().expect("JSON");
    assert_eq!(rows.as_array().map(Vec::len), Some(365 * 6));
}

fn find(fake: &FakeContext, more: &str) -> FoundOrders {
    let seen = testing::call(&find_orders {}, fake, &format!(r#"{{"customer_id": "C-1001"{more}}}"#));
    let structured = seen.structured.unwrap_or_else(|| panic!("{}", seen.text));
    serde_json::from_value(structured).expect("what was found")
}

fn field(seen: &Seen, name: &str) -> String {
    let value = seen.structured.as_ref().and_then(|value| value.get(name)).and_then(Value::as_str);
    value.unwrap_or_else(|| panic!("no '{name}' in {}", seen.text)).to_owned()
}
