//! Tools that call tools: all gates again, the same caller, no wider rights, and an end.

use std::time::Duration;

use serde_json::json;
use toolhost::executor::Host;
use toolhost::gate::Call;
use toolhost::spec::{Code, Outcome};
use toolhost_tests::host::{Ground, call, caller, text};

const CHAIN: usize = 10;

/// Copies of one component under prefixes of their own, `a_relay` to `j_relay`.
fn config(pools: &str) -> String {
    let mut config = format!(
        "{pools}\n[[component]]\npath = \"tools/math.wasm\"\ntrust_annotations = true\n\
         [[component]]\npath = \"tools/chaos.wasm\"\ntrust_annotations = true\n\
         [[component]]\npath = \"tools/effects.wasm\"\n\
         grants = {{ directories = [{{ host = \"effects\", guest = \"/effects\", access = \"writable\" }}] }}\n"
    );
    for prefix in prefixes() {
        config.push_str(&format!(
            "[[component]]\npath = \"tools/{prefix}.wasm\"\nprefix = \"{prefix}_\"\ngrants = {{ invoke = true }}\n\
             tool.stumble = {{ idempotent = true }}\n"
        ));
    }
    config
}

fn prefixes() -> impl Iterator<Item = char> {
    ('a'..='z').take(CHAIN)
}

async fn host(pools: &str) -> (Ground, Host) {
    let ground = Ground::new().samples(&["math", "chaos", "effects"]).config(&config(pools));
    for prefix in prefixes() {
        let tools = ground.path().join("tools");
        std::fs::copy(tools.join("effects.wasm"), tools.join(format!("{prefix}.wasm"))).unwrap();
    }
    std::fs::create_dir(ground.path().join("effects")).unwrap();
    let host = ground.start().await;
    assert_eq!(host.load_report().refused.len(), 0, "{:?}", host.load_report().refused);
    (ground, host)
}

/// The arguments of a chain of so many relays after the first, which ends in a call of `tool`.
fn chain(relays: usize, tool: &str, arguments: &str) -> String {
    let names: Vec<String> =
        prefixes().skip(1).take(relays).map(|prefix| format!("{prefix}_relay")).collect();
    let last = json!({"tool": tool, "arguments": arguments}).to_string();
    names.iter().rev().fold(last, |inner, name| json!({"tool": name, "arguments": inner}).to_string())
}

async fn relay(host: &Host, tool: &str, arguments: &str) -> Outcome {
    call(host, "a_relay", chain(0, tool, arguments)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_gets_what_the_other_says_and_every_gate_stands_before_it() {
    let (ground, host) = host("").await;
    for (tool, arguments, said) in [
        ("multiply", r#"{"a":6,"b":7}"#, "42"),
        ("multiply", r#"{"a":"x"}"#, "bad_args: The arguments for 'multiply' do not match its schema. a: "),
        ("nothing", "{}", "no_such_tool: There is no tool named 'nothing'. Available tools: "),
        (
            "a_relay",
            "{}",
            "invoke_limit: The tool 'a_relay' was called by itself, through: a_relay. Nothing ran.",
        ),
        ("append", r#"{"line":"x"}"#, "appended x under "),
    ] {
        let outcome = relay(&host, tool, arguments).await;
        assert!(text(&outcome).starts_with(said), "{tool}: {}", text(&outcome));
    }
    let narrowed = Call {
        allow: Some(vec!["a_relay".parse().unwrap()]),
        ..Call::new(caller(&host, "local"), "a_relay", chain(0, "multiply", "{}"))
    };
    assert!(text(&host.execute(narrowed).await).starts_with("not_allowed: You are not permitted"));
    let ungranted = call(&host, "relay", chain(0, "multiply", "{}")).await;
    assert_eq!(text(&ungranted), "not_allowed: This component was not granted calls to other tools.");
    assert_eq!(std::fs::read_to_string(ground.path().join("effects/log")).unwrap(), "x\n");
    assert_eq!(host.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_a_tool_is_traced_to_the_one_that_made_it() {
    let (ground, host) = host("").await;
    let outcome = call(&host, "a_relay", chain(0, "append", r#"{"line":"x"}"#)).await;
    let key = text(&outcome).strip_prefix("appended x under ").unwrap().to_owned();
    assert!(
        key.starts_with(&format!("{}/1/", outcome.call_id)),
        "the key names the call that made it: {key}"
    );
    host.store().log().flush().await.unwrap();
    let view = toolhost::store::View::Operator;
    let inner = std::fs::read_to_string(ground.path().join("effects/call")).unwrap();
    let record = host.store().trace(view, &inner.parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(record.run.as_str(), outcome.call_id.as_str(), "one run for all");
    let event = record.events.iter().find(|event| event.name == "invoked").unwrap();
    assert_eq!(event.detail, format!("by the call {}", outcome.call_id));
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_may_wait_for_each_other_and_nine_may_not() {
    // One chain fills both pools.
    let (_ground, host) = host("[pools.default]\nsize = 1\n[pools.delegate]\nsize = 1").await;
    let eight = call(&host, "a_relay", chain(7, "multiply", r#"{"a":6,"b":7}"#)).await;
    assert_eq!(text(&eight), "42");
    let nine = call(&host, "a_relay", chain(8, "multiply", r#"{"a":6,"b":7}"#)).await;
    assert_eq!(
        text(&nine),
        "invoke_limit: The tool 'multiply' was called through 9 tools that wait for each other; at most 8 may. \
         Nothing ran."
    );
    assert_eq!(host.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn chains_in_full_pools_end() {
    let (_ground, host) = host(
        "[pools.default]\nsize = 2\ntool_share = 2\ntenant_share = 2\n\
         [pools.delegate]\nsize = 3\ntool_share = 3\ntenant_share = 3",
    )
    .await;
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let host = host.clone();
        running.spawn(async move { call(&host, "a_relay", chain(7, "multiply", r#"{"a":6,"b":7}"#)).await });
    }
    let mut answered = 0;
    while let Some(outcome) = running.join_next().await {
        let outcome = outcome.unwrap();
        let said = text(&outcome);
        answered += usize::from(said == "42");
        assert!(said == "42" || said.starts_with("overloaded: "), "{said}");
    }
    assert!(answered >= 3, "{answered}");
    assert_eq!(host.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_calls_deadline_ends_them_all() {
    let (_ground, host) = host("").await;
    for tool in ["spin", "sleep"] {
        let arguments = if tool == "sleep" { r#"{"ms":60000}"# } else { "{}" };
        let call = Call {
            deadline: Some(Duration::from_millis(300)),
            ..Call::new(caller(&host, "local"), "a_relay", chain(2, tool, arguments))
        };
        let outcome = host.execute(call).await;
        // Whether the innermost timer or the outermost fires first, nothing goes on.
        let told = outcome.result.as_ref().map_err(|failure| failure.code);
        assert!(matches!(told, Err(Code::Timeout)) || text(&outcome).starts_with("timeout: "), "{outcome:?}");
        assert_eq!(host.running(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sample_desk_asks_the_shop_in_its_tenants_name() {
    let ground = Ground::new().samples(&["orders", "desk"]).config(
        "[[component]]\npath = \"tools/orders.wasm\"\ntrust_annotations = true\ngrants = { kv = true }\n\
         [[component]]\npath = \"tools/desk.wasm\"\ntrust_annotations = true\ngrants = { invoke = true }\n\
         [[tenant]]\nid = \"acme\"\n[[tenant]]\nid = \"umbrella\"\n",
    );
    let host = ground.start().await;
    let mut seen = Vec::new();
    for tenant in ["acme", "umbrella"] {
        let ask = Call::new(caller(&host, tenant), "customer_overview", r#"{"customer_id":"C-1001"}"#);
        let outcome = host.execute(ask).await;
        let said = outcome.result.unwrap_or_else(|failure| panic!("{failure}")).structured.unwrap();
        let own = Call::new(caller(&host, tenant), "get_customer", r#"{"customer_id":"C-1001"}"#);
        let own = host.execute(own).await.result.unwrap().structured.unwrap();
        let [said, own]: [serde_json::Value; 2] =
            [said.get(), own.get()].map(|text| serde_json::from_str(text).unwrap());
        assert_eq!(said["name"], own["name"]);
        seen.push(said);
    }
    assert_ne!(seen[0], seen[1], "each tenant's own shop");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_calls_happens_once_however_often_the_tool_is_attempted() {
    let (ground, host) = host("[retry]\nfirst_pause = \"1ms\"").await;
    let log = || std::fs::read_to_string(ground.path().join("effects/log")).unwrap_or_default();
    // It calls `append` twice with the same arguments, fails, and is attempted again.
    let twice = call(&host, "a_stumble", r#"{"tool":"append","arguments":"{\"line\":\"x\"}"}"#).await;
    assert_eq!((text(&twice).as_str(), twice.attempt), ("twice", 2));
    assert_eq!(log(), "x\nx\n", "both were meant, and each happened once");
    let named = Call {
        run: Some("r".parse().unwrap()),
        ..Call::new(
            caller(&host, "local"),
            "a_stumble",
            r#"{"tool":"append","arguments":"{\"line\":\"y\"}"}"#,
        )
    };
    assert_eq!(text(&host.execute(named).await), "twice");
    assert_eq!(log(), "x\nx\ny\n", "in a run that the caller named equal calls are one");
}
