//! What is known of a component against what it is now: trust on first use, and quarantine for whatever changed since.
//!
//! Only what was accepted last counts. A component that goes back to what was accepted before is a change as any other:
//! whoever can put files there could otherwise bring an old fault back that the operator has replaced.

use super::{Candidate, LoadError};
use crate::executor::drift::Drift;
use crate::executor::settings::OnChange;
use crate::store::{Components, Keep, KnownComponent, Met, StoreError, Version};

/// Who accepted, where no person did.
pub(super) const FIRST_SIGHT: &str = "first sight";
const BY_DIGEST: &str = "the digest in the configuration";
const BY_SETTING: &str = "on_change = \"accept\"";

/// What becomes of a component by what is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::executor) enum Verdict {
    /// It is what was accepted.
    AsAccepted,
    /// It is accepted now, by that.
    Accepted(&'static str),
    /// It waits for an operator.
    Quarantined,
}

/// Judges a component whose digest was compared with a pinned one already.
pub(in crate::executor) fn verdict(
    candidate: &Candidate,
    known: Option<&KnownComponent>,
    found: &Version,
) -> Verdict {
    let component = &candidate.component;
    match known.and_then(|known| known.accepted.as_ref()) {
        Some(accepted) if accepted.is_same(found) => Verdict::AsAccepted,
        _ if component.digest.is_some() => Verdict::Accepted(BY_DIGEST),
        _ if component.on_change == OnChange::Accept => Verdict::Accepted(BY_SETTING),
        None if !candidate.is_uploaded() => Verdict::Accepted(FIRST_SIGHT),
        _ => Verdict::Quarantined,
    }
}

/// What is to be remembered by a verdict, if anything is.
pub(in crate::executor) fn met(
    candidate: &Candidate,
    verdict: Verdict,
    found: &Version,
    description: &str,
) -> Option<Met> {
    let (keep, by) = match verdict {
        Verdict::AsAccepted => return None,
        Verdict::Accepted(FIRST_SIGHT) => (Keep::FirstSeen, FIRST_SIGHT.to_owned()),
        Verdict::Accepted(by) => (Keep::Accepted, by.to_owned()),
        Verdict::Quarantined => (Keep::Waiting, found.by.clone()),
    };
    Some(Met {
        name: candidate.name.clone(),
        uploaded: candidate.is_uploaded(),
        version: Version { by, ..found.clone() },
        description: description.to_owned(),
        keep,
    })
}

/// Why a component is not served, with what changed.
///
/// # Errors
/// Any [`StoreError`].
pub(in crate::executor) async fn quarantined(
    components: &Components,
    name: &str,
    accepted: Option<&Version>,
    found: &Version,
    description: &str,
) -> Result<LoadError, StoreError> {
    let name = name.to_owned();
    let Some(accepted) = accepted else { return Ok(LoadError::NeverAccepted { name, found: found.digest }) };
    let (before, _) = components.descriptions(&name).await?;
    let drift = Drift::between(before.as_deref(), Some(description)).summary();
    Ok(LoadError::Quarantined { name, accepted: accepted.digest, found: found.digest, drift })
}
