//! The one way out for text that a guest wrote: valid, without control characters, and no longer than the limit.

use unicode_segmentation::UnicodeSegmentation as _;

/// What a cut text ends with; `{}` is the number of characters that were left out.
pub const TRUNCATION_NOTICE: &str =
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
    // A text has at least as many bytes as characters, so that most texts are never counted.
    if text.len() <= limit {
        return Truncated { text: text.to_owned(), omitted: 0 };
    }
    let Some((cut, _)) = text.char_indices().nth(limit) else {
        return Truncated { text: text.to_owned(), omitted: 0 };
    };
    let boundary = grapheme_floor(text, cut);
    let (kept, rest) = text.split_at(boundary);
    let omitted = rest.chars().count();
    let notice = TRUNCATION_NOTICE.replacen("{}", &omitted.to_string(), 1);
    Truncated { text: format!("{kept}{notice}"), omitted }
}

/// Removes what a text may carry against its readers: C0 and C1 controls but tab and newline, bidirectional
/// controls, and the tag block that hides text from people.
#[must_use]
pub fn clean(text: String) -> String {
    if text.chars().all(allowed) { text } else { text.chars().filter(|c| allowed(*c)).collect() }
}

fn allowed(c: char) -> bool {
    match c {
        '\t' | '\n' => true,
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{E0000}'..='\u{E007F}' => false,
        _ => !c.is_control(),
    }
}

/// The last grapheme boundary at or before a character boundary. Only a window before the cut is looked at, since
/// a grapheme may be as long as its author likes.
fn grapheme_floor(text: &str, cut: usize) -> usize {
    const WINDOW: usize = 256;
    let mut start = cut.saturating_sub(WINDOW);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let mut end = (cut + WINDOW).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let Some(window) = text.get(start..end) else { return cut };
    let floor = window
        .grapheme_indices(true)
        .map(|(at, _)| start + at)
        .take_while(|at| *at <= cut)
        .last()
        .unwrap_or(cut);
    // A grapheme longer than the window is cut inside, at a character: there is no better place nearby.
    if floor == start && start != 0 { cut } else { floor }
}
