//! What the second promise costs: a durable row, a key in the ledger, a second node; and what a flood costs others.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use toolhost::executor::Host;
use toolhost::gate::Call;
use toolhost_tests::host::{Ground, caller};
use toolhost_tests::wire::{Served, http};

use super::Samples;

/// The same component twice: once trusted that it reads, once taken to have an effect.
const CONFIG: &str = "[[component]]\npath = \"tools/math.wasm\"\ntrust_annotations = true\n\
     [[component]]\npath = \"tools/copy.wasm\"\nprefix = \"w_\"\n";
const CALLERS: u32 = 16;

fn ground(on_postgres: bool) -> Ground {
    let ground = Ground::new().samples(&["math"]);
    let tools = ground.path().join("tools");
    std::fs::copy(tools.join("math.wasm"), tools.join("copy.wasm")).unwrap();
    if on_postgres { ground.config(CONFIG) } else { ground.plain_config(CONFIG) }
}

fn has_postgres() -> bool {
    let has = std::env::var_os("TOOLHOST_TEST_POSTGRES").is_some();
    if !has {
        println!("  PostgreSQL: not measured; `just bench` starts a server for it");
    }
    has
}

async fn call(host: &Host, tool: &str, key: Option<String>) {
    let call = Call {
        key: key.map(|key| key.parse().unwrap()),
        ..Call::new(caller(host, "local"), tool, super::ARGUMENTS)
    };
    let outcome = host.execute(call).await;
    assert_eq!(outcome.code(), "ok", "{outcome:?}");
}

/// One caller's times, and calls per second of many.
async fn measure(host: &Host, tool: &'static str, keyed: bool, round: &str) -> (Samples, f64) {
    const ALONE: u32 = 200;
    const EACH: u32 = 100;
    let key = |number: u32, round: &str| keyed.then(|| format!("{round} {number}"));
    let mut alone = Samples::default();
    for number in 0..ALONE {
        let began = Instant::now();
        call(host, tool, key(number, round)).await;
        alone.0.push(began.elapsed());
    }
    let began = Instant::now();
    let mut callers = JoinSet::new();
    for number in 0..CALLERS {
        let (host, round) = (host.clone(), format!("{round} of {number}"));
        let key = move |number: u32| keyed.then(|| format!("{round} {number}"));
        callers.spawn(async move {
            for number in 0..EACH {
                call(&host, tool, key(number)).await;
            }
        });
    }
    while let Some(done) = callers.join_next().await {
        done.unwrap();
    }
    (alone, f64::from(CALLERS * EACH) / began.elapsed().as_secs_f64())
}

/// A read-only call, one with a side effect, and one with a side effect and a key, on each store.
pub(crate) async fn on_each_store() {
    println!("Effects  `multiply` in process, as a tool that reads and as one that writes");
    for (name, on_postgres) in [("SQLite", false), ("PostgreSQL", true)] {
        if on_postgres && !has_postgres() {
            continue;
        }
        // Its folder has to be there for as long as the host: further connections open the store's file again.
        let ground = ground(on_postgres);
        let host = ground.start().await;
        let mut base = None;
        for (what, tool, keyed) in [
            ("read-only", "multiply", false),
            ("with a side effect", "w_multiply", false),
            ("with a side effect and a key", "w_multiply", true),
        ] {
            measure(&host, tool, keyed, "warm").await;
            let (alone, rate) = measure(&host, tool, keyed, "round").await;
            let (p50, first) =
                (alone.at(0.5).as_secs_f64(), *base.get_or_insert((alone.at(0.5).as_secs_f64(), rate)));
            alone.show(&format!("{name}: {what}"));
            println!(
                "    {rate:>10.0} calls/s of {CALLERS} callers; ratio to read-only {:.1} (time), {:.2} (calls/s)",
                p50 / first.0,
                rate / first.1
            );
        }
        host.shutdown(Duration::from_secs(5)).await;
    }
}

/// Keyed calls over HTTP, spread over one process and over two on one database.
pub(crate) async fn on_one_and_two_nodes() {
    const EACH: u32 = 60;
    println!("Nodes  keyed calls over HTTP, {CALLERS} callers, on the same machine's cores");
    if !has_postgres() {
        return;
    }
    let ground = ground(true);
    let other = ground.another();
    let mut base = None;
    for folders in [vec![ground.path()], vec![ground.path(), other.path()]] {
        let nodes: Vec<Served> = folders.iter().map(|folder| Served::start(folder)).collect();
        let began = Instant::now();
        let mut callers = JoinSet::new();
        for number in 0..CALLERS {
            let address = nodes[usize::try_from(number).unwrap() % nodes.len()].address.clone();
            let n_nodes = nodes.len();
            callers.spawn(async move {
                for call in 0..EACH {
                    let body = format!(
                        r#"{{"calls":[{{"tool":"w_multiply","arguments":{{"a":6,"b":7}},"idempotency_key":"{n_nodes} {number} {call}"}}]}}"#
                    );
                    let (status, answer) = http(&address, "POST", "/v1/calls", &[], &body).await;
                    assert!(status == 200 && answer.contains("\"ok\":true"), "{answer}");
                }
            });
        }
        while let Some(done) = callers.join_next().await {
            done.unwrap();
        }
        let rate = f64::from(CALLERS * EACH) / began.elapsed().as_secs_f64();
        let first = *base.get_or_insert(rate);
        println!("  {} node(s) {rate:>10.0} calls/s, ratio {:.2}", nodes.len(), rate / first);
    }
}

/// One tenant has 1,000 calls of `sleep` in the host, another makes one after the other.
pub(crate) async fn beside_a_flood() {
    const FLOOD: usize = 1_000;
    const CALLS: usize = 300;
    println!("Fair  one tenant's calls beside {FLOOD} calls of `sleep` of another");
    let ground = Ground::new()
        .samples(&["math", "chaos"])
        .plain_config(&format!("{}[[tenant]]\nid = \"flood\"\n[[tenant]]\nid = \"calm\"\n", super::TRUSTED));
    let host = ground.start().await;
    let calm = async || {
        let mut samples = Samples::default();
        for _ in 0..CALLS {
            let began = Instant::now();
            let call = Call::new(caller(&host, "calm"), "multiply", super::ARGUMENTS);
            assert_eq!(host.execute(call).await.code(), "ok");
            samples.0.push(began.elapsed());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        samples
    };
    calm().await;
    let idle = calm().await;
    let mut flood = JoinSet::new();
    for _ in 0..FLOOD {
        let host = host.clone();
        flood.spawn(async move {
            host.execute(Call::new(caller(&host, "flood"), "sleep", r#"{"ms":1000}"#)).await
        });
    }
    let beside = calm().await;
    flood.shutdown().await;
    idle.show("alone");
    beside.show("beside the flood (bar: twice the p99 alone)");
    println!("  ratio of the p99 {:.2}", beside.at(0.99).as_secs_f64() / idle.at(0.99).as_secs_f64());
    host.shutdown(Duration::from_secs(5)).await;
}
