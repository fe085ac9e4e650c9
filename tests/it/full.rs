//! The database has no room for a while: calls with a side effect do not run, each is answered and recorded, and all goes on
//! as before once there is room.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use toolhost::store::{EXECUTING, Store, View};
use toolhost_tests::host::Ground;
use toolhost_tests::wire::{Served, shown};
use toolhost_tests::{Patience, postgres};

use super::ledger::{append, ground_with, lines, outcome};

/// How many keys are tried while there is no room.
const KEYS: usize = 5;

/// The tool without an effect.
const TRUSTED: &str = "[[component]]\npath = \"tools/math.wasm\"\ntrust_annotations = true\n";

/// Every row that is written is refused as PostgreSQL refuses it when its disk is full.
const NO_ROOM: &str = "
    CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
    END $$;
    DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
            EXECUTE format('CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION no_room()', name);
        END LOOP;
    END $$;";

fn psql(url: &str, statements: &str) {
    let done = Command::new("psql").args([url, "--quiet", "--command", statements]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Lets no file of a process grow beyond the size that the database's log has now, or lets all grow again.
fn limit(served: &Served, folder: &Path, full: bool) {
    let log = folder.join(".toolhost/toolhost.db-wal");
    let most = if full { log.metadata().unwrap().len().to_string() } else { "unlimited".to_owned() };
    let process = served.id().to_string();
    let limited =
        Command::new("prlimit").args(["--pid", &process, &format!("--fsize={most}:")]).status().unwrap();
    assert!(limited.success());
}

fn fill(served: &Served, ground: &Ground, full: bool) {
    match postgres::database(ground.path()) {
        Some(url) => psql(&url, if full { NO_ROOM } else { "DROP FUNCTION no_room CASCADE" }),
        None => limit(served, ground.path(), full),
    }
}

async fn appended(served: &Served, key: usize) -> Value {
    append(served, &format!("key {key}"), &json!({"line": key.to_string()}).to_string()).await
}

fn code(answer: &Value) -> &str {
    outcome(answer)["code"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_fail_by_name_while_the_database_is_full_and_run_once_when_it_has_room() {
    let ground = ground_with(TRUSTED).samples(&["math"]);
    let served = Served::start_unkilled_by_limits(ground.path());
    assert_eq!(code(&appended(&served, 0).await), "ok");

    fill(&served, &ground, true);
    let mut answers = Vec::new();
    for key in 1..=KEYS {
        let answer = appended(&served, key).await;
        assert!(["overloaded", "internal"].contains(&code(&answer)), "{answer}");
        answers.push(answer);
    }
    // The rows of calls without an effect wait in memory, as far as it is meant for them.
    let product = served.call("multiply", r#"{"a":6,"b":7}"#).await;
    assert_eq!(shown(&product), "42", "{product}");
    answers.push(product);
    assert_eq!(lines(ground.path()), 1, "nothing ran unrecorded");
    assert_eq!(served.health().await, 200);

    fill(&served, &ground, false);
    let patience = Patience::new("there is room again");
    while code(&appended(&served, 1).await) != "ok" {
        patience.wait().await;
    }
    for key in 0..=KEYS {
        let answer = appended(&served, key).await;
        assert_eq!(code(&answer), "ok", "{answer}");
        answers.push(answer);
    }
    assert_eq!(lines(ground.path()), KEYS + 1, "each effect happened once");

    let settings = toolhost::config::load(None, ground.path()).unwrap();
    let store = Store::open(&settings.store).await.unwrap();
    for answer in &answers {
        let id = outcome(answer)["call_id"].as_str().unwrap_or_else(|| panic!("{answer}")).parse().unwrap();
        let patience = Patience::new("the call is recorded");
        loop {
            let record = store.trace(View::Operator, &id).await.unwrap();
            if record.is_some_and(|record| record.code == code(answer) && record.code != EXECUTING) {
                break;
            }
            patience.wait().await;
        }
    }
}
