//! XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) with a random nonce before what is sealed.

use std::fmt;

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};

pub(super) const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;

/// A key.
pub(super) struct Cipher(XChaCha20Poly1305);

impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cipher")
    }
}

impl Cipher {
    /// The cipher of a key; none if it has another length.
    pub(super) fn new(key: Vec<u8>) -> Option<Self> {
        let key: [u8; KEY_BYTES] = key.try_into().ok()?;
        Some(Self(XChaCha20Poly1305::new(&Key::from(key))))
    }

    /// Seals bytes, which can be opened again for the same purpose alone.
    pub(super) fn seal(&self, plain: &[u8], purpose: &[u8]) -> Vec<u8> {
        let nonce: [u8; NONCE_BYTES] = rand::random();
        // It fails only for many gigabytes.
        let payload = Payload { msg: plain, aad: purpose };
        let sealed = self.0.encrypt(&XNonce::from(nonce), payload).unwrap_or_default();
        [&nonce[..], &sealed].concat()
    }

    /// What was sealed under this key for this purpose; none if it was not, or was changed.
    pub(super) fn open(&self, sealed: &[u8], purpose: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>()?;
        self.0.decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: purpose }).ok()
    }
}
