//! The database goes away, or is slow, while calls run: each call ends with a typed outcome, each is recorded, and each
//! effect happens once.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::task::JoinSet;
use toolhost::store::{Store, View};
use toolhost_tests::host::Ground;
use toolhost_tests::proxy::{Flow, Proxy, Stop};
use toolhost_tests::wire::Served;

use super::ledger::{append, ground, outcome};

const CALLS: usize = 120;
const EVERY: Duration = Duration::from_millis(50);

/// Puts a proxy between the host of a folder and its database, on which what they say stops at a moment.
pub(super) async fn through_a_proxy(ground: &Ground, stop: Option<Stop>) -> Proxy {
    let server = std::env::var("TOOLHOST_TEST_POSTGRES").expect("scripts/postgres.sh runs this test");
    let server = server.rsplit_once('@').expect("a user and a place").1.to_owned();
    let proxy = Proxy::start(server.clone(), stop).await;
    let file = ground.path().join("host.toml");
    let direct = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, direct.replace(&server, &proxy.address.to_string())).unwrap();
    proxy
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_end_and_are_recorded_while_the_database_goes_and_comes_on_postgres() {
    let ground = ground();
    let proxy = through_a_proxy(&ground, None).await;
    let served = Arc::new(Served::start(ground.path()));

    let mut calls = JoinSet::new();
    let began = Instant::now();
    for number in 0..CALLS {
        let served = served.clone();
        calls.spawn(async move {
            tokio::time::sleep(EVERY * u32::try_from(number).unwrap()).await;
            let arguments = format!(r#"{{"line":"{number}","pause_ms":300}}"#);
            (number, append(&served, &format!("key {number}"), &arguments).await)
        });
    }
    let moods =
        [(1_000, Flow::Cut), (2_500, Flow::Open), (3_500, Flow::Held), (4_500, Flow::Open)].into_iter();
    let weather = tokio::spawn(async move {
        for (at, flow) in moods {
            tokio::time::sleep(Duration::from_millis(at).saturating_sub(began.elapsed())).await;
            proxy.set(flow);
        }
        proxy
    });
    let mut ended: HashMap<usize, Value> = HashMap::new();
    while let Some(answer) = calls.join_next().await {
        let (number, answer) = answer.unwrap();
        let code = outcome(&answer)["code"].as_str().unwrap_or("ok").to_owned();
        assert!(["ok", "overloaded", "outcome_unknown", "internal"].contains(&code.as_str()), "{answer}");
        ended.insert(number, answer);
    }
    let proxy = weather.await.unwrap();
    let codes = |wanted: &str| {
        ended.values().filter(|answer| outcome(answer)["code"].as_str().unwrap_or("ok") == wanted).count()
    };
    assert!(codes("ok") > 0 && codes("ok") < CALLS, "{} of {CALLS} calls noticed nothing", codes("ok"));

    // The same keys once more: what ran is told, what did not run may run now, and nothing runs twice.
    let mut effects = HashMap::new();
    for (number, first) in &ended {
        let arguments = format!(r#"{{"line":"{number}","pause_ms":300}}"#);
        let again = append(&served, &format!("key {number}"), &arguments).await;
        let code = outcome(&again)["code"].as_str().unwrap_or("ok");
        assert!(["ok", "outcome_unknown"].contains(&code), "{again}");
        if outcome(first)["code"].is_null() {
            assert_eq!(outcome(&again)["replayed"], true, "what was told is kept: {again}");
        }
        effects.insert(number.to_string(), 0);
    }
    let log = std::fs::read_to_string(ground.path().join("effects/log")).unwrap();
    for line in log.lines() {
        *effects.get_mut(line).unwrap() += 1;
    }
    assert!(effects.values().all(|count| *count == 1), "{effects:?}");

    let settings = toolhost::config::load(None, ground.path()).unwrap();
    let store = Store::open(&settings.store).await.unwrap();
    for answer in ended.values() {
        let id = outcome(answer)["call_id"].as_str().unwrap_or_else(|| panic!("{answer}")).parse().unwrap();
        let record = store.trace(View::Operator, &id).await.unwrap();
        let record = record.unwrap_or_else(|| panic!("{id} is not recorded: {answer}"));
        assert_ne!(record.code, toolhost::store::EXECUTING, "{answer}");
    }
    drop(proxy);
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_say_how_many_others_serve_other_tools_on_postgres() {
    let ground = ground();
    // The same settings to the letter, paths included.
    let (one, same) = (ground.another(), ground.another());
    let other = ground.another().samples(&["math"]);
    let differing = async |served: &Served| {
        let (_, body) = toolhost_tests::wire::http(&served.address, "GET", "/readyz", &[], "").await;
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["ready"], true, "{body}");
        body["n_hosts_with_other_tools"].as_u64().unwrap()
    };
    let first = Served::start(one.path());
    let second = Served::start(same.path());
    assert_eq!((differing(&first).await, differing(&second).await), (0, 0));
    let third = Served::start(other.path());
    assert_eq!((differing(&first).await, differing(&third).await), (1, 2));
}
