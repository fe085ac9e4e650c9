//! Components as an operator sees and changes them: what is served, what waits and why, and what is uploaded.

mod error;
mod upload;

use std::collections::BTreeMap;
use std::path::PathBuf;

pub use error::ComponentError;
pub use upload::Taken;

use super::Host;
use super::drift::Drift;
use crate::id::Digest;
use crate::store::{KnownComponent, Version};

/// Whether a component is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComponentState {
    /// It is served, as it was accepted.
    Served,
    /// What was accepted is served, and a later version waits for an operator.
    ServedAndWaiting,
    /// It is not served until an operator accepts it.
    Quarantined,
    /// It is not served, for another reason.
    Refused,
    /// It is known, and this host has no file and no entry for it.
    Elsewhere,
}

impl ComponentState {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Served => "served",
            Self::ServedAndWaiting => "served_and_waiting",
            Self::Quarantined => "quarantined",
            Self::Refused => "refused",
            Self::Elsewhere => "elsewhere",
        }
    }
}

/// One component as this host has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentView {
    /// Its name.
    pub name: String,
    /// Its file; of an uploaded one its name, behind `uploaded:`. None if this host does not have it.
    pub path: Option<PathBuf>,
    /// Its bytes are in the store.
    pub uploaded: bool,
    /// Whether it is served.
    pub state: ComponentState,
    /// The code that is served.
    pub served: Option<Digest>,
    /// The tools that are served.
    pub tools: Vec<String>,
    /// What was accepted last.
    pub accepted: Option<Version>,
    /// What waits to be accepted.
    pub waiting: Option<Version>,
    /// Why it, or a part of it, is not served.
    pub reasons: Vec<String>,
}

/// The components of a host.
#[derive(Debug, Clone, Copy)]
pub struct Components<'a> {
    host: &'a Host,
}

impl Host {
    /// The components, for whoever may change what is served.
    #[must_use]
    pub fn components(&self) -> Components<'_> {
        Components { host: self }
    }
}

impl Components<'_> {
    /// All components that this host has or the store knows, by name.
    ///
    /// # Errors
    /// [`ComponentError::Store`].
    pub async fn list(&self) -> Result<Vec<ComponentView>, ComponentError> {
        let known = self.host.store().components().list().await?;
        let report = self.host.load_report();
        let mut all: BTreeMap<String, ComponentView> =
            known.into_iter().map(|known| (known.name.clone(), ComponentView::known(known))).collect();
        for loaded in &report.loaded {
            let view = all.entry(loaded.name.clone()).or_insert_with(|| ComponentView::named(&loaded.name));
            view.path = Some(loaded.path.clone());
            view.served = Some(loaded.digest);
            view.tools = loaded.tools.iter().map(ToString::to_string).collect();
        }
        for refused in report.refused.iter().filter(|refused| !refused.name.is_empty()) {
            let view = all.entry(refused.name.clone()).or_insert_with(|| ComponentView::named(&refused.name));
            view.path.get_or_insert_with(|| refused.path.clone());
            view.reasons.push(refused.reason.clone());
        }
        Ok(all.into_values().map(ComponentView::judged).collect())
    }

    /// One component, and what the version that waits would change.
    ///
    /// # Errors
    /// [`ComponentError::NoSuchComponent`], [`ComponentError::Store`].
    pub async fn show(&self, name: &str) -> Result<(ComponentView, Option<Drift>), ComponentError> {
        let view = self.view(name).await?;
        if view.waiting.is_none() {
            return Ok((view, None));
        }
        let (accepted, waiting) = self.host.store().components().descriptions(name).await?;
        Ok((view, Some(Drift::between(accepted.as_deref(), waiting.as_deref()))))
    }

    /// Accepts the version that waits, in somebody's name, and reloads. With a digest nothing but that code is accepted.
    /// Other hosts on the store reload too.
    ///
    /// # Errors
    /// [`ComponentError::NothingWaits`], [`ComponentError::OtherWaits`] for another digest than the one that waits; others
    /// if there is no such component, or the store fails. [`ComponentError::Reload`] after it was accepted.
    pub async fn accept(
        &self,
        name: &str,
        digest: Option<Digest>,
        by: &str,
    ) -> Result<ComponentView, ComponentError> {
        let waiting = self.waiting(name, digest).await?;
        if !self.host.store().components().accept(name, &waiting, by).await? {
            return Err(ComponentError::OtherWaits { name: name.to_owned(), asked: waiting.digest });
        }
        self.host.reload().await?;
        self.view(name).await
    }

    /// Throws the version of an uploaded component away that waits. What was accepted is served on.
    ///
    /// # Errors
    /// As [`accept`](Self::accept); [`ComponentError::IsFile`] for a component that is a file.
    pub async fn reject(&self, name: &str, digest: Option<Digest>) -> Result<(), ComponentError> {
        let waiting = self.waiting(name, digest).await?;
        if !self.known(name).await?.uploaded
            && let Some(path) = self.file(name).await
        {
            return Err(ComponentError::IsFile { name: name.to_owned(), path });
        }
        if !self.host.store().components().reject(name, &waiting).await? {
            return Err(ComponentError::OtherWaits { name: name.to_owned(), asked: waiting.digest });
        }
        self.host.reload().await?;
        Ok(())
    }

    /// Takes an uploaded component out on all hosts, or forgets a file that this host does not have any more. What it kept
    /// for tenants stays.
    ///
    /// # Errors
    /// [`ComponentError::IsFile`] for a component that is a file here; others if there is none, or the store fails.
    pub async fn remove(&self, name: &str) -> Result<(), ComponentError> {
        let known = self.known(name).await?;
        if !known.uploaded
            && let Some(path) = self.file(name).await
        {
            return Err(ComponentError::IsFile { name: name.to_owned(), path });
        }
        self.host.store().components().forget(name).await?;
        self.host.reload().await?;
        Ok(())
    }

    async fn view(&self, name: &str) -> Result<ComponentView, ComponentError> {
        let found = self.list().await?.into_iter().find(|view| view.name == name);
        found.ok_or_else(|| ComponentError::NoSuchComponent(name.to_owned()))
    }

    async fn known(&self, name: &str) -> Result<KnownComponent, ComponentError> {
        let known = self.host.store().components().get(name).await?;
        known.ok_or_else(|| ComponentError::NoSuchComponent(name.to_owned()))
    }

    /// What waits under a name, if it is what is asked for.
    async fn waiting(&self, name: &str, digest: Option<Digest>) -> Result<Version, ComponentError> {
        let waiting = self.known(name).await?.waiting;
        let waiting = waiting.ok_or_else(|| ComponentError::NothingWaits(name.to_owned()))?;
        match digest {
            Some(asked) if asked != waiting.digest => {
                Err(ComponentError::OtherWaits { name: name.to_owned(), asked })
            }
            _ => Ok(waiting),
        }
    }
}

impl ComponentView {
    fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            path: None,
            uploaded: false,
            state: ComponentState::Elsewhere,
            served: None,
            tools: Vec::new(),
            accepted: None,
            waiting: None,
            reasons: Vec::new(),
        }
    }

    fn known(known: KnownComponent) -> Self {
        let KnownComponent { name, uploaded, accepted, waiting } = known;
        Self { uploaded, accepted, waiting, ..Self::named(&name) }
    }

    fn judged(self) -> Self {
        let state = match (self.served, &self.waiting) {
            (Some(_), None) => ComponentState::Served,
            (Some(_), Some(_)) => ComponentState::ServedAndWaiting,
            (None, _) if self.path.is_none() => ComponentState::Elsewhere,
            (None, Some(_)) => ComponentState::Quarantined,
            (None, None) => ComponentState::Refused,
        };
        Self { state, ..self }
    }
}
