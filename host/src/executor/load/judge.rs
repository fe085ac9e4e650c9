//! What becomes of each component that was prepared, or could not be.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::pins::FIRST_SIGHT;
use super::{
    Candidate, LoadError, LoadReport, LoadedComponent, RefusedComponent, StartError, Verdict, checked, met,
    quarantined, uploaded_path, verdict,
};
use crate::executor::described::description;
use crate::executor::settings::Settings;
use crate::id::Digest;
use crate::registry::{Entry, Snapshot};
use crate::sandbox::Prepared;
use crate::store::{KnownComponent, Met, Store, Version};

/// A load under way.
pub(super) struct Loading<'a> {
    pub(super) settings: Arc<Settings>,
    store: &'a Store,
    known: HashMap<String, KnownComponent>,
    served: HashMap<&'a str, &'a LoadedComponent>,
    /// What the last load said waits.
    waited: Vec<(&'a str, &'a Version)>,
    report: LoadReport,
    entries: Vec<Entry>,
    met: Vec<Met>,
    /// What waits of components that went back to what was accepted.
    stale: Vec<(String, Version)>,
}

impl<'a> Loading<'a> {
    pub(super) fn new(
        settings: &Settings,
        store: &'a Store,
        known: HashMap<String, KnownComponent>,
        served: Option<&'a LoadReport>,
        report: LoadReport,
    ) -> Self {
        let loaded = served.into_iter().flat_map(|served| &served.loaded);
        let refused = served.into_iter().flat_map(|served| &served.refused);
        Self {
            settings: Arc::new(settings.clone()),
            store,
            known,
            served: loaded.map(|loaded| (loaded.name.as_str(), loaded)).collect(),
            waited: refused.filter_map(|it| Some((it.name.as_str(), it.waiting.as_ref()?))).collect(),
            report,
            entries: Vec::new(),
            met: Vec::new(),
            stale: Vec::new(),
        }
    }

    /// What is served under a name.
    pub(super) fn served(&self, name: &str) -> Option<&'a Arc<Prepared>> {
        self.served.get(name).map(|loaded| &loaded.prepared)
    }

    /// Takes a component, or refuses it.
    ///
    /// # Errors
    /// [`StartError`], where nothing may be served at all.
    pub(super) async fn take(
        &mut self,
        candidate: &Candidate,
        checked: Result<(LoadedComponent, Vec<Entry>), LoadError>,
    ) -> Result<(), StartError> {
        match checked {
            Ok((loaded, entries)) => self.judge(candidate, loaded, entries).await?,
            // What the operator wrote is wrong, unless it rests on the word of a component that has changed.
            Err(fault @ LoadError::RetriesWrite(_, digest))
                if !(candidate.component.trust_annotations && self.has_changed(&candidate.name, digest)) =>
            {
                return Err(StartError::Tool { path: candidate.path.clone(), fault });
            }
            Err(fault) => self.refuse(candidate, &fault, None).await,
        }
        Ok(())
    }

    async fn judge(
        &mut self,
        candidate: &Candidate,
        loaded: LoadedComponent,
        mut entries: Vec<Entry>,
    ) -> Result<(), StartError> {
        let known = self.known.get(&candidate.name);
        let (found, said) = version(candidate, &loaded.prepared);
        // What this process serves was accepted when it was loaded.
        let is_served = self.served(&candidate.name).is_some_and(|served| served.digest == loaded.digest);
        let verdict = match verdict(candidate, known, &found) {
            _ if is_served => Verdict::AsAccepted,
            // What was accepted under another name is not replaced by whoever comes with the same tools.
            Verdict::Accepted(FIRST_SIGHT) if self.takes_tools_of_others(&candidate.name, &entries) => {
                Verdict::Quarantined
            }
            verdict => verdict,
        };
        if verdict == Verdict::Quarantined {
            let accepted = known.and_then(|known| known.accepted.as_ref());
            let components = self.store.components();
            let fault = quarantined(&components, &candidate.name, accepted, &found, &said).await?;
            // Hosts that wait for different versions would overwrite each other's without an end.
            let waits = known.and_then(|known| known.waiting.as_ref()).is_some_and(|it| it.is_same(&found))
                || self.waited.iter().any(|(name, it)| *name == candidate.name && it.is_same(&found));
            if !waits {
                self.met.extend(met(candidate, verdict, &found, &said));
            }
            self.refuse(candidate, &fault, Some(found)).await;
            return Ok(());
        }
        // Another machine may have another version, which waits for its own sake.
        if verdict == Verdict::AsAccepted
            && !candidate.is_uploaded()
            && !self.store.settings().is_shared()
            && let Some(waiting) = known.and_then(|known| known.waiting.clone())
        {
            self.stale.push((candidate.name.clone(), waiting));
        }
        self.met.extend(met(candidate, verdict, &found, &said));
        self.report.loaded.push(loaded);
        self.entries.append(&mut entries);
        Ok(())
    }

    /// Whether another version of a component was accepted.
    fn has_changed(&self, name: &str, found: Digest) -> bool {
        let accepted = self.known.get(name).and_then(|known| known.accepted.as_ref());
        accepted.is_some_and(|accepted| accepted.digest != found)
    }

    /// Whether a component has a tool that another one, which is known, was accepted with.
    fn takes_tools_of_others(&self, name: &str, entries: &[Entry]) -> bool {
        let others = self.known.values().filter(|known| known.name != name);
        let mut accepted = others.filter_map(|known| known.accepted.as_ref());
        accepted.any(|version| {
            entries.iter().any(|entry| version.tools.iter().any(|tool| tool == entry.spec.name.as_str()))
        })
    }

    /// Says why a component is not taken. What is served of it is served on, unless it is gone or another is pinned.
    async fn refuse(&mut self, candidate: &Candidate, fault: &LoadError, waiting: Option<Version>) {
        let mut reason = fault.to_string();
        let served = self.served.get(candidate.name.as_str()).copied();
        // The code of another place was given what that place is given.
        let served =
            served.filter(|served| served.path == candidate.path && !matches!(fault, LoadError::Gone));
        let allowed = served
            .map(|served| &served.prepared)
            .filter(|served| candidate.component.check_digest(served.digest).is_ok());
        if let Some(prepared) = allowed
            && let Ok((loaded, mut entries)) =
                checked(candidate.clone(), self.settings.clone(), (**prepared).clone()).await
        {
            reason.push_str(&format!("; until then {} is served on", loaded.digest));
            self.report.loaded.push(loaded);
            self.entries.append(&mut entries);
        }
        let (path, name) = (candidate.path.clone(), candidate.name.clone());
        self.report.refused.push(RefusedComponent { path, name, reason, waiting });
    }

    /// What is served from now on, once the store remembers it.
    ///
    /// # Errors
    /// [`StartError::Store`].
    pub(super) async fn end(mut self) -> Result<(Snapshot, LoadReport), StartError> {
        let components = self.store.components();
        let uploaded =
            self.known.values().filter(|it| it.uploaded && self.settings.uploaded(&it.name).is_some());
        for known in uploaded {
            let Some(waiting) = &known.waiting else { continue };
            let (_, said) = components.descriptions(&known.name).await?;
            let (name, said) = (&known.name, said.unwrap_or_default());
            let fault = quarantined(&components, name, known.accepted.as_ref(), waiting, &said).await?;
            self.report.refused.push(RefusedComponent {
                path: uploaded_path(name),
                name: name.clone(),
                reason: fault.to_string(),
                waiting: Some(waiting.clone()),
            });
        }
        components.remember(&self.met).await?;
        for (name, waiting) in &self.stale {
            components.reject(name, waiting).await?;
        }
        let (snapshot, taken) = Snapshot::new(self.entries);
        for fault in taken {
            let path = PathBuf::from(&fault.second);
            let loaded = self.report.loaded.iter_mut().find(|loaded| loaded.path == path);
            let name = loaded.as_ref().map(|loaded| loaded.name.clone()).unwrap_or_default();
            if let Some(loaded) = loaded {
                loaded.tools.retain(|name| *name != fault.name);
            }
            self.report.refuse_by(&path, &name, &fault);
        }
        Ok((snapshot, self.report))
    }
}

/// A component as it was found now, and what it says about itself.
pub(in crate::executor) fn version(candidate: &Candidate, prepared: &Prepared) -> (Version, String) {
    let said = description(prepared);
    let tools = prepared.specs.iter().map(|spec| spec.name.to_string()).collect();
    (Version::now(prepared.digest, &said, tools, &candidate.path.display().to_string()), said)
}
