//! The secrets that a call may send: placeholders, which the guest holds, and the values behind them, which it does not.
//!
//! All of them are known before the guest starts, whether it will ask for them or not: a peer may give back what an earlier
//! call sent.

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
    /// The secrets of a call, each with the placeholder for it, which cannot be guessed and is good for this call alone.
    pub(in super::super) fn new(secrets: Vec<(SecretGrant, Secret)>) -> Self {
        let scrubber = Scrubber::new(secrets.iter().map(|(_, value)| value)).map(Arc::new);
        let hold = |(grant, value)| HeldSecret {
            grant,
            value,
            placeholder: format!("{MARK}{}", hex(&rand::random::<[u8; 16]>())),
        };
        Self { secrets: secrets.into_iter().map(hold).collect(), scrubber }
    }

    /// The placeholder of a secret; none if there is no value.
    pub(in super::super) fn placeholder(&self, name: &SecretName) -> Option<String> {
        let held = self.secrets.iter().find(|held| held.grant.name == *name)?;
        Some(held.placeholder.clone())
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
