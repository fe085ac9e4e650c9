//! Tools that misbehave, against a real `host serve`: each ends with its own code, everybody else is answered
//! meanwhile, and afterwards the process holds what it held before.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::task::JoinSet;
use toolhost_tests::guest::Guest;
use toolhost_tests::host::Ground;
use toolhost_tests::process::Held;
use toolhost_tests::rounds;
use toolhost_tests::wire::{Piped, Served, call_params, run, shown};

/// The shipped configuration, with less time for one tool.
const HURRIED: &str = r#"
[[component]]
path = "tools/*.wasm"
[[component]]
path = "tools/chaos.wasm"
tool.spin = { attempt_timeout = "1s" }
tool.sleep = { attempt_timeout = "1s" }
tool.flood = { attempt_timeout = "1s" }
"#;

fn code(answer: &Value) -> String {
    let code = answer.pointer("/result/_meta/toolhost~1outcome/code");
    code.and_then(Value::as_str).unwrap_or_else(|| panic!("{answer}")).to_owned()
}

async fn is_answered(served: &Served) {
    assert_eq!(served.health().await, 200);
    assert_eq!(shown(&served.call("multiply", r#"{"a":6,"b":7}"#).await), "42");
}

/// Sends a hundred loops over two seconds and gives the ids of their calls. Others are answered throughout.
async fn a_hundred_loops(served: &Arc<Served>) -> Vec<String> {
    let mut loops = JoinSet::new();
    for number in 0..100 {
        let served = served.clone();
        loops.spawn(async move {
            tokio::time::sleep(Duration::from_millis(20) * number).await;
            let answer = served.call("spin", "{}").await;
            assert_eq!(code(&answer), "timeout");
            answer["result"]["_meta"]["toolhost/outcome"]["call_id"].as_str().unwrap().to_owned()
        });
    }
    let (mut calls, mut answered) = (Vec::new(), 0);
    while !loops.is_empty() {
        is_answered(served).await;
        answered += 1;
        while let Some(ended) = loops.try_join_next() {
            calls.push(ended.unwrap());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(answered > 30, "only {answered} rounds of other calls were answered meanwhile");
    calls
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_loops_leave_nothing_behind() {
    let ground = Ground::new().samples(&["chaos", "math"]).config(HURRIED);
    let served = Arc::new(Served::start(ground.path()));
    // The first round touches as many sandboxes as the second will, and those stay mapped.
    a_hundred_loops(&served).await;
    let before = Held::idle(&served).await;
    let calls = a_hundred_loops(&served).await;
    Held::idle(&served).await.assert_no_more_than(&before);
    is_answered(&served).await;
    for call in [&calls[0], &calls[50], &calls[99]] {
        let trace = run(ground.path(), &["trace", call, "--json"]);
        let trace: Value = serde_json::from_slice(&trace.stdout).unwrap();
        assert_eq!(trace["code"], "timeout", "{trace}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_tool_does_ends_with_its_code_and_leaves_nothing_behind() {
    let table = Guest::growing_table("tables").build();
    let endless =
        Guest::new("endless", "(unreachable)").extra("(func $start (loop (br 0))) (start $start)").build();
    let ground = Ground::new()
        .samples(&["chaos", "math"])
        .component("table", &table)
        .component("endless", &endless)
        .config(HURRIED);
    let served = Arc::new(Served::start(ground.path()));
    let tools = served.request("tools/list", None, r#"{"_meta":{}}"#).await;
    assert!(!tools.to_string().contains("endless"), "a start function that loops is refused at load");
    let misbehave = async || {
        let mut running = JoinSet::new();
        for (tool, arguments, expected) in [
            ("spin", "{}", "timeout"),
            ("sleep", r#"{"ms":600000}"#, "timeout"),
            ("flood", "{}", "timeout"),
            ("allocate", "{}", "memory_limit"),
            ("tables", "{}", "memory_limit"),
            ("recurse", "{}", "tool_crashed"),
            ("crash", "{}", "tool_crashed"),
            ("fail", "{}", "tool_error"),
        ] {
            for _ in 0..4 {
                let served = served.clone();
                running.spawn(async move {
                    let answer = served.call(tool, arguments).await;
                    assert_eq!(code(&answer), expected, "{tool}: {answer}");
                });
            }
        }
        while !running.is_empty() {
            is_answered(&served).await;
            while let Some(ended) = running.try_join_next() {
                ended.unwrap();
            }
        }
    };
    misbehave().await;
    let before = Held::idle(&served).await;
    misbehave().await;
    Held::idle(&served).await.assert_no_more_than(&before);
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_hang_up_at_any_moment_leave_nothing_behind() {
    let ground = Ground::new().samples(&["chaos", "math"]);
    let served = Arc::new(Served::start(ground.path()));
    is_answered(&served).await;
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut calls = JoinSet::new();
    for round in 0..rounds(200, 1_000) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let moment = Duration::from_micros(seed % 20_000);
        let tool = ["spin", "sleep", "flood"][round % 3];
        let arguments = if tool == "sleep" { r#"{"ms":600000}"# } else { "{}" };
        let served = served.clone();
        calls.spawn(async move {
            // Whoever drops the exchange drops its connection.
            let answered = tokio::time::timeout(moment, served.call(tool, arguments)).await;
            assert!(answered.is_err());
        });
        if round % 20 == 19 {
            while let Some(ended) = calls.join_next().await {
                ended.unwrap();
            }
        }
    }
    while let Some(ended) = calls.join_next().await {
        ended.unwrap();
    }
    Held::idle(&served).await;
    is_answered(&served).await;
}

#[test]
fn a_cancelled_loop_on_a_pipe_is_gone_and_so_is_the_host_when_the_pipe_is() {
    let ground = Ground::new().samples(&["chaos", "math"]);
    let mut piped = Piped::start(ground.path());
    let spin = |id: u32| {
        let params = call_params("spin", "{}", "");
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
    };
    for id in [100, 101] {
        piped.send(&spin(id));
    }
    assert_eq!(shown(&piped.call("multiply", r#"{"a":6,"b":7}"#)), "42");
    for id in [100, 101] {
        piped.send(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        ));
    }
    assert_eq!(shown(&piped.call("multiply", r#"{"a":6,"b":7}"#)), "42");
    toolhost_tests::process::wait_until_idle(piped.id());
    piped.send(&spin(102));
    assert_eq!(shown(&piped.call("multiply", r#"{"a":6,"b":7}"#)), "42");
    let began = Instant::now();
    let rest = piped.rest();
    assert!(!rest.contains("\"id\":100") && !rest.contains("\"id\":101"), "{rest}");
    // A loop has a minute in the shipped configuration: the host did not wait for it.
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_lets_running_calls_end_and_takes_no_more() {
    let ground = Ground::new().samples(&["chaos", "math"]).config(HURRIED);
    let mut served = Served::start(ground.path());
    let address = served.address.clone();
    let running = served.detached("spin", "{}");
    while served.running().await == 0 {
        tokio::task::yield_now().await;
    }
    served.terminate();
    assert_eq!(code(&running.await.unwrap()), "timeout");
    let status = served.ended().await;
    assert!(tokio::net::TcpStream::connect(&address).await.is_err(), "nothing listens any more");
    assert!(status.success(), "{status}");
}
