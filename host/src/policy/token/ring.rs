//! Signatures are checked by `ring`, which the TLS of this program stands on too. Nothing is signed here.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, new_error};
use jsonwebtoken::signature::{Error, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature::{
    self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(new_error(ErrorKind::UnsupportedAlgorithm)),
    verifier_factory: |algorithm, key| match way(*algorithm) {
        Some(way) => Ok(Box::new(Ring { algorithm: *algorithm, way, key: key.clone() })),
        None => Err(new_error(ErrorKind::UnsupportedAlgorithm)),
    },
    // Private keys and fingerprints of keys alone would need them.
    key_utils: KeyUtils::new_unimplemented(),
};

/// Lets the library check signatures. Whoever comes first decides for the process, and nobody else comes.
pub(super) fn install() {
    let _ = PROVIDER.install_default();
}

enum Way {
    Rsa(&'static RsaParameters),
    Curve(&'static dyn VerificationAlgorithm),
}

/// How an algorithm is checked; none for those that sign with what they are checked with.
fn way(algorithm: Algorithm) -> Option<Way> {
    Some(match algorithm {
        Algorithm::RS256 => Way::Rsa(&signature::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Way::Rsa(&signature::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Way::Rsa(&signature::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Way::Rsa(&signature::RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Way::Rsa(&signature::RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Way::Rsa(&signature::RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => Way::Curve(&signature::ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Way::Curve(&signature::ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => Way::Curve(&signature::ED25519),
        _ => return None,
    })
}

struct Ring {
    algorithm: Algorithm,
    way: Way,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for Ring {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), Error> {
        let checked = match (&self.way, self.key.kind()) {
            (Way::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (Way::Curve(algorithm), DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(*algorithm, point).verify(message, signature)
            }
            _ => return Err(Error::new()),
        };
        checked.map_err(|_| Error::new())
    }
}

impl JwtVerifier for Ring {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
