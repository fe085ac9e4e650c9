use super::super::tests::{store, tenant};
use super::*;
use crate::policy::Role;
use crate::store::now_unix_ms;

const HOUR: Duration = Duration::from_secs(3_600);

fn powers() -> KeyPowers {
    KeyPowers {
        tenant: tenant("shop"),
        user: Some("ann".parse().unwrap()),
        roles: Roles::NONE.with(Role::Caller).with(Role::Approver),
        allow: Some(vec!["find_*".parse().unwrap(), "get_order".parse().unwrap()]),
        name: Some("the till".to_owned()),
    }
}

fn good(found: Option<Arc<StoredKey>>) -> bool {
    found.is_some_and(|key| key.state(now_unix_ms()) == KeyState::Active)
}

/// Waits until a store sees a key as good, or as not.
async fn until(keys: &Keys, text: &str, is_good: bool) {
    let began = std::time::Instant::now();
    while good(keys.find(text).await.unwrap()) != is_good {
        assert!(began.elapsed() < Duration::from_secs(30), "the change is never seen");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn a_key_is_found_with_all_that_it_is_good_for_and_is_nowhere_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let keys = store.keys();
    assert!(!keys.were_made().await.unwrap());
    let made = keys.create(powers(), Some(HOUR), "boss").await.unwrap();
    let text = made.text.expose();
    for _ in 0..2 {
        let found = keys.find(text).await.unwrap().unwrap();
        assert_eq!((&*found, &found.powers), (&made.key, &powers()));
        assert_eq!(found.expires_unix_ms, Some(found.created_unix_ms + 3_600_000));
    }
    assert!(keys.were_made().await.unwrap());
    // Another key with the same id is none.
    let forged = text::fresh(&made.key.id);
    assert_eq!(keys.find(forged.expose()).await.unwrap(), None);
    let plain = keys
        .create(KeyPowers { user: None, allow: None, name: None, ..powers() }, None, "boss")
        .await
        .unwrap();
    let found = keys.find(plain.text.expose()).await.unwrap().unwrap();
    assert_eq!((&found.powers.allow, found.expires_unix_ms), (&None, None));
    let nothing = keys.create(KeyPowers { allow: Some(vec![]), ..powers() }, None, "boss").await.unwrap();
    let found = keys.find(nothing.text.expose()).await.unwrap().unwrap();
    assert_eq!(found.powers.allow, Some(vec![]), "an empty list is not a missing one");
    assert_eq!(keys.list(Some(&tenant("shop"))).await.unwrap().len(), 3);
    assert_eq!(keys.list(Some(&tenant("other"))).await.unwrap().len(), 0);
    for row in sqlx::query_scalar::<_, String>("SELECT digest FROM api_keys UNION SELECT id FROM api_keys")
        .fetch_all(&store.inner.database.reads)
        .await
        .unwrap()
    {
        assert!(!row.contains(&text[21..73]), "the secret part is in the database");
    }
}

#[tokio::test]
async fn a_key_ends_at_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let keys = store(&folder).await.keys();
    let made = keys.create(powers(), Some(Duration::from_millis(1)), "boss").await.unwrap();
    until(&keys, made.text.expose(), false).await;
    let found = keys.find(made.text.expose()).await.unwrap().unwrap();
    assert_eq!(found.state(now_unix_ms()), KeyState::Expired);
    let ended = keys.rotate(&made.key.id, HOUR, "boss").await;
    assert!(matches!(ended, Err(KeyError::Ended(..))), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_process_sees_that_a_key_is_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (store(&folder).await.keys(), store(&folder).await.keys());
    let made = here.create(powers(), None, "boss").await.unwrap();
    let text = made.text.expose();
    until(&there, text, true).await;
    let revoked = here.revoke(&made.key.id, "anna").await.unwrap();
    assert!(!good(here.find(text).await.unwrap()), "where it was done it counts at once");
    until(&there, text, false).await;
    assert_eq!(there.list(None).await.unwrap(), [revoked]);
    assert!(matches!(here.revoke(&made.key.id, "anna").await, Err(KeyError::Ended(..))));
    assert!(matches!(here.revoke(&KeyId::fresh(), "anna").await, Err(KeyError::NotFound(_))));
    assert!(here.were_made().await.unwrap(), "a revoked key counts");
    let record: Vec<_> = there
        .changes(&made.key.id)
        .await
        .unwrap()
        .into_iter()
        .map(|KeyChange { change, by, .. }| format!("{change} by {by}"))
        .collect();
    assert_eq!(record, ["created by boss", "revoked by anna"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_told_counts_though_nobody_looks() {
    // On PostgreSQL a key counts until its change is told; on SQLite it is looked up again.
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (store(&folder).await, store(&folder).await);
    if there.inner.database.kind() != Kind::Postgres {
        return;
    }
    let changes = there.inner.keys.changes();
    let made = here.keys().create(powers(), None, "boss").await.unwrap();
    let began = std::time::Instant::now();
    while there.inner.keys.changes() == changes {
        assert!(began.elapsed() < Duration::from_secs(30), "nothing is told");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    drop(made);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotated_key_is_good_for_its_grace_and_its_successor_for_the_same_powers() {
    let folder = tempfile::tempdir().unwrap();
    let keys = store(&folder).await.keys();
    let first = keys.create(powers(), Some(HOUR * 24), "boss").await.unwrap();
    let second = keys.rotate(&first.key.id, HOUR, "boss").await.unwrap();
    assert_eq!(second.key.powers, powers());
    assert!(
        good(keys.find(first.text.expose()).await.unwrap())
            && good(keys.find(second.text.expose()).await.unwrap())
    );
    let old = keys.find(first.text.expose()).await.unwrap().unwrap();
    assert_eq!(old.replaced_by.as_ref(), Some(&second.key.id));
    assert!(old.expires_unix_ms < first.key.expires_unix_ms, "it ends after its grace");
    assert!(matches!(keys.rotate(&first.key.id, HOUR, "boss").await, Err(KeyError::Ended(..))));
    let third = keys.rotate(&second.key.id, Duration::ZERO, "boss").await.unwrap();
    assert!(!good(keys.find(second.text.expose()).await.unwrap()), "without a grace it ends at once");
    assert!(good(keys.find(third.text.expose()).await.unwrap()));
    // A grace never makes a key live longer.
    let short = keys.create(powers(), Some(HOUR), "boss").await.unwrap();
    keys.rotate(&short.key.id, HOUR * 2, "boss").await.unwrap();
    let old = keys.find(short.text.expose()).await.unwrap().unwrap();
    assert_eq!(old.expires_unix_ms, short.key.expires_unix_ms);
}

#[tokio::test]
async fn unknown_keys_are_not_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    for _ in 0..200 {
        let unknown = text::fresh(&KeyId::fresh());
        assert_eq!(store.keys().find(unknown.expose()).await.unwrap(), None);
    }
    assert_eq!(store.inner.keys.len(), 0);
    let made = store.keys().create(powers(), None, "boss").await.unwrap();
    store.keys().find(made.text.expose()).await.unwrap();
    assert_eq!(store.inner.keys.len(), 1);
}

#[tokio::test]
async fn a_key_that_is_remembered_is_not_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let made = store.keys().create(powers(), None, "boss").await.unwrap();
    let text = made.text.expose();
    store.keys().find(text).await.unwrap();
    // As long as it counts it is there, though the database is gone.
    store.inner.keys.set_told(true);
    store.keys().find(text).await.unwrap();
    store.inner.database.close().await;
    assert!(good(store.keys().find(text).await.unwrap()));
    store.inner.keys.changed();
    assert!(store.keys().find(text).await.is_err(), "what cannot be looked up lets nobody in");
}
