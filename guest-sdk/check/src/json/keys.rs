//! The keys of the objects that are open during a scan.
//!
//! It owns the search for duplicates. Small objects are compared pairwise, which is faster than hashing; beyond
//! [`PAIRWISE_KEYS`] a randomly seeded set takes over, so that an object with 100,000 keys stays linear.

use std::borrow::Cow;
use std::collections::HashSet;

/// The number of keys up to which comparing each with each is cheaper than a set.
const PAIRWISE_KEYS: usize = 12;

/// A stack of open objects and their keys, unescaped.
#[derive(Debug, Default)]
pub(super) struct OpenObjects<'t> {
    keys: Vec<Cow<'t, [u8]>>,
    objects: Vec<OpenObject<'t>>,
}

#[derive(Debug)]
struct OpenObject<'t> {
    first_key: usize,
    set: Option<HashSet<Cow<'t, [u8]>>>,
}

impl<'t> OpenObjects<'t> {
    pub(super) fn open(&mut self) {
        self.objects.push(OpenObject { first_key: self.keys.len(), set: None });
    }

    pub(super) fn close(&mut self) {
        if let Some(object) = self.objects.pop() {
            self.keys.truncate(object.first_key);
        }
    }

    /// Adds a key to the innermost object. `false` means that the object has it already.
    pub(super) fn add(&mut self, key: Cow<'t, [u8]>) -> bool {
        let Some(object) = self.objects.last_mut() else { return true };
        if let Some(set) = &mut object.set {
            return set.insert(key);
        }
        let own = self.keys.get(object.first_key..).unwrap_or_default();
        if own.contains(&key) {
            return false;
        }
        if own.len() < PAIRWISE_KEYS {
            self.keys.push(key);
        } else {
            let mut set: HashSet<_> = self.keys.drain(object.first_key..).collect();
            set.insert(key);
            object.set = Some(set);
        }
        true
    }
}

/// The bytes of a key after its escapes are resolved; `raw` stands between the quotes and has valid escapes.
///
/// Half a surrogate pair becomes the three bytes that WTF-8 gives it, so that it can be compared at all.
pub(super) fn unescape(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some((&escape, tail)) = rest.split_first() else { break };
        rest = tail;
        match escape {
            b'b' => out.push(0x08),
            b'f' => out.push(0x0C),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let mut unit = rest.get(..4).and_then(hex4).unwrap_or(0);
                rest = rest.get(4..).unwrap_or_default();
                if (0xD800..0xDC00).contains(&unit)
                    && let Some(low) = rest.strip_prefix(b"\\u").and_then(|low| low.get(..4)).and_then(hex4)
                    && (0xDC00..0xE000).contains(&low)
                {
                    unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                    rest = rest.get(6..).unwrap_or_default();
                }
                push_code_point(&mut out, unit);
            }
            other => out.push(other),
        }
    }
    out
}

/// The value of four hexadecimal digits.
pub(super) fn hex4(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |unit, &digit| Some(unit * 16 + char::from(digit).to_digit(16)?))
}

fn push_code_point(out: &mut Vec<u8>, code_point: u32) {
    if let Some(character) = char::from_u32(code_point) {
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        let [_, _, high, low] = code_point.to_be_bytes();
        out.extend_from_slice(&[
            0xE0 | (high >> 4),
            0x80 | ((high & 0x0F) << 2) | (low >> 6),
            0x80 | (low & 0x3F),
        ]);
    }
}
