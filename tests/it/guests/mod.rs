//! The hostile guests of `guests/`, each with the test of its name: what it tries, and the exact end that it gets.
//!
//! A group's guests lie in one folder of one host. After each of them nothing runs any more, and a good neighbour is
//! answered. A guest without a test does not compile, and neither does a test without a guest.

mod describe;
mod load;
mod memory;
mod results;
mod shown;
mod tenants;
mod time;
mod wasi;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::time::Duration;

use toolhost::executor::Host;
use toolhost::gate::Call;
use toolhost::spec::{Code, Outcome};
use toolhost_tests::corpus::{ALL, HostileGuest};
use toolhost_tests::host::{Ground, call, caller, text};
use toolhost_tests::until;

/// How long a guest that never ends may run.
const SHORT: Duration = Duration::from_millis(300);
/// How long a machine that builds others meanwhile may take for what takes no time.
const PATIENCE: Duration = Duration::from_secs(60);

/// The test of one guest.
struct Test {
    name: &'static str,
    run: fn(Stage) -> Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// Makes the list of a group's tests from the names of its guests: each has to be a function here.
macro_rules! tests {
    ($($name:ident)*) => {
        pub(super) const TESTS: &[super::Test] =
            &[$(super::Test { name: stringify!($name), run: |stage| Box::pin($name(stage)) }),*];
    };
}
use tests;

macro_rules! groups {
    ($($group:ident)*) => {
        const GROUPS: &[(&str, &[Test])] = &[$((stringify!($group), $group::TESTS)),*];
    };
}
toolhost_tests::foreach_guest_group!(groups);

/// One guest in the host of its group.
#[derive(Clone)]
struct Stage {
    guest: &'static HostileGuest,
    host: Host,
}

impl Stage {
    /// Calls the guest's tool.
    async fn call(&self, arguments: &str) -> Outcome {
        call(&self.host, self.guest.name, arguments).await
    }

    /// The same with a deadline that is over soon.
    async fn call_shortly(&self, arguments: &str) -> Outcome {
        let mut call = Call::new(caller(&self.host, "local"), self.guest.name, arguments);
        call.deadline = Some(SHORT);
        self.host.execute(call).await
    }

    /// An end is of the code that the guest's own file says, and is not to be tried again.
    fn verdict(&self, outcome: &Outcome, code: Code) -> String {
        let text = text(outcome);
        let failure = outcome.result.as_ref().expect_err(&text);
        assert_eq!((failure.code, failure.retryable), (code, code.retryable()), "{text}");
        assert_eq!(self.guest.answer(), code.as_str(), "the head of the file says something else");
        text
    }

    /// The guest's call ends with a code.
    async fn ends(&self, code: Code) -> String {
        let outcome = self.call("{}").await;
        self.verdict(&outcome, code)
    }

    /// The guest never ends, and is stopped.
    async fn is_stopped(&self) {
        let outcome = self.call_shortly("{}").await;
        assert_eq!(self.verdict(&outcome, Code::Timeout), "Error (Timeout): timed out after 300ms");
    }

    /// The guest does no harm and answers with a text.
    async fn answers(&self, expected: &str) {
        assert_eq!(text(&self.call("{}").await), expected);
        assert_eq!(self.guest.answer(), "ok", "the head of the file says something else");
    }

    /// Why the guest is not served.
    fn refusal(&self) -> String {
        let file = format!("{}.wasm", self.guest.name);
        let report = self.host.load_report();
        let refused = report.refused.iter().find(|refused| refused.path.ends_with(&file));
        let refused = refused.unwrap_or_else(|| panic!("it is served"));
        assert_eq!(self.guest.answer(), "refused", "the head of the file says something else");
        refused.reason.clone()
    }

    /// The guest is not served, and the reason begins so.
    fn is_refused(&self, begins: &str) {
        let reason = self.refusal();
        assert!(reason.starts_with(begins), "{reason}");
    }

    /// Nothing runs any more, and others are answered.
    async fn is_over(&self) {
        until("its place is free", || self.host.running() == 0).await;
        assert_eq!(text(&call(&self.host, "multiply", r#"{"a":6,"b":7}"#).await), "42");
    }
}

/// Runs all tests of a group in one host with this configuration, and names those that fail.
async fn run(group: &str, config: &str) {
    let (_, tests) = GROUPS.iter().find(|(name, _)| *name == group).expect("a group");
    let mut ground = Ground::new().samples(&["math"]).plain_config(config);
    for test in *tests {
        ground = ground.component(test.name, &HostileGuest::named(test.name).component());
    }

    let host = ground.start().await;
    let mut failed = BTreeMap::new();
    for test in *tests {
        let guest = HostileGuest::named(test.name);
        let stage = Stage { guest, host: host.clone() };
        let ended = tokio::spawn(async move {
            (test.run)(stage.clone()).await;
            stage.is_over().await;
        });
        if let Err(fault) = ended.await {
            let said = fault.into_panic();
            let said = said.downcast_ref::<String>().map(String::as_str).or(said.downcast_ref().copied());
            failed.insert(test.name, said.unwrap_or("it panicked").to_owned());
        }
    }
    let served: Vec<String> = host
        .load_report()
        .refused
        .iter()
        .map(|refused| format!("{}: {}", refused.path.display(), refused.reason))
        .collect();
    assert!(failed.is_empty(), "{failed:#?}\nrefused: {served:#?}");
}

#[test]
fn every_guest_is_short_and_says_what_it_tries() {
    let mut names = std::collections::HashSet::new();
    for guest in ALL {
        let lines = guest.source.lines().count();
        assert!((15..=60).contains(&lines), "{} has {lines} lines", guest.name);
        assert!(names.insert(guest.name), "two guests have the name {}", guest.name);
        for word in ["Row", "Tries", "Answer"] {
            assert!(!guest.says(word).trim().is_empty());
        }
        let row = guest.says("Row").to_lowercase().replace('-', "_");
        let row = row.split([',', ' ']).next().unwrap_or_default().to_owned();
        assert!(guest.name.starts_with(&row), "the name of {} does not begin with {row}", guest.name);
    }
    assert!(ALL.len() >= 60, "only {}", ALL.len());
}

/// The table of the guests, and how many there are of each group and outcome.
fn table() -> String {
    let mut counts: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    let mut rows = "| row | guest | what it tries | answer |\n|---|---|---|---|\n".to_owned();
    for guest in ALL {
        for group in [guest.group, "~all"] {
            *counts.entry(group).or_default().entry(guest.answer()).or_default() += 1;
        }
        let (row, tries, answer) = (guest.says("Row"), guest.says("Tries"), guest.says("Answer"));
        rows.push_str(&format!("| {row} | `{}/{}` | {tries} | {answer} |\n", guest.group, guest.name));
    }
    let mut table = "| group | guests | outcomes |\n|---|---|---|\n".to_owned();
    for (group, outcomes) in counts {
        let all: usize = outcomes.values().sum();
        let outcomes: Vec<String> =
            outcomes.iter().map(|(code, number)| format!("{number} {code}")).collect();
        table.push_str(&format!("| {} | {all} | {} |\n", group.trim_start_matches('~'), outcomes.join(", ")));
    }
    format!("{table}\n{rows}")
}

#[test]
fn the_table_is_that_of_the_files() {
    let file = toolhost_tests::host::repository().join("tests/guests/README.md");
    let said = std::fs::read_to_string(file).unwrap();
    let table = table();
    assert!(said.ends_with(&table), "the end of tests/guests/README.md has to be:\n{table}");
}
