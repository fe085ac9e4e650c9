//! Secrets: the peer gets the value, and nobody else, in whatever form it comes back.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolhost::executor::Host;
use toolhost::gate::{Call, Progress};
use toolhost::spec::Outcome;
use toolhost_tests::host::{Ground, call, caller, program, text};
use toolhost_tests::peer::{FakeNetwork, Peer, Script};

use super::egress::{PUBLIC, get, ground, notes, ok};

/// Characters that every encoding writes in another way.
const CANARY: &str = "Zc9/+q~7&k=T_x pL\"wV";

const SECRETS: &str = "grants.secrets = [{ name = \"key\", to = \"https://api.test\", header = \"authorization\" }]\n\
                       [egress]\nauthorities = [\"ca.pem\"]\n[[secret]]\nname = \"key\"\nfile = \"key.txt\"\n";

/// A host whose component may send the canary to an encrypted peer.
async fn start(script: Script, further: &str) -> (Ground, Host, Peer, Arc<FakeNetwork>) {
    let (peer, authority) = Peer::start_encrypted(script, "api.test").await;
    let network = FakeNetwork::to(peer.address);
    network.name("api.test", &[PUBLIC]);
    network.name("other.test", &[PUBLIC]);
    let rules = json!(["https://api.test", "https://other.test"]);
    let ground = ground(&rules, &format!("{SECRETS}{further}"));
    std::fs::write(ground.path().join("ca.pem"), authority).unwrap();
    std::fs::write(ground.path().join("key.txt"), format!("{CANARY}\n")).unwrap();
    let host = ground.start_on(network.clone()).await;
    (ground, host, peer, network)
}

fn with_key() -> Value {
    let mut request = get("https", "api.test");
    request["headers"] = json!([["authorization", "Bearer {key}"]]);
    request
}

async fn send(host: &Host, tenant: &str, request: Value) -> Outcome {
    let arguments = json!({"request": request}).to_string();
    host.execute(Call::new(caller(host, tenant), "fetch_whole", arguments)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_value_is_put_in_for_its_host_and_header_alone() {
    let (_ground, host, peer, network) = start(ok(), "").await;
    let outcome = send(&host, "local", with_key()).await;
    assert_eq!(outcome.code(), "ok", "{outcome:?}");
    let [seen] = peer.seen().try_into().unwrap();
    assert_eq!(seen.header("authorization"), Some(format!("Bearer {CANARY}").as_str()));
    assert_eq!(seen.header("accept-encoding"), Some("identity"));
    let before = network.dialled().len();
    let misplaced = [
        json!({"scheme": "https", "authority": "other.test", "headers": [["authorization", "{key}"]]}),
        json!({"scheme": "https", "authority": "api.test", "headers": [["x-key", "{key}"]]}),
        json!({"scheme": "https", "authority": "api.test", "headers": [["authorization", "{key}"], ["x-key", "{key}"]]}),
        json!({"scheme": "https", "authority": "api.test", "path": "/?key={key}"}),
    ];
    for request in misplaced {
        let outcome = send(&host, "local", request.clone()).await;
        assert!(text(&outcome).contains("HttpRequestDenied"), "{request}: {outcome:?}");
        let notes = notes(&host, &outcome).await;
        assert!(notes.contains("the secret key may not stand in the"), "{request}: {notes}");
    }
    assert_eq!(network.dialled().len(), before, "nothing is dialled for it");
    // In a body the placeholder is sent as it stands, and says nothing.
    let mut request = with_key();
    request["method"] = json!("POST");
    request["body"] = json!("my key is {key}");
    assert_eq!(send(&host, "local", request).await.code(), "ok");
    let seen = peer.seen().pop().unwrap();
    assert!(String::from_utf8_lossy(&seen.body).contains("toolhost-secret-"), "{seen:?}");
    assert!(!String::from_utf8_lossy(&seen.body).contains(CANARY), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_granted_or_has_no_value_has_no_placeholder() {
    let (ground, host, peer, _) = start(ok(), "[[secret]]\nname = \"elsewhere\"\nfile = \"key.txt\"\n").await;
    let ask = |name: &str| {
        let mut request = get("https", "api.test");
        request["headers"] = json!([["authorization", format!("{{{name}}}")]]);
        request
    };
    for (name, fault) in [("elsewhere", "Denied"), ("nothing", "Denied"), ("", "Denied")] {
        assert!(text(&send(&host, "local", ask(name)).await).contains(fault), "{name}");
    }
    // A file is read at each use: one that is gone, and one that cannot stand in a header.
    for content in [
        None,
        Some("a\nb-c-d-e-f"),
        Some("short"),
        Some(""),
        Some("ends-with-a-blank "),
        Some("zero\u{200b}width"),
    ] {
        match content {
            Some(content) => std::fs::write(ground.path().join("key.txt"), content).unwrap(),
            None => std::fs::remove_file(ground.path().join("key.txt")).unwrap(),
        }
        assert!(text(&send(&host, "local", ask("key")).await).contains("Missing"), "{content:?}");
    }
    std::fs::write(ground.path().join("key.txt"), "another-one").unwrap();
    assert_eq!(send(&host, "local", ask("key")).await.code(), "ok");
    assert_eq!(peer.seen().pop().unwrap().header("authorization"), Some("another-one"));
}

/// Whether any form of the canary stands in a text.
fn leaks(text: &str) -> bool {
    use base64::Engine as _;
    let plain = base64::engine::general_purpose::STANDARD.encode(CANARY);
    let escaped = serde_json::to_string(CANARY).unwrap();
    text.contains(CANARY)
        || text.contains(plain.trim_end_matches('='))
        || text.contains(escaped.trim_matches('"'))
        || text.contains("Zc9%2F%2Bq")
        || text.contains(&CANARY.bytes().map(|byte| format!("{byte:02x}")).collect::<String>())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_gives_it_back_gives_it_to_nobody() {
    // The pieces cut it everywhere.
    for size in [1, 2, 3, 7, 11, 1_000] {
        let (ground, host, peer, _) = start(Script::Echo(size), "").await;
        let outcome = send(&host, "local", with_key()).await;
        let answer = text(&outcome);
        assert_eq!(outcome.code(), "ok", "{answer}");
        assert!(peer.seen()[0].head.contains(CANARY));
        // Location, a header of its own, the body and the trailers.
        assert_eq!(answer.matches("[secret]").count(), 4, "{size}: {answer}");
        assert!(!leaks(&answer), "{size}: {answer}");
        if size == 3 {
            everywhere(&ground, &host).await;
        }
    }
}

/// Every way out of a tool, and everything that is kept.
async fn everywhere(ground: &Ground, host: &Host) {
    let (sender, mut news) = tokio::sync::mpsc::channel::<Progress>(64);
    for end in ["result", "failure", "panic"] {
        let arguments = json!({"request": with_key(), "end": end}).to_string();
        let call =
            Call { progress: Some(sender.clone()), ..Call::new(caller(host, "local"), "blab", arguments) };
        let outcome = host.execute(call).await;
        let shown = format!("{outcome:?}");
        assert!(end == "panic" || shown.contains("[secret]"), "{shown}");
        assert!(!leaks(&shown), "{end}: {shown}");
        let record =
            host.store().trace(toolhost::store::View::Operator, &outcome.call_id).await.unwrap().unwrap();
        let kept = format!("{record:?}");
        assert!(kept.contains("[secret]") && !leaks(&kept), "{end}: {kept}");
    }
    let told = news.recv().await.unwrap();
    assert!(!leaks(&format!("{told:?}")), "{told:?}");
    // Nor does it stand in the guest's own memory, its arguments or its environment.
    let backwards: String = CANARY.chars().rev().collect();
    let outcome =
        call(host, "look", json!({"request": with_key(), "backwards": backwards}).to_string()).await;
    assert_eq!(text(&outcome), "0", "{outcome:?}");
    // The search finds what is there: the placeholder's own mark.
    let mark: String = "toolhost-secret-".chars().rev().collect();
    let outcome = call(host, "look", json!({"request": with_key(), "backwards": mark}).to_string()).await;
    assert_ne!(text(&outcome), "0", "{outcome:?}");
    host.shutdown(Duration::from_secs(5)).await;
    let folder = ground.path().join(".toolhost");
    for entry in std::fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        let bytes = std::fs::read(entry.path()).unwrap();
        // The arguments of the search hold it backwards.
        assert!(!leaks(&String::from_utf8_lossy(&bytes)), "{:?}", entry.path());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_call_sent_is_given_to_nobody_either() {
    let told =
        format!("HTTP/1.1 200 OK\r\nX-Last: {CANARY}\r\nContent-Length: {}\r\n\r\n{CANARY}", CANARY.len());
    let (_ground, host, _peer, _) = start(Script::Pieces(vec![told.into_bytes()]), "").await;
    // This call asks for no secret.
    let outcome = send(&host, "local", get("https", "api.test")).await;
    assert_eq!(text(&outcome).matches("[secret]").count(), 2, "{outcome:?}");
    assert!(!leaks(&format!("{outcome:?}")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_name_of_a_coding_is_no_way_out() {
    for codings in [
        format!("Content-Encoding: {CANARY}"),
        format!("Content-Encoding: identity\r\nContent-Encoding: {CANARY}"),
    ] {
        let told = format!("HTTP/1.1 200 OK\r\n{codings}\r\nContent-Length: 0\r\n\r\n");
        let (_ground, host, _peer, _) = start(Script::Pieces(vec![told.into_bytes()]), "").await;
        let outcome = send(&host, "local", with_key()).await;
        assert!(text(&outcome).contains("HttpResponseContentCoding(None)"), "{outcome:?}");
        assert!(!leaks(&notes(&host, &outcome).await) && !leaks(&format!("{outcome:?}")));
    }
}

/// A name that stands for the operator's own network may lead nowhere else, least of all in the clear.
#[tokio::test(flavor = "multi_thread")]
async fn a_secret_goes_into_the_named_network_alone() {
    let peer = Peer::start(ok()).await;
    let network = FakeNetwork::to(peer.address);
    network.name("stock.test", &["10.1.0.9"]);
    network.name("lost.test", &[PUBLIC]);
    let config = "[[component]]\npath = \"tools/web.wasm\"\ntrust_annotations = true\n\
                  grants.http = [{ url = \"http://stock.test\", networks = [\"10.1.0.0/16\"] }, \"http://lost.test\",\n\
                  { url = \"http://lost.test\", networks = [\"10.1.0.0/16\"] }]\n\
                  grants.secrets = [{ name = \"key\", to = \"http://stock.test\", header = \"authorization\" }]\n\
                  [[secret]]\nname = \"key\"\nfile = \"key.txt\"\n";
    let ground = Ground::new().samples(&["web"]).config(config);
    std::fs::write(ground.path().join("key.txt"), CANARY).unwrap();
    let host = ground.start_on(network.clone()).await;
    let mut request = get("http", "stock.test");
    request["headers"] = json!([["authorization", "{key}"]]);
    assert_eq!(send(&host, "local", request.clone()).await.code(), "ok");
    assert_eq!(peer.seen().pop().unwrap().header("authorization"), Some(CANARY));
    // The name now leads elsewhere.
    network.moves("stock.test", &[PUBLIC]);
    let outcome = send(&host, "local", request).await;
    assert!(text(&outcome).contains("DestinationIpProhibited"), "{outcome:?}");
    assert_eq!(peer.seen().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_packed_answer_to_a_request_with_a_secret_is_refused() {
    let packed =
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00".to_vec();
    let (_ground, host, _peer, _) = start(Script::Pieces(vec![packed]), "").await;
    let outcome = send(&host, "local", with_key()).await;
    assert!(text(&outcome).contains("HttpResponseContentCoding"), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_tenant_has_its_own_and_may_be_left_none() {
    let tenants = "[[secret]]\nname = \"key\"\ntenant = \"acme\"\nfile = \"acme.txt\"\n[[tenant]]\nid = \"acme\"\n\
                   [[tenant]]\nid = \"beta\"\n[[tenant]]\nid = \"none\"\ngrants = { secrets = [] }\n";
    let (ground, host, peer, _) = start(ok(), tenants).await;
    std::fs::write(ground.path().join("acme.txt"), "acmes-own-key").unwrap();
    for (tenant, value) in [("acme", Some("Bearer acmes-own-key")), ("beta", Some("Bearer ")), ("none", None)]
    {
        let outcome = send(&host, tenant, with_key()).await;
        match value {
            Some(value) => {
                let seen = peer.seen().pop().unwrap();
                let expected = if tenant == "beta" { format!("Bearer {CANARY}") } else { value.to_owned() };
                assert_eq!(seen.header("authorization"), Some(expected.as_str()), "{tenant}");
            }
            None => assert!(text(&outcome).contains("Denied"), "{outcome:?}"),
        }
    }
}

/// A placeholder that another call was given, or that a guest made up, stands for nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_placeholder_is_good_for_its_call_alone() {
    let (_ground, host, peer, _) = start(ok(), "").await;
    let mut telling = with_key();
    telling["method"] = json!("POST");
    telling["body"] = json!("{key}");
    assert_eq!(send(&host, "local", telling).await.code(), "ok");
    let body = String::from_utf8_lossy(&peer.seen()[0].body).into_owned();
    let at = body.find("toolhost-secret-").unwrap();
    let placeholder = &body[at..at + "toolhost-secret-".len() + 32];
    let mut again = get("https", "api.test");
    again["headers"] = json!([["authorization", placeholder]]);
    assert_eq!(send(&host, "local", again).await.code(), "ok");
    assert_eq!(peer.seen().pop().unwrap().header("authorization"), Some(placeholder));
}

fn command(ground: &Ground, key: Option<&str>, arguments: &[&str], input: &str) -> (i32, String) {
    let mut command = Command::new(program());
    command.args(arguments).current_dir(ground.path()).env_remove("TOOLHOST_SECRETS_KEY");
    if let Some(key) = key {
        command.env("TOOLHOST_SECRETS_KEY", key);
    }
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    (done.status.code().unwrap(), told)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_keeps_secrets_under_the_operators_key() {
    let kept = "grants.secrets = [{ name = \"key\", to = \"https://api.test\", header = \"authorization\" }]\n\
                [[secret]]\nname = \"key\"\nstore = true\n[[secret]]\nname = \"key\"\ntenant = \"acme\"\nstore = true\n\
                [[tenant]]\nid = \"local\"\n[[tenant]]\nid = \"acme\"\n";
    let ground = ground(&json!(["https://api.test"]), kept);
    let run = |key: Option<&str>, arguments: &[&str], input: &str| command(&ground, key, arguments, input);
    let (_, key) = run(None, &["secrets", "key"], "");
    let (key, other) = (key.trim().to_owned(), run(None, &["secrets", "key"], "").1.trim().to_owned());
    assert_ne!(key, other);
    let (code, told) = run(None, &["secrets", "set", "key"], CANARY);
    assert!(code == 5 && told.contains("TOOLHOST_SECRETS_KEY"), "{code}: {told}");
    let (code, told) = run(Some("too short"), &["secrets", "set", "key"], CANARY);
    assert!(code == 6 && told.contains("32 bytes in Base64"), "{code}: {told}");
    assert_eq!(run(Some(&key), &["secrets", "set", "key"], &format!("{CANARY}\n")).0, 0);
    assert_eq!(run(Some(&key), &["secrets", "set", "key", "--tenant", "acme"], "acmes-own-key").0, 0);
    assert_eq!(run(Some(&key), &["secrets", "set", "unknown"], "long-enough").0, 5);
    let (code, told) = run(Some(&key), &["secrets", "set", "key", "--tenant", "local"], "long-enough");
    assert!(code == 5 && told.contains("would never be used"), "{code}: {told}");
    assert_eq!(run(Some(&key), &["secrets", "set", "key"], "short").0, 2);
    let (code, listed) = run(Some(&key), &["secrets", "list"], "");
    assert!(
        code == 0 && listed.contains("key  everybody") && listed.contains("key  the tenant acme"),
        "{listed}"
    );
    assert!(!leaks(&listed) && !listed.contains("acmes-own"), "{listed}");
    // Whoever has the database has no value, and a row is of no use in another one's place.
    let settings = |key: &str| {
        let mut settings = ground_settings(&ground);
        settings.store.secrets_key = Some(toolhost::spec::Secret::new(key.to_owned()));
        settings.store
    };
    let name = "key".parse().unwrap();
    let store = toolhost::store::Store::open(&settings(&key)).await.unwrap();
    let value = async |store: &toolhost::store::Store, tenant: &str| {
        store
            .secret(&tenant.parse().unwrap(), &name)
            .await
            .map(|value| value.map(|it| it.expose().to_owned()))
    };
    assert_eq!(value(&store, "local").await.unwrap().as_deref(), Some(CANARY));
    assert_eq!(value(&store, "acme").await.unwrap().as_deref(), Some("acmes-own-key"));
    let stranger = toolhost::store::Store::open(&settings(&other)).await.unwrap();
    let refused = value(&stranger, "local").await.unwrap_err().to_string();
    assert_eq!(refused, "the secret key was kept under another key than TOOLHOST_SECRETS_KEY");
    assert_eq!(run(Some(&key), &["secrets", "forget", "key", "--tenant", "acme"], "").0, 0);
    assert_eq!(run(Some(&key), &["secrets", "forget", "key", "--tenant", "acme"], "").0, 1);
    assert_eq!(value(&store, "acme").await.unwrap().as_deref(), Some(CANARY), "everybody's is left");
    for file in std::fs::read_dir(ground.path().join(".toolhost")).into_iter().flatten().flatten() {
        let bytes = std::fs::read(file.path()).unwrap_or_default();
        assert!(!leaks(&String::from_utf8_lossy(&bytes)), "{:?}", file.path());
    }
}

/// The settings of a ground whose secrets need a key in the environment, which a test cannot set for itself.
fn ground_settings(ground: &Ground) -> toolhost::config::Settings {
    let text = std::fs::read_to_string(ground.path().join("host.toml")).unwrap();
    let mut settings = toolhost::config::parse(
        &text.replace("store = true", "file = \"none\""),
        &ground.path().join("host.toml"),
    )
    .unwrap();
    for secret in &mut settings.store.secrets {
        secret.source = toolhost::store::SecretSource::Store;
    }
    settings
}

#[tokio::test(flavor = "multi_thread")]
async fn no_log_at_any_level_shows_it() {
    let (ground, host, _peer, _) = start(Script::Echo(5), "").await;
    drop(host);
    // The whole program, at TRACE, against a peer that refuses the connection.
    let arguments = json!({"request": with_key()}).to_string();
    let mut command = Command::new(program());
    command.args(["call", "fetch_whole", &arguments]).current_dir(ground.path()).env("TOOLHOST_LOG", "trace");
    let done = command.output().unwrap();
    let told = String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
    assert!(told.contains("TRACE") && !leaks(&told));
}
