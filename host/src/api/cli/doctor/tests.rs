//! Each finding on a machine that is well, and on one that is not.

#![allow(clippy::disallowed_methods, reason = "a test makes its own files and connections")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::api::cli::tests::settings;
use crate::executor::{LoadReport, LoadedComponent, RefusedComponent};
use crate::id::Digest;
use crate::policy::{DirectoryGrant, DirectoryPower};
use crate::sandbox::Prepared;
use crate::store::DatabaseUrl;
use crate::wall::{Demand, Standing, WallError};

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn program(folder: &Path) -> std::path::PathBuf {
    let file = folder.join("host");
    std::fs::write(&file, "").unwrap();
    set_mode(&file, 0o755);
    file
}

#[test]
fn another_program_of_that_name_is_noticed() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let own = program(one.path());
    program(two.path());
    let path = |order: [&Path; 2]| order.map(Path::to_owned).to_vec();
    let first = checks::command(&path([one.path(), two.path()]), &own);
    assert_eq!(first.state, State::Ok);
    let second = checks::command(&path([two.path(), one.path()]), &own);
    assert_eq!(second.state, State::Warning);
    assert!(second.found.contains(&two.path().display().to_string()), "{}", second.found);
    set_mode(&two.path().join("host"), 0o644);
    assert_eq!(checks::command(&path([two.path(), one.path()]), &own).state, State::Ok);
    assert_eq!(checks::command(&[], &own).state, State::Ok);
}

#[test]
fn an_open_address_without_keys_is_a_fault() {
    let mut settings = settings();
    assert_eq!(checks::exposure(&settings).state, State::Ok);
    settings.server.listen = "[::]:7878".parse().unwrap();
    assert_eq!(checks::exposure(&settings).state, State::Fault);
    for tenant in settings.tenants.values_mut() {
        tenant.keys.push("0".repeat(64));
    }
    assert_eq!(checks::exposure(&settings).state, State::Warning);
}

#[tokio::test]
async fn a_port_in_use_is_noticed() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut settings = settings();
    settings.server.listen = taken.local_addr().unwrap();
    assert_eq!(checks::port(&settings).await.state, State::Warning);
    drop(taken);
    settings.server.listen.set_port(0);
    assert_eq!(checks::port(&settings).await.state, State::Ok);
}

#[test]
fn a_granted_directory_has_to_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings();
    let mut state_of = |host: std::path::PathBuf| {
        for component in &mut settings.components {
            component.grants.directories = vec![DirectoryGrant {
                host: host.clone(),
                guest: "/x".into(),
                power: DirectoryPower::ReadOnly,
            }];
        }
        checks::directories(&settings).first().map(|finding| finding.state)
    };
    assert_eq!(state_of(folder.path().to_owned()), Some(State::Ok));
    assert_eq!(state_of(folder.path().join("{tenant}/x")), Some(State::Ok));
    assert_eq!(state_of(folder.path().join("missing")), Some(State::Fault));
}

#[test]
fn refused_components_and_an_empty_folder_are_noticed() {
    let loaded = LoadedComponent {
        path: "tools/math.wasm".into(),
        digest: Digest::of(b""),
        tools: vec!["multiply".parse().unwrap()],
        name: "math".into(),
        trusted: true,
        from_cache: false,
        prepared: Arc::new(Prepared {
            digest: Digest::of(b""),
            specs: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            from_cache: false,
        }),
    };
    let refused = RefusedComponent {
        path: "tools/bad.wasm".into(),
        name: "bad".into(),
        reason: "it is an empty file".into(),
        waiting: None,
    };
    let states = |loaded: Vec<LoadedComponent>, refused: Vec<RefusedComponent>| {
        let findings = checks::components(&LoadReport { loaded, refused });
        findings.iter().map(|finding| finding.state).collect::<Vec<_>>()
    };
    assert_eq!(states(vec![], vec![]), [State::Warning]);
    assert_eq!(states(vec![loaded.clone()], vec![]), [State::Ok]);
    assert_eq!(states(vec![loaded], vec![refused]), [State::Fault, State::Ok]);
}

#[test]
fn folders_that_others_may_write_are_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o700);
    let mut settings = settings();
    settings.store.database = DatabaseUrl::Sqlite(folder.path().join("store.db"));
    settings.store.artefacts = folder.path().join("artefacts");
    let states = |settings: &_| -> Vec<State> {
        checks::state_folders(settings).iter().map(|finding| finding.state).collect()
    };
    assert_eq!(states(&settings), [State::Ok, State::Fault]);
    std::fs::create_dir(&settings.store.artefacts).unwrap();
    set_mode(&settings.store.artefacts, 0o700);
    assert_eq!(states(&settings), [State::Ok, State::Ok]);
    assert_eq!(std::fs::read_dir(&settings.store.artefacts).unwrap().count(), 0);
    set_mode(&settings.store.artefacts, 0o777);
    set_mode(folder.path(), 0o755);
    assert_eq!(states(&settings), [State::Warning, State::Fault]);
}

#[test]
fn findings_are_told_with_their_advice_and_counted() {
    let findings = [
        Finding::ok("port", "127.0.0.1:7878 is free"),
        Finding::warning("command", "`host` means /usr/bin/host here", "Call `toolhost`."),
        Finding::fault("components", "x.wasm is\nrefused", "Repair it."),
    ];
    assert_eq!(
        readable(&findings),
        "ok       port           127.0.0.1:7878 is free\n\
         warning  command        `host` means /usr/bin/host here\n\
         \u{20}                       Call `toolhost`.\n\
         fault    components     x.wasm is refused\n\
         \u{20}                       Repair it.\n\
         \n1 fault(s).\n"
    );
    assert!(readable(&findings[..2]).ends_with("It works, with 1 warning(s).\n"));
    assert_eq!(value(&findings, Exit::Unavailable)["ok"], false);
    assert_eq!(value(&findings, Exit::Unavailable)["findings"][1]["state"], "warning");
}

#[test]
fn what_the_wall_leaves_open_is_found() {
    let whole = Standing { landlock: Some(7), seccomp: true };
    let half = Standing { landlock: None, seccomp: true };
    let found = |demand, standing| {
        let finding = checks::wall(demand, Ok(standing));
        (finding.state, finding.found)
    };
    let no_landlock =
        "the kernel offers no Landlock (Linux 5.13, and switched on), so files and TCP ports are open";
    for (demand, standing, state, said) in [
        (
            Demand::Available,
            whole,
            State::Ok,
            "`host serve` stands behind Landlock ABI 7 and seccomp".to_owned(),
        ),
        (
            Demand::Required,
            whole,
            State::Ok,
            "`host serve` stands behind Landlock ABI 7 and seccomp".to_owned(),
        ),
        (
            Demand::Available,
            half,
            State::Warning,
            format!("`host serve` stands behind seccomp: {no_landlock}"),
        ),
        (Demand::Required, half, State::Fault, format!("server.wall is \"required\", and {no_landlock}")),
        (
            Demand::Off,
            whole,
            State::Warning,
            "server.wall is \"off\"; the kernel offers Landlock ABI 7 and seccomp".to_owned(),
        ),
    ] {
        assert_eq!(found(demand, standing), (state, said));
    }
    let fault = checks::wall(Demand::Available, Err(WallError::Landlock("no".to_owned())));
    assert_eq!(fault.state, State::Fault);
}
