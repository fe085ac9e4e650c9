//! A server that follows its files, its store and its configuration while it runs.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::signal::HangUps;
use crate::config;
use crate::executor::{Host, Settings};

/// How often the configuration is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Serves what the files, the store and the configuration say, whenever they change, and looks again when a hang-up signal
/// asks for it. Never ends; dropping the future ends it.
pub(super) async fn kept_up_to_date(host: Host, mut hang_ups: HangUps) {
    let host = &host;
    let asked = async {
        loop {
            hang_ups.reload_asked().await;
            configure(host, "a signal asks for it").await;
        }
    };
    tokio::join!(host.watch(), asked, watch_configuration(host));
}

async fn watch_configuration(host: &Host) {
    let Some(file) = &host.settings().file else { return };
    let mut read = changed(file).await;
    let mut last = read;
    loop {
        tokio::time::sleep(LOOK).await;
        let now = changed(file).await;
        // A file that is being written changes from look to look.
        let settled = now == std::mem::replace(&mut last, now);
        if settled && now != read {
            // What the store kept from counting is tried again.
            if configure(host, "the configuration changed").await {
                read = now;
            }
        }
    }
}

/// Reads the configuration, if there is one, and puts it in force. A fault in it changes nothing. False if the store did not
/// answer, so that the same may be in force later.
async fn configure(host: &Host, why: &str) -> bool {
    let Some(file) = host.settings().file.clone() else {
        // What came of it is logged.
        return host.reload_and_tell(why).await.is_ok();
    };
    let listen = host.settings().server.listen;
    let read = tokio::task::spawn_blocking(move || config::load(Some(&file), Path::new(""))).await;
    let settings = match read {
        Ok(Ok(settings)) => served_at(settings, listen),
        Ok(Err(fault)) => {
            let help = fault.help.clone().unwrap_or_default();
            tracing::error!(why, %fault, help, "the configuration is not taken, and what was in force stays so");
            return true;
        }
        // A task is lost only if the process ends.
        Err(_) => return true,
    };
    match host.reconfigure(settings).await {
        Ok(done) => {
            tracing::info!(why, "the configuration is in force");
            if !done.needs_restart.is_empty() {
                let needs = done.needs_restart.join("; ");
                tracing::warn!(needs, "a part of the configuration counts from the next start on");
            }
            true
        }
        Err(fault) => {
            tracing::error!(why, %fault, "the configuration is not taken, and what was in force stays so");
            !fault.is_of_the_store()
        }
    }
}

/// The settings with the address that is listened on, which the command line may have named.
fn served_at(mut settings: Settings, listen: SocketAddr) -> Settings {
    settings.server.listen = listen;
    settings
}

/// When a file changed, and how large it is; none if it cannot be looked at.
async fn changed(file: &Path) -> Option<(u64, SystemTime)> {
    let file = file.to_owned();
    let look = tokio::task::spawn_blocking(move || config::changed(&file));
    look.await.ok().flatten()
}
