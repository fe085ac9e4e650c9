//! The database is spoken to over TLS, and has to show a certificate that is its own.

use std::process::Command;

use toolhost_tests::host::Ground;
use toolhost_tests::wire::{Served, run, shown};

use super::ledger::{append, ground, lines};

/// A folder whose database is asked for by another name than the tests' own, and with parameters.
fn ground_at(server: &str, parameters: &str) -> Ground {
    let ground = ground();
    let file = ground.path().join("host.toml");
    let config = std::fs::read_to_string(&file).unwrap();
    let (before, url) = config.split_once("postgres://").expect("scripts/postgres.sh runs this test");
    let (url, after) = url.split_once('"').unwrap();
    let url = url.replace("127.0.0.1", server);
    std::fs::write(&file, format!("{before}postgres://{url}?{parameters}\"{after}")).unwrap();
    ground
}

fn authority() -> String {
    std::env::var("TOOLHOST_TEST_POSTGRES_CA").expect("scripts/postgres.sh runs this test")
}

/// How many connections to the database of a folder are encrypted, and how many are not.
fn connections(ground: &Ground) -> (u32, u32) {
    let url = toolhost_tests::postgres::database(ground.path()).unwrap();
    let asked = "SELECT count(*) FILTER (WHERE ssl), count(*) FILTER (WHERE NOT ssl) FROM pg_stat_ssl \
                 JOIN pg_stat_activity USING (pid) WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let output = Command::new("psql")
        .args([url.as_str(), "--quiet", "--no-align", "--tuples-only", "--command", asked])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let (encrypted, plain) = said.trim().split_once('|').unwrap_or_else(|| panic!("{said:?}"));
    (encrypted.parse().unwrap(), plain.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_connection_is_encrypted_to_the_server_that_was_meant_on_postgres() {
    let ground = ground_at("localhost", &format!("sslmode=verify-full&sslrootcert={}", authority()));
    let served = Served::start(ground.path());
    let answer = append(&served, "key", r#"{"line":"one"}"#).await;
    assert!(shown(&answer).starts_with("appended one"), "{answer}");
    assert_eq!(lines(ground.path()), 1);
    let (encrypted, plain) = connections(&ground);
    assert!(encrypted > 0, "the host has connections");
    assert_eq!(plain, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_cannot_show_who_it_is_is_not_spoken_to_on_postgres() {
    let other = Ground::new();
    let stranger = other.path().join("stranger.pem");
    let key = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(&stranger, key.cert.pem()).unwrap();
    let (known, stranger) = (authority(), stranger.display().to_string());
    for (server, mode, authority, reason) in [
        // The certificate is for `localhost`.
        ("127.0.0.1", "verify-full", known.as_str(), "not valid for name \"127.0.0.1\""),
        ("localhost", "verify-full", stranger.as_str(), "UnknownIssuer"),
        ("localhost", "verify-ca", stranger.as_str(), "UnknownIssuer"),
        ("localhost", "verify-full", "/nowhere/ca.pem", "the URL names /nowhere/ca.pem"),
    ] {
        let ground = ground_at(server, &format!("sslmode={mode}&sslrootcert={authority}"));
        let output = run(ground.path(), &["call", "append", r#"{"line":"one"}"#]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(6), "{said}");
        assert!(said.contains(reason), "{said}");
        assert_eq!(lines(ground.path()), 0);
    }
}
