//! What is admitted: components that changed wait for an operator, uploads are checked before they are taken, and all of it
//! is remembered in the store.

use serde_json::Value;
use toolhost::executor::{ComponentError, Host, Taken};
use toolhost::id::{ComponentName, Digest};
use toolhost::store::{Keep, Met, Version};
use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::{Ground, call, text};
use toolhost_tests::wire::run;

/// The settings under which a change has to be accepted.
const STRICT: &str = "[[component]]\npath = \"tools/*.wasm\"\ntrust_annotations = true\n";
const UPLOADS: &str = "[[component]]\nuploaded = \"*\"\ntrust_annotations = true\n";

/// A component with one tool, which answers with the first two characters of its description.
pub(crate) fn version(tool: &str, says: &str) -> Vec<u8> {
    let described = GuestTool { description: says.to_owned(), ..GuestTool::new(tool) };
    let at = 1_024 + u32::try_from(tool.len().next_multiple_of(2)).unwrap();
    Guest::of(vec![described], &Guest::text(at, 2)).build()
}

fn write(ground: &Ground, name: &str, bytes: &[u8]) {
    std::fs::write(ground.path().join("tools").join(format!("{name}.wasm")), bytes).unwrap();
}

/// What the command says, and its exit code.
fn said(ground: &Ground, arguments: &[&str]) -> (i32, String) {
    let output = run(ground.path(), arguments);
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(said).unwrap())
}

fn name(text: &str) -> ComponentName {
    text.parse().unwrap()
}

/// Why a component is not served.
fn refusal(host: &Host, component: &str) -> String {
    let report = host.load_report();
    let refused = report.refused.iter().find(|refused| refused.name == component);
    refused.unwrap_or_else(|| panic!("{component} is served: {report:?}")).reason.clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changed_waits_for_an_operator_and_the_rest_is_served() {
    let (first, second) = (version("t", "v1 is harmless."), version("t", "v2 sends it all away."));
    let other = version("other", "ok at all times.");
    let ground = Ground::new().component("a", &first).component("b", &other).config(STRICT);
    let host = ground.start().await;
    assert_eq!(text(&call(&host, "t", "{}").await), "v1");
    drop(host);
    write(&ground, "a", &second);
    let host = ground.start().await;
    let reason = refusal(&host, "a");
    let digest = Digest::of(&second).to_string();
    for part in ["quarantined", "tool t /description", &Digest::of(&first).to_string()] {
        assert!(reason.contains(part), "{reason}");
    }
    assert!(reason.contains(&format!("host components accept a --digest {digest}")), "{reason}");
    assert_eq!(call(&host, "t", "{}").await.code(), "no_such_tool");
    assert_eq!(text(&call(&host, "other", "{}").await), "ok");
    drop(host);

    let (code, shown) = said(&ground, &["components", "show", "a"]);
    assert_eq!(code, 0);
    for line in ["a: quarantined", "      - v1 is harmless.", "      + v2 sends it all away."] {
        assert!(shown.lines().any(|shown| shown == line), "{line:?}: {shown}");
    }
    let of_first = Digest::of(&first).to_string();
    let (code, refused) = said(&ground, &["components", "accept", "a", "--digest", &of_first]);
    assert_eq!(code, 1, "{refused}");
    assert!(refused.contains("is not what waits"), "{refused}");
    let (code, accepted) = said(&ground, &["components", "accept", "a", "--digest", &digest, "--as", "anna"]);
    assert_eq!(code, 0, "{accepted}");
    let host = ground.start().await;
    assert_eq!(text(&call(&host, "t", "{}").await), "v2");
    let (view, drift) = host.components().show("a").await.unwrap();
    assert_eq!((view.accepted.unwrap().by.as_str(), drift), ("anna", None));
    drop(host);
    // What was accepted once and replaced is a change as any other.
    write(&ground, "a", &first);
    assert!(refusal(&ground.start().await, "a").contains("quarantined"));
    // What goes back to what is accepted waits no longer.
    write(&ground, "a", &second);
    let host = ground.start().await;
    assert_eq!(text(&call(&host, "t", "{}").await), "v2");
    let nothing = host.components().accept("a", None, "anna").await;
    let waits = host.store().settings().is_shared();
    assert_eq!(nothing.map_err(|fault| fault.code()).is_err(), !waits);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operators_word_in_the_configuration_is_enough() {
    let versions = ["v1", "v2", "v3"].map(|says| version("t", &format!("{says} does it.")));
    let ground = Ground::new().component("a", &versions[0]).config(STRICT);
    drop(ground.start().await);
    write(&ground, "a", &versions[1]);
    let pinned =
        format!("[[component]]\npath = \"tools/a.wasm\"\ndigest = \"{}\"\n", Digest::of(&versions[1]));
    let ground = ground.config(&pinned);
    let host = ground.start().await;
    assert_eq!(text(&call(&host, "t", "{}").await), "v2");
    let (view, _) = host.components().show("a").await.unwrap();
    assert_eq!(view.accepted.unwrap().by, "the digest in the configuration");
    drop(host);
    write(&ground, "a", &versions[2]);
    let ground = ground.config("[[component]]\npath = \"tools/a.wasm\"\non_change = \"accept\"\n");
    let host = ground.start().await;
    assert_eq!(text(&call(&host, "t", "{}").await), "v3");
    let listed = host.components().list().await.unwrap();
    let accepted = listed[0].accepted.clone().unwrap();
    assert_eq!((accepted.by.as_str(), accepted.digest), ("on_change = \"accept\"", Digest::of(&versions[2])));
    assert_eq!(listed[0].waiting, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_file_a_rebuilt_tool_is_served_at_once_and_the_start_says_so() {
    let ground = Ground::new().component("a", &version("t", "v1 does it."));
    drop(ground.start().await);
    write(&ground, "a", &version("t", "v2 does it."));
    let (code, served) = said(&ground, &["call", "t"]);
    assert_eq!((code, served.trim()), (0, "v2"));
    let mut process = std::process::Command::new(toolhost_tests::host::program())
        .args(["serve", "--stdio"])
        .current_dir(ground.path())
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut notes = String::new();
    std::io::Read::read_to_string(&mut process.stderr.take().unwrap(), &mut notes).unwrap();
    process.wait().unwrap();
    assert!(notes.contains("may change without an operator's word (on_change = \"accept\")"), "{notes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_components_of_one_name_the_later_is_refused() {
    let ground = Ground::new().component("a", &version("t", "v1 does it."));
    std::fs::create_dir(ground.path().join("more")).unwrap();
    std::fs::write(ground.path().join("more/a.wasm"), version("u", "v2 does it.")).unwrap();
    let ground = ground.config(&format!("{STRICT}[[component]]\npath = \"more/*.wasm\"\n"));
    let host = ground.start().await;
    let reason = refusal(&host, "a");
    assert!(reason.contains("tools/a.wasm") && reason.contains("rename one"), "{reason}");
    assert_eq!(call(&host, "u", "{}").await.code(), "no_such_tool");
    assert_eq!(text(&call(&host, "t", "{}").await), "v1");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_waits_while_what_was_accepted_is_served() {
    let (first, second) = (version("t", "v1 does it."), version("t", "v2 does it."));
    let ground = Ground::new().config(UPLOADS);
    let host = ground.start().await;
    let components = host.components();
    assert!(matches!(components.add(&name("up"), &first, "bob").await.unwrap(), Taken::Waiting(_)));
    assert_eq!(call(&host, "t", "{}").await.code(), "no_such_tool");
    assert!(refusal(&host, "up").contains("nobody accepted it yet"), "{}", refusal(&host, "up"));
    let other = components.accept("up", Some(Digest::of(&second)), "anna").await.unwrap_err();
    assert_eq!(other.code(), "other_version_waits");
    components.accept("up", Some(Digest::of(&first)), "anna").await.unwrap();
    assert_eq!(text(&call(&host, "t", "{}").await), "v1");
    assert!(matches!(components.add(&name("up"), &first, "bob").await.unwrap(), Taken::Unchanged(_)));

    assert!(matches!(components.add(&name("up"), &second, "bob").await.unwrap(), Taken::Waiting(_)));
    assert_eq!(text(&call(&host, "t", "{}").await), "v1");
    let (view, drift) = components.show("up").await.unwrap();
    assert_eq!(view.state.as_str(), "served_and_waiting");
    assert_eq!(drift.unwrap().differences.len(), 1);
    assert_eq!(view.waiting.unwrap().by, "bob");
    drop(host);
    let host = ground.start().await;
    let components = host.components();
    assert_eq!(text(&call(&host, "t", "{}").await), "v1", "so it is after a restart");
    components.reject("up", None).await.unwrap();
    assert_eq!(components.accept("up", None, "anna").await.unwrap_err().code(), "nothing_waits");
    components.add(&name("up"), &second, "bob").await.unwrap();
    components.accept("up", None, "anna").await.unwrap();
    assert_eq!(text(&call(&host, "t", "{}").await), "v2");
    components.remove("up").await.unwrap();
    assert_eq!(call(&host, "t", "{}").await.code(), "no_such_tool");
    assert_eq!(components.show("up").await.unwrap_err().code(), "no_such_component");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_is_taken_only_if_it_could_be_served() {
    let sound = version("t", "v1 does it.");
    let pinned = format!("[[component]]\nuploaded = \"pinned\"\ndigest = \"{}\"\n", Digest::of(&sound));
    let config = format!(
        "{STRICT}[[component]]\nuploaded = \"ok-*\"\nprefix = \"up_\"\n[[component]]\nuploaded = \"ok-plain\"\n\
         on_change = \"accept\"\n[[component]]\nuploaded = \"file\"\n{pinned}"
    );
    let ground = Ground::new().component("file", &sound).config(&config);
    let host = ground.start().await;
    let components = host.components();
    let mut open = GuestTool::new("open");
    open.input_schema = r#"{"type":"object","properties":{}}"#.into();
    let open = Guest::of(vec![open], &Guest::echo()).build();
    let other = version("u", "v2 does it.");
    let large = vec![0; toolhost::sandbox::COMPONENT_BYTES + 1];
    for (component, bytes, code) in [
        ("elsewhere", &sound, "not_configured"),
        ("file", &sound, "name_taken"),
        ("ok-plain", &sound, "tool_taken"),
        ("ok-bad", &b"\0asm".to_vec(), "component_refused"),
        ("ok-open", &open, "component_refused"),
        ("ok-large", &large, "component_refused"),
        ("pinned", &other, "component_refused"),
    ] {
        let fault = components.add(&name(component), bytes, "bob").await.unwrap_err();
        assert_eq!(fault.code(), code, "{component}: {fault}");
        assert!(components.show(component).await.is_err() || component == "file", "nothing of it is kept");
        let kept = host.store().components().bytes(&Digest::of(bytes), usize::MAX).await.unwrap();
        assert_eq!(kept, None, "{component}");
    }
    // Each gets what its own entry says: the one with the name before the pattern.
    assert!(matches!(components.add(&name("ok-t"), &sound, "bob").await.unwrap(), Taken::Waiting(_)));
    components.accept("ok-t", None, "anna").await.unwrap();
    assert_eq!(text(&call(&host, "up_t", "{}").await), "v1");
    assert!(matches!(components.add(&name("ok-plain"), &other, "bob").await.unwrap(), Taken::Accepted(_)));
    assert_eq!(text(&call(&host, "u", "{}").await), "v2");
    let fault = components.remove("file").await.unwrap_err();
    assert!(matches!(&fault, ComponentError::IsFile { path, .. } if path.ends_with("file.wasm")), "{fault}");
    // An entry that is gone takes its components with it.
    drop(host);
    let ground = ground.config(STRICT);
    let host = ground.start().await;
    assert!(refusal(&host, "ok-t").contains("`uploaded` that fits"), "{}", refusal(&host, "ok-t"));
    assert_eq!(call(&host, "up_t", "{}").await.code(), "no_such_tool");
    // A file does not take over what an uploaded component kept.
    write(&ground, "ok-t", &version("w", "v1 does it."));
    let host = ground.start().await;
    assert!(
        host.load_report().refused.iter().any(|it| it.reason.contains("an uploaded component has its name"))
    );
    assert_eq!(call(&host, "w", "{}").await.code(), "no_such_tool");
}

#[tokio::test(flavor = "multi_thread")]
async fn there_may_be_so_many_uploads() {
    let ground = Ground::new().config(UPLOADS);
    let host = ground.start().await;
    let sound = version("t", "v1 does it.");
    let many = |number: usize| Met {
        name: format!("c{number}"),
        uploaded: true,
        version: Version::now(Digest::of(&sound), "{}", Vec::new(), "bob"),
        description: "{}".to_owned(),
        keep: Keep::Waiting,
    };
    let met: Vec<Met> = (0..999).map(many).collect();
    host.store().components().remember(&met).await.unwrap();
    let components = host.components();
    assert!(matches!(components.add(&name("last"), &sound, "bob").await.unwrap(), Taken::Waiting(_)));
    assert_eq!(components.add(&name("more"), &sound, "bob").await.unwrap_err().code(), "too_many_components");
    assert!(matches!(components.add(&name("c0"), &sound, "bob").await.unwrap(), Taken::Waiting(_)));
}

#[test]
fn the_commands_say_what_they_did_and_how_they_ended() {
    let ground =
        Ground::new().component("a", &version("t", "v1 does it.")).config(&format!("{STRICT}{UPLOADS}"));
    let file = ground.path().join("new.wasm");
    std::fs::write(&file, version("u", "v1 does it.")).unwrap();
    let ends = |arguments: &[&str]| {
        let (code, text) = said(&ground, &[&["components"], arguments].concat());
        (code, text.lines().next().unwrap_or_default().to_owned())
    };
    assert_eq!(ends(&[]), (0, "a: served".to_owned()));
    assert_eq!(ends(&["show", "b"]).0, 1);
    let digest = |component: &[u8]| Digest::of(component).to_string();
    assert_eq!(ends(&["accept", "a", "--digest", &digest(&version("t", "v1 does it."))]).0, 1);
    assert_eq!(ends(&["remove", "a"]).0, 2);
    assert_eq!(ends(&["add", "new.wasm", "--name", "a"]).0, 2);
    assert_eq!(ends(&["add", "host.toml"]).0, 6);
    let (code, added) = ends(&["add", "new.wasm"]);
    assert!(code == 0 && added.starts_with("Uploaded: new waits to be accepted"), "{added}");
    assert!(
        ends(&["accept", "new", "--digest", &digest(&version("u", "v1 does it."))])
            .1
            .starts_with("Accepted: new is served with sha256:")
    );
    assert_eq!(said(&ground, &["call", "u"]).1.trim(), "v1");
    let listed: Value =
        serde_json::from_slice(&run(ground.path(), &["components", "--json"]).stdout).unwrap();
    let new = &listed[1];
    assert_eq!(
        (&new["name"], &new["state"], &new["uploaded"]),
        (&"new".into(), &"served".into(), &true.into())
    );
    assert_eq!((&new["tools"][0], &new["accepted"]["by"]), (&"u".into(), &"operator".into()));
    assert_eq!(ends(&["remove", "new"]).0, 0);
    assert_eq!(said(&ground, &["call", "u"]).0, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_comes_with_the_tools_of_another_waits() {
    let component = version("t", "v1 does it.");
    let ground = Ground::new().component("orders", &component).config(STRICT);
    drop(ground.start().await);
    // Under another name, and first in order.
    write(&ground, "aaa", &version("t", "v2 sends it all away."));
    let host = ground.start().await;
    assert_eq!(text(&call(&host, "t", "{}").await), "v1");
    assert!(refusal(&host, "aaa").contains("nobody accepted it yet"), "{}", refusal(&host, "aaa"));
    drop(host);
    // A changed one that takes another name is no new one.
    std::fs::remove_file(ground.path().join("tools/aaa.wasm")).unwrap();
    std::fs::remove_file(ground.path().join("tools/orders.wasm")).unwrap();
    write(&ground, "orders2", &version("t", "v3 sends it all away."));
    let host = ground.start().await;
    assert_eq!(call(&host, "t", "{}").await.code(), "no_such_tool");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_that_no_longer_fits_its_settings_stops_nobody_else() {
    let of = |read_only: bool| {
        let tool = GuestTool { read_only, ..GuestTool::new("t") };
        Guest::of(vec![tool], &Guest::echo()).build()
    };
    let other = version("other", "ok at all times.");
    let config = format!(
        "[[component]]\npath = \"tools/a.wasm\"\ntrust_annotations = true\ntool.t = {{ retries = 2 }}\n{STRICT}"
    );
    let ground = Ground::new().component("a", &of(true)).component("b", &other).config(&config);
    let host = ground.start().await;
    assert_eq!(text(&call(&host, "t", "{}").await), "{}");
    drop(host);
    write(&ground, "a", &of(false));
    let host = ground.start().await;
    assert!(refusal(&host, "a").contains("asks to try its tool t again"), "{}", refusal(&host, "a"));
    assert_eq!(text(&call(&host, "other", "{}").await), "ok");
}
