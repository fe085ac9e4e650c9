//! Keys that `host keys` makes, on a server that runs meanwhile.

use serde_json::{Value, json};
use toolhost_tests::host::Ground;
use toolhost_tests::wire::{self, Piped, Served, http, shown};

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_key_lets_in_until_it_is_revoked() {
    let ground = ground("");
    let folder = ground.path();
    let served = Served::start(folder);
    for (method, path) in
        [("POST", "/mcp"), ("POST", "/v1/calls"), ("GET", "/v1/approvals"), ("GET", "/v1/approvals/x")]
    {
        assert_eq!(http(&served.address, method, path, &[], "").await.0, 401, "{path}");
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(http(&served.address, "GET", path, &[], "").await.0, 200, "{path}");
    }
    let key = make(folder, &["--tenant", "acme", "--user", "anna", "--name", "the till", "--as", "boss"]);
    let parts: Vec<&str> = key.split('_').collect();
    assert_eq!((parts[0], parts[1].len(), parts[2].len(), parts.len()), ("thk", 16, 58, 3), "{key}");
    assert_eq!(whoami(&served, &key).await, json!(["acme", "anna"]));
    assert_eq!(over_mcp(&served, Some(&key), "tools/list", &json!({})).await.0, 200);
    let mut wrong = key.clone();
    wrong.replace_range(70..71, if key.as_bytes()[70] == b'A' { "B" } else { "A" });
    for wrong in [wrong.as_str(), &key[..key.len() - 1], id(&key), "thk_"] {
        assert_eq!(status(&served, wrong).await, 401, "{wrong}");
    }
    let list = host(folder, &["keys", "list", "--json"]);
    assert!(!list.contains(parts[2]) && list.contains("the till"), "{list}");
    assert_eq!(
        host(folder, &["keys", "revoke", id(&key), "--as", "anna"]),
        format!("Revoked: {} of the tenant acme.", id(&key))
    );
    until(&served, &key, 401).await;
    assert_eq!(host(folder, &["keys", "list"]), "There are no keys.");
    let shown: Value = serde_json::from_str(&host(folder, &["keys", "show", id(&key), "--json"])).unwrap();
    let record: Vec<_> =
        shown["changes"].as_array().unwrap().iter().map(|it| (&it["change"], &it["by"])).collect();
    assert_eq!(record, [(&json!("created"), &json!("boss")), (&json!("revoked"), &json!("anna"))]);
    assert_eq!(wire::run(folder, &["keys", "revoke", id(&key)]).status.code(), Some(1), "once is enough");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_ends_at_its_time_and_when_another_takes_its_place() {
    let ground = ground("");
    let folder = ground.path();
    let served = Served::start(folder);
    let short = make(folder, &["--tenant", "acme", "--expires", "1s"]);
    until(&served, &short, 401).await;
    let (_, said) = send(&served, &short, "POST", "/v1/calls", "{}").await;
    assert_eq!(said["error"]["message"], "The key or token has expired. Get another one.");
    let first = make(folder, &["--tenant", "acme", "--user", "anna"]);
    let second = host(folder, &["keys", "rotate", id(&first), "--grace", "1h"]);
    until(&served, &second, 200).await;
    assert_eq!(
        (status(&served, &first).await, whoami(&served, &second).await),
        (200, json!(["acme", "anna"]))
    );
    let third = host(folder, &["keys", "rotate", id(&second)]);
    until(&served, &second, 401).await;
    assert_eq!((status(&served, &third).await, status(&served, &first).await), (200, 200));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_narrows_what_is_listed_and_what_is_called_alike() {
    let ground = ground("");
    let folder = ground.path();
    let served = Served::start(folder);
    let all = make(folder, &["--tenant", "acme"]);
    let few = make(folder, &["--tenant", "acme", "--allow", "multiply,who*"]);
    let denied = make(folder, &["--tenant", "globex", "--allow", "multiply"]);
    assert!(listed(&served, &all, json!({})).await.len() > 2);
    assert_eq!(listed(&served, &few, json!({})).await, ["multiply", "whoami"]);
    let more = json!({"toolhost/allow": ["*"]});
    assert_eq!(listed(&served, &few, more).await, ["multiply", "whoami"], "a request never widens");
    assert_eq!(listed(&served, &few, json!({"toolhost/allow": ["m*"]})).await, ["multiply"]);
    assert!(listed(&served, &denied, json!({})).await.is_empty(), "nor does a key");
    for (key, code) in [(&all, "ok"), (&few, "not_allowed"), (&denied, "not_allowed")] {
        let body = r#"{"allow":["*"],"calls":[{"tool":"fetch","arguments":{"requests":[]}}]}"#;
        let (_, answer) = send(&served, key, "POST", "/v1/calls", body).await;
        let outcome = &answer["results"][0];
        assert_eq!(outcome["error"]["code"].as_str().unwrap_or("ok"), code, "{outcome}");
    }
    let params = json!({"name": "fetch", "arguments": {"requests": []}});
    let (_, _, answer) = over_mcp(&served, Some(&few), "tools/call", &params).await;
    assert!(shown(&answer.unwrap()).starts_with("Error (NotAllowed)"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_key_closes_the_door_and_the_last_does_not_open_it() {
    let ground = Ground::new().samples(&["math"]).config("");
    let folder = ground.path();
    let anybody = |served: &Served| {
        let address = served.address.clone();
        async move { http(&address, "POST", "/v1/calls", &[], r#"{"calls":[]}"#).await.0 }
    };
    let client = |folder| host(folder, &["client-config"]);
    assert!(!client(folder).contains("TOOLHOST_KEY"));
    assert_eq!(anybody(&Served::start(folder)).await, 200);
    for listen in ["0.0.0.0:0", "[::]:0"] {
        assert_eq!(wire::run(folder, &["serve", "--listen", listen]).status.code(), Some(5), "{listen}");
    }
    let made = wire::run(folder, &["keys", "create"]);
    assert!(String::from_utf8_lossy(&made.stderr).contains("It is the first"), "{made:?}");
    let key = String::from_utf8(made.stdout).unwrap().trim_end().to_owned();
    let served = Served::start(folder);
    assert_eq!((anybody(&served).await, status(&served, &key).await), (401, 200));
    assert!(client(folder).contains("TOOLHOST_KEY"));
    host(folder, &["keys", "revoke", id(&key)]);
    until(&served, &key, 401).await;
    drop(served);
    assert_eq!(anybody(&Served::start(folder)).await, 401, "there was a key once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_on_standard_input_is_served_as_long_as_its_key_is_good() {
    let ground = ground("");
    let folder = ground.path();
    let key = make(folder, &["--tenant", "acme", "--user", "anna"]);
    let mut piped = Piped::start_with_key(folder, &key);
    let answer = piped.call("whoami", "{}");
    assert_eq!(answer["result"]["structuredContent"], json!(["acme", "anna"]), "{answer}");
    host(folder, &["keys", "revoke", id(&key)]);
    let process = piped.id();
    toolhost_tests::until("the process ends", || !toolhost_tests::process::lives(process)).await;
    let approver = make(folder, &["--tenant", "acme", "--role", "approver"]);
    for (wrong, said) in
        [(key.as_str(), "no tenant's key"), ("x", "no tenant's key"), (&approver, "the role caller")]
    {
        let said_is = std::process::Command::new(toolhost_tests::host::program())
            .args(["serve", "--stdio"])
            .current_dir(folder)
            .env("TOOLHOST_KEY", wrong)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        assert_eq!(said_is.status.code(), Some(5), "{said_is:?}");
        assert!(String::from_utf8_lossy(&said_is.stderr).contains(said), "{said_is:?}");
    }
}
