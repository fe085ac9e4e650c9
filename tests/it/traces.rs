//! What is kept of a call.

use std::time::Duration;

use toolhost::gate::Call;
use toolhost::store::View;
use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::{Ground, call, caller};

#[tokio::test(flavor = "multi_thread")]
async fn what_the_operator_leaves_out_stands_in_no_trace() {
    const SECRET: &str = "4111-1111";
    let mut asks = GuestTool::new("asks");
    asks.input_schema = r#"{"type":"object","properties":{"card":{"type":"string"},"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#.to_owned();
    let ground = Ground::new()
        .component("asks", &Guest::of(vec![asks], &Guest::echo_structured()).build())
        .samples(&["effects"])
        .config(
            "[[component]]\npath = \"tools/asks.wasm\"\ntool.asks = { redact = [\"/card\"] }\n\
             [[component]]\npath = \"tools/effects.wasm\"\ntool.append = { redact = [\"/line\"] }\n\
             grants = { directories = [{ host = \"effects\", guest = \"/effects\", access = \"writable\" }] }\n",
        );
    std::fs::create_dir(ground.path().join("effects")).unwrap();
    let host = ground.start().await;
    let mut ids = Vec::new();
    for (tool, arguments, code) in [
        ("asks", format!(r#"{{"card":"{SECRET}","n":1}}"#), "ok"),
        ("asks", format!(r#"{{"card":"{SECRET}","n":"{SECRET}"}}"#), "bad_args"),
        ("asks", format!(r#"{{"card":"{SECRET}","card":1}}"#), "bad_json"),
        ("append", format!(r#"{{"line":"{SECRET}"}}"#), "ok"),
    ] {
        let outcome = call(&host, tool, arguments).await;
        assert_eq!(outcome.code(), code, "{outcome:?}");
        ids.push((tool, outcome.call_id));
    }
    // One that is dropped while it runs.
    let slow =
        Call::new(caller(&host, "local"), "append", format!(r#"{{"line":"{SECRET}","pause_ms":60000}}"#));
    assert!(tokio::time::timeout(Duration::from_millis(500), host.execute(slow)).await.is_err());
    host.store().log().flush().await.unwrap();
    for (tool, id) in ids {
        let record = host.store().trace(View::Operator, &id).await.unwrap().unwrap();
        let kept = format!("{record:?}");
        assert!(!kept.contains(SECRET), "{tool}: {kept}");
        assert!(record.arguments.contains("[redacted]"), "{kept}");
        if tool == "asks" && record.code == "ok" {
            assert_eq!(record.arguments, r#"{"card":"[redacted]","n":1}"#);
            assert_eq!(record.raw_structured.as_deref(), Some(r#"{"card":"[redacted]","n":1}"#));
        }
    }
    host.shutdown(Duration::from_secs(5)).await;
    drop(host);
    // Nor anywhere else in the file.
    if std::env::var_os("TOOLHOST_TEST_POSTGRES").is_none() {
        for file in ["toolhost.db", "toolhost.db-wal"] {
            let bytes = std::fs::read(ground.path().join(".toolhost").join(file)).unwrap_or_default();
            assert!(!bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()), "{file}");
        }
    }
}
