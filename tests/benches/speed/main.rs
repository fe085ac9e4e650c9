//! Speed as ratios within one run: a gated call against bare Wasmtime (P1), the lateness of a kill under 100 endless
//! loops (P4), a start with 100 components from the artefact cache (P5), a call with a side effect against one without
//! on each store, one and two nodes on PostgreSQL, one tenant's calls beside another's flood, and calls over HTTP against a
//! bare route (P3).
//!
//! Prints what it measured and asserts nothing about time. Run it with `just bench` on an idle machine, or a part of
//! it with `just bench p4`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stdout,
    missing_docs,
    reason = "a measurement prints, and stops where it cannot go on"
)]

mod bare;
mod effects;
mod http;

use std::time::{Duration, Instant};

use bare::Bare;
use toolhost::executor::Host;
use toolhost::gate::{Call, Caller};
use toolhost::policy::{Limits, Pools};
use toolhost_tests::host::{Ground, caller, program};
use toolhost_tests::wire::Served;

/// The allocator of `host serve`, for both sides of each ratio.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ARGUMENTS: &str = r#"{"a":6,"b":7}"#;
const TRUSTED: &str = "[[component]]\npath = \"tools/*.wasm\"\ntrust_annotations = true\n";

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    // Cargo adds an argument of its own, which begins with a dash.
    let parts: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|named| named == part);
    runtime.block_on(async {
        if std::env::args().any(|argument| argument == http::ECHO) {
            return http::echo().await;
        }
        if wanted("p1") {
            gated_call().await;
        }
        if wanted("p4") {
            kill_lateness().await;
        }
        if wanted("p5") {
            start_of_many().await;
        }
        if wanted("effects") {
            effects::on_each_store().await;
        }
        if wanted("nodes") {
            effects::on_one_and_two_nodes().await;
        }
        if wanted("fair") {
            effects::beside_a_flood().await;
        }
        if wanted("http") {
            http::lean_path().await;
        }
    });
}

/// Times of one thing.
#[derive(Default)]
struct Samples(Vec<Duration>);

impl Samples {
    fn at(&self, part: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted.get((sorted.len().saturating_sub(1) as f64 * part) as usize).copied().unwrap_or_default()
    }

    fn show(&self, what: &str) {
        let [p50, p99, worst] = [0.5, 0.99, 1.0].map(|part| self.at(part));
        println!("  {what:<46} p50 {p50:>10.1?}   p99 {p99:>10.1?}   worst {worst:>10.1?}");
    }
}

async fn gated(host: &Host, caller: &Caller) {
    let outcome = host.execute(Call::new(caller.clone(), "multiply", ARGUMENTS)).await;
    assert_eq!(outcome.code(), "ok");
}

/// P1. The three take turns in short rounds, so that a change of the machine's mood meets all of them.
async fn gated_call() {
    const ROUNDS: usize = 40;
    const CALLS: usize = 500;
    println!("P1  `multiply` in process: a fresh sandbox for each call, fuel and epochs on");
    let ground = Ground::new().samples(&["math"]).plain_config(TRUSTED);
    let component = std::fs::read(ground.path().join("tools/math.wasm")).unwrap();
    let host = ground.start().await;
    let local = caller(&host, "local");
    println!("  {}", host.engine_report().sentence());
    let same =
        Bare::new(&toolhost::sandbox::engine_config(&Limits::default(), &Pools::default()), &component);
    let default = Bare::new(&bare::default_pooling(), &component);
    let (mut ours, mut tuned, mut usual) = (Samples::default(), Samples::default(), Samples::default());
    for round in 0..ROUNDS {
        for at in 0..3 * CALLS {
            let began = Instant::now();
            match at / CALLS {
                0 => gated(&host, &local).await,
                1 => same.call("multiply", ARGUMENTS).await,
                _ => default.call("multiply", ARGUMENTS).await,
            }
            let took = began.elapsed();
            // The first round warms the pools.
            if round > 0 {
                [&mut ours, &mut tuned, &mut usual][at / CALLS].0.push(took);
            }
        }
    }
    host.shutdown(Duration::from_secs(5)).await;
    ours.show("gated, logged, limited call");
    tuned.show("bare Wasmtime, the same engine settings");
    usual.show("bare Wasmtime, its default pooling settings");
    let ratio = |other: &Samples| ours.at(0.5).as_secs_f64() / other.at(0.5).as_secs_f64();
    println!(
        "  ratio to the same settings {:.2} (bar 1.25), to the default {:.2} (bar 0.75)",
        ratio(&tuned),
        ratio(&usual)
    );
}

/// P4. The loops come in over 2 s and may run for 2.5 s each, so that all of them run at once for a while and their
/// deadlines are as far apart as their beginnings. A client sees the whole lateness: its request, the host's answer.
async fn kill_lateness() {
    const LOOPS: u32 = 100;
    const STAGGER: Duration = Duration::from_millis(20);
    const TIMEOUT: Duration = Duration::from_millis(2_500);
    println!("P4  {LOOPS} endless loops over HTTP, deadlines staggered over 2 s");
    let ground = Ground::new().samples(&["chaos", "math"]).plain_config(&format!(
        "[[component]]\npath = \"tools/math.wasm\"\n[[component]]\npath = \"tools/chaos.wasm\"\n\
         trust_annotations = true\ntool.spin = {{ attempt_timeout = \"{}ms\", retries = 0 }}\n",
        TIMEOUT.as_millis()
    ));
    let served = std::sync::Arc::new(Served::start(ground.path()));
    let mut loops = tokio::task::JoinSet::new();
    for number in 0..LOOPS {
        let served = served.clone();
        loops.spawn(async move {
            tokio::time::sleep(STAGGER * number).await;
            let began = Instant::now();
            let answer = served.call("spin", "{}").await;
            let took = began.elapsed();
            assert_eq!(answer["result"]["_meta"]["toolhost/outcome"]["code"], "timeout", "{answer}");
            took.saturating_sub(TIMEOUT)
        });
    }
    let (mut lateness, mut health) = (Samples::default(), Samples::default());
    while !loops.is_empty() {
        let began = Instant::now();
        assert_eq!(served.health().await, 200);
        health.0.push(began.elapsed());
        while let Some(late) = loops.try_join_next() {
            lateness.0.push(late.unwrap());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    lateness.show("lateness of a kill, as the client sees it (bar 10 ms)");
    health.show("/healthz meanwhile (bar 100 ms)");
}

/// P5. The same component with 100 digests, so that nothing is shared.
async fn start_of_many() {
    const COMPONENTS: u64 = 100;
    println!("P5  start with {COMPONENTS} distinct components");
    let mut ground = Ground::new().samples(&["math"]);
    let math = std::fs::read(ground.path().join("tools/math.wasm")).unwrap();
    std::fs::remove_file(ground.path().join("tools/math.wasm")).unwrap();
    let mut config = String::new();
    for number in 0..COMPONENTS {
        ground = ground.component(&format!("m{number}"), &distinct(&math, number));
        config
            .push_str(&format!("[[component]]\npath = \"tools/m{number}.wasm\"\nprefix = \"m{number}_\"\n"));
    }
    let ground = ground.plain_config(&config);
    let mut starts = Vec::new();
    for _ in 0..4 {
        let settings = toolhost::config::load(None, ground.path()).unwrap();
        let began = Instant::now();
        let host = Host::start(settings, &program()).await.unwrap();
        starts.push(began.elapsed());
        assert_eq!(host.tools().all().len(), 100);
        host.shutdown(Duration::from_secs(5)).await;
    }
    println!("  the first start, which compiles                {:>10.1?}", starts[0]);
    println!("  later starts, from the artefacts (bar 300 ms)  {:>10.1?}", &starts[1..]);
}

/// The same component with another digest: a custom section at its end.
fn distinct(component: &[u8], number: u64) -> Vec<u8> {
    let mut bytes = component.to_vec();
    let body = [&[1, b'n'][..], &number.to_le_bytes()[..]].concat();
    bytes.extend_from_slice(&[0, body.len() as u8]);
    bytes.extend_from_slice(&body);
    bytes
}
