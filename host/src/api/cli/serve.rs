//! `host serve`: what was loaded and what holds is said first, on standard error; the address and the ready client
//! command are the result. With `--stdio` standard output belongs to the protocol alone.

use std::net::SocketAddr;
use std::pin::Pin;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::args::after_help;
use super::client;
use super::enclosure::Enclosure;
use super::error::CliError;
use super::exit::Exit;
use super::live::kept_up_to_date;
use super::output::{Output, one_line};
use super::signal::{HangUps, interrupted};
use super::{GRACE, Surroundings};
use crate::api::http::Server;
use crate::api::identity::{self, Identity, Refusal, Role};
use crate::api::mcp;
use crate::executor::{Host, OnChange, RefusedComponent, Settings};
use crate::gate::{Caller, Surface};
use crate::policy::{DirectoryPower, Disclosure, SecretGrant};
use crate::spec::Secret;

/// Serve the tools over MCP.
///
/// MCP is at /mcp, the HTTP API at /v1 (see /openapi.json); /healthz and /readyz are for supervisors.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help(
    &[
        "host serve",
        "host serve --listen 127.0.0.1:9000 --config /srv/tools/host.toml",
        "TOOLHOST_KEY=... host serve --stdio",
    ],
    &[Exit::Ok, Exit::Usage, Exit::Configuration, Exit::Unavailable, Exit::Interrupted],
))]
pub struct ServeArgs {
    /// The address to listen on [default: the configured one, 127.0.0.1:7878 without any]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,

    /// Speak MCP over standard input and output; the tenant is local, or that of the key in TOOLHOST_KEY
    #[arg(long, conflicts_with = "listen")]
    pub(super) stdio: bool,
}

impl ServeArgs {
    /// The address to listen on.
    pub(super) fn address(&self, settings: &Settings) -> SocketAddr {
        self.listen.unwrap_or(settings.server.listen)
    }
}

/// Serves until a signal comes. The first one lets running calls end for a while, a second one does not.
pub(super) async fn run(
    args: &ServeArgs,
    surroundings: Surroundings,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    if args.stdio {
        return stdio(surroundings, output).await;
    }
    let hang_ups = HangUps::listen();
    let mut settings = surroundings.settings?;
    settings.server.listen = args.address(&settings);
    // Before the start, so that nobody waits for a refusal.
    settings.may_listen(settings.server.listen)?;
    let host = Host::start(settings, surroundings.enclosure.compiler()).await?;
    let server = Server::bind(host.clone()).await?;
    surroundings.enclosure.end_listening()?;
    let (settings, address) = (host.settings(), server.address());
    for line in report(&host, &surroundings.enclosure).into_iter().chain(admitted(settings, address)) {
        output.note(&line);
    }
    let url = client::endpoint(address);
    let tools = host.tools().all().len();
    output.text(&format!("Serving {tools} tool{} at {url}", if tools == 1 { "" } else { "s" }))?;
    let command = client::ready_command(&url, identity::asks_for_proof(&host).await?);
    output.text(&format!("Add it to a client:  {command}"))?;

    let stop = CancellationToken::new();
    let ending = async {
        server.run(stop.cancelled()).await;
        host.shutdown(GRACE).await;
    };
    let mut ending = std::pin::pin!(ending);
    // Ends with this function.
    let mut following = JoinSet::new();
    following.spawn(kept_up_to_date(host.clone(), hang_ups));
    tokio::select! {
        () = &mut ending => return Ok(Exit::Ok),
        () = interrupted() => {
            host.close();
            stop.cancel();
        }
    }
    output.note("Stopping. Running calls may end; interrupt again to drop them.");
    tokio::select! {
        () = ending => Ok(Exit::Ok),
        () = interrupted() => Ok(Exit::Interrupted),
    }
}

/// Serves one client over standard input and output, until it closes its end or a signal comes.
async fn stdio(surroundings: Surroundings, output: &mut Output<'_>) -> Result<Exit, CliError> {
    let hang_ups = HangUps::listen();
    let host = Host::start(surroundings.settings?, surroundings.enclosure.compiler()).await?;
    let (caller, refused) = stdio_caller(&host, surroundings.key).await?;
    for line in report(&host, &surroundings.enclosure) {
        output.note(&line);
    }
    let signal = CancellationToken::new();
    let ending = async {
        mcp::stdio::serve(host.clone(), caller, signal.cancelled()).await;
        host.shutdown(GRACE).await;
    };
    let mut ending = std::pin::pin!(ending);
    // Ends with this function.
    let mut following = JoinSet::new();
    following.spawn(kept_up_to_date(host.clone(), hang_ups));
    let ended = tokio::select! {
        () = &mut ending => return Ok(Exit::Ok),
        refusal = refused => Err(CliError::Refused(unproven(refusal))),
        () = interrupted() => Ok(Exit::Interrupted),
    };
    host.close();
    signal.cancel();
    tokio::select! {
        () = ending => {}
        () = interrupted() => {}
    }
    ended
}

/// Whom a client over standard input speaks for, and what ends when that is so no longer.
async fn stdio_caller(
    host: &Host,
    key: Option<Secret>,
) -> Result<(Caller, Pin<Box<dyn Future<Output = Refusal> + Send>>), CliError> {
    let Some(key) = key else {
        let tenant = identity::local_tenant(host).map_err(|fault| CliError::Setting(fault.to_string()))?;
        let caller = Caller { tenant, user: None, surface: Surface::Mcp };
        return Ok((caller, Box::pin(std::future::pending())));
    };
    let identity = Identity::by_proof(host).await?;
    let proven = identity.principal(host, Some(key.expose())).await;
    let principal = proven.and_then(|principal| principal.needs(Role::Caller).map(|()| principal));
    let principal = principal.map_err(|refusal| CliError::Setting(unproven(refusal)))?;
    let host = host.clone();
    let refused = Box::pin(async move { identity.until_refused(&host, key.expose()).await });
    Ok((principal.caller(Surface::Mcp), refused))
}

fn unproven(refusal: Refusal) -> String {
    let why = match refusal {
        Refusal::InsufficientScope(_) => "a key that does not give the role caller",
        Refusal::Expired => "a key or token that has expired",
        Refusal::WrongAudience => "a token for another audience",
        Refusal::Unavailable => "a key or token that cannot be checked at present",
        Refusal::Missing | Refusal::Invalid => "no tenant's key",
    };
    format!("the variable {} holds {why}", client::KEY_VARIABLE)
}

/// What a person has to know about this start, one sentence a line.
fn report(host: &Host, enclosure: &Enclosure) -> Vec<String> {
    let (settings, loaded) = (host.settings(), host.load_report());
    let mut lines = vec![settings.file.as_ref().map_or_else(
        || "There is no host.toml here, so the defaults hold.".to_owned(),
        |file| format!("The configuration is {}.", file.display()),
    )];
    for component in &loaded.loaded {
        let tools: Vec<&str> = component.tools.iter().map(crate::id::ToolName::as_str).collect();
        lines.push(format!("Loaded {}: {}.", component.path.display(), tools.join(", ")));
    }
    lines.extend(loaded.refused.iter().map(refusal));
    if loaded.loaded.is_empty() && loaded.refused.is_empty() {
        lines.push(
            "There are no components. `just build-tools` puts the sample tools into tools/.".to_owned(),
        );
    }
    lines.extend(powers(settings));
    lines.push(host.engine_report().sentence());
    lines.extend_from_slice(enclosure.lines());
    lines
}

/// Why one component is not served.
pub(super) fn refusal(refused: &RefusedComponent) -> String {
    format!("Refused {}: {}.", refused.path.display(), one_line(&refused.reason).trim_end_matches('.'))
}

/// What the operator gave away.
fn powers(settings: &Settings) -> Vec<String> {
    let mut lines = Vec::new();
    for component in &settings.components {
        let path = &component.origin;
        if component.trust_annotations {
            lines.push(format!(
                "Trusted {path}: what these components say about themselves counts (read_only, idempotent, pool, \
                 delivery, keys)."
            ));
        }
        if component.on_change == OnChange::Accept {
            lines.push(format!(
                "Accepted {path}: these components may change without an operator's word (on_change = \"accept\")."
            ));
        }
        for grant in &component.grants.directories {
            let power = match grant.power {
                DirectoryPower::ReadOnly => "may read",
                DirectoryPower::Writable(_) => "may read and write",
            };
            let mut line =
                format!("Granted: {path} {power} {}, which it sees as {}", grant.host.display(), grant.guest);
            if let DirectoryPower::Writable(quota) = grant.power {
                line.push_str(&format!(", up to {quota}"));
            }
            lines.push(line + ".");
        }
        if component.grants.kv {
            lines.push(format!("Granted: {path} may keep keys and values for each tenant."));
        }
        if component.grants.invoke {
            lines.push(format!("Granted: {path} may call other tools, in its caller's name."));
        }
        for rule in &component.grants.http {
            lines.push(format!("Granted: {path} may send requests to {rule}."));
        }
        for SecretGrant { name, to, header } in &component.grants.secrets {
            lines
                .push(format!("Granted: {path} may send the secret {name} to {to}, in the header {header}."));
        }
    }
    let own: Vec<&str> = settings
        .tenants
        .values()
        .filter(|tenant| tenant.self_approve)
        .map(|tenant| tenant.id.as_str())
        .collect();
    if !own.is_empty() {
        lines.push(format!("Callers may approve their own calls (self_approve): tenant {}.", own.join(", ")));
    }
    lines
}

/// Which requests are answered at all.
fn admitted(settings: &Settings, listen: SocketAddr) -> Vec<String> {
    let server = &settings.server;
    let port = listen.port();
    let mut hosts = vec![format!("localhost:{port}"), format!("127.0.0.1:{port}"), format!("[::1]:{port}")];
    let address = listen.to_string();
    if !listen.ip().is_unspecified() && !hosts.contains(&address) {
        hosts.push(address);
    }
    let mut origins: Vec<String> = hosts.iter().map(|host| format!("http://{host}")).collect();
    hosts.extend(server.allowed_hosts.iter().cloned());
    origins.extend(server.allowed_origins.iter().cloned());
    let mut lines = vec![
        format!("Admitted Host headers: {}.", hosts.join(", ")),
        format!("Admitted Origin headers: {}, or none.", origins.join(", ")),
    ];
    if server.disclosure == Disclosure::Strict {
        lines.push("A forbidden tool is answered as a missing one (disclosure = \"strict\").".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{DirectoryGrant, DirectoryQuota, Grants, SecretGrant};

    fn settings() -> Settings {
        super::super::tests::settings()
    }

    #[test]
    fn the_start_says_who_is_trusted_and_what_is_granted() {
        let mut settings = settings();
        for component in &mut settings.components {
            component.grants = Grants {
                invoke: true,
                kv: true,
                directories: vec![
                    DirectoryGrant {
                        host: "documents".into(),
                        guest: "/documents".into(),
                        power: DirectoryPower::ReadOnly,
                    },
                    DirectoryGrant {
                        host: "data/{tenant}".into(),
                        guest: "/data".into(),
                        power: DirectoryPower::Writable(DirectoryQuota::default()),
                    },
                ],
                http: vec!["https://*.example.com:8443".parse().unwrap()],
                secrets: vec![SecretGrant {
                    name: "orders_api".parse().unwrap(),
                    to: "https://*.example.com:8443".parse().unwrap(),
                    header: "authorization".into(),
                }],
            };
        }
        assert_eq!(
            powers(&settings),
            [
                "Trusted tools/*.wasm: what these components say about themselves counts (read_only, idempotent, \
                 pool, delivery, keys).",
                "Accepted tools/*.wasm: these components may change without an operator's word (on_change = \
                 \"accept\").",
                "Granted: tools/*.wasm may read documents, which it sees as /documents.",
                "Granted: tools/*.wasm may read and write data/{tenant}, which it sees as /data, up to 64 MiB in \
                 1000 files.",
                "Granted: tools/*.wasm may keep keys and values for each tenant.",
                "Granted: tools/*.wasm may call other tools, in its caller's name.",
                "Granted: tools/*.wasm may send requests to https://*.example.com:8443.",
                "Granted: tools/*.wasm may send the secret orders_api to https://*.example.com:8443, in the header \
                 authorization.",
                "Callers may approve their own calls (self_approve): tenant local.",
            ]
        );
    }

    #[test]
    fn the_start_says_which_headers_are_admitted() {
        let mut settings = settings();
        settings.server.allowed_hosts = vec!["tools.example.com".into()];
        assert_eq!(
            admitted(&settings, "192.0.2.1:80".parse().unwrap()),
            [
                "Admitted Host headers: localhost:80, 127.0.0.1:80, [::1]:80, 192.0.2.1:80, tools.example.com.",
                "Admitted Origin headers: http://localhost:80, http://127.0.0.1:80, http://[::1]:80, \
                 http://192.0.2.1:80, or none.",
            ]
        );
    }
}
