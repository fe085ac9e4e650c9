//! The words of each client: the command that adds a server, and the file that says the same.

use std::fmt;

use serde_json::{Value, json};

use super::{Client, KEY_VARIABLE, Reach};
use crate::api::view;

const INSPECTOR: &str = "npx @modelcontextprotocol/inspector";
const OPEN_FILE: &str = "code .vscode/mcp.json";

/// What a person pastes: a command, or a file's contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Snippet {
    /// The client's own name.
    pub(super) client: &'static str,
    /// A shell command, or a link to open.
    pub(super) command: String,
    /// Where the file is, and what stands in it. None where a file could only hold the key itself.
    pub(super) file: Option<(&'static str, String)>,
    /// The variable that has to be set first.
    pub(super) variable: Option<&'static str>,
}

impl Snippet {
    /// The words of one client for one server.
    pub(super) fn new(client: Client, name: &str, reach: &Reach) -> Self {
        let (title, file) = match client {
            Client::Claude => ("Claude Code", ".mcp.json"),
            Client::Vscode => ("Visual Studio Code", ".vscode/mcp.json"),
            Client::Cursor => ("Cursor", ".cursor/mcp.json"),
            Client::Codex => ("Codex CLI", "~/.codex/config.toml"),
            Client::Gemini => ("Gemini CLI", "~/.gemini/settings.json"),
            Client::Inspector => ("The MCP inspector", "mcp.json"),
        };
        let entry = entry(client, reach);
        let (command, contents) = match client {
            Client::Claude => (claude_command(name, reach), Some(mcp_servers(name, &entry))),
            Client::Vscode if reach.needs_key() => {
                // Only the file can ask for a key; the command knows no inputs.
                (OPEN_FILE.to_owned(), Some(vscode_file(name, &entry, reach)))
            }
            Client::Vscode => (vscode_command(name, &entry), Some(vscode_file(name, &entry, reach))),
            Client::Cursor => (cursor_link(name, &entry), Some(mcp_servers(name, &entry))),
            Client::Codex => (codex_command(name, reach), Some(codex_file(name, reach))),
            Client::Gemini => (gemini_command(name, reach), Some(mcp_servers(name, &entry))),
            Client::Inspector if reach.needs_key() => (inspector_command(reach), None),
            Client::Inspector => {
                let command = format!("{INSPECTOR} --config mcp.json --server {name}");
                (command, Some(mcp_servers(name, &entry)))
            }
        };
        let file = contents.map(|contents| (file, contents));
        let asks = client == Client::Vscode;
        let variable = (reach.needs_key() && !asks).then_some(KEY_VARIABLE);
        Self { client: title, command, file, variable }
    }
}

impl fmt::Display for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.client)?;
        if let Some(variable) = self.variable {
            writeln!(f, "\nSet the key first:\n\n  export {variable}=...")?;
        }
        let how = if self.command.starts_with("cursor:") { "Open" } else { "Run" };
        writeln!(f, "\n{how}:\n\n  {}", self.command)?;
        if let Some((file, contents)) = &self.file {
            // These two commands read the file; for all others the file takes the command's place.
            let reads = self.command.starts_with(INSPECTOR) || self.command == OPEN_FILE;
            let place = if reads { "With this in" } else { "Or put this into" };
            writeln!(f, "\n{place} {file}:\n\n{contents}")?;
        }
        Ok(())
    }
}

impl Reach {
    pub(super) fn needs_key(&self) -> bool {
        match self {
            Self::Http { key, .. } | Self::Stdio { key, .. } => *key,
        }
    }
}

/// The server as the client's JSON file describes it.
fn entry(client: Client, reach: &Reach) -> Value {
    // The two ways in which clients name a variable inside their files, and the one that asks for it.
    let key = match client {
        Client::Vscode => "${input:toolhost-key}".to_owned(),
        Client::Cursor => format!("${{env:{KEY_VARIABLE}}}"),
        _ => format!("${{{KEY_VARIABLE}}}"),
    };
    let mut entry = match reach {
        Reach::Http { url, .. } => match client {
            Client::Cursor => json!({ "url": url }),
            Client::Gemini => json!({ "httpUrl": url }),
            Client::Inspector => json!({ "type": "streamable-http", "url": url }),
            _ => json!({ "type": "http", "url": url }),
        },
        Reach::Stdio { command, args, .. } => match client {
            Client::Cursor | Client::Gemini => json!({ "command": command, "args": args }),
            _ => json!({ "type": "stdio", "command": command, "args": args }),
        },
    };
    if let (true, Some(fields)) = (reach.needs_key(), entry.as_object_mut()) {
        let (field, value) = match reach {
            Reach::Http { .. } => ("headers", json!({ "Authorization": format!("Bearer {key}") })),
            Reach::Stdio { .. } => ("env", json!({ KEY_VARIABLE: key })),
        };
        fields.insert(field.to_owned(), value);
    }
    entry
}

fn mcp_servers(name: &str, entry: &Value) -> String {
    pretty(&json!({ "mcpServers": { name: entry } }))
}

fn claude_command(name: &str, reach: &Reach) -> String {
    match reach {
        Reach::Http { url, key } => {
            let header = if *key { header_option() } else { String::new() };
            format!("claude mcp add --transport http {name} {url}{header}")
        }
        Reach::Stdio { command, args, key } => {
            let env =
                if *key { format!(" --env {KEY_VARIABLE}=\"${{{KEY_VARIABLE}}}\"") } else { String::new() };
            format!("claude mcp add {name}{env} -- {}", words(command, args))
        }
    }
}

fn vscode_command(name: &str, entry: &Value) -> String {
    let mut whole = json!({ "name": name });
    if let (Some(whole), Some(entry)) = (whole.as_object_mut(), entry.as_object()) {
        whole.extend(entry.clone());
    }
    format!("code --add-mcp {}", quoted(&whole.to_string()))
}

fn vscode_file(name: &str, entry: &Value, reach: &Reach) -> String {
    let mut file = json!({ "servers": { name: entry } });
    if let (true, Some(fields)) = (reach.needs_key(), file.as_object_mut()) {
        let input = json!([{
            "type": "promptString",
            "id": "toolhost-key",
            "description": "The tool host's key",
            "password": true
        }]);
        fields.insert("inputs".to_owned(), input);
    }
    pretty(&file)
}

fn cursor_link(name: &str, entry: &Value) -> String {
    let config = view::base64(entry.to_string().as_bytes());
    // The alphabet's + / and = mean something else in an address.
    let config = config.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    format!("cursor://anysphere.cursor-deeplink/mcp/install?name={name}&config={config}")
}

fn codex_command(name: &str, reach: &Reach) -> String {
    match reach {
        Reach::Http { url, key } => {
            let key = if *key { format!(" --bearer-token-env-var {KEY_VARIABLE}") } else { String::new() };
            format!("codex mcp add {name} --url {url}{key}")
        }
        Reach::Stdio { command, args, key } => {
            let env = if *key { format!(" --env {KEY_VARIABLE}=\"${KEY_VARIABLE}\"") } else { String::new() };
            format!("codex mcp add {name}{env} -- {}", words(command, args))
        }
    }
}

fn codex_file(name: &str, reach: &Reach) -> String {
    let quote = |text: &str| Value::from(text).to_string();
    match reach {
        Reach::Http { url, key } => {
            let key = if *key {
                format!("\nbearer_token_env_var = {}", quote(KEY_VARIABLE))
            } else {
                String::new()
            };
            format!("[mcp_servers.{name}]\nurl = {}{key}", quote(url))
        }
        Reach::Stdio { command, args, key } => {
            let args = Value::from(args.clone());
            let env = if *key { format!("\nenv_vars = [{}]", quote(KEY_VARIABLE)) } else { String::new() };
            format!("[mcp_servers.{name}]\ncommand = {}\nargs = {args}{env}", quote(command))
        }
    }
}

fn gemini_command(name: &str, reach: &Reach) -> String {
    match reach {
        Reach::Http { url, key } => {
            let header = if *key { header_option() } else { String::new() };
            format!("gemini mcp add --transport http{header} {name} {url}")
        }
        Reach::Stdio { command, args, key } => {
            let env =
                if *key { format!(" -e {KEY_VARIABLE}=\"${{{KEY_VARIABLE}}}\"") } else { String::new() };
            format!("gemini mcp add{env} {name} {}", words(command, args))
        }
    }
}

/// The inspector takes no variables in its file, so that a key reaches it by the command alone.
fn inspector_command(reach: &Reach) -> String {
    match reach {
        Reach::Http { url, .. } => {
            format!("{INSPECTOR} --transport http --server-url {url}{}", header_option())
        }
        Reach::Stdio { command, args, .. } => {
            format!("{INSPECTOR} -e {KEY_VARIABLE}=\"${{{KEY_VARIABLE}}}\" -- {}", words(command, args))
        }
    }
}

fn header_option() -> String {
    format!(" --header \"Authorization: Bearer ${{{KEY_VARIABLE}}}\"")
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

/// A command line that a POSIX shell takes apart into exactly these words.
fn words(command: &str, args: &[String]) -> String {
    std::iter::once(command).chain(args.iter().map(String::as_str)).map(quoted).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
