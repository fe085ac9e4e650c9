//! Tokens of an issuer, made by other people's packages: which are taken, and which are not.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use toolhost_tests::host::{Ground, repository};
use toolhost_tests::peer::{Peer, Script};
use toolhost_tests::wire::{Answer, Served, exchange, http};

use super::*;

const JWT: &str = "[[jwt]]\nissuer = \"https://login.example\"\naudience = \"https://tools.example/mcp\"\nkeys = KEYS\n\
                   algorithms = [\"RS256\", \"PS256\", \"ES256\", \"EdDSA\"]\nleeway = \"1s\"\ntenant_claim = \"tenant\"\n\
                   allow_claim = \"tools\"\n";

/// Keys and tokens, made once for all tests of this process.
pub(super) fn made() -> &'static Value {
    static MADE: OnceLock<Value> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let said = Command::new(repository().join("scripts/clients.sh"))
            .arg("--tokens")
            .arg(folder.path())
            .output()
            .unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        serde_json::from_slice(&std::fs::read(folder.path().join("tokens.json")).unwrap()).unwrap()
    })
}

pub(super) fn token<'a>(kind: &str, name: &str) -> &'a str {
    made()[kind][name].as_str().unwrap_or_else(|| panic!("there is no token {name}"))
}

/// A ground that takes the tokens of the issuer, whose keys are in a file.
pub(super) fn trusting(further: &str) -> Ground {
    let ground = ground(&format!("{further}{}", JWT.replace("KEYS", "\"keys.json\"")));
    std::fs::write(ground.path().join("keys.json"), made()["keys"].to_string()).unwrap();
    ground
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_of_the_issuer_are_taken() {
    let ground = trusting("");
    let served = Served::start(ground.path());
    for name in ["rs256", "ps256", "es256", "eddsa", "of_many_audiences", "list_of_scopes", "own_approver"] {
        assert_eq!(whoami(&served, token("good", name)).await, json!(["acme", "anna"]), "{name}");
    }
    assert_eq!(whoami(&served, token("good", "globex")).await[0], "globex");
    assert_eq!(listed(&served, token("good", "narrow"), json!({})).await, ["multiply"]);
    assert!(listed(&served, token("good", "nothing"), json!({})).await.is_empty());
    let fetched = call(&served, token("good", "narrow"), "fetch", json!({"requests": []})).await;
    assert_eq!(fetched["error"]["code"], "not_allowed", "{fetched}");
    // Roles come of scopes.
    for (name, calls, reads) in [("approver", 403, 200), ("operator", 403, 200), ("no_scope", 403, 403)] {
        assert_eq!(status(&served, token("good", name)).await, calls, "{name}");
        assert_eq!(send(&served, token("good", name), "GET", "/v1/approvals", "").await.0, reads, "{name}");
    }
    // Keys go on working beside them.
    let key = make(ground.path(), &["--tenant", "acme"]);
    assert_eq!(status(&served, &key).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_other_token_is_refused() {
    let ground = trusting("");
    let served = Served::start(ground.path());
    let mut seen = 0;
    for (name, bad) in made()["bad"].as_object().unwrap() {
        let (status, answer) =
            send(&served, bad.as_str().unwrap(), "POST", "/v1/calls", r#"{"calls":[]}"#).await;
        let message = "A valid key is needed: send `Authorization: Bearer KEY`.";
        assert_eq!((status, &answer["error"]["message"]), (401, &json!(message)), "{name}: {answer}");
        let (_, head, _) = over_mcp(&served, bad.as_str(), "tools/list", &json!({})).await;
        assert!(challenge(&head).contains("error=\"invalid_token\""), "{name}: {head}");
        seen += 1;
    }
    assert!(seen > 25, "only {seen} tokens were tried");
    for (name, said) in [("expired", "has expired"), ("audience", "another audience")] {
        let (status, answer) = send(&served, token("further", name), "POST", "/v1/calls", "{}").await;
        assert_eq!(status, 401, "{name}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(said), "{name}: {answer}");
    }
    let answered = too_long(&served, token("further", "huge")).await;
    assert!(answered.is_empty() || answered.starts_with("HTTP/1.1 431 "), "{answered}");
    assert_eq!(status(&served, token("good", "rs256")).await, 200);
}

/// What comes of a request that the server need not read to its end: it may close the connection on the way.
async fn too_long(served: &Served, token: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(&served.address).await.unwrap();
    let head = format!(
        "POST /v1/calls HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\r\n",
        served.address
    );
    let mut answer = Vec::new();
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8(answer).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_learns_where_tokens_come_from_and_what_they_need() {
    let ground = trusting("");
    let served = Served::start(ground.path());
    let address = &served.address;
    let base = format!("http://{address}");
    let metadata = format!("{base}/.well-known/oauth-protected-resource");
    let (status, head, _) = over_mcp(&served, None, "tools/list", &json!({})).await;
    let wanted =
        format!("Bearer realm=\"toolhost\", resource_metadata=\"{metadata}/mcp\", scope=\"toolhost:caller\"");
    assert_eq!((status, challenge(&head)), (401, wanted.as_str()));
    let (status, head, _) =
        over_mcp(&served, Some(token("good", "approver")), "tools/list", &json!({})).await;
    let wanted = wanted.replace("\"toolhost\",", "\"toolhost\", error=\"insufficient_scope\",");
    assert_eq!((status, challenge(&head)), (403, wanted.as_str()));
    let Answer { status, head, .. } =
        exchange(address, "GET", "/v1/approvals", &[("Authorization", "Bearer x")], "").await;
    let wanted = format!(
        "Bearer realm=\"toolhost\", error=\"invalid_token\", resource_metadata=\"{metadata}\", scope=\"toolhost:caller\""
    );
    assert_eq!((status, challenge(&head)), (401, wanted.as_str()));
    for (below, resource) in [("", base.clone()), ("/mcp", format!("{base}/mcp"))] {
        let path = format!("/.well-known/oauth-protected-resource{below}");
        let (status, body) = http(address, "GET", &path, &[], "").await;
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, &body["resource"]), (200, &json!(resource)), "{body}");
        assert_eq!(body["authorization_servers"], json!(["https://login.example"]));
        assert_eq!(body["bearer_methods_supported"], json!(["header"]));
        assert_eq!(
            body["scopes_supported"],
            json!(["toolhost:approver", "toolhost:caller", "toolhost:operator"])
        );
    }
    let text = std::fs::read_to_string(ground.path().join("host.toml")).unwrap();
    let ground =
        ground.plain_config(&text.replace("[server]", "[server]\npublic_url = \"https://tools.example\""));
    let served = Served::start(ground.path());
    let (_, head, _) = over_mcp(&served, None, "tools/list", &json!({})).await;
    assert!(
        challenge(&head).contains("\"https://tools.example/.well-known/oauth-protected-resource/mcp\""),
        "{head}"
    );
    let without = super::ground("");
    let served = Served::start(without.path());
    assert_eq!(http(&served.address, "GET", "/.well-known/oauth-protected-resource", &[], "").await.0, 404);
    let (_, head, _) = over_mcp(&served, None, "tools/list", &json!({})).await;
    assert_eq!(challenge(&head), "Bearer realm=\"toolhost\"");
}

/// An issuer that gives its keys away at an address, and a ground that trusts it.
async fn fetching(script: Script) -> (Ground, Peer) {
    let (peer, authority) = Peer::start_encrypted(script, "localhost").await;
    let keys = format!("\"https://localhost:{}/keys\"", peer.address.port());
    let ground = ground(&format!("[egress]\nauthorities = [\"ca.pem\"]\n{}", JWT.replace("KEYS", &keys)));
    std::fs::write(ground.path().join("ca.pem"), authority).unwrap();
    (ground, peer)
}

fn answer(body: &str) -> Script {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    Script::Pieces(vec![head.into_bytes(), body.as_bytes().to_vec()])
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_fetched_at_the_start_and_once_for_a_key_that_is_new() {
    let (ground, peer) = fetching(answer(&made()["keys"].to_string())).await;
    let served = Served::start(ground.path());
    assert_eq!(peer.seen().len(), 1);
    assert!(peer.seen()[0].head.starts_with("GET /keys HTTP/1.1"), "{:?}", peer.seen());
    assert_eq!(status(&served, token("good", "rs256")).await, 200);
    // The issuer changes its keys, and signs with one that is not known here yet.
    peer.plays(answer(&made()["new_keys"].to_string()));
    assert_eq!(status(&served, token("further", "new_key")).await, 200);
    assert_eq!(peer.seen().len(), 2);
    // Whoever names keys that there are not makes nobody fetch again and again.
    for name in ["newer_key", "newer_key", "new_key"] {
        status(&served, token("further", name)).await;
    }
    for _ in 0..20 {
        assert_eq!(status(&served, token("bad", "unknown_key")).await, 401);
    }
    assert_eq!(peer.seen().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_good_keys_stay() {
    let (ground, peer) = fetching(answer(&made()["keys"].to_string())).await;
    let served = Served::start(ground.path());
    peer.plays(Script::Pieces(vec![b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".to_vec()]));
    assert_eq!(status(&served, token("further", "new_key")).await, 401);
    assert_eq!(peer.seen().len(), 2);
    assert_eq!(status(&served, token("good", "rs256")).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_cannot_be_had_let_nobody_in() {
    let large = format!("{{\"x\":\"{}\",\"keys\":[]}}", "x".repeat(300 << 10));
    let elsewhere = "HTTP/1.1 302 Found\r\nLocation: https://localhost/\r\nContent-Length: 0\r\n\r\n";
    for script in [
        Script::Pieces(vec![elsewhere.as_bytes().to_vec()]),
        Script::Pieces(vec![b"not HTTP".to_vec()]),
        answer(&large),
        answer(&made()["private_keys"].to_string()),
        answer("{\"keys\":[]}"),
    ] {
        let (ground, peer) = fetching(script.clone()).await;
        let served = Served::start(ground.path());
        assert_eq!(peer.seen().len(), 1, "{script:?}");
        let (status, answer) = send(&served, token("good", "rs256"), "POST", "/v1/calls", "{}").await;
        assert_eq!((status, &answer["error"]["code"]), (503, &json!("identity_unavailable")), "{answer}");
        assert_eq!(served.health().await, 200);
    }
}

#[test]
fn a_file_of_keys_that_shows_a_private_one_is_refused_at_the_start() {
    let ground = trusting("");
    let file: PathBuf = ground.path().join("keys.json");
    for (keys, said) in
        [(&made()["private_keys"], "holds a private key"), (&json!({"keys": []}), "none of its keys")]
    {
        std::fs::write(&file, keys.to_string()).unwrap();
        let refused = wire::run(ground.path(), &["serve", "--listen", "127.0.0.1:0"]);
        assert_eq!(refused.status.code(), Some(5));
        assert!(String::from_utf8_lossy(&refused.stderr).contains(said), "{refused:?}");
    }
}
