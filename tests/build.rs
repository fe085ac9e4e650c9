//! Lists the hostile guests of `guests/`, so that each must have a test: a macro for each group names its guests, and a
//! macro names the groups.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a build that cannot go on says so"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    let folder = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo")).join("guests");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut groups: BTreeMap<String, BTreeMap<String, PathBuf>> = BTreeMap::new();
    for group in entries(&folder).into_iter().filter(|path| path.is_dir()) {
        println!("cargo::rerun-if-changed={}", group.display());
        let guests = groups.entry(stem(&group)).or_default();
        for file in entries(&group) {
            let known = file.extension().is_some_and(|ending| ending == "wat" || ending == "rs");
            assert!(known, "{} is neither WebAssembly text nor Rust", file.display());
            println!("cargo::rerun-if-changed={}", file.display());
            let before = guests.insert(stem(&file), file.clone());
            assert!(before.is_none(), "two guests have the name of {}", file.display());
        }
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    std::fs::write(out.join("corpus.rs"), source(&groups)).expect("the list is written");
}

fn source(groups: &BTreeMap<String, BTreeMap<String, PathBuf>>) -> String {
    let (mut list, mut rest) = (String::new(), String::new());
    for (group, guests) in groups {
        for (name, file) in guests {
            let form = if file.extension().is_some_and(|ending| ending == "rs") {
                writeln!(rest, "#[path = {file:?}] mod {name};").expect("a text");
                format!("Form::Made({name}::component)")
            } else {
                "Form::Text".to_owned()
            };
            writeln!(
                list,
                "    HostileGuest {{ group: {group:?}, name: {name:?}, source: include_str!({file:?}), form: {form} }},"
            )
            .expect("a text");
        }
        let names: Vec<&str> = guests.keys().map(String::as_str).collect();
        writeln!(
            rest,
            "/// Names every guest of a group.\n#[macro_export]\nmacro_rules! foreach_{group}_guest {{\n    \
             ($each:ident) => {{ $each! {{ {} }} }};\n}}",
            names.join(" ")
        )
        .expect("a text");
    }
    let names: Vec<&str> = groups.keys().map(String::as_str).collect();
    writeln!(
        rest,
        "/// Names every group of guests.\n#[macro_export]\nmacro_rules! foreach_guest_group {{\n    \
         ($each:ident) => {{ $each! {{ {} }} }};\n}}",
        names.join(" ")
    )
    .expect("a text");
    format!("/// Every guest, by group and name.\npub static ALL: &[HostileGuest] = &[\n{list}];\n{rest}")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(folder).unwrap_or_else(|fault| panic!("{}: {fault}", folder.display()));
    read.map(|entry| entry.expect("an entry").path()).collect()
}

fn stem(path: &Path) -> String {
    path.file_stem().and_then(|stem| stem.to_str()).expect("a name that Rust can have").to_owned()
}
