//! Compilers and the process that starts them: they end with whom they work for, stand behind walls of their own, and a host
//! that lost them says so.

use std::process::{Command, Stdio};
use std::time::Duration;

use toolhost::executor::Host;
use toolhost::sandbox::{BROKER_WORD, COMPILE_WORD, Compiler};
use toolhost_tests::guest::Guest;
use toolhost_tests::host::{Ground, call, program, text};
use toolhost_tests::process::{assert_walled, children, lives, status, until};
use toolhost_tests::wire::Served;

fn simple() -> Ground {
    Ground::new().component("t", &Guest::new("t", &Guest::text(1024, 1)).build())
}

fn signal(id: u32, signal: &str) {
    assert!(Command::new("kill").args([signal, &id.to_string()]).status().unwrap().success());
}

#[test]
fn a_compiler_walls_itself_in_before_it_reads() {
    let mut command = Command::new(program());
    command.arg(COMPILE_WORD).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut compiler = command.spawn().unwrap();
    until("it walls itself in", || status(&compiler.id().to_string(), "Seccomp_filters") == "2");
    assert_walled(compiler.id(), "2");
    compiler.kill().unwrap();
    compiler.wait().unwrap();
}

#[test]
fn a_compiler_ends_with_its_parent() {
    let mut parent = Command::new("sh")
        .args(["-c", &format!("\"$0\" {COMPILE_WORD} --parent $$; true")])
        .arg(program())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut compiler = None;
    until("it is started", || {
        compiler = children(parent.id(), COMPILE_WORD).pop();
        compiler.is_some_and(|it| status(&it.to_string(), "Seccomp") == "2")
    });
    // What it reads from stays open.
    let _input = parent.stdin.take();
    parent.kill().unwrap();
    parent.wait().unwrap();
    until("the compiler ends", || !lives(compiler.unwrap()));
    // The parent is another process than the one that this one is told of.
    let mut command = Command::new(program());
    let output = command.args([COMPILE_WORD, "--parent", "1"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr).trim(), "the parent has ended");
    assert_eq!(output.status.code(), Some(4));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_broker_ends_with_its_server() {
    let ground = simple();
    let mut served = Served::start(ground.path());
    let [broker] = children(served.id(), BROKER_WORD)[..] else { panic!("one process starts compilers") };
    served.kill();
    served.ended().await;
    tokio::task::spawn_blocking(move || until("the broker ends", || !lives(broker))).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn components_are_compiled_by_the_broker() {
    let ground = simple();
    let settings = toolhost::config::load(None, ground.path()).unwrap();
    let host = Host::start(settings, Compiler::brokered(&program()).unwrap()).await.unwrap();
    assert_eq!(text(&call(&host, "t", "{}").await), "t");
    assert!(!host.load_report().loaded[0].from_cache);
    let bad =
        Ground::new().component("bad", &wat::parse_str("(component (core module (memory i64 1)))").unwrap());
    let settings = toolhost::config::load(None, bad.path()).unwrap();
    let host = Host::start(settings, Compiler::brokered(&program()).unwrap()).await.unwrap();
    let reason = &host.load_report().refused[0].reason;
    assert!(reason.starts_with("it is not a component that this host can compile: "), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_its_broker_a_host_says_so_and_waits_for_nothing() {
    let said = "could not be started: the process that starts it has ended; start the host again";
    // It has ended before it is asked, and while it is asked.
    for stopped in [false, true] {
        let ground = simple();
        let settings = toolhost::config::load(None, ground.path()).unwrap();
        let compiler = Compiler::brokered(&program()).unwrap();
        let broker = compiler.broker().unwrap();
        if stopped {
            signal(broker, "-STOP");
        } else {
            signal(broker, "-KILL");
            until("the broker is gone", || !lives(broker));
        }
        let starting = tokio::spawn(Host::start(settings, compiler));
        if stopped {
            // What the compiler is to write is there once it is asked for.
            let folder = ground.path().join(".toolhost/artefacts");
            let asked = move || std::fs::read_dir(&folder).is_ok_and(|files| files.count() > 0);
            tokio::task::spawn_blocking(|| until("a compiler is asked for", asked)).await.unwrap();
            signal(broker, "-KILL");
        }
        let host = tokio::time::timeout(Duration::from_secs(60), starting).await.unwrap().unwrap().unwrap();
        let reason = &host.load_report().refused[0].reason;
        assert!(reason.ends_with(said), "{reason}");
    }
}
