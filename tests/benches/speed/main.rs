//! Speed as ratios within one run: a gated call against bare Wasmtime (P1), the lateness of a kill under 100 endless
//! loops (P4), and a start with 100 components from the artefact cache (P5).
//!
//! Prints what it measured and asserts nothing about time. Run it with `just bench` on an idle machine.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stdout,
    missing_docs,
    reason = "a measurement prints, and stops where it cannot go on"
)]

mod bare;

use std::time::{Duration, Instant};

use bare::Bare;
use toolhost::executor::Host;
use toolhost::gate::Call;
use toolhost::policy::{Limits, Pools};
use toolhost_tests::host::{Ground, caller, program};
use toolhost_tests::wire::Served;

const ARGUMENTS: &str = r#"{"a":6,"b":7}"#;
const TRUSTED: &str = "[[component]]\npath = \"tools/*.wasm\"\ntrust_annotations = true\n";

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        gated_call().await;
        kill_lateness().await;
        start_of_many().await;
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

async fn gated(host: &Host) {
    let outcome = host.execute(Call::new(caller(host, "local"), "multiply", ARGUMENTS)).await;
    assert_eq!(outcome.code(), "ok");
}

/// P1. The three take turns in short rounds, so that a change of the machine's mood meets all of them.
async fn gated_call() {
    const ROUNDS: usize = 40;
    const CALLS: usize = 500;
    println!("P1  `multiply` in process: a fresh sandbox for each call, fuel and epochs on");
    let ground = Ground::new().samples(&["math"]).config(TRUSTED);
    let component = std::fs::read(ground.path().join("tools/math.wasm")).unwrap();
    let host = ground.start().await;
    println!("  {}", host.engine_report().sentence());
    let same =
        Bare::new(&toolhost::sandbox::engine_config(&Limits::default(), &Pools::default()), &component);
    let default = Bare::new(&bare::default_pooling(), &component);
    let (mut ours, mut tuned, mut usual) = (Samples::default(), Samples::default(), Samples::default());
    for round in 0..ROUNDS {
        for at in 0..3 * CALLS {
            let began = Instant::now();
            match at / CALLS {
                0 => gated(&host).await,
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

/// P4. Deadlines staggered over 2 s: a hundred tools that differ in their attempt timeout alone.
async fn kill_lateness() {
    const LOOPS: u64 = 100;
    println!("P4  {LOOPS} endless loops over HTTP, deadlines staggered over 2 s");
    let mut ground = Ground::new().samples(&["chaos", "math"]);
    let chaos = std::fs::read(ground.path().join("tools/chaos.wasm")).unwrap();
    let mut config = String::from("[[component]]\npath = \"tools/math.wasm\"\ntrust_annotations = true\n");
    let timeout = |number: u64| Duration::from_millis(1_000 + 20 * number);
    for number in 0..LOOPS {
        ground = ground.component(&format!("loop{number}"), &distinct(&chaos, number));
        config.push_str(&format!(
            "[[component]]\npath = \"tools/loop{number}.wasm\"\nprefix = \"l{number}_\"\ntrust_annotations = true\n\
             tool.spin = {{ attempt_timeout = \"{}ms\" }}\n",
            timeout(number).as_millis()
        ));
    }
    let ground = ground.config(&config);
    let served = std::sync::Arc::new(Served::start(ground.path()));
    let mut loops = tokio::task::JoinSet::new();
    for number in 0..LOOPS {
        let served = served.clone();
        loops.spawn(async move {
            let began = Instant::now();
            let answer = served.call(&format!("l{number}_spin"), "{}").await;
            let took = began.elapsed();
            assert_eq!(answer["result"]["_meta"]["toolhost/outcome"]["code"], "timeout", "{answer}");
            took.saturating_sub(timeout(number))
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
    let ground = ground.config(&config);
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
