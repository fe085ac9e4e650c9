//! Names and ids. Each is parsed once, at the edge, into a type that cannot be wrong, and shown back as it was.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

/// Why a text is not a name of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} {text:?} is not valid: {rule}")]
pub struct IdError {
    what: &'static str,
    text: String,
    rule: &'static str,
}

impl IdError {
    fn new(what: &'static str, text: &str, rule: &'static str) -> Self {
        Self { what, text: text.chars().take(80).collect(), rule }
    }
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $what:literal, $rule:literal, $valid:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The text itself.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                let valid: fn(&str) -> bool = $valid;
                if valid(text) { Ok(Self(text.into())) } else { Err(IdError::new($what, text, $rule)) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }
    };
}

text_id!(
    /// A tool's name: `[A-Za-z_][A-Za-z0-9_-]{0,47}`.
    ToolName,
    "the tool name",
    "it must match [A-Za-z_][A-Za-z0-9_-]{0,47}",
    |t| word(t, 48) && !t.starts_with(|c: char| c == '-' || c.is_ascii_digit())
);
text_id!(
    /// The isolation and billing unit: `[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}`.
    TenantId,
    "the tenant id",
    "it must match [A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}",
    |t| !t.is_empty() && t.len() <= 64 && !t.starts_with('.') && t.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
);
text_id!(
    /// The person or program behind a call: 1 to 128 printable characters.
    UserId,
    "the user id",
    "it must have 1 to 128 printable characters",
    |t| printable(t, 128)
);
text_id!(
    /// One request to run a tool. The host makes it; 26 characters, sortable by time.
    CallId,
    "the call id",
    "it must have 1 to 64 printable ASCII characters",
    |t| printable(t, 64) && t.is_ascii()
);
text_id!(
    /// What a group of calls belongs to: 1 to 128 printable characters.
    RunId,
    "the run id",
    "it must have 1 to 128 printable characters",
    |t| printable(t, 128)
);
text_id!(
    /// The caller's name for "the same call again": 1 to 256 printable characters.
    IdempotencyKey,
    "the idempotency key",
    "it must have 1 to 256 printable characters",
    |t| printable(t, 256)
);
text_id!(
    /// One question to a reviewer. The host makes it.
    ApprovalId,
    "the approval id",
    "it must have 1 to 64 printable ASCII characters",
    |t| printable(t, 64) && t.is_ascii()
);
text_id!(
    /// A pool of executions: `[A-Za-z_][A-Za-z0-9_-]{0,47}`.
    PoolName,
    "the pool name",
    "it must match [A-Za-z_][A-Za-z0-9_-]{0,47}",
    |t| word(t, 48) && !t.starts_with(|c: char| c == '-' || c.is_ascii_digit())
);

text_id!(
    /// A secret's name: `[A-Za-z_][A-Za-z0-9_-]{0,47}`.
    SecretName,
    "the name of a secret",
    "it must match [A-Za-z_][A-Za-z0-9_-]{0,47}",
    |t| word(t, 48) && !t.starts_with(|c: char| c == '-' || c.is_ascii_digit())
);

text_id!(
    /// A key that the store keeps a digest of: 16 digits of Crockford's base 32, a part of the key.
    KeyId,
    "the key id",
    "it must have 16 digits of 0-9 and A-Z without I, L, O and U",
    |t| t.len() == 16 && t.bytes().all(|b| ALPHABET.contains(&b))
);

impl KeyId {
    /// A new id that cannot be guessed.
    #[must_use]
    pub fn fresh() -> Self {
        Self(random_digits(16).as_str().into())
    }
}

text_id!(
    /// The name of an uploaded component: `[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}`.
    ComponentName,
    "the component name",
    "it must match [A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}",
    |t| !t.is_empty() && t.len() <= 64 && !t.starts_with('.') && t.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
);

impl CallId {
    /// A new id, later in order than all that this process made in an earlier millisecond.
    #[must_use]
    pub fn fresh() -> Self {
        Self(fresh_text().as_str().into())
    }
}

impl ApprovalId {
    /// A new id that cannot be guessed.
    #[must_use]
    pub fn fresh() -> Self {
        Self(format!("apr_{}", fresh_text()).as_str().into())
    }
}

impl RunId {
    /// The run of a request that names none: the request itself.
    #[must_use]
    pub fn of_call(call: &CallId) -> Self {
        Self(call.0.clone())
    }
}

/// The SHA-256 of a component's bytes: the identity of its code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest in lower-case hexadecimal, without a prefix.
    #[must_use]
    pub fn hex(&self) -> String {
        hex(&self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let fault =
            || IdError::new("the digest", text, "it must be sha256: and 64 lower-case hexadecimal digits");
        let hex = text.strip_prefix("sha256:").ok_or_else(fault)?;
        if hex.len() != 64 || !hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) {
            return Err(fault());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| fault())?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| fault())?;
        }
        Ok(Self(bytes))
    }
}

/// Bytes in lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn word(text: &str, longest: usize) -> bool {
    !text.is_empty()
        && text.len() <= longest
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn printable(text: &str, longest: usize) -> bool {
    let mut count = 0;
    text.chars().all(|c| {
        count += 1;
        !c.is_control()
    }) && (1..=longest).contains(&count)
}

/// Whether two texts are the same. How long it takes tells their lengths and nothing else.
pub(crate) fn same(one: &str, other: &str) -> bool {
    let differing = one.bytes().zip(other.bytes()).fold(0, |differing, (a, b)| differing | (a ^ b));
    one.len() == other.len() && std::hint::black_box(differing) == 0
}

/// The digits of Crockford's base 32.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The digit that the lowest five bits stand for.
pub(crate) fn digit(bits: u8) -> char {
    ALPHABET.get(usize::from(bits & 31)).map_or('0', |byte| char::from(*byte))
}

/// So many random digits, of five bits each.
pub(crate) fn random_digits(count: usize) -> String {
    (0..count).map(|_| digit(rand::random::<u8>())).collect()
}

/// 48 bits of milliseconds and 80 random bits in Crockford's base 32, as ULID writes them.
fn fresh_text() -> String {
    let millis = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
    let random = u128::from(rand::random::<u64>()) << 64 | u128::from(rand::random::<u64>());
    let bits = u128::from(millis) << 80 | (random & ((1 << 80) - 1));
    let mut text = String::with_capacity(26);
    for place in (0..26).rev() {
        text.push(digit(u8::try_from((bits >> (place * 5)) & 31).unwrap_or(0)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_names_follow_the_contract() {
        for good in ["a", "_", "multiply", "find-orders", "A9_-", &"x".repeat(48)] {
            assert_eq!(good.parse::<ToolName>().map(|n| n.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "9a", "-a", "a.b", "a b", "ä", &"x".repeat(49)] {
            assert!(bad.parse::<ToolName>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_digest_is_shown_as_it_is_parsed() {
        let digest = Digest::of(b"abc");
        assert_eq!(
            digest.to_string(),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert!("sha256:BA".parse::<Digest>().is_err());
    }

    #[test]
    fn fresh_ids_differ_and_sort_by_time() {
        let one = CallId::fresh();
        std::thread::sleep(std::time::Duration::from_millis(2));
        let two = CallId::fresh();
        assert!(one < two);
        assert_eq!(one.as_str().len(), 26);
    }

    #[test]
    fn ids_refuse_control_characters_and_excess() {
        assert!("a\nb".parse::<UserId>().is_err());
        assert!("x".repeat(129).parse::<UserId>().is_err());
        assert!("x".repeat(257).parse::<IdempotencyKey>().is_err());
        assert!("a/b".parse::<TenantId>().is_err());
    }
}
