//! Quotas of granted directories: no guest fills a disk, and what it deletes it can write again.

use std::sync::Arc;

use toolhost_tests::host::Ground;
use toolhost_tests::{rounds, wire};

use super::files::{ground, last, run};

/// What lies in the small directory of a tenant, as its operator would count it: bytes and files.
fn held(ground: &Ground, tenant: &str) -> (u64, usize) {
    let mut held = (0, 0);
    let mut folders = vec![ground.path().join("small").join(tenant)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let is = entry.metadata().unwrap();
            held.1 += 1;
            if is.is_dir() {
                folders.push(entry.path());
            } else {
                held.0 += is.len();
            }
        }
    }
    held
}

/// Commands on a directory of at most 65,536 bytes in 10 files, and what each says.
const QUOTA_CASES: &[&[(&str, &str)]] = &[
    // By bytes, in every way to write.
    &[("open|f|/s|a|wc", "ok"), ("write|f|0|65536", "65536"), ("write|f|65536|1", "quota")],
    &[("open|f|/s|a|wc", "ok"), ("write|f|0|65537", "quota"), ("lstat|/s|a", "0")],
    &[("open|f|/s|a|wc", "ok"), ("stream|f|0|65536", "ok"), ("stream|f|65536|1", "quota")],
    &[("open|f|/s|a|wc", "ok"), ("stream|f|0|70000", "quota"), ("lstat|/s|a", "65536")],
    &[("open|f|/s|a|wc", "ok"), ("append|f|65536", "ok"), ("append|f|1", "quota"), ("lstat|/s|a", "65536")],
    &[("open|f|/s|a|wc", "ok"), ("size|f|65536", "ok"), ("size|f|65537", "quota"), ("lstat|/s|a", "65536")],
    &[("std-write|/s/a|65536", "ok"), ("std-write|/s/b|1", "QuotaExceeded"), ("lstat|/s|b", "0")],
    // A hole is charged as what it seems to hold.
    &[("open|f|/s|a|wc", "ok"), ("size|f|10737418240", "quota"), ("lstat|/s|a", "0")],
    &[("open|f|/s|a|wc", "ok"), ("write|f|65536|1", "quota"), ("write|f|10737418240|1", "quota")],
    &[
        ("open|f|/s|a|wc", "ok"),
        ("write|f|65535|1", "1"),
        ("write|f|0|65535", "65535"),
        ("append|f|1", "quota"),
    ],
    &[("open|f|/s|a|wc", "ok"), ("stream|f|10737418240|1", "quota"), ("lstat|/s|a", "0")],
    &[("open|f|/s|a|wc", "ok"), ("write|f|18446744073709551615|2", "file-too-large"), ("lstat|/s|a", "0")],
    // By number, directories included.
    &[("fill|/s|f|100|1", "10 quota"), ("mkdir|/s|d", "quota"), ("open|f|/s|f0|r", "ok")],
    &[("mkdir|/s|d", "ok"), ("fill|/s|d/f|100|0", "9 quota"), ("mkdir|/s|d/e", "quota")],
    &[("fill|/s|f|10|0", "10 ok"), ("open|f|/s|new|wc", "quota"), ("open|f|/s|f3|wc", "ok")],
    // What fails is not charged.
    &[
        ("open|f|/s|missing/a|wc", "no-entry"),
        ("mkdir|/s|missing/a", "no-entry"),
        ("fill|/s|f|10|0", "10 ok"),
    ],
    &[("mkdir|/s|d", "ok"), ("mkdir|/s|d", "exist"), ("mkdir|/s|d", "exist"), ("fill|/s|f|10|0", "9 quota")],
    &[("fill|/s|f|1|0", "1 ok"), ("fill|/s|f|1|0", "0 exist"), ("fill|/s|g|10|0", "9 quota")],
    // Overwriting is not charged again.
    &[
        ("open|f|/s|a|wc", "ok"),
        ("overwrite|f|40000|10000", "ok"),
        ("append|f|25536", "ok"),
        ("append|f|1", "quota"),
    ],
    &[("std-write|/s/a|60000", "ok"), ("std-write|/s/a|60000", "ok"), ("std-write|/s/a|60000", "ok")],
    // What is deleted or cut off gives its room back.
    &[("std-write|/s/a|65536", "ok"), ("unlink|/s|a", "ok"), ("std-write|/s/b|65536", "ok")],
    &[
        ("open|f|/s|a|wc", "ok"),
        ("append|f|65536", "ok"),
        ("size|f|10", "ok"),
        ("append|f|65526", "ok"),
        ("append|f|1", "quota"),
    ],
    &[
        ("std-write|/s/a|65536", "ok"),
        ("open|f|/s|a|t", "ok"),
        ("std-write|/s/b|65536", "ok"),
        ("std-write|/s/c|1", "QuotaExceeded"),
    ],
    &[("fill|/s|f|10|0", "10 ok"), ("unlink|/s|f3", "ok"), ("fill|/s|g|10|0", "1 quota")],
    &[("fill|/s|f|9|0", "9 ok"), ("mkdir|/s|d", "ok"), ("rmdir|/s|d", "ok"), ("fill|/s|g|10|0", "1 quota")],
    // So does what another file takes the name of; what is only named anew does not.
    &[
        ("std-write|/s/a|40000", "ok"),
        ("std-write|/s/b|20000", "ok"),
        ("rename|/s|b|/s|a", "ok"),
        ("std-write|/s/c|45536", "ok"),
        ("std-write|/s/d|1", "QuotaExceeded"),
    ],
    &[
        ("std-write|/s/a|65536", "ok"),
        ("rename|/s|a|/s|b", "ok"),
        ("rename|/s|b|/s|b", "ok"),
        ("std-write|/s/c|1", "QuotaExceeded"),
    ],
    &[("mkdir|/s|d", "ok"), ("mkdir|/s|e", "ok"), ("rename|/s|d|/s|e", "ok"), ("fill|/s|g|20|0", "9 quota")],
    // A file that was deleted takes room for as long as it is open, and so does what is written to it then.
    &[
        ("open|f|/s|a|wc", "ok"),
        ("append|f|40000", "ok"),
        ("unlink|/s|a", "ok"),
        ("std-write|/s/b|25537", "QuotaExceeded"),
        ("unlink|/s|b", "ok"),
        ("append|f|20000", "ok"),
        ("append|f|10000", "quota"),
        ("close|f", "ok"),
        ("std-write|/s/b|65536", "ok"),
    ],
    &[
        ("open|f|/s|a|wc", "ok"),
        ("append|f|65536", "ok"),
        ("keep-stream|s|f", "ok"),
        ("close|f", "ok"),
        ("unlink|/s|a", "ok"),
        ("std-write|/s/b|1", "QuotaExceeded"),
        ("pour|s|10", "ok"),
        ("close|s", "ok"),
        ("std-write|/s/b|65536", "ok"),
    ],
    &[
        ("open|f|/s|a|wc", "ok"),
        ("append|f|65536", "ok"),
        ("open|g|/s|b|wc", "ok"),
        ("rename|/s|b|/s|a", "ok"),
        ("append|g|1", "quota"),
        ("size|f|0", "ok"),
        ("append|g|1", "ok"),
        ("close|f", "ok"),
        ("fill|/s|n|10|0", "9 quota"),
    ],
];

#[tokio::test(flavor = "multi_thread")]
async fn a_quota_bounds_bytes_and_files_and_what_goes_comes_back() {
    let ground = ground();
    let host = ground.start().await;
    let folder = ground.path().join("small/acme");
    let mut faults = Vec::new();
    for case in QUOTA_CASES {
        // A folder of its own, so that no count is left from the case before.
        std::fs::rename(&folder, ground.path().join(format!("was-{}", case.as_ptr().addr()))).unwrap();
        std::fs::create_dir(&folder).unwrap();
        let (commands, expected): (Vec<&str>, Vec<&str>) = case.iter().copied().unzip();
        let said = run(&host, "acme", &commands).await;
        let (bytes, files) = held(&ground, "acme");
        if said != expected || bytes > 65_536 || files > 10 {
            faults.push(format!(
                "{commands:?} said {said:?}, not {expected:?}; {bytes} bytes in {files} files"
            ));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// One tenant fills what it has; another one has as much as before, and sees nothing of it.
#[tokio::test(flavor = "multi_thread")]
async fn tenants_share_neither_files_nor_room() {
    let ground = ground();
    let host = ground.start().await;
    let full = run(&host, "acme", &["std-write|/s/mine|65536", "fill|/s|f|100|0"]).await;
    assert_eq!(full, ["ok", "9 quota"]);
    let other = run(
        &host,
        "globex",
        &[
            "list|/s",
            "open|f|/s|mine|r",
            "open|f|/s|../acme/mine|r",
            "open|f|/s|./../acme/mine|rf",
            "open|d|/s|..|rd",
            "stat|/s|../acme",
            "rename|/s|../acme/mine|/s|mine",
            "std-write|/s/own|65536",
            "fill|/s|f|100|0",
        ],
    )
    .await;
    let denied = "not-permitted";
    assert_eq!(other, ["", "no-entry", denied, denied, denied, denied, denied, "ok", "9 quota"]);
    assert_eq!(run(&host, "acme", &["stat|/s|mine", "std-write|/s/mine|65536"]).await, ["65536", "ok"]);
}

/// What a call wrote is counted in the next one, in another process's too, and what the operator does there is seen.
#[tokio::test(flavor = "multi_thread")]
async fn what_lies_there_is_counted_whoever_put_it_there() {
    let ground = ground();
    let host = ground.start().await;
    assert_eq!(last(&host, &["std-write|/s/a|60000"]).await, "ok");
    assert_eq!(last(&host, &["std-write|/s/b|6000"]).await, "QuotaExceeded");
    drop(host);
    // A host that is new to the folder counts it before it lets anybody write.
    let host = ground.start().await;
    assert_eq!(last(&host, &["std-write|/s/c|6000"]).await, "QuotaExceeded");
    let small = ground.path().join("small/acme");
    std::fs::write(small.join("operator's"), "hello").unwrap();
    assert_eq!(last(&host, &["open|f|/s|operator's|r", "read|f"]).await, "hello");
    std::fs::remove_file(small.join("a")).unwrap();
    // A refusal rests on a count that is at most a second old.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while last(&host, &["std-write|/s/d|6000"]).await != "ok" {
        assert!(std::time::Instant::now() < until, "room that the operator made is not found");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// Many calls at once charge one count: together they get what one would.
#[tokio::test(flavor = "multi_thread")]
async fn calls_at_once_share_one_quota() {
    let ground = ground();
    let host = Arc::new(ground.start().await);
    for round in 0..rounds(3, 100) {
        let commands = |call: usize| {
            [
                format!("open|f|/s|{round}-{call}|wc"),
                "append|f|30000".to_owned(),
                "overwrite|f|8000|20".to_owned(),
                "size|f|8000".to_owned(),
                "close|f".to_owned(),
                format!("fill|/s|{round}-{call}-|3|0"),
            ]
        };
        let mut calls = tokio::task::JoinSet::new();
        for call in 0..8 {
            let (host, commands) = (Arc::clone(&host), commands(call));
            calls.spawn(async move { run(&host, "acme", &commands).await });
        }
        calls.join_all().await;
        let (bytes, files) = held(&ground, "acme");
        assert!(bytes <= 65_536 && files <= 10, "{bytes} bytes in {files} files");
        for entry in std::fs::read_dir(ground.path().join("small/acme")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert_eq!(last(&host, &[&format!("unlink|/s|{name}")]).await, "ok");
        }
        let room = last(&host, &["std-write|/s/all|65536", "unlink|/s|all", "fill|/s|last|11|0"]).await;
        assert_eq!(room, "10 quota", "all room came back");
        let gone: Vec<String> = (0..10).map(|number| format!("unlink|/s|last{number}")).collect();
        assert!(run(&host, "acme", &gone).await.iter().all(|said| said == "ok"));
    }
}

/// A directory with more names than a guest could hold is listed a few at a time, and one that a guest filled is full.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_directory_is_listed_to_its_end_and_not_filled_without_one() {
    let ground = ground();
    let host = ground.start().await;
    let many = rounds(5_000, 100_000);
    for number in 0..many {
        std::fs::write(ground.path().join(format!("read/sub/{number}-{}", "n".repeat(100))), "").unwrap();
    }
    let n_names = (many + 2).to_string();
    assert_eq!(last(&host, &["open|d|/r|sub|rd", "count|d", "count|d"]).await, n_names);
    assert_eq!(last(&host, &["fill|/w|f|100000|1"]).await, format!("{} quota", 1_000 - 12));
}

/// The operator is told of a refusal, once for each call.
#[test]
fn a_refusal_is_logged_once_in_a_call() {
    let ground = ground();
    let arguments = r#"{"commands":["std-write|/s/a|70000","std-write|/s/b|70000","mkdir|/s|c"]}"#;
    let output = wire::run(ground.path(), &["call", "files", arguments, "--tenant", "acme"]);
    let log = String::from_utf8(output.stderr).unwrap();
    let told: Vec<&str> = log.lines().filter(|line| line.contains("a granted directory is full")).collect();
    assert_eq!(told.len(), 1, "{log}");
    for word in ["acme", "small/acme", "65536 bytes in 10 files"] {
        assert!(told[0].contains(word), "{word}: {}", told[0]);
    }
}
