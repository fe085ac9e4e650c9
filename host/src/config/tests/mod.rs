#![expect(clippy::disallowed_methods, reason = "the tests write the files")]

mod faults;

use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::policy::{DirectoryPower, Disclosure, Pools, Role};
use crate::store::DatabaseUrl;

/// Reads a text as the `host.toml` of an empty folder, but for `documents`.
fn read(text: &str) -> Result<Settings, ConfigError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("documents")).unwrap();
    parse(text, &folder.path().join("host.toml"))
}

#[test]
fn the_default_file_says_what_the_code_does() {
    let file = Path::new("/somewhere/host.toml");
    let written = parse(DEFAULT_CONFIG, file).unwrap();
    let built_in = Settings { file: Some(file.to_path_buf()), ..Settings::built_in(Path::new("/somewhere")) };
    assert_eq!(written, built_in);
    assert_eq!(parse("", file).unwrap(), built_in, "an empty file changes nothing");
}

#[test]
fn every_example_in_the_default_file_is_accepted() {
    let mut text = String::new();
    let mut inside_tool = Vec::new();
    for line in DEFAULT_CONFIG.lines() {
        match line.strip_prefix("#   ") {
            // A pinned digest is shown shortened, and belongs to an entry without a star.
            Some(digest) if digest.starts_with("digest") => {}
            Some(table) if table.starts_with('[') => inside_tool.push(table.to_owned()),
            Some(key)
                if !inside_tool.is_empty()
                    && !["config", "limits", "quotas", "grants"]
                        .iter()
                        .any(|of_a_tenant| key.starts_with(of_a_tenant)) =>
            {
                inside_tool.push(key.to_owned());
            }
            Some(key) => {
                text.push_str(key);
                text.push('\n');
            }
            None => {
                if line == "[[tenant]]" {
                    text.push_str(&inside_tool.join("\n"));
                    text.push('\n');
                }
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    let settings = read(&text).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    let component = &settings.components[0];
    assert!(component.grants.kv && component.config["currency"] == "EUR");
    assert_eq!(
        (component.grants.http.len(), component.grants.secrets.len(), settings.store.secrets.len()),
        (2, 1, 1)
    );
    assert_eq!(settings.server.public_url.as_deref(), Some("https://tools.example"));
    let [issuer] = settings.jwt.as_slice() else { panic!("{:?}", settings.jwt) };
    assert_eq!(
        (issuer.allow_claim.as_deref(), issuer.scope(Role::Operator)),
        (Some("tools"), "toolhost:operator")
    );
    assert!(!settings.tenants.values().next().unwrap().narrowing.kv);
    assert_eq!(settings.tenants.values().next().unwrap().quotas.concurrent_calls, Some(20));
    assert_eq!(component.tools["cancel_order"].ceilings.attempt_timeout, Some(Duration::from_secs(10)));
    assert_eq!(component.tools["cancel_order"].requires_approval, Some(true));
    assert_eq!(settings.tenants.values().next().unwrap().ceilings.deadline, Some(Duration::from_secs(30)));
}

#[test]
fn an_issuer_has_what_its_entry_leaves_out() {
    let text = "[[jwt]]\nissuer = \"i\"\naudience = [\"a\", \"b\"]\nkeys = \"https://a.b/k\"\ntenant_claim = \"org\"";
    let [issuer] = read(text).unwrap().jwt.try_into().unwrap();
    let defaults = ("sub", "scope", None);
    assert_eq!(
        (issuer.user_claim.as_str(), issuer.scope_claim.as_str(), issuer.allow_claim.as_deref()),
        defaults
    );
    assert_eq!(issuer.leeway, Duration::from_secs(30));
    assert_eq!(issuer.scope(Role::Approver), "toolhost:approver");
}

#[test]
fn strangers_reach_a_server_that_asks_everybody_who_they_are() {
    let listen = "[server]\nlisten = \"0.0.0.0:80\"\n";
    assert!(read(&format!("{listen}authentication = \"required\"")).is_ok());
    let issuer = "[[jwt]]\nissuer = \"i\"\naudience = \"a\"\nkeys = \"https://a.b/k\"\ntenant = \"local\"";
    assert!(read(&format!("{listen}{issuer}")).is_ok());
    assert!(read(&format!("{listen}authentication = \"automatic\"")).is_err());
}

#[test]
fn the_repositorys_own_file_grants_the_documents_and_nothing_else() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let settings = load(None, root).unwrap();
    assert_eq!(settings.file, Some(root.join("host.toml")));
    let directories: Vec<_> = settings.components.iter().flat_map(|it| &it.grants.directories).collect();
    assert_eq!(directories.len(), 1);
    assert_eq!(directories[0].guest, "/documents");
    assert_eq!(directories[0].power, DirectoryPower::ReadOnly);
    assert!(settings.components.iter().all(|it| it.trust_annotations));
    assert_eq!(settings.components.iter().filter(|it| it.grants.kv).count(), 1);
}

#[test]
fn a_full_file_is_read_as_it_says() {
    let text = r#"
        [server]
        listen = "0.0.0.0:80"
        allowed_hosts = ["tools.example:443", "[::1]"]
        allowed_origins = ["https://tools.example"]
        disclosure = "strict"
        wall = "required"
        [store]
        url = "sqlite:state/a.db"
        [limits]
        attempt_timeout = "10s"
        memory = 1048576
        [pools.small]
        size = 1
        [[component]]
        path = "documents/../x.wasm"
        digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        prefix = "x_"
        grants = { directories = [{ host = "documents", guest = "/d", access = "read_only" }] }
        tool.a = { pool = "small", delivery = "at_most_once", attempt_timeout = "10s", fuel = 5 }
        [[tenant]]
        id = "all"
        keys = ["sha256:ca7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"]
        [[tenant]]
        id = "acme"
        allow = ["get_*"]
        deny = ["get_x"]
        keys = ["sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"]
    "#;
    let settings = read(text).unwrap();
    let folder = settings.file.clone().unwrap().parent().unwrap().to_path_buf();
    assert_eq!(settings.server.listen.to_string(), "0.0.0.0:80");
    assert_eq!(settings.server.disclosure, Disclosure::Strict);
    assert_eq!(settings.server.wall, crate::wall::Demand::Required);
    assert_eq!(settings.store.database, DatabaseUrl::Sqlite(folder.join("state/a.db")));
    assert_eq!(settings.store.artefacts, folder.join(".toolhost/artefacts"));
    assert_eq!(settings.limits.memory_bytes, 1 << 20);
    assert_eq!(settings.pools.get("small").unwrap().tool_share, 1);
    assert_eq!(settings.pools.get(Pools::DEFAULT), Pools::default().get(Pools::DEFAULT));
    let component = &settings.components[0];
    assert_eq!(component.path, folder.join("documents/../x.wasm"));
    assert!(!component.trust_annotations);
    assert_eq!(component.grants.directories[0].host, folder.join("documents"));
    assert_eq!(component.tools["a"].ceilings.fuel, Some(5));
    assert_eq!(settings.tenants.len(), 2);
    let all = &settings.tenants[&"all".parse().unwrap()];
    assert!(all.access.permits("anything", None) && !all.self_approve);
    let tenant = &settings.tenants[&"acme".parse().unwrap()];
    assert!(tenant.access.permits("get_a", None) && !tenant.access.permits("get_x", None));
    assert!(!tenant.self_approve);
    assert_eq!(tenant.keys[0].len(), 64);
}

#[test]
fn one_key_names_one_tenant() {
    let key = format!("sha256:{}", "ab".repeat(32));
    let tenant = |id: &str| format!("[[tenant]]\nid = \"{id}\"\nallow = []\nkeys = [\"{key}\"]\n");
    let fault = read(&(tenant("a") + &tenant("b"))).unwrap_err();
    assert!(fault.message.contains("stands here already"), "{fault}");
}

#[test]
fn a_fault_is_shown_with_its_line() {
    let fault = read("[server]\n# ünï\n\"ü\" = 1").unwrap_err();
    assert_eq!((fault.line, fault.column), (3, 1));
    let shown = format!("{:?}", miette::Report::new(fault));
    assert!(
        shown.contains("[server] has no key") && shown.contains("host.toml") || shown.contains("\"ü\" = 1"),
        "{shown}"
    );
}

#[test]
fn a_file_that_is_there_is_never_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(load(None, folder.path()).unwrap(), Settings::built_in(folder.path()));
    let missing = load(Some(Path::new("other.toml")), folder.path()).unwrap_err();
    assert_eq!((missing.line, missing.file), (0, folder.path().join("other.toml")));
    let file = folder.path().join(FILE_NAME);
    std::fs::write(&file, [0xFF, 0xFE]).unwrap();
    assert!(load(None, folder.path()).unwrap_err().message.contains("UTF-8"));
    std::fs::write(&file, "#".repeat((1 << 20) + 1)).unwrap();
    assert!(load(None, folder.path()).unwrap_err().message.contains("more than"));
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert!(load(None, folder.path()).unwrap_err().message.contains("cannot be read"));
}

#[test]
fn a_secret_is_not_shown() {
    let secret = Secret::new("hunter2".into());
    assert_eq!(secret.expose(), "hunter2");
    assert!(!format!("{secret:?}").contains("hunter2"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever figures stand in a file: it is refused, or what is in force is no more than each scope says.
    #[test]
    fn no_accepted_file_gives_a_weaker_limit_than_it_says(
        top in (0..200_u64, 0..200_u64, 0..200_u64),
        tool in (0..200_u64, 0..200_u64, 0..200_u64),
        tenant in (0..200_u64, 0..200_u64, 0..200_u64),
    ) {
        let text = format!(
            "[limits]\nattempt_timeout = \"{}s\"\nmemory = \"{}MiB\"\nfuel = {}\n\
             [[component]]\npath = \"a\"\ntool.x = {{ attempt_timeout = \"{}s\", memory = \"{}MiB\", fuel = {} }}\n\
             [[tenant]]\nid = \"t\"\nallow = []\nlimits = {{ attempt_timeout = \"{}s\", memory = \"{}MiB\", fuel = {} }}\n",
            top.0, top.1, top.2, tool.0, tool.1, tool.2, tenant.0, tenant.1, tenant.2,
        );
        if let Ok(settings) = parse(&text, Path::new("/x/host.toml")) {
            let tenant_ceilings = settings.tenants.values().next().unwrap().ceilings;
            let limits = settings.limits.lowered(&settings.components[0].tools["x"].ceilings).lowered(&tenant_ceilings);
            for said in [top, tool, tenant] {
                prop_assert!(limits.attempt_timeout <= Duration::from_secs(said.0));
                prop_assert!(limits.memory_bytes <= said.1 << 20);
                prop_assert!(limits.fuel <= said.2);
            }
            for narrower in [tool, tenant] {
                prop_assert!(narrower.0 <= top.0 && narrower.1 <= top.1 && narrower.2 <= top.2);
            }
        }
    }

    /// The default file with one place damaged: read or refused, and never a panic.
    #[test]
    fn damaged_files_are_refused_with_a_place(at in 0..DEFAULT_CONFIG.len(), cut in 0..20_usize, with in "[\\[\\]{}=\".,#a-z0-9\\n-]{0,6}") {
        let mut bytes = DEFAULT_CONFIG.as_bytes().to_vec();
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, with.bytes());
        if let Ok(text) = String::from_utf8(bytes)
            && let Err(fault) = parse(&text, Path::new("/x/host.toml"))
        {
            prop_assert!(fault.line >= 1 && fault.line <= text.lines().count() + 1);
            let _ = format!("{:?}", miette::Report::new(fault));
        }
    }
}
