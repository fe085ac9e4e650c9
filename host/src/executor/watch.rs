//! What calls for a reload: files that changed, and what other processes changed in the store.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::load::{LoadReport, files};
use super::{Host, ReloadError};

/// How often the files are looked at. One that is being written changes from look to look, and is left alone until it does
/// not.
const LOOK: Duration = Duration::from_millis(500);

/// The pause before another try, while the store does not answer.
const AGAIN: Duration = Duration::from_secs(2);

/// What tells a file from what it was: its size, and when it changed.
type Seen = BTreeMap<PathBuf, Option<(u64, SystemTime)>>;

impl Host {
    /// Reloads whenever a component's file changed, came or went, or another process changed what the store knows of
    /// components. Never ends; dropping the future ends it.
    pub async fn watch(&self) {
        tokio::join!(self.watch_files(), self.watch_store());
    }

    async fn watch_files(&self) {
        let mut loaded = self.seen().await;
        let mut last = loaded.clone();
        loop {
            tokio::time::sleep(LOOK).await;
            let now = self.seen().await;
            let settled = now == std::mem::replace(&mut last, now.clone());
            if settled && now != loaded {
                self.reload_at_last("files of components changed").await;
                loaded = now;
            }
            self.let_go_of_retired();
        }
    }

    async fn watch_store(&self) {
        let components = self.store().components();
        let mut seen = self.inner.loaded.changes();
        loop {
            seen = components.until_changed(seen).await;
            self.reload_at_last("what is known of components changed").await;
        }
    }

    /// Reloads, and waits for the store if it does not answer.
    async fn reload_at_last(&self, why: &str) {
        while let Err(fault) = self.reload_and_tell(why).await
            && fault.is_of_the_store()
        {
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Reloads, and logs what came of it.
    ///
    /// # Errors
    /// As [`reload`](Self::reload).
    pub async fn reload_and_tell(&self, why: &str) -> Result<(), ReloadError> {
        let reloaded = self.reload().await;
        match &reloaded {
            Ok(reloaded) if reloaded.is_empty() => tracing::debug!(why, "the tools are as before"),
            Ok(reloaded) => {
                let names = |tools: &[crate::id::ToolName]| {
                    tools.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
                };
                let (added, removed, changed) =
                    (names(&reloaded.added), names(&reloaded.removed), names(&reloaded.changed));
                tracing::info!(why, added, removed, changed, "other tools are served");
            }
            Err(fault) => tracing::error!(why, %fault, "nothing changed, since the reload failed"),
        }
        reloaded.map(drop)
    }

    /// All files that may be components. One that cannot be looked at is told from one that is not there by its name alone.
    async fn seen(&self) -> Seen {
        let settings = self.settings_now();
        let look = tokio::task::spawn_blocking(move || {
            let candidates = files(&settings, &mut LoadReport::default());
            candidates
                .into_iter()
                .map(|candidate| (candidate.path.clone(), look_at(&candidate.path)))
                .collect()
        });
        look.await.unwrap_or_default()
    }
}

#[expect(clippy::disallowed_methods, reason = "components come from files that the operator named")]
fn look_at(path: &std::path::Path) -> Option<(u64, SystemTime)> {
    let found = std::fs::metadata(path).ok()?;
    Some((found.len(), found.modified().ok()?))
}
