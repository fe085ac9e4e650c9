//! `kill -9` at any moment of a call's life, and the same call again: the effect happens once at most, what was told is
//! kept, and nothing stays as if it ran.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::task::JoinSet;
use toolhost::id::CallId;
use toolhost::store::{EXECUTING, Store, View};
use toolhost_tests::host::Ground;
use toolhost_tests::proxy::Stop;
use toolhost_tests::wire::{Served, shown};

use super::ledger::{Hold, append, ground, lines, outcome};
use super::outage::through_a_proxy;

const ARGUMENTS: &str = r#"{"line":"x","pause_ms":20}"#;

/// Makes the call again on a process that lives, and checks what it is told against what happened.
async fn again(ground: &Ground, first: Option<Value>) -> &'static str {
    let served = Served::start(ground.path());
    let answer = append(&served, "k", ARGUMENTS).await;
    let effects = lines(ground.path());
    let code = outcome(&answer)["code"].as_str().unwrap_or("ok");
    if let Some(first) = &first {
        assert_eq!(shown(first), "appended x under k", "{first}");
        assert_eq!(outcome(&answer)["replayed"], true, "what was told is kept: {answer}");
    }
    let seen = match (code, &outcome(&answer)["replayed"], effects) {
        ("ok", Value::Bool(true), 1) => "its outcome was kept",
        ("ok", Value::Bool(false), 1) => "nothing had run",
        ("outcome_unknown", _, 0 | 1) => "nobody knows",
        _ => panic!("{effects} effects: {answer}"),
    };
    // What it writes behind its answer is written before it ends.
    let mut served = served;
    served.terminate();
    served.ended().await;
    let settings = toolhost::config::load(None, ground.path()).unwrap();
    let store = Store::open(&settings.store).await.unwrap();
    for answer in first.iter().chain([&answer]) {
        let id = outcome(answer)["call_id"].as_str().unwrap().parse().unwrap();
        let patience = Instant::now();
        while store.trace(View::Operator, &id).await.unwrap().is_some_and(|record| record.code == EXECUTING) {
            // It was answered, and killed before its record was whole.
            assert!(patience.elapsed() < Duration::from_secs(60), "it stays as if it ran: {answer}");
            store.settle_lost_calls().await.unwrap();
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }
    seen
}

/// Rounds that go on side by side, so that they wait together until the dead are known to be dead.
const SIDE_BY_SIDE: usize = 12;

/// Runs rounds, and counts what came of them. Each has a folder and a database of its own; what is compiled they share.
async fn rounds<R>(number: usize, round: impl Fn(usize, Ground) -> R) -> BTreeMap<&'static str, usize>
where
    R: Future<Output = &'static str> + Send + 'static,
{
    let shared = tempfile::tempdir().unwrap();
    let fresh = || {
        let ground = ground();
        let file = ground.path().join("host.toml");
        let mut text = std::fs::read_to_string(&file).unwrap();
        if !text.contains("[store]") {
            text.push_str("\n[store]\n");
        }
        text.push_str(&format!("artefacts = {:?}\n", shared.path()));
        std::fs::write(&file, text).unwrap();
        ground
    };
    drop(Served::start(fresh().path()));
    let (mut running, mut seen) = (JoinSet::new(), BTreeMap::new());
    for at in 0..number {
        running.spawn(round(at, fresh()));
        if running.len() >= SIDE_BY_SIDE {
            *seen.entry(running.join_next().await.unwrap().unwrap()).or_insert(0) += 1;
        }
    }
    while let Some(round) = running.join_next().await {
        *seen.entry(round.unwrap()).or_insert(0) += 1;
    }
    seen
}

// The start of a host blocks its thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 16)]
async fn at_any_moment_the_effect_happens_once_at_most() {
    let seen = rounds(toolhost_tests::rounds(24, 400), |round, ground| async move {
        let served = Arc::new(Served::start(ground.path()));
        let call = tokio::spawn({
            let served = served.clone();
            async move { append(&served, "k", ARGUMENTS).await }
        });
        // From before the call has come in to after it was answered.
        tokio::time::sleep(Duration::from_millis(5 * u64::try_from(round % 24).unwrap())).await;
        served.kill();
        again(&ground, call.await.ok()).await
    });
    assert!(seen.await.len() > 1, "every call came to the same");
}

/// A moment of a call's life at which its process is killed.
#[derive(Clone, Copy)]
enum Moment {
    /// The conversation with the database stops there.
    Statement(Stop),
    /// The guest has started and has done nothing yet.
    Started,
    /// The effect has happened.
    Effect,
    /// The answer has come.
    Answered,
}

const fn before(said: &'static str) -> Moment {
    Moment::Statement(Stop { said, answered: None })
}

const fn after(said: &'static str, answered: &'static str) -> Moment {
    Moment::Statement(Stop { said, answered: Some(answered) })
}

const CLAIM: &str = "INSERT INTO ledger";
const AUDIT: &str = "INSERT INTO calls";
const SETTLE: &str = "UPDATE ledger SET state = 'done'";

/// What a call is told, and how many effects there are then.
type Told = (&'static str, usize);

/// Each moment, what the same call is told afterwards where it may happen once at most, and how many effects there are
/// then; and the same where it has to happen once at least.
const MOMENTS: [(&str, Moment, Told, Told); 9] = [
    ("before the claim", before(CLAIM), ("ok", 1), ("ok", 1)),
    ("after the claim", after(CLAIM, "INSERT 0 1"), ("outcome_unknown", 0), ("ok", 1)),
    ("before the audit", before(AUDIT), ("outcome_unknown", 0), ("ok", 1)),
    ("after the audit", after(AUDIT, "COMMIT"), ("outcome_unknown", 0), ("ok", 1)),
    ("before the effect", Moment::Started, ("outcome_unknown", 0), ("ok", 1)),
    ("after the effect", Moment::Effect, ("outcome_unknown", 1), ("ok", 2)),
    ("before it is settled", before(SETTLE), ("outcome_unknown", 1), ("ok", 2)),
    ("after it is settled", after(SETTLE, "UPDATE 1"), ("replayed", 1), ("replayed", 1)),
    ("after the answer", Moment::Answered, ("replayed", 1), ("replayed", 1)),
];

/// Starts a host on a thread of its own: the proxy has to go on meanwhile.
async fn started(ground: &Ground) -> Served {
    let folder = ground.path().to_path_buf();
    tokio::task::spawn_blocking(move || Served::start(&folder)).await.unwrap()
}

/// Kills a process at a moment of a keyed call, makes the call again on another one, and gives what that is told.
async fn killed_at(ground: &Ground, moment: Moment) -> (String, usize) {
    let first = ground.another();
    let mut proxy = match moment {
        Moment::Statement(stop) => Some(through_a_proxy(&first, Some(stop)).await),
        _ => None,
    };
    let served = Arc::new(started(&first).await);
    let arguments = r#"{"line":"x"}"#;
    let hold = match moment {
        Moment::Started => Some(Hold::new(ground, "before")),
        Moment::Effect => Some(Hold::new(ground, "after")),
        Moment::Statement(_) | Moment::Answered => None,
    };
    let call = tokio::spawn({
        let served = served.clone();
        async move { append(&served, "k", arguments).await }
    });
    match moment {
        Moment::Statement(_) => proxy.as_mut().unwrap().stopped().await,
        Moment::Started | Moment::Effect => hold.as_ref().unwrap().reached().await,
        Moment::Answered => {}
    }
    let (answer, broken) = match moment {
        Moment::Answered => (Some(call.await.unwrap()), None),
        _ => (None, Some(call)),
    };
    served.kill();
    if let Some(call) = broken {
        // The connection breaks off when the process is dead.
        assert!(call.await.is_err(), "nobody is left to answer");
    }
    drop(hold);
    let served = started(ground).await;
    let again = append(&served, "k", arguments).await;
    if let Some(answer) = answer {
        assert_eq!(shown(&answer), shown(&again), "what was told is kept");
    }
    let code = match (outcome(&again)["code"].as_str(), &outcome(&again)["replayed"]) {
        (Some("ok"), Value::Bool(true)) => "replayed",
        (Some(code), _) => code,
        (None, _) => panic!("{again}"),
    };
    let id: CallId = outcome(&again)["call_id"].as_str().unwrap().parse().unwrap();
    let settings = toolhost::config::load(None, ground.path()).unwrap();
    let store = Store::open(&settings.store).await.unwrap();
    let patience = Instant::now();
    let executing = async || {
        let kept = store.trace(View::Operator, &id).await.unwrap();
        kept.is_none_or(|record| record.code == EXECUTING)
    };
    while executing().await {
        assert!(patience.elapsed() < Duration::from_secs(30), "it stays as if it ran: {again}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    (code.to_owned(), lines(ground.path()))
}

/// Runs the rounds of all moments that are wanted, and of both deliveries.
async fn at_moments(wanted: impl Fn(Moment) -> bool) {
    let shared = tempfile::tempdir().unwrap();
    let at_least_once = "tool.append = { delivery = \"at_least_once\" }\n";
    let ground_for = |delivery: &str| {
        let ground = ground();
        let file = ground.path().join("host.toml");
        let mut text = std::fs::read_to_string(&file).unwrap();
        if !text.contains("\n[store]\n") {
            let database = ground.path().join(".toolhost/toolhost.db");
            text.push_str(&format!("\n[store]\nurl = \"sqlite:{}\"\n", database.display()));
        }
        let store = format!("{delivery}\n[store]\nartefacts = {:?}\n", shared.path());
        std::fs::write(&file, text.replace("\n[store]\n", &store)).unwrap();
        ground
    };
    drop(started(&ground_for("")).await);
    let mut running = JoinSet::new();
    for _ in 0..toolhost_tests::rounds(1, 20) {
        for (name, moment, at_most, at_least) in MOMENTS.into_iter().filter(|(_, moment, ..)| wanted(*moment))
        {
            for (delivery, expected) in [("", at_most), (at_least_once, at_least)] {
                let ground = ground_for(delivery);
                running.spawn(async move {
                    let seen = killed_at(&ground, moment).await;
                    assert_eq!((seen.0.as_str(), seen.1), expected, "{name}, {delivery:?}");
                });
                while running.len() >= SIDE_BY_SIDE {
                    running.join_next().await.unwrap().unwrap();
                }
            }
        }
    }
    while let Some(round) = running.join_next().await {
        round.unwrap();
    }
}

// Steered by what the process says to its database.
#[tokio::test(flavor = "multi_thread")]
async fn at_each_statement_the_same_call_is_told_what_happened_on_postgres() {
    at_moments(|moment| matches!(moment, Moment::Statement(_))).await;
}

// Steered by the guest and by the answer.
#[tokio::test(flavor = "multi_thread")]
async fn at_each_step_of_the_tool_the_same_call_is_told_what_happened() {
    at_moments(|moment| !matches!(moment, Moment::Statement(_))).await;
}
