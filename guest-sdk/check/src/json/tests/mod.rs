mod corpus;
mod limits;
mod locating;
mod reference;

use super::*;

/// What the scanner says about a text: nothing, or the fault as a reader sees it.
fn verdict(text: &[u8]) -> String {
    match scan(text, &Limits::ARGUMENTS) {
        Ok(_) => "ok".to_owned(),
        Err(fault) => fault.to_string(),
    }
}

#[test]
fn a_corpus_of_texts_gets_exactly_these_verdicts() {
    let corpus: &[(&str, &str)] = &[
        ("{}", "ok"),
        (" \t\r\n{ \"a\" : [ 1 , -0 , 0.5e+3 , true , false , null , \"\" ] } \n", "ok"),
        (r#"{"a":"\"\\\/\b\f\n\r\té😀"}"#, "ok"),
        (r#"{"a":"\ud83d\ude00"}"#, "ok"),
        (r#"{"a":{"a":1},"b":{"a":1}}"#, "ok"),
        (r#"{"a":1,"A":1}"#, "ok"),
        ("\"\u{7f}\u{2028}\"", "ok"),
        ("", "the text is empty at line 1, column 1"),
        (" \n ", "the text is empty at line 1, column 1"),
        ("{", "expected a key in double quotes or '}', found the end of the text at line 1, column 2"),
        (r#"{"a""#, "expected ':', found the end of the text at line 1, column 5"),
        (r#"{"a" 1}"#, "expected ':', found '1' at line 1, column 6"),
        (r#"{"a":}"#, "expected a value, found '}' at line 1, column 6"),
        (r#"{"a":1,}"#, "expected a key in double quotes, found '}' at line 1, column 8"),
        (r#"{"a":1 "b":2}"#, "expected ',' or '}', found '\"' at line 1, column 8"),
        ("{a:1}", "expected a key in double quotes or '}', found 'a' at line 1, column 2"),
        ("{'a':1}", "expected a key in double quotes or '}', found '\\'' at line 1, column 2"),
        ("[1,]", "expected a value, found ']' at line 1, column 4"),
        ("[,1]", "expected a value, found ',' at line 1, column 2"),
        ("[1 2]", "expected ',' or ']', found '2' at line 1, column 4"),
        ("[1}", "expected ',' or ']', found '}' at line 1, column 3"),
        ("{}{}", "more text after the end of the JSON value at line 1, column 3"),
        ("{}\n\n x", "more text after the end of the JSON value at line 3, column 2"),
        ("]", "expected a value, found ']' at line 1, column 1"),
        ("{\"é\":\n  \"é😀\" x}", "expected ',' or '}', found 'x' at line 2, column 8"),
        ("\u{feff}{}", "expected a value, found '\\u{feff}' at line 1, column 1"),
        ("[é]", "expected a value, found 'é' at line 1, column 2"),
        ("[True]", "unknown word; JSON has only true, false and null at line 1, column 2"),
        ("[NaN]", "unknown word; JSON has only true, false and null at line 1, column 2"),
        ("[nullx]", "unknown word; JSON has only true, false and null at line 1, column 2"),
        ("[Infinity]", "unknown word; JSON has only true, false and null at line 1, column 2"),
        ("[-Infinity]", "expected a digit, found 'I' at line 1, column 3"),
        ("[01]", "a number with a leading zero at line 1, column 2"),
        ("[-01]", "a number with a leading zero at line 1, column 2"),
        ("[1.]", "expected a digit, found ']' at line 1, column 4"),
        ("[.5]", "expected a value, found '.' at line 1, column 2"),
        ("[+1]", "expected a value, found '+' at line 1, column 2"),
        ("[1e]", "expected a digit, found ']' at line 1, column 4"),
        ("[1e+]", "expected a digit, found ']' at line 1, column 5"),
        ("[0x1]", "expected ',' or ']', found 'x' at line 1, column 3"),
        ("[1_000]", "expected ',' or ']', found '_' at line 1, column 3"),
        ("[\"a]", "a string without its closing quote at line 1, column 2"),
        ("[\"a\\", "invalid escape in a string at line 1, column 4"),
        ("[\"\\x41\"]", "invalid escape in a string at line 1, column 3"),
        ("[\"\\u12g4\"]", "invalid escape in a string at line 1, column 3"),
        ("[\"\\u+123\"]", "invalid escape in a string at line 1, column 3"),
        ("[\"\\u12\"]", "invalid escape in a string at line 1, column 3"),
        ("[\"a\nb\"]", "unescaped control character in a string at line 1, column 4"),
        ("[\"\t\"]", "unescaped control character in a string at line 1, column 3"),
        ("[\"\u{0}\"]", "unescaped control character in a string at line 1, column 3"),
        (r#"["\ud800"]"#, "a \\u escape is half of a surrogate pair at line 1, column 3"),
        (r#"["\ud800A"]"#, "a \\u escape is half of a surrogate pair at line 1, column 3"),
        (r#"["\ud800\ud800"]"#, "a \\u escape is half of a surrogate pair at line 1, column 3"),
        (r#"["\udc00"]"#, "a \\u escape is half of a surrogate pair at line 1, column 3"),
        ("// no\n{}", "expected a value, found '/' at line 1, column 1"),
        ("{/**/}", "expected a key in double quotes or '}', found '/' at line 1, column 2"),
    ];
    for (text, expected) in corpus {
        assert_eq!(verdict(text.as_bytes()), *expected, "for {text:?}");
    }
}

#[test]
fn a_key_that_appears_twice_is_named() {
    let corpus: &[(&str, &str)] = &[
        (
            r#"{"path":"/a","path":"/etc"}"#,
            r#"the key "path" appears twice in one object at line 1, column 14"#,
        ),
        (r#"{"path":1,"p\u0061th":2}"#, r#"the key "path" appears twice in one object at line 1, column 11"#),
        (r#"{"\ud83d\ude00":1,"😀":2}"#, r#"the key "😀" appears twice in one object at line 1, column 19"#),
        (r#"{"\/":1,"/":2}"#, r#"the key "/" appears twice in one object at line 1, column 9"#),
        (r#"{"":1,"":2}"#, r#"the key "" appears twice in one object at line 1, column 7"#),
        (
            r#"[{"x":{"a":1,"b":[{"a":1}],"a":2}}]"#,
            r#"the key "a" appears twice in one object at line 1, column 28"#,
        ),
        (
            "{\"a\\u0000\":1,\"a\\u0000\":2}",
            r#"the key "a\0" appears twice in one object at line 1, column 14"#,
        ),
    ];
    for (text, expected) in corpus {
        assert_eq!(verdict(text.as_bytes()), *expected, "for {text}");
    }
    let long = "k".repeat(1_000);
    let said = verdict(format!(r#"{{"{long}":1,"{long}":2}}"#).as_bytes());
    assert!(said.starts_with(&format!("the key \"{}...\" appears twice", "k".repeat(40))), "{said}");
}

#[test]
fn duplicates_are_found_in_objects_of_every_size() {
    for size in 2..60 {
        for (first, second) in [(0, size - 1), (size - 2, size - 1), (size / 2, size - 1)] {
            let mut keys: Vec<String> = (0..size).map(|index| format!("\"k{index}\":{{\"k1\":0}}")).collect();
            assert_eq!(verdict(format!("{{{}}}", keys.join(",")).as_bytes()), "ok");
            keys[second] = keys[first].clone();
            if first != second {
                let said = scan(format!("{{{}}}", keys.join(",")).as_bytes(), &Limits::ARGUMENTS);
                assert_eq!(said.expect_err("a duplicate").reason.slug(), "duplicate_key");
            }
        }
    }
}

#[test]
fn a_key_that_the_json_library_reads_as_something_else_is_refused() {
    for text in [
        r#"{"a":{"$serde_json::private::Number":"1e999999999"}}"#,
        r#"{"$serde_json::private::RawValue":"[]"}"#,
        r#"{"\u0024serde_json::private::Number":"5"}"#,
    ] {
        let fault = scan(text.as_bytes(), &Limits::ARGUMENTS).expect_err(text);
        assert_eq!(fault.reason, Reason::ReservedKey);
    }
}

#[test]
fn bytes_that_are_no_utf8_are_found_where_they_are() {
    for (text, column) in [
        (&b"{\"a\":\"\xff\"}"[..], 7),
        (b"{\"a\":\"\xc3\xa9\xed\xa0\x80\"}", 8),
        (b"\xff", 1),
        (b"{\"\xc0\x80\":1}", 3),
        (b"{} \xf0\x9f", 4),
    ] {
        let fault = scan(text, &Limits::ARGUMENTS).expect_err("no UTF-8");
        assert_eq!((fault.reason, fault.column), (Reason::NotUtf8, column), "for {text:?}");
    }
    // A syntax fault that comes first is told first.
    let fault = scan(b"{a \xff", &Limits::ARGUMENTS).expect_err("broken");
    assert_eq!(fault.reason.slug(), "syntax");
}

#[test]
fn only_an_object_can_be_arguments() {
    for (text, found) in [
        ("[]", "an array"),
        (" 1", "a number"),
        ("-1", "a number"),
        ("null", "null"),
        ("true", "a boolean"),
        ("false", "a boolean"),
        ("\"{}\"", "a string"),
    ] {
        let fault = scan_object(text.as_bytes(), &Limits::ARGUMENTS).expect_err(text);
        let column = 1 + text.len() - text.trim_start().len();
        assert_eq!(
            fault.to_string(),
            format!("expected an object, found {found} at line 1, column {column}")
        );
    }
    assert_eq!(scan_object(b" {} ", &Limits::ARGUMENTS), Ok(()));
}
