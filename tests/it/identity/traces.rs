//! What proves who calls is seen by nobody else: no guest, no peer, no log, no trace, no file.

use std::path::Path;

use serde_json::json;
use toolhost_tests::peer::{Peer, Script};
use toolhost_tests::wire::Served;

use super::tokens::token;
use super::*;

/// The files below a folder in which a text stands.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if std::fs::read(&path).unwrap().windows(text.len()).any(|part| part == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

/// The trace of a call, once it is written.
async fn trace(folder: &Path, call: &str) -> String {
    let mut said = String::new();
    toolhost_tests::until("the call is recorded", || {
        let shown = wire::run(folder, &["trace", call, "--json"]);
        said = String::from_utf8(shown.stdout).unwrap();
        shown.status.success()
    })
    .await;
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_and_no_token_is_found_anywhere() {
    let peer =
        Peer::start(Script::Pieces(vec![b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec()])).await;
    let to = peer.address;
    let ground = super::tokens::trusting("");
    let text = std::fs::read_to_string(ground.path().join("host.toml")).unwrap();
    let grant = format!(
        "grants.http = [{{ url = \"http://{to}\", networks = [\"127.0.0.0/8\"] }}]\n[[tenant]]\nid = \"acme\""
    );
    let ground = ground.plain_config(&text.replace("[[tenant]]\nid = \"acme\"", &grant));
    let folder = ground.path();
    let key = make(folder, &["--tenant", "acme", "--user", "anna"]);
    let log = folder.join("log.txt");
    let served = Served::start_logging(folder, &log);
    let (key_part, token) = (key.rsplit('_').next().unwrap(), token("good", "rs256"));
    let request = json!({"scheme": "http", "authority": to.to_string()});
    for proof in [key.as_str(), token] {
        let fetched = call(&served, proof, "fetch_whole", json!({"request": request})).await;
        assert_eq!(fetched["ok"], true, "{fetched}");
        let params = json!({"name": "whoami", "arguments": {}});
        let (_, _, answer) = over_mcp(&served, Some(proof), "tools/call", &params).await;
        assert_eq!(answer.unwrap()["result"]["structuredContent"], json!(["acme", "anna"]));
        let trace = trace(folder, fetched["call_id"].as_str().unwrap()).await;
        assert!(trace.contains("\"anna\"") && !trace.contains(proof), "{trace}");
        // What is refused is not repeated either.
        let wrong = format!("{proof}x");
        assert_eq!(status(&served, &wrong).await, 401);
    }
    host(folder, &["keys", "rotate", id(&key), "--grace", "1h"]);
    for seen in peer.seen() {
        let all = format!("{}{}", seen.head, String::from_utf8_lossy(&seen.body));
        assert!(
            !all.contains(key_part) && !all.contains(token) && seen.header("authorization").is_none(),
            "{all}"
        );
    }
    assert_eq!(peer.seen().len(), 2);
    drop(served);
    let logged = std::fs::read_to_string(&log).unwrap();
    assert!(logged.contains("TRACE") && logged.contains("a token is refused"), "it logs all that it can");
    let (head, _) = token.split_at(token.len() - 20);
    let signature = token.rsplit('.').next().unwrap();
    for secret in [key_part, &key_part[..40], head, signature] {
        assert_eq!(holding(folder, secret), Vec::<String>::new());
    }
    let here = holding(folder, id(&key));
    let is_file = folder.join(".toolhost/toolhost.db").exists();
    assert!(
        !is_file || here.iter().any(|file| file.contains("toolhost.db")),
        "the search finds what is there: {here:?}"
    );
}
