//! Guests that abuse what every guest may import: the network, files, output, handles.

#![deny(dead_code)]

use std::time::{Duration, SystemTime};

use toolhost::spec::Code;
use toolhost_tests::corpus::HostileGuest;
use toolhost_tests::host::{Ground, text};

use super::{Stage, tests};

toolhost_tests::foreach_wasi_guest!(tests);

const CONFIG: &str = r#"
[[component]]
path = "tools/*.wasm"
trust_annotations = true
[[component]]
path = "tools/b54_reads_settings_of_others.wasm"
config = { currency = "EUR" }
"#;

#[tokio::test(flavor = "multi_thread")]
async fn every_guest_of_the_group_gets_its_end() {
    super::run("wasi", CONFIG).await;
}

/// The guest in a host of its own, with a folder `data/in` that it may only read.
async fn with_a_folder(stage: Stage, fill: impl FnOnce(&std::path::Path)) -> (Ground, Stage) {
    let ground = Ground::new()
        .component("t", &HostileGuest::named(stage.guest.name).component())
        .samples(&["math"])
        .plain_config(
            "[[component]]\npath = \"tools/*.wasm\"\n[[component]]\npath = \"tools/t.wasm\"\n\
             grants = { directories = [{ host = \"data/in\", guest = \"/in\", access = \"read_only\" }] }\n",
        );
    let folder = ground.path().join("data/in");
    std::fs::create_dir_all(&folder).unwrap();
    fill(&folder);
    let host = ground.start().await;
    (ground, Stage { host, ..stage })
}

async fn ghsa_hmmr_tries_every_socket(stage: Stage) {
    let stream = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = stream.local_addr().unwrap().port();
    let datagrams = tokio::net::UdpSocket::bind(("127.0.0.1", port)).await.unwrap();
    let outcome = stage.call(&format!(r#"{{"a":"{port:05}"}}"#)).await;
    assert_eq!(text(&outcome), "denied");
    assert_eq!(stage.guest.answer(), "ok");
    // What had left would have arrived before the answer.
    let stream = tokio::time::timeout(Duration::from_millis(50), stream.accept()).await;
    assert!(stream.is_err() && datagrams.try_recv(&mut [0; 16]).is_err(), "a packet left");
}

async fn ghsa_5m8g_writes_nothing_for_ever(stage: Stage) {
    stage.is_stopped().await;
}

async fn ghsa_gqmc_writes_a_gigabyte(stage: Stage) {
    stage.answers("closed").await;
}

async fn ghsa_243v_has_a_hundred_thousand_headers(stage: Stage) {
    stage.ends(Code::BadResult).await;
}

async fn ghsa_243v_has_a_header_of_ten_megabytes(stage: Stage) {
    stage.ends(Code::BadResult).await;
}

async fn ghsa_w4qr_sets_odd_timeouts(stage: Stage) {
    stage.answers("ghsa").await;
}

async fn ghsa_2r75_changes_a_folder_to_read(stage: Stage) {
    let (ground, stage) =
        with_a_folder(stage, |folder| std::fs::write(folder.join("file"), "kept").unwrap()).await;
    stage.answers("kept").await;
    let folder = ground.path().join("data/in");
    assert_eq!(std::fs::read_to_string(folder.join("file")).unwrap(), "kept");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
}

async fn ghsa_f2pq_names_paths_outside(stage: Stage) {
    let (_ground, stage) = with_a_folder(stage, |folder| {
        std::fs::create_dir(folder.join("a")).unwrap();
        std::fs::write(folder.join("../secret"), "secret").unwrap();
        std::os::unix::fs::symlink("..", folder.join("link")).unwrap();
    })
    .await;
    stage.answers("kept").await;
}

async fn ghsa_mr2v_looks_at_odd_times(stage: Stage) {
    let (_ground, stage) = with_a_folder(stage, |folder| {
        let past = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        let future = SystemTime::UNIX_EPOCH + Duration::from_secs(884_541_351_600);
        for (name, time) in [("past", past), ("future", future)] {
            let file = std::fs::File::create(folder.join(name)).unwrap();
            // A file system may have no such time.
            drop(file.set_modified(time));
        }
    })
    .await;
    stage.answers("ghsa").await;
}

async fn ghsa_m758_passes_odd_flags(stage: Stage) {
    let (ground, stage) =
        with_a_folder(stage, |folder| std::fs::write(folder.join("file"), "kept").unwrap()).await;
    stage.answers("ghsa").await;
    assert_eq!(std::fs::read_to_string(ground.path().join("data/in/file")).unwrap(), "kept");
}

async fn b54_reads_what_the_process_has(stage: Stage) {
    stage.answers("nothing").await;
}

async fn b54_reads_settings_of_others(stage: Stage) {
    stage.answers("EUR").await;
}

async fn d12_leaves_as_if_it_had_succeeded(stage: Stage) {
    let said = stage.ends(Code::ToolCrashed).await;
    assert!(said.contains("it left with exit code 0 and no answer"), "{said}");
}

async fn d7_uses_handles_that_it_never_had(stage: Stage) {
    stage.ends(Code::BadResult).await;
}

async fn d7_gives_a_handle_back_twice(stage: Stage) {
    stage.ends(Code::BadResult).await;
}
