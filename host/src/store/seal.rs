//! Texts that only the processes on one store can make and read: what a client keeps for the host between two requests.
//!
//! A text is what [`Cipher`] makes of the moment at which it ends and the body, in base64 for URLs without padding (RFC 4648,
//! section 5). The key is made by the first process on a
//! store and kept there: whoever can read the database, or a copy of it, can make such texts.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::cipher::{Cipher, KEY_BYTES};
use super::clock::millis;
use super::database::Database;
use super::{Store, StoreError, within};

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

/// Takes the store's key, making it if there is none.
pub(super) async fn sealer(database: &Database) -> Result<Cipher, StoreError> {
    const WHAT: &str = "read the key for sealed texts";
    let fresh: [u8; KEY_BYTES] = rand::random();
    let make = sqlx::query("INSERT INTO seals (id, key) VALUES (1, $1) ON CONFLICT (id) DO NOTHING");
    database.write(WHAT, make.bind(fresh.to_vec())).await?;
    let key: Vec<u8> = within(WHAT, async {
        let key = sqlx::query_scalar("SELECT key FROM seals WHERE id = 1").fetch_one(&database.reads).await;
        key.map_err(|source| StoreError::query(WHAT, source))
    })
    .await?;
    Cipher::new(key).ok_or_else(|| StoreError::Damaged { column: "key", id: "1".to_owned() })
}

impl Store {
    /// A text that [`unseal`](Self::unseal) turns back into the body, in any process on this store, until its time is over. What
    /// the body says cannot be read from it.
    ///
    /// # Errors
    /// Any [`StoreError`]: the time is the store's own.
    pub async fn seal(&self, body: &[u8], lifetime: Duration) -> Result<String, StoreError> {
        let ends = self.inner.database.now().await?.saturating_add(millis(lifetime));
        let plain = [&ends.to_be_bytes()[..], body].concat();
        Ok(URL_SAFE_NO_PAD.encode(self.inner.sealer.seal(&plain, b"")))
    }

    /// The body of a sealed text.
    ///
    /// # Errors
    /// [`SealError`] says whether it was forged, or is too old.
    pub async fn unseal(&self, text: &str) -> Result<Vec<u8>, SealError> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| SealError::Forged)?;
        let plain = self.inner.sealer.open(&bytes, b"").ok_or(SealError::Forged)?;
        let (ends, body) = plain.split_first_chunk::<MOMENT_BYTES>().ok_or(SealError::Forged)?;
        if self.inner.database.now().await? >= u64::from_be_bytes(*ends) {
            return Err(SealError::Expired);
        }
        Ok(body.to_vec())
    }
}
