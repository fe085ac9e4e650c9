//! What is refused when components are loaded, with the message that names the fault; the rest is served.

use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::{Ground, call, text};

/// Starts a host with one bad component beside a good one, and gives the reason why the bad one is refused.
async fn refusal(bad: &[u8]) -> String {
    let good = Guest::new("good", &Guest::text(1024, 4)).build();
    let ground = Ground::new().component("good", &good).component("bad", bad);
    let host = ground.start().await;
    let report = host.load_report();
    let reasons: Vec<&str> = report.refused.iter().map(|refused| refused.reason.as_str()).collect();
    assert_eq!(reasons.len(), 1, "{report:?}");
    assert!(report.refused[0].path.ends_with("bad.wasm"), "{report:?}");
    assert_eq!(text(&call(&host, "good", "{}").await), "good", "the others are served");
    reasons[0].to_owned()
}

async fn refused_tools(tools: Vec<GuestTool>) -> String {
    refusal(&Guest::of(tools, "(unreachable)").build()).await
}

fn with(change: impl FnOnce(&mut GuestTool)) -> Vec<GuestTool> {
    let mut tool = GuestTool::new("bad");
    change(&mut tool);
    vec![tool]
}

#[tokio::test(flavor = "multi_thread")]
async fn descriptions_that_are_not_sound() {
    assert_eq!(refused_tools(vec![]).await, "the component describes no tool");
    assert_eq!(
        refused_tools(with(|tool| tool.name = "has space".into())).await,
        "the tool name \"has space\" is not valid: it must match [A-Za-z_][A-Za-z0-9_-]{0,47}"
    );
    assert_eq!(
        refused_tools(vec![GuestTool::new("bad"), GuestTool::new("bad")]).await,
        "the component describes the tool bad twice"
    );
    assert_eq!(
        refused_tools(with(|tool| tool.description = " \n".into())).await,
        "the tool bad has no description"
    );
    assert_eq!(
        refused_tools(with(|tool| tool.description = "x".repeat(9_000))).await,
        "the description of the tool bad has 9000 bytes; at most 8192 are taken"
    );
    assert_eq!(
        refused_tools(with(|tool| tool.timeout_ms = Some(0))).await,
        "the option timeout of the tool bad is not valid: it must be longer than nothing"
    );
    let pool = refused_tools(with(|tool| tool.pool = Some("no pool".into()))).await;
    assert!(pool.starts_with("the option pool of the tool bad is not valid: "), "{pool}");
    let key = refused_tools(with(|tool| tool.idempotency_key = Some("refund:{id".into()))).await;
    assert!(key.starts_with("the option idempotency_key of the tool bad is not valid: "), "{key}");
}

#[tokio::test(flavor = "multi_thread")]
async fn schemas_that_are_not_taken() {
    for (schema, named) in [
        ("{", "JSON"),
        (r#"{"type":"strin"}"#, "'/type'"),
        (r#"{"type":"object"}"#, "propert"),
        (r#"{"type":"object","additionalProperties":false,"properties":{"tenant_id":{}}}"#, "tenant_id"),
        (r#"{"type":"object","additionalProperties":false,"properties":{"side_effect":{}}}"#, "side_effect"),
        (
            r#"{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"http://x.test/s"}}}"#,
            "http://x.test/s",
        ),
        (r#"{"type":"object","additionalProperties":false,"properties":{"a":{"pattern":"(?=x)"}}}"#, "(?=x)"),
        (r#"{"type":"array"}"#, "object"),
    ] {
        let reason = refused_tools(with(|tool| tool.input_schema = schema.into())).await;
        assert!(reason.starts_with("the input schema of the tool bad is not taken: "), "{schema}: {reason}");
        assert!(reason.contains(named), "{schema}: {reason}");
    }
    let output = refused_tools(with(|tool| tool.output_schema = Some(r#"{"type":1}"#.into()))).await;
    assert!(output.starts_with("the output schema of the tool bad is not taken: "), "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_accepts_an_open_schema_by_name() {
    let open = with(|tool| tool.input_schema = r#"{"type":"object"}"#.into());
    let ground = Ground::new()
        .component("open", &Guest::of(open, &Guest::echo()).build())
        .config("[[component]]\npath = \"tools/open.wasm\"\ntool.bad = { accept_open_schema = true }\n");
    let host = ground.start().await;
    assert_eq!(text(&call(&host, "bad", r#"{"anything":1}"#).await), r#"{"anything":1}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_no_components() {
    assert_eq!(refusal(b"").await, "it is an empty file, not a WebAssembly component");
    assert_eq!(refusal(b"hello").await, "it is something else, not a WebAssembly component");
    assert_eq!(refusal(b"\0asm\x01\0\0\0").await, "it is a core module, not a WebAssembly component");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_cut_off_at_any_point() {
    let whole = Guest::new("bad", &Guest::text(1024, 3)).build();
    let points = toolhost_tests::rounds(12, 400);
    let good = Guest::new("good", &Guest::text(1024, 4)).build();
    let mut ground = Ground::new().component("good", &good);
    for point in 0..points {
        let at = whole.len() * point / points;
        ground = ground.component(&format!("cut{point:03}"), &whole[..at]);
    }
    let host = ground.start().await;
    let report = host.load_report();
    assert_eq!(report.refused.len(), points, "{report:?}");
    for refused in &report.refused {
        assert!(refused.reason.starts_with("it is "), "{refused:?}");
    }
    assert_eq!(text(&call(&host, "good", "{}").await), "good");
}

#[tokio::test(flavor = "multi_thread")]
async fn components_that_do_not_fit_the_contract() {
    let unknown = wat::parse_str(r#"(component (import "other:thing/api@1.0.0" (instance)))"#).unwrap();
    assert_eq!(refusal(&unknown).await, "it imports other:thing/api@1.0.0, which this host does not offer");
    let nothing = wat::parse_str("(component)").unwrap();
    let reason = refusal(&nothing).await;
    assert!(reason.starts_with("it does not fit the contract toolhost:tool@0.1.0: "), "{reason}");
    assert!(reason.contains("toolhost:tool/tools@0.1.0"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn components_that_do_not_end_or_ask_too_much_before_they_start() {
    let endless =
        Guest::new("bad", "(unreachable)").extra("(func $start (loop (br 0))) (start $start)").build();
    let unended = "its start function and `describe` ";
    assert!(refusal(&endless).await.starts_with(unended));
    let endless = Guest::new("bad", "(unreachable)").describe("(loop (br 0)) (unreachable)").build();
    assert!(refusal(&endless).await.starts_with(unended));
    let traps = Guest::new("bad", "(unreachable)").describe("(unreachable)").build();
    assert!(refusal(&traps).await.starts_with("its `describe` failed: "));
    let hungry = Guest::new("bad", "(unreachable)").memory(r#"(memory (export "memory") 3000)"#).build();
    let reason = refusal(&hungry).await;
    // 3,000 pages, and the 128 MiB that a call may have.
    assert!(reason.starts_with("the sandbox cannot hold it: "), "{reason}");
    assert!(reason.contains("196608000") || reason.contains("0xbb80000"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn features_that_are_switched_off() {
    for (what, memory) in [
        ("64-bit memory", r#"(memory (export "memory") i64 2)"#),
        ("shared memory", r#"(memory (export "memory") 2 2 shared)"#),
    ] {
        let module = format!("(component (core module {memory}))");
        let Ok(bytes) = wat::parse_str(&module) else { panic!("{what}") };
        let reason = refusal(&bytes).await;
        assert!(reason.starts_with("it is not a component that this host can compile: "), "{what}: {reason}");
    }
    let gc = wat::parse_str("(component (core module (type (struct (field i32)))))").unwrap();
    assert!(refusal(&gc).await.starts_with("it is not a component that this host can compile: "));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_tools_of_one_name_the_later_is_refused_unless_it_has_a_prefix() {
    let one = Guest::new("same", &Guest::text(1024, 4)).build();
    let host = Ground::new().component("a", &one).component("b", &one).start().await;
    let report = host.load_report();
    let [refused] = report.refused.as_slice() else { panic!("{report:?}") };
    assert!(refused.reason.contains("a.wasm") && refused.reason.contains("b.wasm"), "{refused:?}");
    let ground = Ground::new().component("a", &one).component("b", &one).config(
        "[[component]]\npath = \"tools/a.wasm\"\n[[component]]\npath = \"tools/b.wasm\"\nprefix = \"b_\"\n",
    );
    let host = ground.start().await;
    assert!(host.load_report().refused.is_empty(), "{:?}", host.load_report());
    assert_eq!(text(&call(&host, "b_same", "{}").await), "same");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pinned_digest_is_kept() {
    let one = Guest::new("t", &Guest::text(1024, 1)).build();
    let pin = toolhost::id::Digest::of(b"something else");
    let ground = Ground::new()
        .component("t", &one)
        .config(&format!("[[component]]\npath = \"tools/t.wasm\"\ndigest = \"{pin}\"\n"));
    let host = ground.start().await;
    let report = host.load_report();
    let [refused] = report.refused.as_slice() else { panic!("{report:?}") };
    assert!(refused.reason.contains(&pin.to_string()), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_artefact_that_is_not_as_it_was_written_is_compiled_again() {
    let ground = Ground::new().component("t", &Guest::new("t", &Guest::text(1024, 1)).build());
    let first = ground.start().await;
    assert!(!first.load_report().loaded[0].from_cache);
    drop(first);
    let second = ground.start().await;
    assert!(second.load_report().loaded[0].from_cache);
    drop(second);
    let folder = ground.path().join(".toolhost/artefacts");
    let artefact = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "cwasm"))
        .unwrap();
    let mut bytes = std::fs::read(&artefact).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&artefact, bytes).unwrap();
    let third = ground.start().await;
    assert!(!third.load_report().loaded[0].from_cache, "a changed artefact must not be loaded");
    assert_eq!(text(&call(&third, "t", "{}").await), "t");
}

#[tokio::test(flavor = "multi_thread")]
async fn directories_do_not_lie_in_one_that_a_guest_may_write_to() {
    let grants = |outer: &str| {
        format!(
            "[[component]]\npath = \"tools/a.wasm\"\n\
             grants = {{ directories = [{{ host = \"data/{{tenant}}\", guest = \"/d\", access = \"{outer}\" }}] }}\n\
             [[component]]\npath = \"tools/b.wasm\"\n\
             grants = {{ directories = [{{ host = \"data/{{tenant}}/files\", guest = \"/d\", access = \"writable\" }}] }}\n"
        )
    };
    let guest = |name: &str| Guest::new(name, &Guest::text(1024, 1)).build();
    let ground = Ground::new().component("a", &guest("a")).component("b", &guest("b"));
    std::fs::create_dir_all(ground.path().join("data/local")).unwrap();
    let ground = ground.config(&grants("writable"));
    let output = toolhost_tests::wire::run(ground.path(), &["call", "a"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("data/{tenant}/files is granted inside of"), "{said}");
    assert!(!output.status.success());
    let ground = ground.config(&grants("read_only"));
    assert!(toolhost_tests::wire::run(ground.path(), &["call", "a"]).status.success());
}
