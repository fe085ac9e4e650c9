//! A side effect happens once for a key: counted in a file outside of the host, by several real processes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use toolhost::gate::Call;
use toolhost_tests::host::Ground;
use toolhost_tests::until;
use toolhost_tests::wire::{Served, call_params, run, shown};

const CONFIG: &str = r#"
[[component]]
path = "tools/*.wasm"
grants = { directories = [{ host = "effects", guest = "/effects", access = "writable" }] }
"#;

pub(super) fn ground() -> Ground {
    ground_with("")
}

/// The same with further lines for the component, and tables after it.
pub(super) fn ground_with(rest: &str) -> Ground {
    let ground = Ground::new().samples(&["effects"]).config(&format!("{CONFIG}{rest}"));
    std::fs::create_dir(ground.path().join("effects")).unwrap();
    ground
}

pub(super) fn lines(folder: &Path) -> usize {
    std::fs::read_to_string(folder.join("effects/log")).map_or(0, |log| log.lines().count())
}

pub(super) async fn append(served: &Served, key: &str, arguments: &str) -> Value {
    let meta = format!(r#""toolhost/idempotency-key":{}"#, json!(key));
    served.request("tools/call", Some("append"), &call_params("append", arguments, &meta)).await
}

pub(super) fn outcome(answer: &Value) -> &Value {
    answer.pointer("/result/_meta/toolhost~1outcome").unwrap_or_else(|| panic!("{answer}"))
}

/// Waits until the effect is there.
pub(super) async fn effect(folder: &Path) {
    until("the tool had its effect", || lines(folder) > 0).await;
}

/// Holds `append` before or after its effect, until the hold is dropped.
pub(super) struct Hold {
    folder: PathBuf,
    moment: &'static str,
}

impl Hold {
    pub(super) fn new(ground: &Ground, moment: &'static str) -> Self {
        let hold = Self { folder: ground.path().join("effects"), moment };
        std::fs::write(hold.file("hold"), "").unwrap();
        hold
    }

    fn file(&self, kind: &str) -> PathBuf {
        self.folder.join(format!("{kind}-{}", self.moment))
    }

    /// Waits until the tool is there.
    pub(super) async fn reached(&self) {
        until("the tool got there", || self.file("at").exists()).await;
        std::fs::remove_file(self.file("at")).unwrap();
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        std::fs::remove_file(self.file("hold")).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_callers_in_two_processes_one_runs_and_all_get_its_outcome() {
    let ground = ground();
    let other = ground.another();
    let nodes = [Arc::new(Served::start(ground.path())), Arc::new(Served::start(other.path()))];
    for round in 0..toolhost_tests::rounds(5, 200) {
        let mut callers = JoinSet::new();
        for caller in 0..64 {
            let node = nodes[caller % 2].clone();
            callers.spawn(async move {
                append(&node, &format!("key {round}"), r#"{"line":"x","pause_ms":20}"#).await
            });
        }
        let mut originals = 0;
        while let Some(answer) = callers.join_next().await {
            let answer = answer.unwrap();
            assert_eq!(shown(&answer), format!("appended x under key {round}"));
            originals += usize::from(outcome(&answer)["replayed"] == json!(false));
        }
        assert_eq!(originals, 1);
        assert_eq!(lines(ground.path()), round + 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_good_for_its_arguments_as_values_and_for_no_others() {
    let ground = ground();
    let served = Served::start(ground.path());
    assert_eq!(outcome(&append(&served, "k", r#"{"line":"x","pause_ms":1}"#).await)["replayed"], false);
    assert_eq!(
        outcome(&append(&served, "k", r#"{"pause_ms":10e-1,"line":"\u0078"}"#).await)["replayed"],
        true
    );
    let conflict = append(&served, "k", r#"{"line":"y","pause_ms":1}"#).await;
    assert_eq!(outcome(&conflict)["code"], "key_conflict", "{conflict}");
    assert_eq!(
        shown(&conflict),
        "Error (KeyConflict): This idempotency key was used for 'append' before, with other arguments. Nothing ran. \
         Repeat the arguments of that call, or take a new key for a new call."
    );
    assert_eq!(outcome(&append(&served, "other", r#"{"line":"x","pause_ms":1}"#).await)["replayed"], false);
    assert_eq!(lines(ground.path()), 2);
    let call = |arguments: &[&str]| run(ground.path(), arguments);
    let repeated = call(&["call", "append", r#"{"line":"x","pause_ms":1}"#, "--key", "k"]);
    assert_eq!(String::from_utf8_lossy(&repeated.stdout), "appended x under k\n");
    assert_eq!(lines(ground.path()), 2, "the command line asks the same ledger");
    for _ in 0..2 {
        call(&["call", "append", r#"{"line":"x"}"#]);
    }
    assert_eq!(lines(ground.path()), 4, "without a key each call is its own");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_process_was_killed_is_unknown_and_never_runs_again() {
    let ground = ground();
    let arguments = r#"{"line":"x","pause_ms":60000}"#;
    let served = Arc::new(Served::start(ground.path()));
    let lost = tokio::spawn({
        let served = served.clone();
        async move { append(&served, "k", arguments).await }
    });
    effect(ground.path()).await;
    served.kill();
    assert!(lost.await.is_err(), "nobody is left to answer");
    let again = Served::start(ground.path());
    for _ in 0..2 {
        let answer = append(&again, "k", arguments).await;
        assert_eq!(outcome(&answer)["code"], "outcome_unknown", "{answer}");
        assert_eq!(outcome(&answer)["may_have_taken_effect"], true, "{answer}");
    }
    assert_eq!(lines(ground.path()), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_keyed_call_outlives_its_caller_and_its_outcome_is_delivered() {
    let ground = ground();
    let served = Served::start(ground.path());
    let arguments = r#"{"line":"x","pause_ms":1000}"#;
    tokio::select! {
        answer = append(&served, "k", arguments) => panic!("{answer}"),
        () = effect(ground.path()) => {}
    }
    // The connection is closed now; the same key under a new request joins what still runs.
    let answer = append(&served, "k", arguments).await;
    assert_eq!(shown(&answer), "appended x under k");
    assert_eq!(outcome(&answer)["replayed"], true);
    assert_eq!(lines(ground.path()), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_guest_never_started_leaves_its_key_free() {
    let ground = ground();
    let served = Served::start(ground.path());
    let (folder, away) = (ground.path().join("effects"), ground.path().join("away"));
    std::fs::rename(&folder, &away).unwrap();
    let answer = append(&served, "k", r#"{"line":"x"}"#).await;
    assert_eq!(outcome(&answer)["code"], "internal", "{answer}");
    assert_eq!(outcome(&answer)["may_have_taken_effect"], false, "{answer}");
    // The same one: another in its place would be behind the second wall.
    std::fs::rename(&away, &folder).unwrap();
    // The key is given back behind the answer, and this call waits for that.
    let answer = append(&served, "k", r#"{"line":"x"}"#).await;
    assert_eq!(shown(&answer), "appended x under k");
    assert_eq!(outcome(&answer)["replayed"], false);
    assert_eq!(lines(ground.path()), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_run_an_equal_call_is_the_same_one_unless_the_tool_is_repeatable() {
    let ground = ground();
    let served = Served::start(ground.path());
    let append = async |run: &str, arguments: &str| {
        let meta = format!(r#""toolhost/run":{}"#, json!(run));
        served.request("tools/call", Some("append"), &call_params("append", arguments, &meta)).await
    };
    let first = append("r1", r#"{"line":"x","pause_ms":1}"#).await;
    assert_eq!(outcome(&first)["replayed"], false);
    let again = append("r1", r#"{"pause_ms":1.0,"line":"x"}"#).await;
    assert_eq!((shown(&again), &outcome(&again)["replayed"]), (shown(&first), &json!(true)));
    assert_eq!(outcome(&append("r1", r#"{"line":"y","pause_ms":1}"#).await)["replayed"], false);
    assert_eq!(outcome(&append("r2", r#"{"line":"x","pause_ms":1}"#).await)["replayed"], false);
    assert_eq!(lines(ground.path()), 3);
    drop(served);
    let ground = ground.config(&format!("{CONFIG}tool.append = {{ repeatable = true }}\n"));
    let served = Served::start(ground.path());
    for _ in 0..2 {
        let meta = r#""toolhost/run":"r1""#;
        let arguments = r#"{"line":"x","pause_ms":1}"#;
        let answer =
            served.request("tools/call", Some("append"), &call_params("append", arguments, meta)).await;
        assert_eq!(outcome(&answer)["replayed"], false);
    }
    assert_eq!(lines(ground.path()), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn at_least_once_starts_a_lost_call_again_until_it_ends_or_is_given_up() {
    let ground = ground().config(&format!(
        "{CONFIG}tool.append = {{ delivery = \"at_least_once\" }}\n[ledger]\nattempts = 2\n"
    ));
    let arguments = r#"{"line":"x"}"#;
    for (key, runs) in [("ends", 1), ("is lost", 2)] {
        std::fs::write(ground.path().join("effects/log"), "").unwrap();
        for _ in 0..runs {
            let hold = Hold::new(&ground, "after");
            let served = Arc::new(Served::start(ground.path()));
            let lost = tokio::spawn({
                let served = served.clone();
                async move { append(&served, key, arguments).await }
            });
            hold.reached().await;
            served.kill();
            assert!(lost.await.is_err(), "nobody is left to answer");
        }
        let served = Served::start(ground.path());
        let answer = append(&served, key, arguments).await;
        if runs == 1 {
            assert_eq!(shown(&answer), "appended x under ends");
            assert_eq!(outcome(&answer)["attempt"], 2, "{answer}");
        } else {
            assert_eq!(outcome(&answer)["code"], "execution_abandoned", "{answer}");
            assert_eq!(outcome(&answer)["may_have_taken_effect"], true, "{answer}");
            assert!(shown(&answer).contains("gave up after 2 attempts"), "{answer}");
        }
        assert_eq!(lines(ground.path()), 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_different_keys_are_taken_and_let_go_of_side_by_side() {
    // Not trusted, so that it is taken to have a side effect.
    let ground = Ground::new().samples(&["math"]).config("[[component]]\npath = \"tools/math.wasm\"\n");
    let host = ground.start().await;
    let mut callers = JoinSet::new();
    for caller in 0..16 {
        let host = host.clone();
        callers.spawn(async move {
            for number in 0..100 {
                let call = Call {
                    key: Some(format!("{caller} {number}").parse().unwrap()),
                    ..Call::new(toolhost_tests::host::caller(&host, "local"), "multiply", r#"{"a":6,"b":7}"#)
                };
                let outcome = host.execute(call).await;
                assert_eq!(outcome.code(), "ok", "{outcome:?}");
            }
        });
    }
    while let Some(done) = callers.join_next().await {
        done.unwrap();
    }
}
