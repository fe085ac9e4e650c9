//! Every call ends, and leaves nothing behind: loops, waits, growth, floods, crashes and cancels.

use std::time::{Duration, Instant};

use toolhost::executor::Host;
use toolhost::gate::Call;
use toolhost::spec::{Code, Outcome};
use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::{Ground, call, caller, text};
use toolhost_tests::rounds;

fn code(outcome: &Outcome) -> &'static str {
    outcome.code()
}

async fn call_within(host: &Host, tool: &str, arguments: &str, millis: u64) -> Outcome {
    let mut call = Call::new(caller(host, "local"), tool, arguments);
    call.deadline = Some(Duration::from_millis(millis));
    host.execute(call).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_loop_ends_as_a_timeout_and_is_gone() {
    let host = Ground::new().samples(&["chaos", "math"]).start().await;
    let outcome = call_within(&host, "spin", "{}", 300).await;
    assert_eq!(text(&outcome), "Error (Timeout): timed out after 300ms");
    assert!(outcome.usage.fuel > 0);
    assert_eq!(host.running(), 0);
    assert_eq!(text(&call(&host, "multiply", r#"{"a":6,"b":7}"#).await), "42");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_attempt_timeout_of_the_configuration_is_wired() {
    let ground = Ground::new()
        .samples(&["chaos"])
        .config("[limits]\nattempt_timeout = \"200ms\"\n[[component]]\npath = \"tools/chaos.wasm\"\n");
    let host = ground.start().await;
    assert_eq!(text(&call(&host, "spin", "{}").await), "Error (Timeout): timed out after 200ms");
    // A wait in the host is no computing, and ends the same way.
    assert_eq!(
        text(&call(&host, "sleep", r#"{"ms":60000}"#).await),
        "Error (Timeout): timed out after 200ms"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guests_wish_for_a_shorter_timeout_counts_and_a_longer_one_does_not() {
    let mut short = GuestTool::new("short");
    short.timeout_ms = Some(150);
    let mut long = GuestTool::new("long");
    long.timeout_ms = Some(600_000);
    let looping = Guest::of(vec![short, long], "(loop (br 0)) (unreachable)").build();
    let ground = Ground::new()
        .component("t", &looping)
        .config("[limits]\nattempt_timeout = \"300ms\"\n[[component]]\npath = \"tools/t.wasm\"\n");
    let host = ground.start().await;
    assert_eq!(text(&call(&host, "short", "{}").await), "Error (Timeout): timed out after 150ms");
    assert_eq!(text(&call(&host, "long", "{}").await), "Error (Timeout): timed out after 300ms");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_loop_without_a_single_host_call_is_stopped_too() {
    let guest = Guest::new("late", "(loop (br 0)) (unreachable)").build();
    let host = Ground::new().component("late", &guest).start().await;
    assert_eq!(code(&call_within(&host, "late", "{}", 100).await), "timeout");
}

#[tokio::test(flavor = "multi_thread")]
async fn fuel_is_the_budget_of_computing() {
    let ground = Ground::new()
        .samples(&["chaos"])
        .config("[limits]\nfuel = 1000000\n[[component]]\npath = \"tools/chaos.wasm\"\n");
    let host = ground.start().await;
    let outcome = call(&host, "spin", "{}").await;
    assert_eq!(
        text(&outcome),
        "Error (FuelExhausted): The tool 'spin' used up its CPU budget and was stopped."
    );
    assert!((900_000..=1_000_000).contains(&outcome.usage.fuel), "{:?}", outcome.usage);
}

#[tokio::test(flavor = "multi_thread")]
async fn growth_of_memory_ends_at_the_limit_whatever_trap_follows() {
    let host = Ground::new().samples(&["chaos"]).start().await;
    let outcome = call(&host, "allocate", "{}").await;
    assert_eq!(code(&outcome), "memory_limit", "{}", text(&outcome));
    assert!(outcome.usage.memory_peak_bytes <= 128 << 20, "{:?}", outcome.usage);
    assert!(outcome.usage.memory_peak_bytes > 64 << 20, "{:?}", outcome.usage);
    // A guest that is refused memory and answers all the same has not failed.
    let grows = "(drop (memory.grow (i32.const 65000)))";
    let polite = Guest::new("polite", &format!("{grows} {}", Guest::text(1024, 6))).build();
    let host = Ground::new().component("polite", &polite).start().await;
    assert_eq!(text(&call(&host, "polite", "{}").await), "polite");
}

#[tokio::test(flavor = "multi_thread")]
async fn growth_of_a_table_ends_at_the_limit() {
    let guest = Guest::growing_table("table").build();
    let host = Ground::new().component("table", &guest).start().await;
    let outcome = call(&host, "table", "{}").await;
    assert_eq!(code(&outcome), "memory_limit", "{}", text(&outcome));
    assert!(text(&outcome).contains("table"), "{}", text(&outcome));
}

#[tokio::test(flavor = "multi_thread")]
async fn recursion_crashes_and_a_crash_is_one_line() {
    let deeper = Guest::new("deeper", "(call $f) (unreachable)").extra("(func $f (call $f))").build();
    let host = Ground::new().samples(&["chaos"]).component("deeper", &deeper).start().await;
    for (tool, reason) in
        [("deeper", "call stack exhausted"), ("recurse", "wasm trap"), ("crash", "unreachable")]
    {
        let outcome = call(&host, tool, "{}").await;
        assert_eq!(code(&outcome), "tool_crashed");
        let text = text(&outcome);
        assert!(text.starts_with(&format!("Error (ToolCrashed): The tool '{tool}' crashed: ")), "{text}");
        assert!(text.contains(reason) && !text.contains('\n'), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_output_costs_time_and_no_memory() {
    let host = Ground::new().samples(&["chaos"]).start().await;
    let before = resident_bytes();
    let outcome = call_within(&host, "flood", "{}", 1_000).await;
    assert_eq!(code(&outcome), "timeout", "{}", text(&outcome));
    assert!(resident_bytes() < before + (64 << 20), "{before} to {}", resident_bytes());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_of_the_tools_own_keeps_its_kind_and_word() {
    let host = Ground::new().samples(&["chaos"]).start().await;
    let outcome = call(&host, "fail", "{}").await;
    let failure = outcome.result.as_ref().unwrap_err();
    assert_eq!((failure.code, failure.retryable), (Code::ToolError, true), "{failure:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_guest_returns_has_to_be_readable_and_small() {
    let not_utf8 =
        Guest::new("t", &Guest::text(60_000, 3)).extra(r#"(data (i32.const 60000) "\ed\a0\80")"#).build();
    let far = Guest::new("t", &Guest::text(0x7fff_ff00, 200)).build();
    let huge =
        Guest::new("t", &Guest::text(0, 100 << 20)).memory(r#"(memory (export "memory") 1700)"#).build();
    let lone = Guest::new("t", &Guest::structured(60_000, 8))
        .extra(r#"(data (i32.const 60000) "\"\\ud800\"")"#)
        .build();
    let text_as_json = Guest::new("t", &Guest::structured(1024, 1)).build();
    for (what, guest) in [
        ("not UTF-8", not_utf8),
        ("out of bounds", far),
        ("too much", huge),
        ("a lone surrogate", lone),
        ("no JSON", text_as_json),
    ] {
        let host = Ground::new().component("t", &guest).start().await;
        let outcome = call(&host, "t", "{}").await;
        assert_eq!(code(&outcome), "bad_result", "{what}: {}", text(&outcome));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_loops_leave_room_for_everybody_else() {
    let host = Ground::new().samples(&["chaos", "math"]).start().await;
    let loops = 100;
    let mut running = tokio::task::JoinSet::new();
    for number in 0..loops {
        let host = host.clone();
        running.spawn(async move { call_within(&host, "spin", "{}", 500 + 20 * number).await });
    }
    let mut answered = 0;
    while !running.is_empty() {
        assert_eq!(text(&call(&host, "multiply", r#"{"a":2,"b":3}"#).await), "6");
        answered += 1;
        while let Some(ended) = running.try_join_next() {
            assert_eq!(code(&ended.unwrap()), "timeout");
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(answered > 10, "only {answered} other calls were answered meanwhile");
    assert_eq!(host.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_can_be_cancelled_at_any_moment() {
    let host = Ground::new().samples(&["chaos", "math"]).start().await;
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..rounds(300, 1_000) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let tool = ["spin", "sleep", "multiply", "flood"][round % 4];
        let arguments = if tool == "sleep" {
            r#"{"ms":1000}"#
        } else if tool == "multiply" {
            r#"{"a":1}"#
        } else {
            "{}"
        };
        let moment = Duration::from_micros(seed % 3_000);
        let cancelled = tokio::time::timeout(moment, call(&host, tool, arguments)).await;
        if let Ok(outcome) = cancelled {
            assert_eq!(text(&outcome), "1");
        }
    }
    assert_eq!(host.running(), 0);
    assert_eq!(text(&call(&host, "multiply", r#"{"a":6,"b":7}"#).await), "42");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_is_in_the_record() {
    let ground = Ground::new().samples(&["chaos"]);
    let host = ground.start().await;
    let dropped = tokio::time::timeout(Duration::from_millis(50), call(&host, "spin", r#"{}"#)).await;
    assert!(dropped.is_err());
    host.shutdown(Duration::from_secs(1)).await;
    let database = ground.path().join(".toolhost/toolhost.db");
    assert!(database.is_file(), "{}", database.display());
    let refused = call(&host, "spin", "{}").await;
    assert_eq!(code(&refused), "overloaded", "a host that is closing takes no calls");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_pool_waits_and_then_says_so() {
    let ground = Ground::new().samples(&["chaos"]).config(
        "[pools.default]\nsize = 2\ntool_share = 2\ntenant_share = 2\n[[component]]\npath = \"tools/chaos.wasm\"\n",
    );
    let host = ground.start().await;
    let mut held = tokio::task::JoinSet::new();
    for _ in 0..2 {
        let host = host.clone();
        held.spawn(async move { call(&host, "sleep", r#"{"ms":3000}"#).await });
    }
    let patience = Instant::now();
    while host.running() < 2 {
        assert!(patience.elapsed() < Duration::from_secs(5));
        tokio::task::yield_now().await;
    }
    let outcome = call_within(&host, "sleep", r#"{"ms":0}"#, 100).await;
    assert_eq!(text(&outcome), "Error (Timeout): timed out after 100ms");
    held.abort_all();
    while held.join_next().await.is_some() {}
    assert_eq!(text(&call(&host, "sleep", r#"{"ms":1}"#).await), "1");
}

fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = status.split_whitespace().nth(1).unwrap().parse().unwrap();
    pages * 4096
}
