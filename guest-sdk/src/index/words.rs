//! Texts as words: runs of letters and digits in lower case, and each character of scripts without spaces.

/// One word and where it stands in its text, in bytes.
pub(super) struct Word {
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

pub(super) fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    // Whether the last word goes on with the next letter.
    let mut open = false;
    for (start, each) in text.char_indices() {
        let end = start + each.len_utf8();
        if !each.is_alphanumeric() {
            // An apostrophe or a soft hyphen inside a word would split it in two; they end it all the same, because
            // the query is cut by the same rule.
            open = false;
            continue;
        }
        let alone = has_no_spaces(each);
        match words.last_mut() {
            Some(word) if open && !alone => {
                word.text.extend(each.to_lowercase());
                word.end = end;
            }
            _ => words.push(Word { text: each.to_lowercase().collect(), start, end }),
        }
        open = !alone;
    }
    words
}

/// Characters of scripts that are written without spaces: kana, Han and Hangul.
fn has_no_spaces(each: char) -> bool {
    matches!(each, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{20000}'..='\u{3FFFF}')
}
