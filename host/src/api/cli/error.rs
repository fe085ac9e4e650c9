//! Why a command did not do what was asked: one sentence, what to do where that is known, and an exit code.

use std::io;
use std::path::PathBuf;

use super::exit::Exit;
use crate::api::http::BindError;
use crate::api::identity::IdentityError;
use crate::config::ConfigError;
use crate::executor::{ListenError, LoadError, StartError};
use crate::store::{DecideError, KeyError, SecretError, StoreError};
use crate::wall::WallError;

/// Why a command did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CliError {
    /// The command line asks for what cannot be.
    #[error("{0}")]
    Usage(String),
    /// What was asked about is not there.
    #[error("{0}")]
    NotFound(String),
    /// Whoever asks may not do it.
    #[error("{0}")]
    Refused(String),
    /// The settings do not fit what was asked for.
    #[error("{0}")]
    Setting(String),
    /// The configuration file is wrong.
    #[error(transparent)]
    Configuration(Box<ConfigError>),
    /// The host does not start.
    #[error("the host cannot start: {0}")]
    Start(#[from] StartError),
    /// The component is not taken.
    #[error("{} is not taken: {source}", path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: LoadError,
    },
    /// The store does not work.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A secret was not kept.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// A key was not changed.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Callers cannot be told apart.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// Nothing was decided.
    #[error(transparent)]
    Decide(#[from] DecideError),
    /// The address is open to everybody.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The server does not start.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The second wall does not stand, though the kernel offers one.
    #[error("the second wall cannot be raised: {0}")]
    Wall(#[from] WallError),
    /// Nobody could compile components behind the wall.
    #[error("{0}")]
    Broker(String),
    /// Standard input cannot be read.
    #[error("standard input cannot be read: {0}")]
    Input(#[source] io::Error),
    /// Standard output cannot be written.
    #[error("standard output cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl From<ConfigError> for CliError {
    fn from(fault: ConfigError) -> Self {
        Self::Configuration(Box::new(fault))
    }
}

impl CliError {
    /// The code for the shell.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) | Self::Secret(SecretError::Value { .. }) => Exit::Usage,
            Self::NotFound(_)
            | Self::Key(KeyError::NotFound(_) | KeyError::Ended(..))
            | Self::Decide(DecideError::NotFound(_) | DecideError::NotPending { .. }) => Exit::Failed,
            Self::Refused(_) => Exit::Refused,
            Self::Setting(_)
            | Self::Secret(SecretError::NoKey)
            | Self::Configuration(_)
            | Self::Listen(_)
            | Self::Start(StartError::Directory(_) | StartError::Nested { .. })
            | Self::Identity(IdentityError::NoTenant(_) | IdentityError::Authority(_))
            | Self::Bind(
                BindError::Unprotected(_)
                | BindError::Setting(_)
                | BindError::Identity(IdentityError::NoTenant(_) | IdentityError::Authority(_)),
            ) => Exit::Configuration,
            Self::Start(_)
            | Self::Load { .. }
            | Self::Store(_)
            | Self::Secret(_)
            | Self::Key(_)
            | Self::Identity(_)
            | Self::Decide(DecideError::Store(_))
            | Self::Bind(BindError::Listen { .. } | BindError::Identity(_))
            | Self::Wall(_)
            | Self::Broker(_)
            | Self::Input(_)
            | Self::Output(_) => Exit::Unavailable,
        }
    }

    /// What to do, where the sentence does not say so itself.
    #[must_use]
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Usage(_) => Some("Add --help to the command to see what it takes."),
            Self::Start(_) | Self::Store(_) => Some("Run `host doctor` to see what stands in the way."),
            Self::Bind(BindError::Listen { source, .. }) if source.kind() == io::ErrorKind::AddrInUse => {
                Some("Another program has it, perhaps a `host serve`. Choose another address with --listen.")
            }
            Self::Key(_) => Some("Run `host keys list --all` to see all keys."),
            Self::Decide(_) => Some("Run `host approvals list --all` to see all approvals."),
            _ => None,
        }
    }
}
