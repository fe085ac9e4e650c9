//! The rules of the sources that no compiler enforces: layers, bans, and files that can be read in one sitting.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toolhost_tests::host::repository;

/// A module may use those before it and not those after it. `main` stands above all.
const LAYERS: &[&str] = &[
    "id",
    "spec",
    "policy",
    "registry",
    "store",
    "gate",
    "provider",
    "wall",
    "sandbox",
    "executor",
    "config",
    "api",
    "telemetry",
    "main",
];

/// A name that may be used in some places only, and the places.
const BANS: &[(&str, &[&str])] = &[
    ("wasmtime", &["sandbox/"]),
    ("wasmtime_wasi", &["sandbox/"]),
    ("wasmtime_wasi_http", &["sandbox/"]),
    ("clap", &["api/cli/", "main.rs"]),
    ("miette", &["api/cli/", "config/", "main.rs"]),
    ("axum", &["api/http/", "api/mcp/"]),
    ("rmcp", &["api/mcp/"]),
    ("utoipa", &["api/http/openapi/"]),
    ("sqlx", &["store/"]),
    ("landlock", &["wall/"]),
    ("seccompiler", &["wall/"]),
    ("jsonwebtoken", &["policy/token/"]),
    ("ring", &["policy/token/"]),
    ("anyhow", &[]),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Every source file of the host, by its path below `src`.
fn host_sources() -> BTreeMap<String, String> {
    let root = repository().join("host/src");
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    paths
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// A source without its comments and the contents of its texts, so that words in them do not count.
fn code(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    for line in source.lines() {
        let mut in_text = false;
        let mut before = '\0';
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            if !in_text && c == '/' && chars.peek() == Some(&'/') {
                break;
            }
            if c == '"' && before != '\\' && before != '\'' {
                in_text = !in_text;
            }
            if !in_text {
                code.push(c);
            }
            before = if before == '\\' && c == '\\' { '\0' } else { c };
        }
        code.push('\n');
    }
    code
}

/// The modules of this crate that a source names by any path: `use crate::x`, `crate::x::Y` in the middle of a
/// line, `use crate::{x, y}`, and `super::` up to the root.
fn named_modules(path: &str, code: &str) -> Vec<String> {
    let depth = path.matches('/').count() + usize::from(!path.ends_with("mod.rs"));
    let to_root = "super::".repeat(depth.max(1));
    let mut named = Vec::new();
    for root in ["crate::", "toolhost::", to_root.as_str()] {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back().unwrap_or(' ');
            if before.is_alphanumeric() || before == '_' || before == ':' {
                continue;
            }
            let rest = &code[at + root.len()..];
            if let Some(list) = rest.strip_prefix('{') {
                let mut depth = 1;
                let mut word = String::new();
                for c in list.chars() {
                    match c {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        _ => {}
                    }
                    if depth == 1 && (c.is_alphanumeric() || c == '_') {
                        word.push(c);
                    } else if depth == 1 && c == ',' || depth == 0 {
                        named.push(std::mem::take(&mut word));
                    } else if depth == 1 && c == ':' && !word.is_empty() {
                        named.push(std::mem::take(&mut word));
                        word.push('\u{0}');
                    }
                    if depth == 0 {
                        break;
                    }
                }
            } else {
                named.push(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
            }
        }
    }
    named.retain(|name| LAYERS.contains(&name.as_str()));
    named
}

fn layer(path: &str) -> Option<usize> {
    let module = path.split('/').next()?.trim_end_matches(".rs");
    LAYERS.iter().position(|layer| *layer == module)
}

/// What a set of sources does that the layers forbid.
fn breaches(sources: &BTreeMap<String, String>) -> Vec<String> {
    let mut breaches = Vec::new();
    for (path, source) in sources {
        let code = code(source);
        let Some(own) = layer(path) else {
            if path != "lib.rs" {
                breaches.push(format!("{path}: no layer is named for it"));
            } else if code.contains("pub use") {
                breaches.push("lib.rs: a re-export at the root would go round the layers".to_owned());
            }
            continue;
        };
        for name in named_modules(path, &code) {
            let used = LAYERS.iter().position(|layer| *layer == name).unwrap();
            if used > own {
                breaches.push(format!("{path}: {} may not use {name}, which stands above it", LAYERS[own]));
            }
        }
        for (name, places) in BANS {
            let used = [format!("{name}::"), format!("use {name};")];
            let is_used = used.iter().any(|used| {
                code.match_indices(used.as_str()).any(|(at, _)| {
                    let before = code[..at].chars().next_back().unwrap_or(' ');
                    !(before.is_alphanumeric() || before == '_' || before == ':')
                })
            });
            if is_used && !places.iter().any(|place| path.starts_with(place)) {
                breaches.push(format!("{path}: {name} may not be named here"));
            }
        }
        if code.contains("std::env::var") && !path.starts_with("config/") {
            breaches.push(format!("{path}: the environment is read in config/ alone"));
        }
    }
    breaches
}

#[test]
fn layers_are_kept() {
    let breaches = breaches(&host_sources());
    assert!(breaches.is_empty(), "{breaches:#?}");
}

#[test]
fn a_planted_breach_is_found() {
    for (path, source) in [
        ("policy/limits.rs", "use crate::sandbox::Sandbox;"),
        ("spec/tool.rs", "fn f() -> crate::policy::Limits { x }"),
        ("gate/mod.rs", "use crate::{id::ToolName, executor::Host};"),
        ("gate/call.rs", "use super::super::executor::Host;"),
        ("gate/mod.rs", "use crate::provider::Format;"),
        ("provider/mod.rs", "use crate::api::view;"),
        ("registry/mod.rs", "pub use super::api::view;"),
        ("store/mod.rs", "use wasmtime::Engine;"),
        ("api/mcp/mod.rs", "use sqlx;"),
        ("executor/mod.rs", "let x = std::env::var(y);"),
        ("lib.rs", "pub use executor::Host;"),
        ("helpers.rs", "fn f() {}"),
    ] {
        let planted = BTreeMap::from([(path.to_owned(), source.to_owned())]);
        assert_eq!(breaches(&planted).len(), 1, "{path}: {source}");
    }
    for (path, source) in [
        ("gate/mod.rs", "use crate::registry::Snapshot; // not crate::executor::Host"),
        ("sandbox/run.rs", "use wasmtime::Engine; use super::super::gate::Admitted;"),
        ("executor/mod.rs", "use crate::{gate::{self, Call}, sandbox::Sandbox};"),
        ("spec/text.rs", "let text = \"crate::executor::Host\";"),
    ] {
        let fine = BTreeMap::from([(path.to_owned(), source.to_owned())]);
        assert_eq!(breaches(&fine), Vec::<String>::new(), "{path}: {source}");
    }
}

/// Only the gates can make a ticket, and only one place in the executor starts a guest.
#[test]
fn there_is_one_door() {
    let sources = host_sources();
    let count = |needle: &str, places: &[&str]| {
        let found: Vec<&String> = sources
            .iter()
            .filter(|(path, source)| !path.ends_with("tests.rs") && code(source).contains(needle))
            .map(|(path, _)| path)
            .collect();
        assert_eq!(found, places, "{needle}");
    };
    count("Admitted::new(", &["gate/mod.rs"]);
    count("gate::admit(", &["executor/wait.rs"]);
    count("sandbox.run(", &["executor/attempts.rs"]);
    count("code.instantiate(", &["sandbox/run.rs"]);
    count(".call_async(", &["sandbox/run.rs", "sandbox/selftest.rs"]);
    count("instantiate_async(", &["sandbox/code.rs", "sandbox/describe.rs"]);
    count("increment_epoch(", &["sandbox/engine.rs"]);
}

#[test]
fn every_source_can_be_read_in_one_sitting() {
    let mut paths = Vec::new();
    for folder in ["host", "guest-sdk", "sample-tools", "tests"] {
        sources(&repository().join(folder), &mut paths);
    }
    let mut faults = Vec::new();
    for path in paths {
        let source = std::fs::read_to_string(&path).unwrap();
        let shown = path.display();
        if source.lines().count() > 400 {
            faults.push(format!("{shown} has {} lines", source.lines().count()));
        }
        let is_part = path.ends_with("tests.rs")
            || path.components().any(|part| part.as_os_str() == "refused")
            || path.parent().is_some_and(|folder| folder.ends_with("tests"));
        if !is_part && !source.starts_with("//!") {
            faults.push(format!("{shown} does not say what it owns"));
        }
        for unfinished in ["todo!(", "unimplemented!(", "dbg!(", "#[ignore"] {
            if !path.ends_with("tidy.rs") && source.contains(unfinished) {
                faults.push(format!("{shown} has {unfinished}"));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
