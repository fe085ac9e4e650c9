//! The secrets that a call asked for: placeholders, which the guest holds, and the values behind them, which it does not.

use std::sync::Arc;

use crate::id::{SecretName, hex};
use crate::policy::SecretGrant;
use crate::spec::{Scrubber, Secret};

/// What every placeholder begins with.
const MARK: &str = "toolhost-secret-";

/// One secret of a call.
#[derive(Debug, Clone)]
pub(super) struct HeldSecret {
    pub(super) grant: SecretGrant,
    pub(super) value: Secret,
    pub(super) placeholder: String,
}

/// The secrets of one call.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Held {
    secrets: Vec<HeldSecret>,
    scrubber: Option<Arc<Scrubber>>,
}

impl Held {
    /// The placeholder of a secret that was asked for before.
    pub(in super::super) fn placeholder(&self, name: &SecretName) -> Option<String> {
        let held = self.secrets.iter().find(|held| held.grant.name == *name)?;
        Some(held.placeholder.clone())
    }

    /// Takes a secret, and gives the placeholder for it. It cannot be guessed, and is good for this call alone.
    pub(in super::super) fn take(&mut self, grant: &SecretGrant, value: Secret) -> String {
        let placeholder = format!("{MARK}{}", hex(&rand::random::<[u8; 16]>()));
        self.secrets.push(HeldSecret { grant: grant.clone(), value, placeholder: placeholder.clone() });
        self.scrubber = Scrubber::new(self.secrets.iter().map(|held| &held.value)).map(Arc::new);
        placeholder
    }

    pub(super) fn scrubber(&self) -> Option<&Arc<Scrubber>> {
        self.scrubber.as_ref()
    }

    /// The secrets whose placeholders stand in a text.
    pub(super) fn within<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a HeldSecret> {
        let any = text.contains(MARK);
        self.secrets.iter().filter(move |held| any && text.contains(&held.placeholder))
    }
}
