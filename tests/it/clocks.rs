//! Hosts whose clocks are minutes apart go by the clock of their database.

use std::time::Duration;

use serde_json::{Value, json};
use toolhost::store::{Store, View};
use toolhost_tests::host::Ground;
use toolhost_tests::wire::{Served, answering_params, shown};

use super::ledger::{append, ground, lines, outcome};

const MINUTES: u32 = 5;

async fn began(ground: &Ground, answer: &Value) -> u64 {
    let settings = toolhost::config::load(None, ground.path()).unwrap();
    let store = Store::open(&settings.store).await.unwrap();
    let id = outcome(answer)["call_id"].as_str().unwrap().parse().unwrap();
    loop {
        if let Some(record) = store.trace(View::Operator, &id).await.unwrap() {
            return record.started_unix_ms;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_with_clocks_five_minutes_apart_agree_on_postgres() {
    // Nothing lives as long as the clocks are apart.
    let ground = ground();
    let file = ground.path().join("host.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replace("tools/*.wasm", "tools/effects.wasm");
    let asks = "[[component]]\npath = \"tools/asks.wasm\"\nprefix = \"asks_\"\n\
                tool.append = { requires_approval = true }\n\
                grants = { directories = [{ host = \"effects\", guest = \"/effects\", access = \"writable\" }] }\n";
    std::fs::write(&file, format!("[ledger]\napproval_lifetime = \"2m\"\n{asks}{text}")).unwrap();
    std::fs::copy(ground.path().join("tools/effects.wasm"), ground.path().join("tools/asks.wasm")).unwrap();
    let folders = [ground.another(), ground.another()];
    let nodes = [Served::start(folders[0].path()), Served::start_ahead(folders[1].path(), MINUTES)];

    // Keys: one that is done, and one that is running, seen from either side.
    let mut moments = Vec::new();
    for (one, other) in [(&nodes[0], &nodes[1]), (&nodes[1], &nodes[0])] {
        let key = format!("done {}", moments.len());
        let first = append(one, &key, r#"{"line":"x"}"#).await;
        assert_eq!(outcome(&first)["replayed"], false, "{first}");
        let again = append(other, &key, r#"{"line":"x"}"#).await;
        assert_eq!(outcome(&again)["replayed"], true, "{again}");
        let effects = lines(ground.path());
        let key = format!("running {}", moments.len());
        let slow = r#"{"line":"x","wait_ms":700,"pause_ms":700}"#;
        let (first, joined) = tokio::join!(append(one, &key, slow), async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            append(other, &key, slow).await
        });
        assert_eq!(shown(&first), shown(&joined));
        assert_eq!(lines(ground.path()), effects + 1);
        moments.push(began(&ground, &again).await);
    }
    let apart = moments[0].abs_diff(moments[1]);
    assert!(apart > 1_000 * 60 * u64::from(MINUTES - 1), "the clocks are {apart} ms apart");

    // Questions, and what a client keeps: made by one, answered by the other.
    for (one, other) in [(&nodes[0], &nodes[1]), (&nodes[1], &nodes[0])] {
        let send = async |node: &Served, members: Value| {
            let params = answering_params("asks_append", r#"{"line":"y"}"#, "", &members);
            node.request("tools/call", Some("asks_append"), &params).await
        };
        let asked = send(one, json!({})).await;
        let state = asked["result"]["requestState"].as_str().unwrap_or_else(|| panic!("{asked}"));
        let yes = json!({"approval": {"action": "accept", "content": {"approve": true}}});
        let ran = send(other, json!({"inputResponses": yes, "requestState": state})).await;
        assert!(shown(&ran).starts_with("appended y"), "{ran}");
    }
}
