use std::path::Path;

use super::*;
use crate::executor::Origin;
use crate::policy::{DirectoryQuota, Grants};

fn settings() -> Settings {
    Settings::built_in(Path::new("/somewhere"))
}

fn directory(host: &str, power: DirectoryPower) -> DirectoryGrant {
    DirectoryGrant { host: host.into(), guest: "/d".into(), power }
}

fn with_grants(grants: Grants) -> Settings {
    let mut settings = settings();
    settings.components[0].grants = grants;
    settings
}

const WRITABLE: DirectoryPower = DirectoryPower::Writable(DirectoryQuota { bytes: 1, files: 1 });

#[test]
fn tenants_and_components_change_and_the_rest_is_named() {
    let mut new = settings();
    new.limits.fuel = 5;
    new.retry.retries = 0;
    new.egress.limits.requests = 1;
    new.server.allowed_hosts = vec!["a".into()];
    new.store.approval_lifetime /= 2;
    new.runs = 1;
    let other: TenantId = "other".parse().unwrap();
    new.tenants.insert(other.clone(), Tenant::local(other));
    new.components[0].origin = Origin::Uploaded("x".into());
    new.components[0].grants.kv = true;
    let (merged, needs_restart) = merged(&settings(), new.clone()).unwrap();
    assert_eq!(
        needs_restart,
        ["[server]", "[store], [[secret]]", "[limits]", "[retry]", "[egress]", "[ledger] attempts"]
    );
    assert_eq!(merged, Settings { tenants: new.tenants, components: new.components, ..settings() });
}

#[test]
fn what_the_process_cannot_reach_is_withheld_and_taking_away_counts_at_once() {
    let rule = |text: &str| text.parse::<crate::policy::HttpRule>().unwrap();
    let started = with_grants(Grants {
        directories: vec![directory("read", DirectoryPower::ReadOnly), directory("write", WRITABLE)],
        http: vec![rule("https://a.example")],
        ..Grants::default()
    });
    let new = with_grants(Grants {
        directories: vec![
            directory("read", WRITABLE),
            directory("write", DirectoryPower::ReadOnly),
            directory("elsewhere", DirectoryPower::ReadOnly),
        ],
        http: vec![rule("https://b.example"), rule("https://b.example:8443")],
        secrets: vec![crate::policy::SecretGrant {
            name: "key".parse().unwrap(),
            to: rule("https://b.example:8443"),
            header: "x-key".into(),
        }],
        ..Grants::default()
    });
    let (merged, needs_restart) = merged(&started, new).unwrap();
    let grants = &merged.components[0].grants;
    assert_eq!(grants.directories, [directory("write", DirectoryPower::ReadOnly)]);
    assert_eq!(grants.http, [rule("https://b.example")]);
    assert_eq!(grants.secrets, []);
    assert_eq!(
        needs_restart,
        [
            "read for /somewhere/tools/*.wasm",
            "elsewhere for /somewhere/tools/*.wasm",
            "https://b.example:8443 for /somewhere/tools/*.wasm",
        ]
    );
}

#[test]
fn whoever_has_to_show_a_key_is_settled_at_the_start() {
    let mut new = settings();
    for tenant in new.tenants.values_mut() {
        tenant.keys = vec!["00".repeat(32)];
    }
    let (merged, needs_restart) = merged(&settings(), new.clone()).unwrap();
    assert_eq!((merged.tenants, needs_restart.len()), (settings().tenants, 1));
    // Nobody without a key comes to an address that others reach.
    let mut open = new.clone();
    open.server.listen = "192.0.2.1:80".parse().unwrap();
    let nobody: TenantId = "nobody".parse().unwrap();
    let mut more = open.clone();
    more.tenants.insert(nobody.clone(), Tenant::local(nobody));
    assert!(matches!(super::merged(&open, more), Err(ReloadError::Listen(_))));
}

#[test]
fn a_tenant_whose_directory_is_not_made_yet_waits_for_the_start() {
    let each = Grants { directories: vec![directory("data/{tenant}", WRITABLE)], ..Grants::default() };
    let (started, mut new) = (with_grants(each.clone()), with_grants(each));
    let other: TenantId = "other".parse().unwrap();
    new.tenants.insert(other.clone(), Tenant::local(other));
    let (merged, needs_restart) = merged(&started, new).unwrap();
    assert_eq!(merged.tenants, started.tenants);
    assert_eq!(needs_restart, ["the tenant other, for whom directories are made"]);
}

#[test]
fn a_tool_does_not_run_in_another_pool_than_it_should() {
    let mut new = settings();
    let tool = crate::policy::ToolOverride { pool: Some("small".parse().unwrap()), ..Default::default() };
    new.components[0].tools.insert("t".to_owned(), tool);
    assert!(matches!(merged(&settings(), new), Err(ReloadError::NewPool(_))));
}
