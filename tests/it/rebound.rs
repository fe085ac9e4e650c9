//! What changes between a question and the call that rests on its answer: each change is asked about again.

use serde_json::{Value, json};
use toolhost::executor::Host;
use toolhost::gate::Call;
use toolhost::spec::Outcome;
use toolhost::store::{ApprovalState, Decision};
use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::{Ground, caller, text};
use toolhost_tests::wire::{Served, answering_params, shown};

use super::ledger::{ground_with, lines, outcome};

const TENANTS: &str = "[[tenant]]\nid = \"local\"\n[[tenant]]\nid = \"other\"\n";
const ARGUMENTS: &str = r#"{"a":"x"}"#;

/// A world in which one call is made.
struct World {
    component: Vec<u8>,
    config: String,
    tenant: &'static str,
    user: Option<&'static str>,
    arguments: &'static str,
}

impl Default for World {
    fn default() -> Self {
        Self {
            component: asking(|_| ()),
            config: "[[component]]\npath = \"tools/asks.wasm\"\non_change = \"accept\"\n".to_owned(),
            tenant: "local",
            user: Some("ann"),
            arguments: ARGUMENTS,
        }
    }
}

/// What makes another world of one.
type Change = fn(&mut World);

/// A component whose tool wants a reviewer.
fn asking(change: impl FnOnce(&mut GuestTool)) -> Vec<u8> {
    let mut asks = GuestTool::new("asks");
    asks.requires_approval = true;
    change(&mut asks);
    Guest::of(vec![asks], &Guest::echo()).build()
}

impl World {
    /// Puts this world into a folder whose store remembers the one before.
    async fn start(&self, ground: &Ground) -> Host {
        std::fs::write(ground.path().join("tools/asks.wasm"), &self.component).unwrap();
        let file = ground.path().join("host.toml");
        let before = std::fs::read_to_string(&file).unwrap();
        let (_, store) = before.split_once("# What stays.\n").unwrap();
        std::fs::write(&file, format!("{TENANTS}{}# What stays.\n{store}", self.config)).unwrap();
        ground.start().await
    }

    async fn call(&self, host: &Host) -> Outcome {
        let mut caller = caller(host, self.tenant);
        caller.user = self.user.map(|user| user.parse().unwrap());
        host.execute(Call::new(caller, "asks", self.arguments)).await
    }
}

/// Approves the call of the first world, and gives what the second one's call is told.
async fn told(change: impl FnOnce(&mut World)) -> String {
    let ground = Ground::new().config("# What stays.\n");
    let first = World::default();
    let host = first.start(&ground).await;
    assert!(text(&first.call(&host).await).starts_with("Error (ApprovalRequired)"));
    let asked = host.store().approvals().list(None, true).await.unwrap().remove(0);
    host.store()
        .approvals()
        .decide(&asked.id, "test", Decision::Approve { reason: None, edited: None })
        .await
        .unwrap();
    host.shutdown(std::time::Duration::from_secs(5)).await;
    drop(host);
    let mut second = World::default();
    change(&mut second);
    let host = second.start(&ground).await;
    let said = text(&second.call(&host).await);
    let first = host.store().approvals().get(&asked.id).await.unwrap().unwrap();
    // What was refused used nothing up.
    assert_eq!(first.state == ApprovalState::Used, said == second.arguments, "{said}: {:?}", first.state);
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_is_good_for_the_call_that_was_shown_and_for_no_other() {
    assert_eq!(told(|_| ()).await, ARGUMENTS, "nothing changed");
    assert_eq!(
        told(|world| world.arguments = r#"{ "a" : "x" }"#).await,
        r#"{ "a" : "x" }"#.to_owned(),
        "same values"
    );
    let changes: [(&str, Change); 9] = [
        ("an argument", |world| world.arguments = r#"{"a":"y"}"#),
        ("one argument less", |world| world.arguments = "{}"),
        // A section that nothing reads: its name, and no content.
        ("a byte of the component", |world| world.component.extend([0, 2, 1, b'x'])),
        ("the description", |world| {
            world.component =
                asking(|asks| asks.description = "Does something else. It has a side effect.".into());
        }),
        ("the tenant", |world| world.tenant = "other"),
        ("the user", |world| world.user = Some("bob")),
        ("no user", |world| world.user = None),
        ("a limit", |world| world.config.push_str("tool.asks = { attempt_timeout = \"5s\" }\n")),
        ("a grant", |world| world.config.push_str("grants = { kv = true }\n")),
    ];
    for (what, change) in changes {
        let said = told(change).await;
        assert!(said.starts_with("Error (ApprovalRequired)"), "{what}: {said}");
    }
}

/// Asks the tool that asks back, in one configuration, and answers it in another.
async fn answered_after(rest: &str) -> (Value, usize) {
    let ground = ground_with("");
    let arguments = r#"{"line":"x"}"#;
    let served = Served::start(ground.path());
    let params = answering_params("confirm", arguments, "", &json!({}));
    let asked = served.request("tools/call", Some("confirm"), &params).await;
    let state = asked["result"]["requestState"].as_str().unwrap_or_else(|| panic!("{asked}")).to_owned();
    drop(served);
    let file = ground.path().join("host.toml");
    let config = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, config.replace("grants = {", &format!("{rest}grants = {{"))).unwrap();
    let served = Served::start(ground.path());
    let says = json!({
        "inputResponses": {"sure": {"action": "accept", "content": {"sure": true}}}, "requestState": state,
    });
    let params = answering_params("confirm", arguments, "", &says);
    (served.request("tools/call", Some("confirm"), &params).await, lines(ground.path()))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_keeps_is_good_after_a_restart_and_not_under_another_policy() {
    let (answer, effects) = answered_after("").await;
    assert_eq!((shown(&answer).as_str(), effects), ("appended, asked about x", 1));
    let (answer, effects) = answered_after("tool.confirm = { attempt_timeout = \"5s\" }\n").await;
    assert_eq!((outcome(&answer)["code"].as_str(), effects), (Some("bad_args"), 0), "{answer}");
}
