//! The part of a text that answers a query best.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::words::{Word, words};

/// The passage of at most `max_chars` characters that has the most different words of the query. It begins and ends
/// between words where it can, and never inside a character that is built of several.
pub(super) fn best<'t>(text: &'t str, query: &BTreeSet<String>, max_chars: usize) -> &'t str {
    let found: Vec<Word> = words(text).into_iter().filter(|word| query.contains(&word.text)).collect();
    let start = match densest(text, &found, max_chars) {
        Some(first) => lead_in(text, first, max_chars),
        None => 0,
    };
    let rest = text.get(start..).unwrap_or(text);
    cut(rest, max_chars).trim()
}

/// Where the richest stretch begins: the first that has the most different words.
fn densest(text: &str, found: &[Word], max_chars: usize) -> Option<usize> {
    let mut best: Option<(usize, usize)> = None;
    let mut window: VecDeque<&Word> = VecDeque::new();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for word in found {
        window.push_back(word);
        *times.entry(&word.text).or_insert(0) += 1;
        while let Some(first) =
            window.front().copied().filter(|first| !fits(text, first.start, word.end, max_chars))
        {
            window.pop_front();
            if let Some(left) = times.get_mut(first.text.as_str()) {
                *left -= 1;
                if *left == 0 {
                    times.remove(first.text.as_str());
                }
            }
        }
        if let Some(first) = window.front().filter(|_| best.is_none_or(|(richest, _)| times.len() > richest))
        {
            best = Some((times.len(), first.start));
        }
    }
    best.map(|(_, start)| start)
}

/// Whether a stretch has at most `max_chars` characters.
fn fits(text: &str, start: usize, end: usize, max_chars: usize) -> bool {
    // Bytes are never fewer than characters, which spares most of the counting.
    end - start <= max_chars || text.get(start..end).is_some_and(|span| span.chars().count() <= max_chars)
}

/// Goes back from a word to where its sentence or line begins, by at most a quarter of the passage.
fn lead_in(text: &str, word: usize, max_chars: usize) -> usize {
    let before = text.get(..word).unwrap_or("");
    let mut start = word;
    let mut space = word;
    for (at, each) in before.char_indices().rev().take(max_chars / 4) {
        if matches!(each, '\n' | '.' | '!' | '?' | '。') {
            return start;
        }
        if each.is_whitespace() {
            space = start;
        }
        start = at;
    }
    // The sentence begins too far back: begin between two words. The very start of the text is one as well.
    if start == 0 { 0 } else { space }
}

/// At most `max_chars` characters from the start of a text.
fn cut(text: &str, max_chars: usize) -> &str {
    let Some((mut end, _)) = text.char_indices().nth(max_chars) else { return text };
    let whole = text.get(..end).unwrap_or(text);
    // A word that would be cut in two is left out, unless it is most of the passage.
    let in_word = text.get(end..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    if let Some(space) = whole.rfind(char::is_whitespace).filter(|space| in_word && *space > end / 2) {
        return text.get(..space).unwrap_or(whole);
    }
    // Marks belong to the character before them, and a joiner to the one after it.
    while let Some(rest) = text.get(end..) {
        let joined =
            rest.starts_with(is_mark) || text.get(..end).is_some_and(|head| head.ends_with('\u{200D}'));
        match text.get(..end).and_then(|head| head.char_indices().next_back()) {
            Some((last, _)) if joined => end = last,
            _ => break,
        }
    }
    text.get(..end).unwrap_or(whole)
}

/// Characters that change the one before them: combining marks, variation selectors, joiners and skin tones.
fn is_mark(each: char) -> bool {
    matches!(
        each,
        '\u{0300}'..='\u{036F}'
            | '\u{1AB0}'..='\u{1AFF}'
            | '\u{1DC0}'..='\u{1DFF}'
            | '\u{200D}'
            | '\u{20D0}'..='\u{20FF}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FE20}'..='\u{FE2F}'
            | '\u{1F3FB}'..='\u{1F3FF}'
    )
}
