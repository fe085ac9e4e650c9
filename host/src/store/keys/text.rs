//! How a key is written: `thk_`, its id, `_`, 52 random digits, and 6 digits of a checksum, as in
//! `thk_[0-9A-HJKMNP-TV-Z]{16}_[0-9A-HJKMNP-TV-Z]{58}`.
//!
//! Whoever looks for leaked keys finds them by the beginning and the length. The checksum tells a key from what merely looks
//! like one, and a mistyped one from an unknown one, without a look into the database.

use sha2::{Digest as _, Sha256};

use crate::id::{KeyId, digit, hex, random_digits};
use crate::spec::Secret;

/// What every key begins with.
pub const KEY_PREFIX: &str = "thk_";

/// 260 random bits.
const SECRET_DIGITS: usize = 52;
const CHECKSUM_DIGITS: usize = 6;

/// A fresh key with that id.
pub(super) fn fresh(id: &KeyId) -> Secret {
    let body = format!("{KEY_PREFIX}{id}_{}", random_digits(SECRET_DIGITS));
    let checksum = checksum(&body);
    Secret::new(body + &checksum)
}

/// The id in a key; none if the text is no key.
pub(super) fn id(text: &str) -> Option<KeyId> {
    let (body, end) = text.split_at_checked(text.len().checked_sub(CHECKSUM_DIGITS)?)?;
    let (id, secret) = body.strip_prefix(KEY_PREFIX)?.split_once('_')?;
    (secret.len() == SECRET_DIGITS && checksum(body) == end).then(|| id.parse().ok())?
}

/// What is kept of a key. It is a random number of 260 bits, which nobody finds by trying, so that a slow hash would
/// protect nothing and cost each request.
pub(super) fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn checksum(body: &str) -> String {
    Sha256::digest(body.as_bytes()).iter().take(CHECKSUM_DIGITS).map(|byte| digit(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_told_from_what_looks_like_one() {
        let own: KeyId = KeyId::fresh();
        let key = fresh(&own);
        let text = key.expose();
        assert_eq!((text.len(), id(text)), (79, Some(own)));
        assert_ne!(text, fresh(&id(text).unwrap()).expose());
        let mut changed = text.to_owned();
        let other = if text.as_bytes()[40] == b'A' { "B" } else { "A" };
        changed.replace_range(40..41, other);
        for wrong in [
            changed.as_str(),
            &text[1..],
            &text[..78],
            &text.to_lowercase(),
            "thk_",
            "",
            "ä",
            &format!("{text}0"),
        ] {
            assert_eq!(id(wrong), None, "{wrong}");
        }
    }
}
