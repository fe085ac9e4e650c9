//! Requests of guests: where they may go, what reaches the peer, and when they end.

use serde_json::{Value, json};
use toolhost::executor::Host;
use toolhost::gate::Call;
use toolhost::spec::Outcome;
use toolhost::store::View;
use toolhost_tests::host::{Ground, call, caller, text};
use toolhost_tests::peer::{FakeNetwork, Peer, Script};
use toolhost_tests::wire::{Served, call_params, shown};

pub(super) const PUBLIC: &str = "93.184.215.14";
const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

pub(super) fn ok() -> Script {
    Script::Pieces(vec![OK.to_vec()])
}

/// A ground with the component that sends requests, which was granted these rules; further settings go after.
pub(super) fn ground(rules: &Value, further: &str) -> Ground {
    Ground::new().samples(&["web"]).config(&format!(
        "[[component]]\npath = \"tools/web.wasm\"\ntrust_annotations = true\ngrants.http = {rules}\n{further}"
    ))
}

/// A request to a host.
pub(super) fn get(scheme: &str, authority: &str) -> Value {
    json!({"scheme": scheme, "authority": authority})
}

/// What the guest saw of each request.
pub(super) async fn fetch(host: &Host, requests: &[Value]) -> Vec<String> {
    let outcome = call(host, "fetch", json!({"requests": requests}).to_string()).await;
    assert_eq!(outcome.code(), "ok", "{outcome:?}");
    answers(&outcome)
}

/// The structured result, which is not cut.
fn answers(outcome: &Outcome) -> Vec<String> {
    let structured = outcome.result.as_ref().unwrap().structured.as_ref().unwrap();
    serde_json::from_str(structured.get()).unwrap()
}

pub(super) async fn one(host: &Host, request: &Value) -> String {
    fetch(host, std::slice::from_ref(request)).await.remove(0)
}

/// What stands about requests in a call's trace.
pub(super) async fn notes(host: &Host, outcome: &Outcome) -> String {
    let record = host.store().trace(View::Operator, &outcome.call_id).await.unwrap().unwrap();
    let notes = record.events.into_iter().filter(|event| event.name == "http");
    notes.map(|event| event.detail).collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_granted_request_arrives_and_is_answered() {
    let peer = Peer::start(ok()).await;
    let network = FakeNetwork::to(peer.address);
    network.name("api.test", &[PUBLIC]);
    let host = ground(&json!(["http://api.test:8080"]), "").start_on(network.clone()).await;
    let request = json!({
        "scheme": "http", "authority": "API.test:8080", "path": "/a/b?c=d", "method": "POST",
        "headers": [["x-own", "1"], ["content-length", "4"]], "body": "four",
    });
    let outcome = call(&host, "fetch_whole", json!({"request": request}).to_string()).await;
    assert_eq!(outcome.code(), "ok", "{outcome:?}");
    assert!(text(&outcome).contains(r#""status":200"#) && text(&outcome).contains("hello"), "{outcome:?}");
    let [seen] = peer.seen().try_into().unwrap();
    assert!(seen.head.starts_with("POST /a/b?c=d HTTP/1.1\r\n"), "{seen:?}");
    assert_eq!((seen.header("host"), seen.header("x-own")), (Some("api.test:8080"), Some("1")));
    assert_eq!((seen.header("content-length"), seen.header("transfer-encoding")), (Some("4"), None));
    assert_eq!((seen.body.as_slice(), seen.whole), (&b"four"[..], true));
    assert_eq!(notes(&host, &outcome).await, "http://api.test:8080 answered 200");
    assert_eq!(network.dialled(), [format!("{PUBLIC}:8080").parse().unwrap()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_is_spoken_with_a_trusted_peer_alone() {
    let (peer, authority) = Peer::start_encrypted(ok(), "api.test").await;
    let network = FakeNetwork::to(peer.address);
    network.name("api.test", &[PUBLIC]);
    network.name("other.test", &[PUBLIC]);
    let rules = json!(["https://api.test", "https://other.test"]);
    let trusting = ground(&rules, "[egress]\nauthorities = [\"ca.pem\"]\n");
    let refused = toolhost::config::load(None, trusting.path()).unwrap_err().to_string();
    assert!(refused.contains("authorities[0]") && refused.contains("cannot be read"), "{refused}");
    std::fs::write(trusting.path().join("ca.pem"), authority).unwrap();
    let host = trusting.start_on(network.clone()).await;
    assert_eq!(one(&host, &get("https", "api.test")).await, "200 hello");
    let other = one(&host, &get("https", "other.test")).await;
    assert!(other.contains("TlsCertificateError"), "{other}");
    let distrusting = ground(&rules, "").start_on(network).await;
    let unknown = one(&distrusting, &get("https", "api.test")).await;
    assert!(unknown.contains("TlsCertificateError"), "{unknown}");
    assert_eq!(peer.seen().len(), 1, "nothing was said to whom nobody trusts");
}

/// Spellings of hosts, and what lies there; see the policy's own test of the same table.
fn corpus() -> Vec<(String, Option<String>)> {
    serde_json::from_str(include_str!("../corpora/addresses.json")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_spelling_and_no_answer_leads_to_an_address_that_is_not_public() {
    let corpus = corpus();
    let addresses: Vec<&str> = corpus
        .iter()
        .filter(|(_, what)| what.is_some())
        .map(|(text, _)| text.trim_matches(['[', ']']))
        .collect();
    assert!(corpus.len() >= 80 && addresses.len() >= 60);
    let limits = "[egress]\nrequests = 1000\n";
    // Every literal that a rule can name is named, so that only the address itself is in the way.
    let mut rules: Vec<String> =
        corpus.iter().filter(|(_, what)| what.is_some()).map(|(text, _)| format!("http://{text}")).collect();
    rules.push("http://*.dns.test".to_owned());
    rules.push("http://ok.test".to_owned());
    let peer = Peer::start(ok()).await;
    let network = FakeNetwork::to(peer.address);
    for (number, address) in addresses.iter().enumerate() {
        network.name(&format!("only{number}.dns.test"), &[address]);
        network.name(&format!("mixed{number}.dns.test"), &[PUBLIC, address]);
        // The second answer is never asked for.
        network.name(&format!("turns{number}.dns.test"), &[PUBLIC]);
        network.name(&format!("turns{number}.dns.test"), &[address]);
    }
    let ground = ground(&json!(rules), limits);
    let host = ground.start_on(network.clone()).await;
    // Direct.
    let direct: Vec<Value> = corpus.iter().map(|(text, _)| get("http", text)).collect();
    let answers = fetch(&host, &direct).await;
    for ((text, what), answer) in corpus.iter().zip(answers) {
        match what {
            Some(_) => assert!(answer.contains("DestinationIpProhibited"), "{text:?}: {answer}"),
            None => assert!(
                answer.contains("HttpRequestUriInvalid")
                    || answer == "authority"
                    || answer.contains("HttpProtocolError"),
                "{text:?}: {answer}"
            ),
        }
    }
    // By the answer of a resolver, alone or beside a public address.
    for kind in ["only", "mixed"] {
        let named: Vec<Value> =
            (0..addresses.len()).map(|number| get("http", &format!("{kind}{number}.dns.test"))).collect();
        for (address, answer) in addresses.iter().zip(fetch(&host, &named).await) {
            assert!(answer.contains("DestinationIpProhibited"), "{kind} {address}: {answer}");
        }
    }
    assert_eq!((network.dialled().len(), peer.seen().len()), (0, 0), "nothing was dialled");
    // By a second answer: what was checked is what is dialled, and it is asked for once.
    let turning: Vec<Value> =
        (0..addresses.len()).map(|number| get("http", &format!("turns{number}.dns.test"))).collect();
    let before = network.asked().len();
    for (address, answer) in addresses.iter().zip(fetch(&host, &turning).await) {
        assert_eq!(answer, "200 hello", "{address}");
    }
    assert_eq!(network.asked().len() - before, addresses.len());
    assert!(network.dialled().iter().all(|dialled| dialled.ip().to_string() == PUBLIC));
    // By a redirect, which is the guest's to read and nobody's to follow.
    let peer = Peer::start(Script::Redirect).await;
    let network = FakeNetwork::to(peer.address);
    network.name("ok.test", &[PUBLIC]);
    let host = ground.start_on(network.clone()).await;
    let plain = |text: &&str| text.bytes().all(|byte| byte.is_ascii_graphic());
    let targets: Vec<&str> = corpus.iter().map(|(text, _)| text.as_str()).filter(plain).collect();
    let redirected: Vec<Value> = targets
        .iter()
        .map(|to| json!({"scheme": "http", "authority": "ok.test", "headers": [["x-to", to]]}))
        .collect();
    for (to, answer) in targets.iter().zip(fetch(&host, &redirected).await) {
        assert!(answer.starts_with("302"), "{to}: {answer}");
    }
    assert!(network.dialled().iter().all(|dialled| dialled.ip().to_string() == PUBLIC));
    assert_eq!((network.asked().len(), peer.seen().len()), (targets.len(), targets.len()));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_rule_admits_is_refused_before_anything_is_asked() {
    let peer = Peer::start(ok()).await;
    let network = FakeNetwork::to(peer.address);
    network.name("evil.test", &[PUBLIC]);
    let rules: Value = json!([
        "https://api.example.com",
        "https://*.example.org",
        "https://b.example.net:8443",
        "http://plain.example.com",
        "https://8.8.8.8",
        "https://[2606:4700::1111]:4430",
    ]);
    let urls: Vec<(String, String, bool)> =
        serde_json::from_str(include_str!("../corpora/urls.json")).unwrap();
    let refused: Vec<Value> = urls
        .iter()
        .filter(|(.., admitted)| !admitted)
        .map(|(scheme, authority, _)| get(scheme, authority))
        .collect();
    assert!(refused.len() >= 60);
    let ground = ground(&rules, "[egress]\nrequests = 1000\n");
    let host = ground.start_on(network.clone()).await;
    for (request, answer) in refused.iter().zip(fetch(&host, &refused).await) {
        let known =
            ["HttpRequestDenied", "HttpRequestUriInvalid", "HttpProtocolError", "authority", "scheme"];
        assert!(known.iter().any(|known| answer.contains(known)), "{request}: {answer}");
    }
    assert_eq!((network.asked().len(), network.dialled().len()), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_or_a_method_that_leads_elsewhere_is_refused() {
    let peer = Peer::start(ok()).await;
    let network = FakeNetwork::to(peer.address);
    network.name("ok.test", &[PUBLIC]);
    let host = ground(&json!(["http://ok.test"]), "").start_on(network.clone()).await;
    let with = |key: &str, value: &str| {
        let mut request = get("http", "ok.test");
        request[key] = json!(value);
        request
    };
    let paths = [
        "http://evil.test/x",
        "//evil.test/",
        "\\evil",
        "/\\evil.test",
        "ok",
        "*",
        "@evil.test/",
        ":80/",
        "/a b",
        "/a\r\nHost: evil.test",
        "/a\tb",
        "///",
    ];
    let mut requests: Vec<Value> = paths.iter().map(|path| with("path", path)).collect();
    requests.extend(
        ["CONNECT", "connect", "TRACE", "Trace", "GE T", "G\r\nET"].map(|method| with("method", method)),
    );
    for (request, answer) in requests.iter().zip(fetch(&host, &requests).await) {
        let known = ["HttpRequestUriInvalid", "HttpRequestMethodInvalid", "path", "method"];
        assert!(known.iter().any(|known| answer.contains(known)), "{request}: {answer}");
    }
    assert_eq!(network.dialled().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_alone_frames_a_message() {
    let peer = Peer::start(ok()).await;
    let network = FakeNetwork::to(peer.address);
    network.name("ok.test", &[PUBLIC]);
    let host = ground(&json!(["http://ok.test"]), "").start_on(network.clone()).await;
    let post = |headers: Value, body: &str| json!({"scheme": "http", "authority": "ok.test", "method": "POST", "headers": headers, "body": body});
    // What is refused by the header table of WASI, or by the host, before a byte leaves.
    let refused = [
        post(json!([["content-length", "5"], ["content-length", "5"]]), "five!"),
        post(json!([["content-length", "+5"]]), "five!"),
        post(json!([["content-length", "5, 5"]]), "five!"),
        post(json!([["content-length", "-1"]]), ""),
        post(json!([["transfer-encoding", "chunked"]]), "five!"),
        post(json!([["host", "evil.test"]]), "five!"),
        post(json!([["connection", "x-own"], ["x-own", "1"]]), "five!"),
        post(json!([["upgrade", "h2c"]]), "five!"),
    ];
    for (request, answer) in refused.iter().zip(fetch(&host, &refused).await) {
        assert!(!answer.starts_with("200"), "{request}: {answer}");
    }
    assert_eq!(peer.seen(), []);
    // A body that is longer or shorter than was said breaks the connection.
    for (length, body) in [("3", "five!"), ("9", "five!")] {
        let answer = one(&host, &post(json!([["content-length", length]]), body)).await;
        assert!(!answer.starts_with("200"), "{length}: {answer}");
    }
    assert!(peer.seen().iter().all(|seen| !seen.whole || seen.body.len() == 3), "{:?}", peer.seen());
    // Without a length the body is sent in chunks; what belongs to a connection is left out.
    let answer =
        one(&host, &post(json!([["te", "trailers"], ["expect", "100-continue"], ["trailer", "x"]]), "five!"))
            .await;
    assert_eq!(answer, "200 hello");
    let seen = peer.seen().pop().unwrap();
    assert_eq!((seen.header("transfer-encoding"), seen.header("content-length")), (Some("chunked"), None));
    for name in ["te", "expect", "trailer", "connection", "upgrade"] {
        assert_eq!(seen.header(name), None, "{seen:?}");
    }
    assert_eq!(seen.header("host"), Some("ok.test"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_is_left_less_than_its_component_was_granted() {
    let peer = Peer::start(ok()).await;
    let network = FakeNetwork::to(peer.address);
    for name in ["a.test", "b.test"] {
        network.name(name, &[PUBLIC]);
    }
    let tenants = "[[tenant]]\nid = \"all\"\n[[tenant]]\nid = \"less\"\ngrants = { http = [\"http://a.test\", \"http://c.test\"] }\n\
                   [[tenant]]\nid = \"none\"\ngrants = { http = [] }\n";
    let host = ground(&json!(["http://a.test", "http://b.test"]), tenants).start_on(network).await;
    for (tenant, admitted) in
        [("all", [true, true, false]), ("less", [true, false, false]), ("none", [false; 3])]
    {
        let requests = ["a.test", "b.test", "c.test"].map(|name| get("http", name));
        let arguments = json!({"requests": requests}).to_string();
        let outcome = host.execute(Call::new(caller(&host, tenant), "fetch", arguments)).await;
        let answers = answers(&outcome);
        let found: Vec<bool> = answers.iter().map(|answer| answer.starts_with("200")).collect();
        assert_eq!(found, admitted, "{tenant}: {answers:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_grant_every_request_is_denied() {
    let peer = Peer::start(ok()).await;
    let network = FakeNetwork::to(peer.address);
    network.name("ok.test", &[PUBLIC]);
    let host = ground(&json!([]), "").start_on(network.clone()).await;
    assert!(one(&host, &get("http", "ok.test")).await.contains("HttpRequestDenied"));
    assert_eq!((network.asked().len(), network.dialled().len()), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_packed_answer_stays_packed_and_no_connection_is_used_twice() {
    let packed =
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00".to_vec();
    let peer = Peer::start(Script::Pieces(vec![packed])).await;
    let network = FakeNetwork::to(peer.address);
    network.name("ok.test", &[PUBLIC]);
    let host = ground(&json!(["http://ok.test"]), "").start_on(network.clone()).await;
    let answers = fetch(&host, &vec![get("http", "ok.test"); 3]).await;
    assert!(answers.iter().all(|answer| answer.len() < 16), "{answers:?}");
    assert_eq!(network.dialled().len(), 3);
}

/// The system's own resolver and TCP, from behind the wall that stands around a serving process.
#[tokio::test(flavor = "multi_thread")]
async fn a_walled_server_reaches_what_was_granted() {
    let peer = Peer::start(ok()).await;
    let url = format!("http://localhost:{}", peer.address.port());
    let rules =
        format!("[{{ url = {url:?}, networks = [\"127.0.0.0/8\", \"::1/128\"] }}, \"http://localhost:1\"]");
    let ground = Ground::new().samples(&["web"]).config(&format!(
        "[[component]]\npath = \"tools/web.wasm\"\ntrust_annotations = true\ngrants.http = {rules}\n"
    ));
    let served = tokio::task::spawn_blocking(move || (Served::start(ground.path()), ground)).await.unwrap();
    let requests = [get("http", &url["http://".len()..]), get("http", "localhost:1")];
    let params = call_params("fetch", &json!({"requests": requests}).to_string(), "");
    let answer = served.0.request("tools/call", Some("fetch"), &params).await;
    assert!(shown(&answer).contains("200 hello"), "{answer}");
    // Its rule names no network.
    assert!(shown(&answer).contains("DestinationIpProhibited"), "{answer}");
}
