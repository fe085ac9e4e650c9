//! The bytes of uploaded components, by their digest, in parts: each request to the database stays small, and none holds
//! up the others for long.

use std::time::Duration;

use super::Components;
use crate::id::Digest;
use crate::store::clock::{column, millis, now_unix_ms};
use crate::store::{StoreError, within};

/// How much one request carries.
const PART: usize = 1 << 20;
/// How long bytes that no component has stay: whoever brings them names them as their own within that time.
const UNNAMED: Duration = Duration::from_secs(3_600);

impl Components {
    /// Keeps bytes under their digest. They stay for an hour, and for as long as a component has them.
    ///
    /// # Errors
    /// Any [`StoreError`]; a part of them may be kept then, which harms nobody.
    pub async fn keep_bytes(&self, bytes: &[u8]) -> Result<(), StoreError> {
        let digest = Digest::of(bytes).to_string();
        for (part, piece) in (0_i64..).zip(bytes.chunks(PART)) {
            let row = sqlx::query(
                "INSERT INTO component_parts (digest, part, bytes, kept_unix_ms) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (digest, part) DO UPDATE SET bytes = excluded.bytes, kept_unix_ms = excluded.kept_unix_ms",
            )
            .bind(digest.clone())
            .bind(part)
            .bind(piece.to_vec())
            .bind(column(now_unix_ms()));
            self.store.inner.database.write("keep a part of a component", row).await?;
        }
        Ok(())
    }

    /// The bytes of that digest; none if they are not there, or not as they were kept. No more than `most` bytes are read.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn bytes(&self, digest: &Digest, most: usize) -> Result<Option<Vec<u8>>, StoreError> {
        const WHAT: &str = "read a part of a component";
        let mut bytes: Vec<u8> = Vec::new();
        for part in 0_i64.. {
            let piece: Option<Vec<u8>> = within(WHAT, async {
                sqlx::query_scalar("SELECT bytes FROM component_parts WHERE digest = $1 AND part = $2")
                    .bind(digest.to_string())
                    .bind(part)
                    .fetch_optional(&self.store.inner.database.reads)
                    .await
                    .map_err(|source| StoreError::query(WHAT, source))
            })
            .await?;
            match piece {
                Some(piece) if bytes.len() + piece.len() <= most => bytes.extend(piece),
                Some(_) => return Ok(None),
                None => break,
            }
        }
        Ok(Some(bytes).filter(|bytes| Digest::of(bytes) == *digest))
    }

    /// Removes bytes that no component has any more. Gives the number of parts.
    pub(in crate::store) async fn prune_bytes(&self) -> Result<u64, StoreError> {
        let before = now_unix_ms().saturating_sub(millis(UNNAMED));
        let gone = sqlx::query(
            "DELETE FROM component_parts WHERE kept_unix_ms < $1 AND digest NOT IN (SELECT accepted_digest FROM components \
             WHERE accepted_digest IS NOT NULL) AND digest NOT IN (SELECT waiting_digest FROM components \
             WHERE waiting_digest IS NOT NULL)",
        );
        self.store.inner.database.write("remove old bytes of components", gone.bind(column(before))).await
    }
}
