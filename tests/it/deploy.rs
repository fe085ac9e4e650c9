//! The Kubernetes manifests: as Kubernetes publishes its schemas, and with a configuration that the host takes.

use std::process::Command;

use toolhost_tests::host::repository;

#[test]
fn the_manifests_are_what_kubernetes_takes() {
    let output = Command::new(repository().join("scripts/manifests.sh")).output().expect("the script starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.lines().filter(|line| line.starts_with("  ok  ")).count(), 5, "{said}");
}

#[test]
fn the_configuration_of_the_pods_is_sound() {
    let folder = repository().join("deploy/kubernetes");
    let settings = toolhost::config::load(None, &folder).unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(settings.server.listen.port(), 7878);
    assert!(settings.tenants.values().all(|tenant| !tenant.keys.is_empty()));
}
