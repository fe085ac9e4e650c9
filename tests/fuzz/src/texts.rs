//! What a guest says, on its way out: cut at a character that people see, and without what they do not see.

use toolhost::spec::{clean, clean_json, is_clean, truncate};

/// Tries one input.
pub fn run(data: &[u8]) {
    let Some((limit, text)) = data.split_first() else { return };
    let (text, limit) = (String::from_utf8_lossy(text), usize::from(*limit) * 4);
    let text = text.as_ref();
    let cleaned = clean(text.to_owned());
    assert!(is_clean(&cleaned), "{cleaned:?}");
    assert_eq!(clean(cleaned.clone()), cleaned);
    let cut = truncate(text, limit);
    let kept = text.chars().count() - cut.omitted;
    assert!(kept <= limit, "{kept} characters of {limit}");
    let beginning: String = text.chars().take(kept).collect();
    let notice = cut.text.strip_prefix(&beginning).expect("the text begins as it did");
    if cut.omitted == 0 {
        assert_eq!(notice, "");
    } else {
        assert!(notice.starts_with(&format!("...[truncated: {} more characters were omitted.", cut.omitted)));
    }
    if let Ok(value) = serde_json::from_str::<serde_json::Value>(text) {
        let cleaned = clean_json(text.to_owned());
        let again: serde_json::Value = serde_json::from_str(&cleaned).expect("JSON stays JSON");
        assert_eq!(value.is_object(), again.is_object());
    }
}
