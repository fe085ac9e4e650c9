//! Texts that only the processes on one store can make and read: what a client keeps for the host between two requests.
//!
//! A text is XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) over the moment at which it ends and the body, with a random
//! nonce before it, in base64 for URLs without padding (RFC 4648, section 5). The key is made by the first process on a
//! store and kept there: whoever can read the database, or a copy of it, can make such texts.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead as _, KeyInit as _};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};

use super::clock::millis;
use super::database::Database;
use super::{Store, StoreError, within};

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
const MOMENT_BYTES: usize = 8;

/// Why a text was not opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// It is not one of this store's, or was changed.
    #[error("it is not one that this host gave")]
    Forged,
    /// Its time is over.
    #[error("it is too old")]
    Expired,
    /// The store does not say what time it is.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The key of a store.
pub(super) struct Sealer(XChaCha20Poly1305);

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer")
    }
}

impl Sealer {
    /// Takes the store's key, making it if there is none.
    pub(super) async fn of(database: &Database) -> Result<Self, StoreError> {
        const WHAT: &str = "read the key for sealed texts";
        let fresh: [u8; KEY_BYTES] = rand::random();
        let make = sqlx::query("INSERT INTO seals (id, key) VALUES (1, $1) ON CONFLICT (id) DO NOTHING");
        database.write(WHAT, make.bind(fresh.to_vec())).await?;
        let key: Vec<u8> = within(WHAT, async {
            let key =
                sqlx::query_scalar("SELECT key FROM seals WHERE id = 1").fetch_one(&database.reads).await;
            key.map_err(|source| StoreError::query(WHAT, source))
        })
        .await?;
        let key: [u8; KEY_BYTES] =
            key.try_into().map_err(|_| StoreError::Damaged { column: "key", id: "1".to_owned() })?;
        Ok(Self(XChaCha20Poly1305::new(&Key::from(key))))
    }
}

impl Store {
    /// A text that [`unseal`](Self::unseal) turns back into the body, in any process on this store, until its time is over. What
    /// the body says cannot be read from it.
    ///
    /// # Errors
    /// Any [`StoreError`]: the time is the store's own.
    pub async fn seal(&self, body: &[u8], lifetime: Duration) -> Result<String, StoreError> {
        let ends = self.inner.database.now().await?.saturating_add(millis(lifetime));
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let plain = [&ends.to_be_bytes()[..], body].concat();
        // It fails only for texts of many gigabytes.
        let sealed = self.inner.sealer.0.encrypt(&XNonce::from(nonce), plain.as_slice()).unwrap_or_default();
        Ok(URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat()))
    }

    /// The body of a sealed text.
    ///
    /// # Errors
    /// [`SealError`] says whether it was forged, or is too old.
    pub async fn unseal(&self, text: &str) -> Result<Vec<u8>, SealError> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| SealError::Forged)?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>().ok_or(SealError::Forged)?;
        let plain =
            self.inner.sealer.0.decrypt(&XNonce::from(*nonce), sealed).map_err(|_| SealError::Forged)?;
        let (ends, body) = plain.split_first_chunk::<MOMENT_BYTES>().ok_or(SealError::Forged)?;
        if self.inner.database.now().await? >= u64::from_be_bytes(*ends) {
            return Err(SealError::Expired);
        }
        Ok(body.to_vec())
    }
}
