//! What each client is told, word for word: people paste it.

use super::*;

const URL: &str = "http://127.0.0.1:7878/mcp";

fn snippet(client: Client, reach: &Reach) -> Snippet {
    Snippet::new(client, "toolhost", reach)
}

fn http(key: bool) -> Reach {
    Reach::Http { url: URL.to_owned(), key }
}

fn stdio(key: bool) -> Reach {
    let args = ["serve", "--stdio", "--config", "/srv/my tools/host.toml"].map(str::to_owned).to_vec();
    Reach::Stdio { command: "/usr/local/bin/toolhost".to_owned(), args, key }
}

fn shown(reach: &Reach) -> String {
    [Client::Claude, Client::Vscode, Client::Cursor, Client::Codex, Client::Gemini, Client::Inspector]
        .map(|client| snippet(client, reach).to_string())
        .join("----\n")
}

#[test]
fn each_client_is_told_in_its_own_words() {
    insta::assert_snapshot!("http", shown(&http(false)));
    insta::assert_snapshot!("http_with_a_key", shown(&http(true)));
    insta::assert_snapshot!("stdio", shown(&stdio(false)));
    insta::assert_snapshot!("stdio_with_a_key", shown(&stdio(true)));
}

#[test]
fn every_file_is_what_its_ending_says() {
    for reach in [http(false), http(true), stdio(false), stdio(true)] {
        for client in
            [Client::Claude, Client::Vscode, Client::Cursor, Client::Codex, Client::Gemini, Client::Inspector]
        {
            let Some((file, contents)) = snippet(client, &reach).file else {
                assert!(client == Client::Inspector && reach.needs_key());
                continue;
            };
            if file.ends_with(".toml") {
                let value: toml::Table = contents.parse().unwrap_or_else(|e| panic!("{contents}: {e}"));
                assert!(value["mcp_servers"]["toolhost"].is_table());
            } else {
                let value: serde_json::Value = serde_json::from_str(&contents).unwrap();
                let servers = if client == Client::Vscode { "servers" } else { "mcpServers" };
                assert!(value[servers]["toolhost"].is_object(), "{contents}");
            }
        }
    }
}

#[test]
fn a_link_carries_the_entry() {
    let link = snippet(Client::Cursor, &http(false)).command;
    assert_eq!(
        link,
        "cursor://anysphere.cursor-deeplink/mcp/install?name=toolhost\
         &config=eyJ1cmwiOiJodHRwOi8vMTI3LjAuMC4xOjc4NzgvbWNwIn0%3D"
    );
}

#[test]
fn what_would_break_a_shell_or_a_file_is_refused() {
    for good in [URL, "https://tools.example.com/mcp", "http://[::1]:7878/mcp"] {
        assert_eq!(url(good).as_deref(), Ok(good));
    }
    for bad in [
        "",
        "127.0.0.1:7878",
        "ftp://x/",
        "http://",
        "http:///mcp",
        "http://x/ y",
        "http://x/'y",
        "http://x/`y",
    ] {
        assert!(url(bad).is_err(), "{bad}");
    }
    for bad in ["", "-x", "a b", "a'b", "ä"] {
        assert!(name(bad).is_err(), "{bad}");
    }
}
