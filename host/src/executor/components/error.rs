//! Why a component was not shown or changed.

use std::path::PathBuf;

use crate::executor::{LoadError, ReloadError};
use crate::id::{ComponentName, Digest};
use crate::registry::NameTaken;
use crate::store::StoreError;

/// Why a component was not shown or changed. Each has a code that does not change.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ComponentError {
    /// There is none of that name.
    #[error("there is no component {0:?}; `host components` lists those that there are")]
    NoSuchComponent(String),
    /// Nothing is to be accepted.
    #[error("no version of {0:?} waits to be accepted")]
    NothingWaits(String),
    /// Another version waits than the one that was asked for.
    #[error("{asked} is not what waits under {name:?}; look again with `host components show {name}`")]
    OtherWaits {
        /// The component.
        name: String,
        /// What was asked for.
        asked: Digest,
    },
    /// The configuration says nothing of such uploads.
    #[error(
        "no [[component]] of the configuration takes an upload of the name {0}; add one with uploaded = \"{0}\" that says \
         what it is given"
    )]
    NotConfigured(ComponentName),
    /// The name belongs to a file.
    #[error("{name:?} is the name of a component that is a file{}; take another name", at(path.as_ref()))]
    NameTaken {
        /// The name.
        name: String,
        /// The file, if this host has it.
        path: Option<PathBuf>,
    },
    /// A tool's name belongs to another component.
    #[error(transparent)]
    ToolTaken(#[from] NameTaken),
    /// The component is not sound.
    #[error("it is not taken: {0}")]
    Load(#[from] LoadError),
    /// It is a file, which the operator changes in its folder.
    #[error("{name:?} is the file {}; change or remove it there", path.display())]
    IsFile {
        /// The component.
        name: String,
        /// The file.
        path: PathBuf,
    },
    /// There are too many.
    #[error("{most} components are uploaded, and no more are taken; remove one first")]
    TooMany {
        /// How many there may be.
        most: usize,
    },
    /// It was changed, and the host could not take the change up.
    #[error("it is changed, but this host serves what it served before: {0}")]
    Reload(#[from] ReloadError),
    /// The store does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ComponentError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoSuchComponent(_) => "no_such_component",
            Self::NothingWaits(_) => "nothing_waits",
            Self::OtherWaits { .. } => "other_version_waits",
            Self::NotConfigured(_) => "not_configured",
            Self::NameTaken { .. } => "name_taken",
            Self::ToolTaken(_) => "tool_taken",
            Self::Load(_) => "component_refused",
            Self::IsFile { .. } => "component_is_a_file",
            Self::TooMany { .. } => "too_many_components",
            Self::Reload(_) => "reload_failed",
            Self::Store(_) => "store_unavailable",
        }
    }
}

fn at(path: Option<&PathBuf>) -> String {
    path.map_or_else(|| " of another host".to_owned(), |path| format!(", {}", path.display()))
}
