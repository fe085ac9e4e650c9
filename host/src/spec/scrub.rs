//! Takes known secrets out of what passes by, in the forms in which a peer or a guest may give them back.
//!
//! Exact values are looked for, never words: a text about "secretaries" stays as it is. A form that is not listed here,
//! such as a value in reverse, is not found; no list could be complete.

use std::borrow::Cow;
use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::{Secret, clean, is_clean};
use crate::id::hex;

/// What stands in the place of a secret.
const PLACE: &[u8] = b"[secret]";

/// A form shorter than this would be found in texts that have nothing to do with it.
const SHORTEST: usize = 6;

/// Finds a set of secrets: as they are, in JSON, in URLs and forms, in Base64 at any offset, and in hexadecimal.
#[derive(Debug, Clone)]
pub struct Scrubber {
    find: AhoCorasick,
    longest: usize,
}

impl Scrubber {
    /// A scrubber for these secrets; none if there is nothing to look for.
    #[must_use]
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Option<Self> {
        let secrets = secrets.into_iter().filter(|secret| secret.expose().len() >= SHORTEST);
        let forms: BTreeSet<Vec<u8>> =
            secrets.flat_map(forms).filter(|form| form.len() >= SHORTEST).collect();
        let longest = forms.iter().map(Vec::len).max()?;
        // It fails only for patterns of gigabytes together.
        let find = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            // The other kinds are faster, and take megabytes for a long value.
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&forms)
            .ok()?;
        Some(Self { find, longest })
    }

    /// A text without the secrets.
    #[must_use]
    pub fn text(&self, text: String) -> String {
        // An invisible character in the middle would hide it here, and be taken out later.
        let text =
            if is_clean(&text) || !self.find.is_match(&clean(text.clone())) { text } else { clean(text) };
        match self.bytes(text.as_bytes()) {
            Cow::Borrowed(_) => text,
            // Whole forms are taken out, each of which is UTF-8, and so is what is left.
            Cow::Owned(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    /// Bytes without the secrets.
    #[must_use]
    pub fn bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if !self.find.is_match(bytes) {
            return Cow::Borrowed(bytes);
        }
        let mut stream = ScrubStream::default();
        let mut clean = stream.push(self, bytes);
        clean.extend(stream.finish(self));
        Cow::Owned(clean)
    }
}

/// What of a stream has not been passed on: the beginning of a secret may stand at its end.
#[derive(Debug, Clone, Default)]
pub struct ScrubStream {
    held: Vec<u8>,
    /// How much of it came since it was last looked through.
    fresh: usize,
}

impl ScrubStream {
    /// Takes a piece of the stream, and gives what can be passed on. Small pieces are gathered until they are as long as the
    /// longest form of a secret, so that a stream of single bytes is not looked through again for each.
    #[must_use]
    pub fn push(&mut self, scrubber: &Scrubber, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        self.fresh += piece.len();
        if self.fresh < scrubber.longest { Vec::new() } else { self.pause(scrubber) }
    }

    /// Gives what can be passed on while no further piece is there: all but fewer bytes than the longest form of a secret
    /// has.
    #[must_use]
    pub fn pause(&mut self, scrubber: &Scrubber) -> Vec<u8> {
        if std::mem::take(&mut self.fresh) == 0 {
            return Vec::new();
        }
        // Whatever begins before this place is whole.
        let decided = self.held.len().saturating_sub(scrubber.longest - 1);
        self.pass(scrubber, decided)
    }

    /// The end of the stream.
    #[must_use]
    pub fn finish(&mut self, scrubber: &Scrubber) -> Vec<u8> {
        self.pass(scrubber, self.held.len())
    }

    fn pass(&mut self, scrubber: &Scrubber, decided: usize) -> Vec<u8> {
        let mut clean = Vec::with_capacity(decided);
        let mut at = 0;
        for found in scrubber.find.find_iter(&self.held) {
            if found.start() >= decided {
                break;
            }
            clean.extend_from_slice(self.held.get(at..found.start()).unwrap_or_default());
            clean.extend_from_slice(PLACE);
            at = found.end();
        }
        let until = at.max(decided);
        clean.extend_from_slice(self.held.get(at..until).unwrap_or_default());
        self.held.drain(..until.min(self.held.len()));
        clean
    }
}

fn forms(secret: &Secret) -> Vec<Vec<u8>> {
    let value = secret.expose();
    let bytes = value.as_bytes();
    let escaped = json(value, false);
    let mut forms = vec![
        bytes.to_vec(),
        escaped.clone().into_bytes(),
        json(&escaped, false).into_bytes(),
        escaped.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e").into_bytes(),
        json(value, true).into_bytes(),
        json(value, true).replace('/', "\\/").into_bytes(),
        entities(value, "&#39;").into_bytes(),
        entities(value, "&#x27;").into_bytes(),
        hex(bytes).into_bytes(),
        hex(bytes).to_ascii_uppercase().into_bytes(),
    ];
    for kept in KEPT {
        forms.push(percent(bytes, kept, false, false).into_bytes());
        forms.push(percent(bytes, kept, true, false).into_bytes());
        forms.push(percent(bytes, kept, false, true).into_bytes());
    }
    for offset in 0..3 {
        // What stands before the value shifts it, and shares its first character, and the last one with what follows.
        let shifted = [&[0; 3][..offset], bytes].concat();
        let (first, end) = ((offset * 8).div_ceil(6), shifted.len() * 8 / 6);
        for text in [STANDARD_NO_PAD.encode(&shifted), URL_SAFE_NO_PAD.encode(&shifted)] {
            forms.push(text.get(first..end).unwrap_or_default().as_bytes().to_vec());
        }
    }
    forms
}

/// The inside of a JSON string (RFC 8259), with escapes where they are needed, or for all but ASCII too.
fn json(value: &str, ascii: bool) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    let inside = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    if !ascii {
        return inside.to_owned();
    }
    let mut escaped = String::with_capacity(inside.len());
    for c in inside.chars() {
        match c.is_ascii() {
            true => escaped.push(c),
            false => c
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    escaped
}

/// What percent-encoders leave as it is beside letters and digits: RFC 3986's unreserved characters, those and the path's
/// separator, what scripts in browsers leave, what forms leave.
const KEPT: [&str; 4] = ["-._~", "-._~/", "-._~!'()*", "-._*"];

/// Percent-encoding of all but some characters, with a + for a blank where forms have it.
fn percent(bytes: &[u8], kept: &str, lower: bool, form: bool) -> String {
    let mut text = String::with_capacity(bytes.len() * 3);
    for byte in bytes {
        match byte {
            b' ' if form => text.push('+'),
            byte if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(byte) => {
                text.push(char::from(*byte));
            }
            byte if lower => text.push_str(&format!("%{byte:02x}")),
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// As HTML has it, where an apostrophe is written in one of two ways.
fn entities(value: &str, apostrophe: &str) -> String {
    let escaped =
        value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    escaped.replace('\'', apostrophe)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECRET: &str = "Zc9/+q \"ö\\7&k=T_x~pL";

    fn scrubber() -> Scrubber {
        Scrubber::new([&Secret::new(SECRET.to_owned())]).unwrap()
    }

    /// The forms that a peer may answer with, made by other means than the scrubber's own.
    fn given_back() -> Vec<String> {
        use base64::engine::general_purpose::{STANDARD, URL_SAFE};
        let mut given = vec![
            SECRET.to_owned(),
            serde_json::to_string(SECRET).unwrap(),
            "Zc9/+q \\\"\\u00f6\\\\7&k=T_x~pL".to_owned(),
            "Zc9\\/+q \\\"\\u00f6\\\\7&k=T_x~pL".to_owned(),
            "Zc9%2F%2Bq%20%22%C3%B6%5C7%26k%3DT_x~pL".to_owned(),
            "Zc9%2f%2bq%20%22%c3%b6%5c7%26k%3dT_x~pL".to_owned(),
            "Zc9%2F%2Bq+%22%C3%B6%5C7%26k%3DT_x~pL".to_owned(),
            "Zc9%2F%2Bq+%22%C3%B6%5C7%26k%3DT_x%7EpL".to_owned(),
            "Zc9/%2Bq%20%22%C3%B6%5C7%26k%3DT_x~pL".to_owned(),
            "Zc9/+q \\\"ö\\\\7\\u0026k=T_x~pL".to_owned(),
            "Zc9/+q &quot;ö\\7&amp;k=T_x~pL".to_owned(),
            hex(SECRET.as_bytes()),
        ];
        for around in [("", ""), ("u:", ""), ("user:", "x"), ("Bearer ", "yy"), ("a", "zzz")] {
            let text = format!("{}{SECRET}{}", around.0, around.1);
            given.push(STANDARD.encode(&text));
            given.push(URL_SAFE.encode(&text));
        }
        given
    }

    #[test]
    fn a_secret_is_found_in_every_form() {
        for given in given_back() {
            let cleaned = scrubber().text(format!("before {given} after"));
            assert!(cleaned.starts_with("before ") && cleaned.ends_with(" after"), "{cleaned}");
            assert!(cleaned.contains("[secret]"), "{given}");
            // Of the Base64 only characters that other text decides as well are left.
            assert!(cleaned.len() < "before [secret] after".len() + 16, "{given}: {cleaned}");
        }
    }

    #[test]
    fn what_only_looks_like_one_stays() {
        let scrubber = Scrubber::new([&Secret::new("secret-4711".to_owned())]).unwrap();
        let text = "The secretary keeps secret-471 and secret_4711, SECRET-4711.";
        assert_eq!(scrubber.text(text.to_owned()), text);
        assert!(Scrubber::new([&Secret::new("short".to_owned())]).is_none());
        assert!(Scrubber::new([]).is_none());
    }

    proptest! {
        #[test]
        fn pieces_do_not_hide_it(cuts in proptest::collection::vec(0_usize..60, 0..12), form in 0_usize..22, around in "[a-z ]{0,9}") {
            let scrubber = scrubber();
            let text = format!("{around}{}{around}", given_back()[form]);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|at| at.min(text.len())).chain([0, text.len()]).collect();
            cuts.sort_unstable();
            let mut stream = ScrubStream::default();
            let mut cleaned = Vec::new();
            for pair in cuts.windows(2) {
                cleaned.extend(stream.push(&scrubber, &text.as_bytes()[pair[0]..pair[1]]));
                if pair[0] % 2 == 0 {
                    cleaned.extend(stream.pause(&scrubber));
                }
            }
            cleaned.extend(stream.finish(&scrubber));
            prop_assert_eq!(String::from_utf8(cleaned).unwrap(), scrubber.text(text));
        }
    }
}
