//! Other people's clients, and the official conformance suite of MCP, against a real server. The scripts say what each of
//! them checks; here they are run with the program and the components that the other tests use.

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

#[test]
fn the_document_of_the_http_api_is_valid() {
    check("openapi");
}

#[test]
fn schemathesis_finds_nothing() {
    check("schemathesis");
}

#[test]
fn the_conformance_suite_finds_nothing_but_what_is_known() {
    let said = run("conformance.sh", "--no-build");
    assert!(said.contains("Baseline check passed"), "the suite did not run:\n{said}");
}

/// Lets one client check what it checks.
fn check(client: &str) {
    let said = run("clients.sh", client);
    assert!(said.lines().any(|line| line.starts_with("  ok  ")), "{client} checked nothing:\n{said}");
}

/// Runs a script. Where Python, Node or a package is missing, it ends with a sentence about that, and so does the test.
fn run(script: &str, argument: &str) -> String {
    let output = Command::new(repository().join("scripts").join(script))
        .arg(argument)
        .env("TOOLHOST_HOST", program())
        .env_remove("TOOLHOST_COMPONENTS")
        .output()
        .expect("the script starts; it needs bash");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "scripts/{script} {argument} failed:\n{said}\n{complained}");
    said
}
