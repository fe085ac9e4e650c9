//! Whether a token is one of an issuer's, for this host, and in force.

use std::collections::HashSet;

use jsonwebtoken::dangerous::insecure_decode;
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::{Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::issuer::{Issuer, Proven};
use super::keys::KeySet;
use super::ring;

/// The longest token, in bytes.
const LONGEST: usize = 16 << 10;

/// Why a token is not taken. Texts are for operators.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenFault {
    /// It is none, or one whose form is not taken.
    #[error("it is no signed token of a form that is taken")]
    Form,
    /// Its issuer is nobody whom the operator named.
    #[error("its issuer is not one of [[jwt]]")]
    Issuer,
    /// It is signed in another way than the operator named.
    #[error("its algorithm is not one of its issuer's")]
    Algorithm,
    /// It names no key.
    #[error("it does not name its key")]
    NoKeyId,
    /// Its issuer has no such key.
    #[error("its issuer has no key of that name")]
    UnknownKey,
    /// The key of that name is of another kind, or for something else.
    #[error("the key of that name is not for its algorithm")]
    OtherKey,
    /// It was not signed with that key, or was changed.
    #[error("its signature is not right")]
    Signature,
    /// It was good once.
    #[error("it has expired")]
    Expired,
    /// It is not good yet.
    #[error("it comes from the future")]
    Future,
    /// It is for somebody else.
    #[error("it is not for this host")]
    Audience,
    /// A claim is missing, or is not what it has to be.
    #[error("its claim {0} is missing, or is not what it has to be")]
    Claim(String),
}

#[derive(Deserialize)]
struct Peek {
    iss: Option<String>,
}

impl Issuer {
    /// The name of the issuer that a token says it is from, which nothing proves.
    ///
    /// # Errors
    /// [`TokenFault::Form`] if it is no token.
    pub fn named_in(token: &str) -> Result<String, TokenFault> {
        if token.len() > LONGEST {
            return Err(TokenFault::Form);
        }
        let peek = insecure_decode::<Peek>(token).map_err(|_| TokenFault::Form)?;
        peek.claims.iss.ok_or(TokenFault::Issuer)
    }

    /// Whether a set of keys has the one that a token names: one that is not there may be new.
    #[must_use]
    pub fn has_key_of(keys: &KeySet, token: &str) -> bool {
        let header = decode_header(token).ok();
        header.and_then(|header| header.kid).is_none_or(|id| keys.names(&id))
    }

    /// Checks a token with the issuer's keys, at a moment in seconds since 1970, and reads what it says.
    ///
    /// # Errors
    /// [`TokenFault`] names the first thing that is wrong.
    pub fn verify(&self, token: &str, keys: &KeySet, now: u64) -> Result<Proven, TokenFault> {
        if token.len() > LONGEST {
            return Err(TokenFault::Form);
        }
        ring::install();
        let header = decode_header(token).map_err(|_| TokenFault::Form)?;
        if !self.algorithms.contains(&header.alg) {
            return Err(TokenFault::Algorithm);
        }
        let id = header.kid.as_deref().ok_or(TokenFault::NoKeyId)?;
        let key = keys.find(id, header.alg).ok_or(if keys.names(id) {
            TokenFault::OtherKey
        } else {
            TokenFault::UnknownKey
        })?;
        let mut validation = Validation::new(header.alg);
        validation.required_spec_claims = HashSet::from(["iss".to_owned(), "aud".to_owned()]);
        validation.set_issuer(&[&self.name]);
        validation.set_audience(&self.audiences);
        // The library reads numbers in a form that this program's JSON does not give them in.
        validation.validate_exp = false;
        let claims =
            decode::<Map<String, Value>>(token, &key, &validation).map_err(|fault| told(&fault))?.claims;
        self.in_force(&claims, now)?;
        self.proven(&claims)
    }

    /// A token has an end, and whatever beginning it names has come.
    fn in_force(&self, claims: &Map<String, Value>, now: u64) -> Result<(), TokenFault> {
        let leeway = self.leeway.as_secs();
        let ends = moment(claims, "exp")?.ok_or_else(|| TokenFault::Claim("exp".to_owned()))?;
        if now >= ends.saturating_add(leeway) {
            return Err(TokenFault::Expired);
        }
        for beginning in ["nbf", "iat"] {
            if moment(claims, beginning)?.is_some_and(|begins| begins > now.saturating_add(leeway)) {
                return Err(TokenFault::Future);
            }
        }
        Ok(())
    }
}

/// A moment in whole seconds since 1970; a fraction is left off.
fn moment(claims: &Map<String, Value>, name: &str) -> Result<Option<u64>, TokenFault> {
    let Some(value) = claims.get(name) else { return Ok(None) };
    let fault = || TokenFault::Claim(name.to_owned());
    let Value::Number(number) = value else { return Err(fault()) };
    let text = number.to_string();
    let whole = match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|byte| byte.is_ascii_digit()) => whole,
        _ => &text,
    };
    whole.parse().map(Some).map_err(|_| fault())
}

fn told(fault: &Error) -> TokenFault {
    match fault.kind() {
        ErrorKind::InvalidSignature => TokenFault::Signature,
        ErrorKind::InvalidIssuer => TokenFault::Issuer,
        ErrorKind::InvalidAudience => TokenFault::Audience,
        ErrorKind::InvalidAlgorithm | ErrorKind::UnsupportedAlgorithm => TokenFault::Algorithm,
        ErrorKind::MissingRequiredClaim(claim) | ErrorKind::InvalidClaimFormat(claim) => {
            TokenFault::Claim(claim.clone())
        }
        _ => TokenFault::Form,
    }
}
