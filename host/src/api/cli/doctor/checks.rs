//! The single checks. Each looks at one thing and says what it found; none decides what becomes of the command.

#![allow(
    clippy::disallowed_methods,
    reason = "a look at the operator's own folders and address, at the operator's own request"
)]

use std::io;
use std::path::{Path, PathBuf};

use super::Finding;
use crate::executor::LoadReport;
use crate::executor::Settings;
use crate::policy::{DirectoryGrant, DirectoryPower};
use crate::sandbox::EngineReport;
use crate::store::DatabaseUrl;
use crate::wall::{Demand, Standing, WallError};

/// Whether the command's own name means this program.
pub(super) fn command(search_path: &[PathBuf], executable: &Path) -> Finding {
    const ABOUT: &str = "command";
    let same = |one: &Path| match (one.canonicalize(), executable.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == executable,
    };
    let first = search_path.iter().map(|folder| folder.join("host")).find(|file| is_program(file));
    match first {
        Some(first) if same(&first) => {
            Finding::ok(ABOUT, format!("`host` is this program, {}", first.display()))
        }
        Some(first) => Finding::warning(
            ABOUT,
            format!("`host` means {} here, which is not this program", first.display()),
            format!("Call `toolhost` if it is installed, or {}.", executable.display()),
        ),
        None => {
            Finding::ok(ABOUT, format!("this program is {}; no `host` is on the PATH", executable.display()))
        }
    }
}

/// Where the settings come from. That they are valid was found out before.
pub(super) fn configuration(settings: &Settings) -> Finding {
    let found = settings.file.as_ref().map_or_else(
        || {
            "there is no host.toml here: the defaults hold, and ./tools/*.wasm is served without grants"
                .to_owned()
        },
        |file| format!("{} is valid", file.display()),
    );
    Finding::ok("configuration", found)
}

/// Whether strangers can reach what nobody guards.
pub(super) fn exposure(settings: &Settings) -> Finding {
    const ABOUT: &str = "exposure";
    let address = settings.server.listen;
    let key = if settings.asks_for_proof() { "with a key" } else { "without a key" };
    match settings.may_listen(address) {
        Err(fault) => Finding::fault(ABOUT, fault.to_string(), "`host serve` refuses to start so."),
        Ok(()) if address.ip().is_loopback() => {
            Finding::ok(ABOUT, format!("{address} is reached from this machine alone, {key}"))
        }
        Ok(()) => Finding::warning(
            ABOUT,
            format!("{address} is reached from other machines, with a key that anybody in between can read"),
            "Put a server that speaks TLS in front of it.",
        ),
    }
}

/// Whether the address can be listened on.
pub(super) async fn port(settings: &Settings) -> Finding {
    const ABOUT: &str = "port";
    let address = settings.server.listen;
    match tokio::net::TcpListener::bind(address).await {
        Ok(_) => Finding::ok(ABOUT, format!("{address} is free")),
        Err(fault) if fault.kind() == io::ErrorKind::AddrInUse => Finding::warning(
            ABOUT,
            format!("{address} is in use"),
            "That is well if `host serve` runs already; else choose another with --listen.",
        ),
        Err(fault) => {
            Finding::fault(ABOUT, format!("{address}: {fault}"), "Choose another with `server.listen`.")
        }
    }
}

/// What stands around a server, if the sandbox has a hole.
pub(super) fn wall(demand: Demand, offered: Result<Standing, WallError>) -> Finding {
    const ABOUT: &str = "wall";
    let standing = match offered {
        Err(fault) => {
            return Finding::fault(
                ABOUT,
                fault.to_string(),
                "Set server.wall = \"off\" to serve without one.",
            );
        }
        Ok(standing) => standing,
    };
    let missing = standing.missing();
    match (demand, standing.parts(), missing) {
        (Demand::Off, parts, _) => Finding::warning(
            ABOUT,
            format!("server.wall is \"off\"; the kernel offers {}", parts.as_deref().unwrap_or("nothing")),
            "A fault in the sandbox would reach whatever this user can reach.",
        ),
        (_, Some(parts), None) => Finding::ok(ABOUT, format!("`host serve` stands behind {parts}")),
        (Demand::Required, _, Some(missing)) => Finding::fault(
            ABOUT,
            format!("server.wall is \"required\", and {missing}"),
            "`host serve` refuses to start so.",
        ),
        (_, parts, missing) => Finding::warning(
            ABOUT,
            format!(
                "`host serve` stands behind {}: {}",
                parts.as_deref().unwrap_or("no second wall"),
                missing.unwrap_or_default()
            ),
            "A newer kernel, or one that has Landlock switched on, offers more.",
        ),
    }
}

/// Whether the granted directories can be granted.
pub(super) fn directories(settings: &Settings) -> Vec<Finding> {
    let grants = settings.components.iter().flat_map(|component| &component.grants.directories);
    grants.map(directory).collect()
}

/// What was loaded, and what was not.
pub(super) fn components(report: &LoadReport) -> Vec<Finding> {
    const ABOUT: &str = "components";
    let mut findings: Vec<Finding> = report
        .refused
        .iter()
        .map(|refused| {
            let advice = "Repair the component or take it out; the others are served.";
            Finding::fault(
                ABOUT,
                format!("{} is refused: {}", refused.path.display(), refused.reason),
                advice,
            )
        })
        .collect();
    let tools: usize = report.loaded.iter().map(|component| component.tools.len()).sum();
    let found = format!("{} component(s) offer {tools} tool(s)", report.loaded.len());
    findings.push(if tools == 0 && report.refused.is_empty() {
        Finding::warning(
            ABOUT,
            found,
            "Put components into tools/; `just build-tools` puts the samples there.",
        )
    } else {
        Finding::ok(ABOUT, found)
    });
    findings
}

/// What the engine makes of this machine.
pub(super) fn engine(report: &EngineReport) -> Vec<Finding> {
    const ABOUT: &str = "engine";
    let sentence = report.sentence();
    let finding = if report.pagemap_scan {
        Finding::ok(ABOUT, sentence)
    } else {
        Finding::warning(ABOUT, sentence, "Calls cost a little more. Nothing else is different.")
    };
    vec![finding]
}

/// Whether the store and the artefacts are this user's alone, and can be written.
pub(super) fn state_folders(settings: &Settings) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let DatabaseUrl::Sqlite(file) = &settings.store.database {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        findings.push(guarded("store", folder.unwrap_or(Path::new("."))));
    }
    findings.push(match probe(&settings.store.artefacts) {
        Ok(()) => guarded("artefacts", &settings.store.artefacts),
        Err(fault) => Finding::fault(
            "artefacts",
            format!("{} cannot be written: {fault}", settings.store.artefacts.display()),
            "Compiled components are kept there; give this user the folder.",
        ),
    });
    findings
}

fn directory(grant: &DirectoryGrant) -> Finding {
    const ABOUT: &str = "directory";
    // What stands before the tenant's own part has to be there; the rest is made for each tenant.
    let text = grant.host.display().to_string();
    let path = match text.split_once("{tenant}") {
        Some((before, _)) => PathBuf::from(before),
        None => grant.host.clone(),
    };
    let power = match grant.power {
        DirectoryPower::ReadOnly => "read-only".to_owned(),
        DirectoryPower::Writable(quota) => format!("writable, up to {quota}"),
    };
    match std::fs::read_dir(&path).and_then(|_| path.metadata()) {
        Ok(is) if grant.power != DirectoryPower::ReadOnly && is.permissions().readonly() => Finding::fault(
            ABOUT,
            format!("{text} is granted writable and cannot be written"),
            "Change its permissions, or grant it read-only.",
        ),
        Ok(_) => Finding::ok(ABOUT, format!("{text} is granted as {}, {power}", grant.guest)),
        Err(fault) => Finding::fault(
            ABOUT,
            format!("{text} is granted as {} and cannot be read: {fault}", grant.guest),
            "Create it, or take the grant out; calls of its component fail.",
        ),
    }
}

/// Writes a file and takes it away again.
fn probe(folder: &Path) -> io::Result<()> {
    let file = folder.join(format!("probe-{}", crate::id::CallId::fresh()));
    std::fs::OpenOptions::new().write(true).create_new(true).open(&file)?;
    std::fs::remove_file(&file)
}

#[cfg(unix)]
fn guarded(about: &'static str, folder: &Path) -> Finding {
    use std::os::unix::fs::PermissionsExt as _;
    let shown = folder.display();
    match folder.metadata().map(|is| is.permissions().mode() & 0o077) {
        // Whoever writes an artefact writes code that this process runs.
        Ok(mode) if mode & 0o022 != 0 => Finding::fault(
            about,
            format!("{shown} can be written by other users"),
            format!("Take that right away: chmod go-w {shown}"),
        ),
        Ok(mode) if mode != 0 && about == "store" => Finding::warning(
            about,
            format!("{shown} can be entered by other users; its files cannot be read by them"),
            format!("Take that right away: chmod go-rwx {shown}"),
        ),
        Ok(_) => Finding::ok(about, format!("{shown} is writable by this user alone")),
        Err(fault) => Finding::fault(about, format!("{shown}: {fault}"), "Give this user the folder."),
    }
}

#[cfg(not(unix))]
fn guarded(about: &'static str, folder: &Path) -> Finding {
    Finding::ok(about, format!("{} is there", folder.display()))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|is| is.is_file() && is.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}
