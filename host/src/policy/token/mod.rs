//! Tokens that others sign: JSON Web Tokens (RFC 7519) of the issuers that the operator names, and what they say about a
//! caller. Pure: whoever asks brings the issuer's keys and the moment.
//!
//! What a token says counts after its signature and its times were checked, and nothing in it names the key, the address
//! of a key, or the algorithm that it is checked by, beyond a choice among those that the operator named.

mod issuer;
mod keys;
mod ring;
mod url;
mod verify;

pub use jsonwebtoken::Algorithm;

pub use issuer::{Issuer, Proven, TenantOf};
pub use keys::{KeySet, KeySetError, KeySource};
pub use url::{DocumentUrl, UrlFault};
pub use verify::TokenFault;

/// The algorithms that can be named: each signs with a private key and is checked with a public one.
pub const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];
