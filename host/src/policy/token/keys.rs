//! The public keys of an issuer: a JSON Web Key Set (RFC 7517). Keys of kinds that are not checked here are left out, and a
//! set that shows a private key is refused.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey};
use serde::Deserialize;

use super::url::DocumentUrl;

/// Keys of one set. Issuers have two or three.
const MOST_KEYS: usize = 100;
/// Bytes of an RSA modulus: 2,048 to 8,192 bits.
const MODULUS: std::ops::RangeInclusive<usize> = 256..=1_024;

/// Where an issuer's keys are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// Here, from a file.
    Here {
        /// The keys.
        keys: KeySet,
        /// The file, which is read again with the configuration.
        file: PathBuf,
    },
    /// At an address, from which they are fetched again from time to time.
    At(DocumentUrl),
}

/// Public keys, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySet(Vec<PublicKey>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct PublicKey {
    id: String,
    /// The one algorithm that it is for, where it names one.
    only: Option<Algorithm>,
    material: Material,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Material {
    Rsa {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
    /// A point of the curve P-256, uncompressed.
    P256(Vec<u8>),
    /// A point of the curve P-384, uncompressed.
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// Why a text is no set of keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeySetError {
    /// It has another form.
    #[error("it is no JSON Web Key Set: {0}")]
    Form(String),
    /// There are too many keys.
    #[error("it has {0} keys, and at most {MOST_KEYS} are taken")]
    TooMany(usize),
    /// Whoever can read it could sign tokens.
    #[error("it holds a private key, which belongs to the issuer alone; give the public keys")]
    Private,
    /// No key of it could check any token.
    #[error(
        "none of its keys is one for signatures, with a kid, of RSA (2,048 to 8,192 bits), P-256, P-384 or Ed25519"
    )]
    NoneOfUse,
}

#[derive(Deserialize)]
struct Set {
    keys: Vec<Key>,
}

#[derive(Deserialize)]
struct Key {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    alg: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
    d: Option<serde::de::IgnoredAny>,
}

impl KeySet {
    /// Reads a set.
    ///
    /// # Errors
    /// [`KeySetError`] if it has another form, shows a private key, or has no key of use.
    pub fn parse(text: &[u8]) -> Result<Self, KeySetError> {
        let set: Set = serde_json::from_slice(text).map_err(|fault| {
            KeySetError::Form(format!("line {}, column {}", fault.line(), fault.column()))
        })?;
        if set.keys.len() > MOST_KEYS {
            return Err(KeySetError::TooMany(set.keys.len()));
        }
        if set.keys.iter().any(|key| key.d.is_some()) {
            return Err(KeySetError::Private);
        }
        let keys: Vec<PublicKey> = set.keys.into_iter().filter_map(public).collect();
        if keys.is_empty() { Err(KeySetError::NoneOfUse) } else { Ok(Self(keys)) }
    }

    /// Whether it has a key of that name, of whatever kind.
    #[must_use]
    pub(super) fn names(&self, id: &str) -> bool {
        self.0.iter().any(|key| key.id == id)
    }

    /// The key of that name for an algorithm.
    pub(super) fn find(&self, id: &str, algorithm: Algorithm) -> Option<DecodingKey> {
        let fits = |key: &&PublicKey| {
            key.id == id && key.only.is_none_or(|only| only == algorithm) && key.material.fits(algorithm)
        };
        self.0.iter().find(fits).map(|key| key.material.decoding())
    }
}

impl Material {
    /// Whether an algorithm checks signatures with a key of this kind.
    fn fits(&self, algorithm: Algorithm) -> bool {
        match self {
            Self::Rsa { .. } => algorithm.family() == AlgorithmFamily::Rsa,
            Self::P256(_) => algorithm == Algorithm::ES256,
            Self::P384(_) => algorithm == Algorithm::ES384,
            Self::Ed25519(_) => algorithm == Algorithm::EdDSA,
        }
    }

    fn decoding(&self) -> DecodingKey {
        match self {
            Self::Rsa { modulus, exponent } => DecodingKey::from_rsa_raw_components(modulus, exponent),
            Self::P256(point) | Self::P384(point) => DecodingKey::from_ec_der(point),
            Self::Ed25519(point) => DecodingKey::from_ed_der(point),
        }
    }
}

/// A key that can check signatures; none for any other.
fn public(key: Key) -> Option<PublicKey> {
    let for_signatures = key.usage.as_deref().is_none_or(|usage| usage == "sig")
        && key.key_ops.as_ref().is_none_or(|operations| operations.iter().any(|it| it == "verify"));
    let only = match key.alg.as_deref().map(str::parse) {
        Some(Ok(algorithm)) => Some(algorithm),
        Some(Err(_)) => return None,
        None => None,
    };
    if !for_signatures {
        return None;
    }
    let material = match (key.kty.as_str(), key.crv.as_deref()) {
        ("RSA", None) => {
            let (modulus, exponent) = (bytes(key.n)?, bytes(key.e)?);
            MODULUS.contains(&modulus.len()).then_some(Material::Rsa { modulus, exponent })?
        }
        ("EC", Some("P-256")) => Material::P256(point(key.x, key.y, 32)?),
        ("EC", Some("P-384")) => Material::P384(point(key.x, key.y, 48)?),
        ("OKP", Some("Ed25519")) => Material::Ed25519(bytes(key.x).filter(|point| point.len() == 32)?),
        _ => return None,
    };
    Some(PublicKey { id: key.kid?, only, material })
}

fn bytes(text: Option<String>) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text?).ok()
}

fn point(x: Option<String>, y: Option<String>, size: usize) -> Option<Vec<u8>> {
    let (x, y) = (bytes(x)?, bytes(y)?);
    (x.len() == size && y.len() == size).then(|| [&[4][..], &x, &y].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_no_use_are_left_out_and_private_ones_refuse_the_set() {
        let x = URL_SAFE_NO_PAD.encode([7; 32]);
        let set = |keys: &str| KeySet::parse(format!("{{\"keys\":[{keys}]}}").as_bytes());
        let good = format!(r#"{{"kty":"OKP","crv":"Ed25519","kid":"a","x":"{x}","z":1}}"#);
        let found = set(&good).unwrap();
        assert!(found.find("a", Algorithm::EdDSA).is_some() && found.names("a"));
        assert!(found.find("a", Algorithm::ES256).is_none() && found.find("b", Algorithm::EdDSA).is_none());
        for of_no_use in [
            format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{x}"}}"#),
            format!(r#"{{"kty":"OKP","crv":"X25519","kid":"a","x":"{x}"}}"#),
            format!(r#"{{"kty":"OKP","crv":"Ed25519","kid":"a","x":"{x}","use":"enc"}}"#),
            format!(r#"{{"kty":"OKP","crv":"Ed25519","kid":"a","x":"{x}","key_ops":["sign"]}}"#),
            format!(r#"{{"kty":"OKP","crv":"Ed25519","kid":"a","x":"{x}","alg":"none"}}"#),
            format!(r#"{{"kty":"EC","crv":"P-256","kid":"a","x":"{x}","y":"AA"}}"#),
            format!(r#"{{"kty":"RSA","kid":"a","n":"{x}","e":"AQAB"}}"#),
            r#"{"kty":"oct","kid":"a","k":"c2VjcmV0"}"#.to_owned(),
            String::new(),
        ] {
            assert_eq!(set(&of_no_use), Err(KeySetError::NoneOfUse), "{of_no_use}");
        }
        let private = good.replace("\"z\":1", "\"d\":\"AA\"");
        assert_eq!(set(&private), Err(KeySetError::Private));
        assert_eq!(set(&vec![good.as_str(); 101].join(",")), Err(KeySetError::TooMany(101)));
        assert!(matches!(KeySet::parse(b"[]"), Err(KeySetError::Form(_))));
    }
}
