//! Taking a component that somebody uploads: it is checked as a file is before anything of it is kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{ComponentError, Components};
use crate::executor::load::{
    Candidate, LoadReport, Verdict, checked, files, met, read, uploaded_path, verdict, version,
};
use crate::id::{ComponentName, Digest};
use crate::registry::NameTaken;
use crate::sandbox::{COMPONENT_BYTES, PrepareError};
use crate::store::Version;

/// How many components may be uploaded.
const MOST: usize = 1_000;

/// What became of an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// It is served from now on.
    Accepted(Version),
    /// It waits until an operator accepts it. What was accepted before is served on.
    Waiting(Version),
    /// It is what is served already.
    Unchanged(Version),
}

impl Components<'_> {
    /// Takes a component under a name, in somebody's name. It is compiled, described and checked first, and gets what the
    /// entry of the configuration says that fits the name. It waits for an operator unless that entry accepts changes or
    /// pins this very code. Other hosts on the store serve it too.
    ///
    /// Dropping the future may leave it taken or not.
    ///
    /// # Errors
    /// [`ComponentError`] says why nothing was taken; [`ComponentError::Reload`] after it was.
    pub async fn add(&self, name: &ComponentName, bytes: &[u8], by: &str) -> Result<Taken, ComponentError> {
        if bytes.len() > COMPONENT_BYTES {
            return Err(ComponentError::Load(PrepareError::TooLarge { found: bytes.len() }.into()));
        }
        let settings = self.host.settings_now();
        let component =
            settings.uploaded(name.as_str()).ok_or_else(|| ComponentError::NotConfigured(name.clone()))?;
        let taken = |path| ComponentError::NameTaken { name: name.to_string(), path };
        if let Some(path) = self.file(name.as_str()).await {
            return Err(taken(Some(path)));
        }
        let all = self.host.store().components().list().await?;
        let known = all.iter().find(|known| known.name == name.as_str());
        match known {
            Some(known) if !known.uploaded => return Err(taken(None)),
            None if all.iter().filter(|known| known.uploaded).count() >= MOST => {
                return Err(ComponentError::TooMany { most: MOST });
            }
            _ => {}
        }
        let digest = Digest::of(bytes);
        component.check_digest(digest)?;
        let candidate = Candidate::uploaded(name.as_str(), component, digest);
        let prepared =
            self.host.inner.sandbox.prepare(bytes).await.map_err(crate::executor::LoadError::from)?;
        let (loaded, entries) = checked(candidate.clone(), Arc::new(settings.clone()), prepared).await?;
        let tools = self.host.tools();
        for entry in &entries {
            if let Some(first) = tools.get(entry.name.as_str())
                && first.source.name != name.as_str()
            {
                return Err(ComponentError::ToolTaken(NameTaken {
                    name: entry.name.clone(),
                    first: first.source.path.display().to_string(),
                    second: uploaded_path(name.as_str()).display().to_string(),
                }));
            }
        }
        let (found, said) = version(&candidate, &loaded.prepared);
        let found = Version { by: by.to_owned(), ..found };
        let verdict = verdict(&candidate, known, &found);
        let Some(met) = met(&candidate, verdict, &found, &said) else { return Ok(Taken::Unchanged(found)) };
        let components = self.host.store().components();
        components.keep_bytes(bytes).await?;
        let version = met.version.clone();
        components.remember(&[met]).await?;
        self.host.reload().await?;
        Ok(match verdict {
            Verdict::Quarantined => Taken::Waiting(version),
            Verdict::Accepted(_) | Verdict::AsAccepted => Taken::Accepted(version),
        })
    }

    /// The same with the bytes of a file, of which no more are read than are taken.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub async fn add_file(
        &self,
        name: &ComponentName,
        file: &Path,
        by: &str,
    ) -> Result<Taken, ComponentError> {
        self.add(name, &read(file).await?, by).await
    }

    /// The file of this host that has a name.
    pub(super) async fn file(&self, name: &str) -> Option<PathBuf> {
        let (settings, name) = (self.host.settings_now(), name.to_owned());
        let looked = tokio::task::spawn_blocking(move || {
            let candidates = files(&settings, &mut LoadReport::default());
            candidates.into_iter().find(|candidate| candidate.name == name).map(|candidate| candidate.path)
        });
        looked.await.ok().flatten()
    }
}
