//! What a component wishes for by its imports, what the configuration grants it, and the difference.

use std::path::Path;

use serde_json::{Value, json};

use crate::executor::Settings;
use crate::policy::{DirectoryPower, Grants};

/// The powers that can be granted, and the beginning of the import by which a component wishes for one. Rust's standard
/// library imports the file system whether a tool uses it or not.
const POWERS: [(&str, &str); 5] = [
    ("kv", "toolhost:tool/kv@"),
    ("invoke", "toolhost:tool/invoke@"),
    ("secrets", "toolhost:tool/secrets@"),
    ("http", "wasi:http/outgoing-handler@"),
    ("directories", "wasi:filesystem/preopens@"),
];

/// Wishes and grants of one component.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Granted {
    pub(super) wishes: Vec<&'static str>,
    /// Each power with what is granted of it.
    pub(super) grants: Vec<(&'static str, String)>,
    /// Wished and not granted: these imports answer "denied".
    pub(super) denied: Vec<&'static str>,
    /// Granted and not wished: of no use to this component.
    pub(super) unused: Vec<&'static str>,
}

impl Granted {
    /// What the configuration's entry for a file, or the built-in one, gives to a component with these imports.
    pub(super) fn of(path: &Path, imports: &[String], settings: &Settings) -> Self {
        let grants = settings.component_of(path).map(|component| &component.grants);
        let grants = grants.map(granted).unwrap_or_default();
        let wished = |import: &str| imports.iter().any(|own| own.starts_with(import));
        let wishes: Vec<_> =
            POWERS.iter().filter(|(_, import)| wished(import)).map(|(power, _)| *power).collect();
        let has = |power: &str| grants.iter().any(|(own, _)| *own == power);
        let denied = wishes.iter().filter(|power| !has(power)).copied().collect();
        let unused = POWERS.iter().map(|(power, _)| *power);
        let unused = unused.filter(|power| has(power) && !wishes.contains(power)).collect();
        Self { wishes, grants, denied, unused }
    }

    /// Lines of a name and a list.
    pub(super) fn lines(&self) -> Vec<(&'static str, Vec<String>)> {
        let words = |powers: &[&str]| match powers.is_empty() {
            true => Vec::new(),
            false => vec![powers.join(", ")],
        };
        let grants = self.grants.iter().map(|(power, what)| format!("{power}: {what}")).collect();
        vec![
            ("reaches", words(&self.wishes)),
            ("granted", grants),
            ("denied", words(&self.denied)),
            ("unused", words(&self.unused)),
        ]
    }

    /// The same for programs.
    pub(super) fn value(&self) -> Value {
        let grants: serde_json::Map<String, Value> =
            self.grants.iter().map(|(power, what)| ((*power).to_owned(), json!(what))).collect();
        json!({"wishes": self.wishes, "grants": grants, "denied": self.denied, "unused": self.unused})
    }
}

fn granted(grants: &Grants) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    if grants.kv {
        all.push(("kv", "keys and values for each tenant".to_owned()));
    }
    if grants.invoke {
        all.push(("invoke", "other tools, in its caller's name".to_owned()));
    }
    for rule in &grants.http {
        all.push(("http", rule.to_string()));
    }
    for secret in &grants.secrets {
        all.push(("secrets", format!("{} to {}, in the header {}", secret.name, secret.to, secret.header)));
    }
    for directory in &grants.directories {
        let power = match directory.power {
            DirectoryPower::ReadOnly => "read-only".to_owned(),
            DirectoryPower::Writable(quota) => format!("writable, up to {quota}"),
        };
        all.push(("directories", format!("{} as {}, {power}", directory.host.display(), directory.guest)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_is_what_is_wished_and_not_granted_and_the_other_way_round() {
        let mut settings = super::super::tests::settings();
        settings.components[0].grants =
            Grants { kv: true, http: vec!["https://api.example.com".parse().unwrap()], ..Grants::default() };
        let imports = ["toolhost:tool/kv@0.1.0", "toolhost:tool/secrets@0.1.0", "wasi:io/poll@0.2.6"];
        let found = Granted::of(Path::new("tools/a.wasm"), &imports.map(str::to_owned), &settings);
        assert_eq!(found.wishes, ["kv", "secrets"]);
        assert_eq!((found.denied, found.unused), (vec!["secrets"], vec!["http"]));
        let elsewhere = Granted::of(Path::new("b.wasm"), &imports.map(str::to_owned), &settings);
        assert_eq!(elsewhere.grants, []);
        assert_eq!(elsewhere.denied, ["kv", "secrets"]);
    }
}
