//! The one way out for text that a guest wrote: valid, without control characters, and no longer than the limit.

use unicode_segmentation::GraphemeCursor;

/// What a cut text ends with; `{}` is the number of characters that were left out.
const TRUNCATION_NOTICE: &str =
    "...[truncated: {} more characters were omitted. Narrow the query or request a specific section.]";

/// A text that is no longer than it may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truncated {
    /// The text, with the notice if it was cut.
    pub text: String,
    /// How many characters were left out.
    pub omitted: usize,
}

/// Cuts a text to a number of characters (Unicode scalar values), at a grapheme boundary (UAX 29).
///
/// The notice comes on top of the limit: a model that reads a cut text must be told so whatever the limit is.
#[must_use]
pub fn truncate(text: &str, limit: usize) -> Truncated {
    truncate_before(text, limit, 0)
}

/// The same for a text after which others were left out whole, with so many characters.
#[must_use]
pub fn truncate_before(text: &str, limit: usize, after: usize) -> Truncated {
    // A text has at least as many bytes as characters, so that most texts are never counted.
    let cut = if text.len() <= limit { None } else { text.char_indices().nth(limit).map(|(at, _)| at) };
    if cut.is_none() && after == 0 {
        return Truncated { text: text.to_owned(), omitted: 0 };
    }
    let boundary = cut.map_or(text.len(), |cut| grapheme_floor(text, cut));
    let (kept, rest) = text.split_at(boundary);
    let omitted = rest.chars().count() + after;
    let notice = TRUNCATION_NOTICE.replacen("{}", &omitted.to_string(), 1);
    Truncated { text: format!("{kept}{notice}"), omitted }
}

/// Removes what a text may carry against its readers: C0 and C1 controls but tab and newline, bidirectional controls,
/// invisible characters, what is no character at all, and the tag block that hides text from people. The joiners and
/// variants that scripts and emoji need stay.
#[must_use]
pub fn clean(text: String) -> String {
    if is_clean(&text) { text } else { text.chars().filter(|c| allowed(*c)).collect() }
}

/// Whether [`clean`] would leave a text as it is.
#[must_use]
pub fn is_clean(text: &str) -> bool {
    // Most texts are printable ASCII, which is told by bytes many times faster.
    let plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n');
    text.bytes().all(plain) || text.chars().all(allowed)
}

/// Removes the same from the strings of a JSON text, where they may also be written as escapes. Everything else, each
/// digit included, stays as it was.
#[must_use]
pub fn clean_json(text: String) -> String {
    if !text.contains('\\') && is_clean(&text) {
        return text;
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let (length, keep) = match escape(rest) {
            Some((escaped, length)) => (length, allowed(escaped)),
            // An escape of another kind, such as that of a quote, is kept as a pair.
            None if c == '\\' => (1 + rest.chars().nth(1).map_or(0, char::len_utf8), true),
            // White space between the values of a JSON text may be a carriage return.
            None => (c.len_utf8(), c == '\r' || allowed(c)),
        };
        let (this, after) = rest.split_at(length);
        if keep {
            cleaned.push_str(this);
        }
        rest = after;
    }
    cleaned
}

/// The character that an escape at the beginning stands for, and the escape's length. A surrogate pair is one. What stands
/// for itself, such as a quote, is none.
fn escape(text: &str) -> Option<(char, usize)> {
    match text.as_bytes() {
        [b'\\', b'b', ..] => return Some(('\u{8}', 2)),
        [b'\\', b'f', ..] => return Some(('\u{c}', 2)),
        [b'\\', b'r', ..] => return Some(('\r', 2)),
        _ => {}
    }
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let first = unit(0)?;
    if let Some(c) = char::from_u32(first.into()) {
        return Some((c, 6));
    }
    let c = char::decode_utf16([first, unit(6)?]).next()?.ok()?;
    Some((c, 12))
}

fn allowed(c: char) -> bool {
    match c {
        '\t' | '\n' => true,
        '\u{AD}'
        | '\u{34F}'
        | '\u{061C}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{180E}'
        | '\u{200B}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FDD0}'..='\u{FDEF}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}' => false,
        // The last two places of each plane are no characters.
        _ => !c.is_control() && u32::from(c) & 0xFFFE != 0xFFFE,
    }
}

/// The last grapheme boundary at or before a character boundary.
fn grapheme_floor(text: &str, cut: usize) -> usize {
    let mut cursor = GraphemeCursor::new(cut, text.len(), true);
    // With the whole text at hand the cursor never asks for more, so that neither can fail.
    match cursor.is_boundary(text, 0) {
        Ok(true) => cut,
        _ => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests;
