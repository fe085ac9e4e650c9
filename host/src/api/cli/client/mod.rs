//! `host client-config`: how a client is told about this server. Prints the command and the file; writes neither.
//!
//! A key never stands in what is printed: clients read it from the variable `TOOLHOST_KEY`, or ask for it.

mod snippet;

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use super::args::after_help;
use super::error::CliError;
use super::exit::Exit;
use super::output::Output;
use crate::executor::Settings;
use crate::store::{DatabaseUrl, Store};
use snippet::Snippet;

/// The name of the variable that holds a key.
pub(super) const KEY_VARIABLE: &str = "TOOLHOST_KEY";

/// Print how to add this server to a client.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help(
    &[
        "host client-config",
        "host client-config --client vscode",
        "host client-config --client codex --stdio --config /srv/tools/host.toml",
        "host client-config --client inspector --url https://tools.example.com/mcp",
    ],
    &[Exit::Ok, Exit::Usage, Exit::Configuration],
))]
pub struct ClientConfigArgs {
    /// The client
    #[arg(long, value_enum, default_value_t = Client::Claude)]
    client: Client,

    /// Let the client start the server itself and speak over standard input and output
    #[arg(long, conflicts_with = "url")]
    stdio: bool,

    /// The address of a running server [default: the configured one]
    #[arg(long, value_name = "URL", value_parser = url)]
    url: Option<String>,

    /// The name under which the client lists the server
    #[arg(long, value_name = "NAME", default_value = "toolhost", value_parser = name)]
    name: String,
}

/// A client whose way of being told is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Client {
    /// Claude Code
    Claude,
    /// Visual Studio Code
    Vscode,
    /// Cursor
    Cursor,
    /// Codex CLI
    Codex,
    /// Gemini CLI
    Gemini,
    /// The MCP inspector
    Inspector,
}

/// How the client reaches the server.
#[derive(Debug, Clone)]
pub(super) enum Reach {
    /// By its address.
    Http {
        /// The endpoint.
        url: String,
        /// A key has to be sent.
        key: bool,
    },
    /// By starting it.
    Stdio {
        /// The program, absolute where it is known.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// A key has to be handed over.
        key: bool,
    },
}

/// Prints the command and the file for one client.
pub(super) async fn run(
    args: &ClientConfigArgs,
    settings: &Settings,
    executable: &Path,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let key = asks_for_proof(settings).await;
    let reach = if args.stdio {
        Reach::Stdio { command: executable.display().to_string(), args: serve_args(settings), key }
    } else {
        let url = args.url.clone().unwrap_or_else(|| endpoint(settings.server.listen));
        Reach::Http { url, key }
    };
    let snippet = Snippet::new(args.client, &args.name, &reach);
    output.text(&snippet.to_string())?;
    if args.stdio && settings.file.is_none() {
        output.note(
            "There is no configuration file, so that the server looks for ./tools where the client starts it. \
             Give one with --config to fix the place.",
        );
    }
    Ok(Exit::Ok)
}

/// Whether a server of these settings asks its callers for a key. A store that is not there has none, and is not made here;
/// one that cannot be opened is no reason to print nothing.
async fn asks_for_proof(settings: &Settings) -> bool {
    let there = match &settings.store.database {
        DatabaseUrl::Sqlite(file) => file.exists(),
        DatabaseUrl::Postgres(_) => true,
    };
    if settings.asks_for_proof() || !there {
        return settings.asks_for_proof();
    }
    let Ok(store) = Store::open(&settings.store).await else { return false };
    let were_made = store.keys().were_made().await.unwrap_or(false);
    // Nothing was written.
    let _ = store.close().await;
    were_made
}

/// The line that adds a server to the default client, as `serve` shows it.
pub(super) fn ready_command(url: &str, key: bool) -> String {
    Snippet::new(Client::Claude, "toolhost", &Reach::Http { url: url.to_owned(), key }).command
}

/// The endpoint of a server that listens on an address, as a client on this machine reaches it.
pub(super) fn endpoint(mut address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    format!("http://{address}/mcp")
}

fn serve_args(settings: &Settings) -> Vec<String> {
    let mut args = vec!["serve".to_owned(), "--stdio".to_owned()];
    if let Some(file) = &settings.file {
        // A client starts the server wherever it likes.
        let file: PathBuf = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        args.extend(["--config".to_owned(), file.display().to_string()]);
    }
    args
}

fn url(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let plain =
        text.len() <= 2_048 && text.bytes().all(|b| b.is_ascii_graphic() && !b"\"'\\`<>".contains(&b));
    match rest {
        Some(rest) if plain && !rest.is_empty() && !rest.starts_with('/') => Ok(text.to_owned()),
        _ => Err("write the whole address, such as http://127.0.0.1:7878/mcp".to_owned()),
    }
}

fn name(text: &str) -> Result<String, String> {
    let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if plain && (1..=64).contains(&text.len()) && !text.starts_with('-') {
        Ok(text.to_owned())
    } else {
        Err("use 1 to 64 letters, digits, _ and -".to_owned())
    }
}

#[cfg(test)]
mod tests;
