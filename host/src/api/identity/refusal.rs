//! Why a request is not answered in anybody's name, as its sender may know it.

use crate::policy::Role;

/// Why a request is not answered in anybody's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nothing proves who sends it.
    #[error("A valid key is needed: send `Authorization: Bearer KEY`.")]
    Missing,
    /// What should prove it does not. Nobody is told more than that, so that nobody learns what comes near.
    #[error("A valid key is needed: send `Authorization: Bearer KEY`.")]
    Invalid,
    /// It proved it once.
    #[error("The key or token has expired. Get another one.")]
    Expired,
    /// It proves it to somebody else.
    #[error("The token is for another audience than this server. Get one for it.")]
    WrongAudience,
    /// The sender is known, and may not do this.
    #[error("This needs the role {0}, which the key or token does not give.")]
    InsufficientScope(Role),
    /// Whether it proves anything cannot be told at present.
    #[error("Keys cannot be checked at present. Try again in a moment.")]
    Unavailable,
}
