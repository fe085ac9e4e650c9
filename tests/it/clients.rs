//! Other people's MCP clients, against a real server. `scripts/clients.sh` says what each of them checks; here it is run
//! with the program and the components that the other tests use.

use std::process::Command;

use toolhost_tests::host::{program, repository};

#[test]
fn the_python_client_of_2026_07_28_is_served() {
    check("python");
}

#[test]
fn the_python_client_of_2025_11_25_is_served() {
    check("python-2025-11-25");
}

#[test]
fn the_python_client_of_2025_06_18_is_served() {
    check("python-2025-06-18");
}

#[test]
fn the_typescript_client_of_2026_07_28_is_served() {
    check("typescript");
}

#[test]
fn the_typescript_client_of_2025_11_25_is_served() {
    check("typescript-2025-11-25");
}

#[test]
fn the_inspector_has_nothing_to_say() {
    check("inspector");
}

/// Runs one client. Where Python, Node or a package is missing, the script ends with a sentence about it, and so does
/// the test.
fn check(client: &str) {
    let output = Command::new(repository().join("scripts/clients.sh"))
        .arg(client)
        .env("TOOLHOST_HOST", program())
        .env_remove("TOOLHOST_COMPONENTS")
        .output()
        .expect("the script starts; it needs bash");
    assert!(
        output.status.success(),
        "scripts/clients.sh {client} failed:\n{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let checked =
        String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.starts_with("  ok  ")).count();
    assert!(checked > 0, "scripts/clients.sh {client} checked nothing");
}
