use super::super::tests::{store, tenant};
use super::*;
use crate::id::Digest;
use crate::store::now_unix_ms;

const APPROVE: Decision<'static> = Decision::Approve { reason: None, edited: None };
const DAY: Duration = Duration::from_secs(86_400);

fn binding() -> Binding {
    Binding {
        tenant: tenant("shop"),
        user: Some("ann".parse().unwrap()),
        tool: "cancel_order".parse().unwrap(),
        digest: Digest::of(b"code"),
        arguments_digest: "args".into(),
        policy_hash: "policy".into(),
    }
}

/// Moves the end of every question into the past, as time would.
async fn let_expire(store: &Store) {
    sqlx::query("UPDATE approvals SET expires_unix_ms = $1")
        .bind(column(now_unix_ms() - 1))
        .execute(&store.inner.database.writes)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_question_is_asked_answered_and_used_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let approvals = store.approvals();
    assert_eq!(approvals.redeem(&binding()).await.unwrap(), Redeemed::None);
    let id = approvals.ask(&binding(), "{}", DAY).await.unwrap().unwrap();
    assert_eq!(approvals.redeem(&binding()).await.unwrap(), Redeemed::Pending(id.clone()));
    let decided = approvals
        .decide(&id, "boss", Decision::Approve { reason: Some("fine"), edited: None })
        .await
        .unwrap()
        .approval;
    assert_eq!(decided.state, ApprovalState::Approved);
    assert_eq!(decided.binding, binding());
    assert_eq!((decided.decided_by.as_deref(), decided.reason.as_deref()), (Some("boss"), Some("fine")));
    assert_eq!(
        approvals.redeem(&binding()).await.unwrap(),
        Redeemed::Approved { id: id.clone(), edited: None }
    );
    assert_eq!(approvals.redeem(&binding()).await.unwrap(), Redeemed::None);
    assert_eq!(approvals.get(&id).await.unwrap().unwrap().state, ApprovalState::Used);
    assert_ne!(approvals.ask(&binding(), "{}", DAY).await.unwrap().unwrap(), id);
}

#[tokio::test]
async fn an_answer_is_good_for_its_binding_alone() {
    let folder = tempfile::tempdir().unwrap();
    let approvals = store(&folder).await.approvals();
    let id = approvals.ask(&binding(), "{}", DAY).await.unwrap().unwrap();
    approvals.decide(&id, "boss", APPROVE).await.unwrap();
    let others = [
        Binding { tenant: tenant("shop2"), ..binding() },
        Binding { user: None, ..binding() },
        Binding { user: Some("bob".parse().unwrap()), ..binding() },
        Binding { tool: "cancel_orders".parse().unwrap(), ..binding() },
        Binding { digest: Digest::of(b"other code"), ..binding() },
        Binding { arguments_digest: "other".into(), ..binding() },
        Binding { policy_hash: "other".into(), ..binding() },
        Binding { arguments_digest: "argsp".into(), policy_hash: "olicy".into(), ..binding() },
    ];
    for other in others {
        assert_eq!(approvals.redeem(&other).await.unwrap(), Redeemed::None, "{other:?}");
    }
    assert_eq!(approvals.redeem(&binding()).await.unwrap(), Redeemed::Approved { id, edited: None });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_who_redeem_at_once_one_gets_it_and_of_many_who_ask_all_get_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [store(&folder).await, store(&folder).await];
    let of = |number: usize| stores[number % 2].approvals();
    let asked: Vec<_> = (0..64)
        .map(|number| {
            let approvals = of(number);
            tokio::spawn(async move { approvals.ask(&binding(), "{}", DAY).await.unwrap().unwrap() })
        })
        .collect();
    let mut ids = Vec::new();
    for task in asked {
        ids.push(task.await.unwrap());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    of(0).decide(&ids[0], "boss", APPROVE).await.unwrap();
    let redeemed: Vec<_> = (0..64)
        .map(|number| {
            let approvals = of(number);
            tokio::spawn(async move { approvals.redeem(&binding()).await.unwrap() })
        })
        .collect();
    let mut won = 0;
    for task in redeemed {
        match task.await.unwrap() {
            Redeemed::Approved { id, .. } => {
                assert_eq!(id, ids[0]);
                won += 1;
            }
            other => assert_eq!(other, Redeemed::None),
        }
    }
    assert_eq!(won, 1);
}

#[tokio::test]
async fn a_denial_stands_until_the_question_would_have_expired() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let approvals = store.approvals();
    let id = approvals.ask(&binding(), "{}", DAY).await.unwrap().unwrap();
    approvals.decide(&id, "boss", Decision::Deny { reason: "not this one" }).await.unwrap();
    let denied = Redeemed::Denied { id: id.clone(), reason: "not this one".into() };
    for _ in 0..3 {
        assert_eq!(approvals.redeem(&binding()).await.unwrap(), denied);
    }
    let_expire(&store).await;
    assert_eq!(approvals.redeem(&binding()).await.unwrap(), Redeemed::None);
    assert_ne!(approvals.ask(&binding(), "{}", DAY).await.unwrap().unwrap(), id);
}

#[tokio::test]
async fn an_expiry_is_told_once_whether_it_was_decided_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let approvals = store.approvals();
    for (approve, reason) in
        [(false, "Nobody decided in time."), (true, "The approval expired before it was used.")]
    {
        let id = approvals.ask(&binding(), "{}", DAY).await.unwrap().unwrap();
        if approve {
            approvals
                .decide(&id, "boss", Decision::Approve { reason: Some("fine"), edited: None })
                .await
                .unwrap();
        }
        let_expire(&store).await;
        assert_eq!(approvals.get(&id).await.unwrap().unwrap().state, ApprovalState::Expired);
        let told = Redeemed::Denied { id: id.clone(), reason: reason.into() };
        assert_eq!(approvals.redeem(&binding()).await.unwrap(), told);
        assert_eq!(approvals.redeem(&binding()).await.unwrap(), Redeemed::None);
    }
}

#[tokio::test]
async fn only_an_open_question_can_be_decided() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let approvals = store.approvals();
    let unknown = ApprovalId::fresh();
    assert!(matches!(approvals.decide(&unknown, "boss", APPROVE).await, Err(DecideError::NotFound(_))));
    let id = approvals.ask(&binding(), "{}", DAY).await.unwrap().unwrap();
    approvals.decide(&id, "boss", Decision::Deny { reason: "no" }).await.unwrap();
    let again = approvals.decide(&id, "other", APPROVE).await;
    assert!(matches!(again, Err(DecideError::NotPending { state: ApprovalState::Denied, .. })));
    assert_eq!(approvals.get(&id).await.unwrap().unwrap().decided_by.as_deref(), Some("boss"));

    let other = Binding { user: None, ..binding() };
    let id = approvals.ask(&other, "{}", DAY).await.unwrap().unwrap();
    let_expire(&store).await;
    let late = approvals.decide(&id, "boss", APPROVE).await;
    assert!(matches!(late, Err(DecideError::NotPending { state: ApprovalState::Expired, .. })));
}

#[tokio::test]
async fn an_open_question_survives_a_restart_and_is_listed_for_its_tenant() {
    let folder = tempfile::tempdir().unwrap();
    let first = store(&folder).await;
    let id = first.approvals().ask(&binding(), r#"{"a": 1.0}"#, DAY).await.unwrap().unwrap();
    first.close().await.unwrap();
    let second = store(&folder).await;
    let approvals = second.approvals();
    let listed = approvals.list(Some(&tenant("shop")), false).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!((&listed[0].id, listed[0].arguments.as_str()), (&id, r#"{"a": 1.0}"#));
    assert_eq!(approvals.list(Some(&tenant("other")), false).await.unwrap(), []);
    assert_eq!(approvals.list(None, false).await.unwrap(), listed);
    assert_eq!(approvals.redeem(&binding()).await.unwrap(), Redeemed::Pending(id));
    assert_eq!(approvals.prune(now_unix_ms()).await.unwrap(), 0);
    let_expire(&second).await;
    assert_eq!(approvals.prune(now_unix_ms()).await.unwrap(), 1);
}

#[tokio::test]
async fn what_waits_is_bounded_for_each_tenant_and_listed_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let approvals = store.approvals();
    let of = |number: i64| Binding { arguments_digest: number.to_string(), ..binding() };
    let first = approvals.ask(&of(0), &"a".repeat(3_000), DAY).await.unwrap().unwrap();
    for number in 1..MOST_OPEN {
        assert!(approvals.ask(&of(number), "{}", DAY).await.unwrap().is_some());
    }
    assert_eq!(approvals.ask(&of(MOST_OPEN), "{}", DAY).await.unwrap(), None);
    assert_eq!(approvals.ask(&of(0), "{}", DAY).await.unwrap().as_ref(), Some(&first), "it is there already");
    let elsewhere = Binding { tenant: tenant("other"), ..binding() };
    assert!(approvals.ask(&elsewhere, "{}", DAY).await.unwrap().is_some());
    let shop = tenant("shop");
    let open = approvals.list(Some(&shop), true).await.unwrap();
    assert_eq!(open.len(), 1_000);
    let oldest = open.iter().find(|asked| asked.id == first).unwrap();
    assert_eq!((oldest.arguments.len(), oldest.arguments_cut), (2_000, true));
    let whole = approvals.get(&first).await.unwrap().unwrap();
    assert_eq!((whole.arguments.len(), whole.arguments_cut), (3_000, false));
    // What is decided hides nothing that is open.
    approvals.decide(&first, "boss", APPROVE).await.unwrap();
    assert!(approvals.ask(&of(MOST_OPEN), "{}", DAY).await.unwrap().is_some());
    assert_eq!(approvals.list(Some(&shop), true).await.unwrap().len(), 1_000);
}

#[tokio::test]
async fn an_approval_that_is_given_back_takes_the_place_of_a_question_asked_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let approvals = store.approvals();
    let id = approvals.ask(&binding(), "{}", DAY).await.unwrap().unwrap();
    approvals.decide(&id, "boss", APPROVE).await.unwrap();
    assert_eq!(
        approvals.redeem(&binding()).await.unwrap(),
        Redeemed::Approved { id: id.clone(), edited: None }
    );
    let second = approvals.ask(&binding(), "{}", DAY).await.unwrap().unwrap();
    assert!(approvals.give_back(&id).await.unwrap());
    assert!(matches!(approvals.decide(&second, "boss", APPROVE).await, Err(DecideError::NotPending { .. })));
    assert_eq!(approvals.redeem(&binding()).await.unwrap(), Redeemed::Approved { id, edited: None });
    assert_eq!(approvals.redeem(&binding()).await.unwrap(), Redeemed::None);
}
