use proptest::prelude::*;

use super::*;

#[test]
fn a_cut_text_says_how_much_is_missing() {
    assert_eq!(truncate("abc", 3), Truncated { text: "abc".into(), omitted: 0 });
    let cut = truncate("abcdef", 4);
    assert_eq!(
        cut.text,
        "abcd...[truncated: 2 more characters were omitted. Narrow the query or request a specific section.]"
    );
    assert_eq!(truncate_before("abc", 3, 10).omitted, 10);
    assert_eq!(truncate_before("abcd", 3, 10).omitted, 11);
}

#[test]
fn a_cut_never_falls_into_what_people_see_as_one_character() {
    let flags = format!("a{}", "\u{1F1EB}\u{1F1F7}".repeat(10_000));
    let cut = truncate(&flags, 16_384);
    assert_eq!(cut.omitted, 20_001 - 16_383);
    let family = "x\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}";
    assert!(truncate(family, 3).text.starts_with("x..."), "{}", truncate(family, 3).text);
    let accent = "ae\u{301}";
    assert!(truncate(accent, 2).text.starts_with("a..."));
}

#[test]
fn what_a_terminal_or_a_person_would_be_fooled_by_is_removed() {
    let hostile = "a\u{1b}[2J\u{7}b\u{9b}\u{202e}c\u{2066}\u{200f}\u{e0041}\u{200b}\u{feff}\u{0}d\r\n\te";
    assert_eq!(clean(hostile.into()), "a[2Jbcd\n\te");
    let unseen =
        "a\u{ad}\u{34f}\u{115f}\u{17b4}\u{3164}\u{ffa0}\u{fff0}\u{1bca0}\u{1d173}\u{fdd0}\u{ffff}\u{10fffe}b";
    assert_eq!(clean(unseen.into()), "ab");
    let kept = "\u{1F468}\u{200D}\u{1F469} \u{645}\u{200C}\u{647} äé€";
    assert!(is_clean(kept));
}

#[test]
fn json_is_cleaned_in_its_strings_and_keeps_its_digits() {
    assert_eq!(
        clean_json(r#"{"a":"x\u001b[2J\u202e\\u0041\"\ud83d\ude00\udb40\udc41y","n":1.000e+2}"#.to_owned()),
        r#"{"a":"x[2J\\u0041\"\ud83d\ude00y","n":1.000e+2}"#
    );
    assert_eq!(clean_json(r#"{"a":"x\b\f\ry\n\t\\b"}"#.to_owned()), r#"{"a":"xy\n\t\\b"}"#);
    assert_eq!(clean_json("{\r\n \"a\": \"\u{202e}b\"}".to_owned()), "{\r\n \"a\": \"b\"}");
}

proptest! {
    #[test]
    fn any_text_can_be_cut_anywhere(text in "\\PC{0,200}", limit in 0_usize..250) {
        let cut = truncate(&text, limit);
        if cut.omitted == 0 {
            prop_assert_eq!(&cut.text, &text);
        } else {
            let kept = text.chars().count() - cut.omitted;
            prop_assert!(kept <= limit);
            let kept: String = text.chars().take(kept).collect();
            prop_assert!(cut.text.starts_with(&kept));
        }
    }

    #[test]
    fn cleaning_json_leaves_json(text in any::<String>()) {
        let json = serde_json::to_string(&text).unwrap();
        let cleaned: String = serde_json::from_str(&clean_json(json.clone())).unwrap();
        prop_assert_eq!(cleaned, clean(text));
    }
}
