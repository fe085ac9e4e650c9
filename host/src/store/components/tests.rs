use super::super::tests::store;
use super::*;

fn met(name: &str, code: &str, says: &str, keep: Keep) -> Met {
    let version =
        Version::now(Digest::of(code.as_bytes()), says, vec!["a".into(), "b".into()], "first sight");
    Met { name: name.into(), uploaded: false, version, description: says.into(), keep }
}

#[tokio::test]
async fn what_is_accepted_and_what_waits_stand_beside_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let components = store(&folder).await.components();
    let (first, second) = (met("t", "1", "one", Keep::Accepted), met("t", "2", "two", Keep::Waiting));
    components.remember(&[first.clone(), met("u", "3", "three", Keep::Waiting)]).await.unwrap();
    components.remember(std::slice::from_ref(&second)).await.unwrap();
    let known = components.get("t").await.unwrap().unwrap();
    assert_eq!(known.accepted.as_ref(), Some(&first.version));
    assert_eq!(known.waiting.as_ref(), Some(&second.version));
    assert_eq!(components.list().await.unwrap().len(), 2);
    let said = components.descriptions("t").await.unwrap();
    assert_eq!(said, (Some("one".to_owned()), Some("two".to_owned())));
    assert_eq!(components.get("nobody").await.unwrap(), None);
    assert_eq!(components.descriptions("nobody").await.unwrap(), (None, None));
}

#[tokio::test]
async fn only_the_version_that_waits_is_accepted_or_rejected_and_each_change_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let components = store(&folder).await.components();
    let (first, second) = (met("t", "1", "one", Keep::Accepted), met("t", "2", "two", Keep::Waiting));
    components.remember(&[first.clone(), second.clone()]).await.unwrap();
    let before = components.changes().await.unwrap();
    let other_code = Version { digest: Digest::of(b"3"), ..second.version.clone() };
    let other_words = Version { mark: "of other words".into(), ..second.version.clone() };
    for other in [&other_code, &other_words, &first.version] {
        assert!(!components.accept("t", other, "anna").await.unwrap());
        assert!(!components.reject("t", other).await.unwrap());
    }
    assert_eq!(components.changes().await.unwrap(), before, "nothing changed");
    assert!(components.accept("t", &second.version, "anna").await.unwrap());
    let known = components.get("t").await.unwrap().unwrap();
    let accepted = known.accepted.unwrap();
    assert!(accepted.is_same(&second.version) && accepted.by == "anna", "{accepted:?}");
    assert_eq!(known.waiting, None);
    assert!(components.changes().await.unwrap() > before);
    components.remember(&[met("u", "1", "one", Keep::Waiting)]).await.unwrap();
    let waiting = components.get("u").await.unwrap().unwrap().waiting.unwrap();
    assert!(components.reject("u", &waiting).await.unwrap());
    assert_eq!(components.get("u").await.unwrap(), None, "nothing was ever accepted under it");
    assert!(components.forget("t").await.unwrap() && !components.forget("t").await.unwrap());
}

#[tokio::test]
async fn bytes_are_kept_in_parts_and_come_back_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let components = store(&folder).await.components();
    let bytes: Vec<u8> = (0..(2 << 20) + 17).map(|at: u32| at.to_le_bytes()[1]).collect();
    let digest = Digest::of(&bytes);
    assert_eq!(components.bytes(&digest, usize::MAX).await.unwrap(), None);
    components.keep_bytes(&bytes).await.unwrap();
    components.keep_bytes(&bytes).await.unwrap();
    assert!(components.bytes(&digest, bytes.len()).await.unwrap() == Some(bytes.clone()));
    assert_eq!(components.bytes(&digest, bytes.len() - 1).await.unwrap(), None, "more than may be read");
    let writes = &components.store.inner.database.writes;
    sqlx::query("UPDATE component_parts SET bytes = $1 WHERE part = 1")
        .bind(b"x".to_vec())
        .execute(writes)
        .await
        .unwrap();
    assert_eq!(components.bytes(&digest, usize::MAX).await.unwrap(), None, "a part was changed");
}

#[tokio::test]
async fn bytes_that_no_component_has_are_removed_after_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let components = store.components();
    for code in ["1", "2", "3", "4"] {
        components.keep_bytes(code.as_bytes()).await.unwrap();
    }
    let (first, second) = (met("t", "1", "one", Keep::Accepted), met("t", "2", "two", Keep::Waiting));
    components.remember(&[first, second]).await.unwrap();
    assert_eq!(components.prune_bytes().await.unwrap(), 0, "they were brought just now");
    let old = "UPDATE component_parts SET kept_unix_ms = 1 WHERE digest <> $1";
    let fresh = Digest::of(b"4").to_string();
    sqlx::query(old).bind(fresh).execute(&store.inner.database.writes).await.unwrap();
    assert_eq!(store.prune(std::time::Duration::from_secs(3_600)).await.unwrap(), 1);
    for (code, stays) in [("1", true), ("2", true), ("3", false), ("4", true)] {
        let kept = components.bytes(&Digest::of(code.as_bytes()), 10).await.unwrap();
        assert_eq!(kept.is_some(), stays, "{code}");
    }
}

#[tokio::test]
async fn another_process_that_changes_something_rings() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (store(&folder).await, store(&folder).await);
    let seen = other.components().changes().await.unwrap();
    let told = tokio::spawn(async move { other.components().until_changed(seen).await });
    one.components().remember(&[met("t", "1", "one", Keep::Accepted)]).await.unwrap();
    assert_eq!(told.await.unwrap(), seen + 1);
}

#[tokio::test]
async fn first_sight_takes_nothing_from_what_another_host_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let components = store.components();
    let (first, second) = (met("t", "1", "one", Keep::FirstSeen), met("t", "2", "two", Keep::FirstSeen));
    components.remember(std::slice::from_ref(&first)).await.unwrap();
    components.remember(std::slice::from_ref(&first)).await.unwrap();
    let refused = components.remember(&[second]).await.unwrap_err().to_string();
    assert!(refused.contains("was accepted meanwhile"), "{refused}");
    let kept = components.get("t").await.unwrap().unwrap().accepted.unwrap();
    assert_eq!(kept.digest, first.version.digest);
    components.remember(&[met("t", "2", "two", Keep::Accepted)]).await.unwrap();
}
