use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::tests::{store, tenant};
use super::*;

#[tokio::test]
async fn values_are_kept_changed_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let kv = store.kv(&tenant("shop"), "orders");
    assert_eq!(kv.get("k").await.unwrap(), None);
    assert!(!kv.delete("k").await.unwrap());
    kv.set("k", b"").await.unwrap();
    assert_eq!(kv.get("k").await.unwrap().as_deref(), Some(b"".as_slice()));
    kv.set("k", b"\0\xFF").await.unwrap();
    let other_process = super::super::tests::store(&folder).await;
    let there = other_process.kv(&tenant("shop"), "orders").get("k").await.unwrap();
    assert_eq!(there.as_deref(), Some(b"\0\xFF".as_slice()));
    assert!(kv.delete("k").await.unwrap());
    assert_eq!(kv.get("k").await.unwrap(), None);
}

#[tokio::test]
async fn swap_compares_presence_and_value() {
    let folder = tempfile::tempdir().unwrap();
    let kv = store(&folder).await.kv(&tenant("shop"), "c");
    assert!(kv.swap("k", None, None).await.unwrap());
    assert!(!kv.swap("k", Some(b"x"), Some(b"y")).await.unwrap());
    assert!(!kv.swap("k", Some(b""), None).await.unwrap(), "an empty value is not a missing one");
    assert!(kv.swap("k", None, Some(b"a")).await.unwrap());
    assert!(!kv.swap("k", None, Some(b"b")).await.unwrap());
    assert!(kv.swap("k", Some(b"a"), Some(b"b")).await.unwrap());
    assert!(kv.swap("k", Some(b"b"), None).await.unwrap());
    assert_eq!(kv.get("k").await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_swaps_in_two_processes_one_wins() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [store(&folder).await, store(&folder).await];
    let tasks: Vec<_> = (0..64)
        .map(|number: u8| {
            let kv = stores[usize::from(number % 2)].kv(&tenant("shop"), "c");
            tokio::spawn(async move { kv.swap("k", None, Some(&[number])).await.unwrap() })
        })
        .collect();
    let mut won = 0;
    for task in tasks {
        won += u32::from(task.await.unwrap());
    }
    assert_eq!(won, 1);
}

#[tokio::test]
async fn keys_and_values_have_their_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let kv = store(&folder).await.kv(&tenant("shop"), "c");
    for bad in ["", &"k".repeat(257), &"ü".repeat(129)] {
        assert!(matches!(kv.get(bad).await, Err(KvError::Invalid(_))));
        assert!(matches!(kv.set(bad, b"").await, Err(KvError::Invalid(_))));
        assert!(matches!(kv.delete(bad).await, Err(KvError::Invalid(_))));
    }
    kv.set(&"ü".repeat(128), b"").await.unwrap();
    let large = vec![0; LARGEST_VALUE + 1];
    assert!(matches!(kv.set("k", &large).await, Err(KvError::Invalid(_))));
    kv.set("k", &large[1..]).await.unwrap();
    assert!(matches!(kv.keys(&"p".repeat(257), None, 1).await, Err(KvError::Invalid(_))));
}

#[tokio::test]
async fn a_quota_holds_for_one_scope_and_removing_frees_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let kv = store.kv(&tenant("shop"), "c");
    let block = vec![7; LARGEST_VALUE];
    for number in 0..15 {
        kv.set(&number.to_string(), &block).await.unwrap();
    }
    // The keys weigh too, so that a sixteenth block of this size does not fit.
    assert!(matches!(kv.set("x", &block).await, Err(KvError::Quota(_))));
    assert!(matches!(kv.swap("x", None, Some(&block)).await, Err(KvError::Quota(_))));
    assert_eq!(kv.get("x").await.unwrap(), None);
    store.kv(&tenant("other"), "c").set("x", &block).await.unwrap();
    kv.set("0", b"").await.unwrap();
    kv.set("x", &block).await.unwrap();
}

#[tokio::test]
async fn the_number_of_keys_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let kv = store.kv(&tenant("shop"), "c");
    kv.set("first", b"").await.unwrap();
    sqlx::query("UPDATE kv_usage SET entries = $1")
        .bind(MOST_KEYS)
        .execute(&store.inner.database.writes)
        .await
        .unwrap();
    assert!(matches!(kv.set("second", b"").await, Err(KvError::Quota(_))));
    kv.set("first", b"more").await.unwrap();
    assert!(kv.delete("first").await.unwrap());
    kv.set("second", b"").await.unwrap();
}

#[tokio::test]
async fn keys_come_in_byte_order_page_by_page() {
    let folder = tempfile::tempdir().unwrap();
    let kv = store(&folder).await.kv(&tenant("shop"), "c");
    let all = ["a", "a\0", "a/", "a/1", "a/2", "aa", "b", "\u{FFFF}", "\u{10FFFF}"];
    for key in all {
        kv.set(key, b"").await.unwrap();
    }
    assert_eq!(kv.keys("", None, 0).await.unwrap().keys, ["a"], "a limit is at least 1");
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = kv.keys("", cursor.as_deref(), 2).await.unwrap();
        assert!(page.keys.len() <= 2);
        seen.extend(page.keys);
        cursor = page.cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, all);
    assert_eq!(kv.keys("a/", None, 9).await.unwrap().keys, ["a/", "a/1", "a/2"]);
    assert_eq!(kv.keys("a/", Some("a/1"), 9).await.unwrap().keys, ["a/2"]);
    assert_eq!(kv.keys("b", Some("a"), 9).await.unwrap().keys, ["b"]);
    assert_eq!(kv.keys("a", Some("b"), 9).await.unwrap(), KeyPage::default());
}

/// One step of a guest: which scope, which key, and the value to set or none to remove.
type Step = (usize, usize, Option<u8>);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Scopes whose names run together, keys that are prefixes of each other: what one scope reads is what it wrote.
    #[test]
    fn no_scope_ever_sees_another(steps in prop::collection::vec((0..4_usize, 0..4_usize, any::<Option<u8>>()), 1..40)) {
        const SCOPES: [(&str, &str); 4] = [("a", "bc"), ("ab", "c"), ("a", "b"), ("A", "bc")];
        const KEYS: [&str; 4] = ["k", "k\0", "kk", "%"];
        let run = async |steps: Vec<Step>| {
            let folder = tempfile::tempdir().unwrap();
            let store = store(&folder).await;
            let mut model = BTreeMap::<(usize, &str), Vec<u8>>::new();
            for (scope, key, value) in steps {
                let kv = store.kv(&tenant(SCOPES[scope].0), SCOPES[scope].1);
                let key = KEYS[key];
                match value {
                    Some(value) => {
                        kv.set(key, &[value]).await.unwrap();
                        model.insert((scope, key), vec![value]);
                    }
                    None => {
                        let was = model.remove(&(scope, key)).is_some();
                        assert_eq!(kv.delete(key).await.unwrap(), was);
                    }
                }
            }
            for (number, (name, component)) in SCOPES.into_iter().enumerate() {
                let kv = store.kv(&tenant(name), component);
                let mut expected = Vec::new();
                for key in KEYS {
                    let held = model.get(&(number, key)).cloned();
                    assert_eq!(kv.get(key).await.unwrap(), held);
                    if held.is_some() {
                        expected.push(key.to_owned());
                    }
                }
                expected.sort();
                assert_eq!(kv.keys("", None, 100).await.unwrap().keys, expected);
            }
        };
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(run(steps));
    }
}
