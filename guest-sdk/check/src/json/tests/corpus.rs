//! Texts that every reader takes, that none takes, and that readers differ about, with the verdict of the gate itself.

use crate::Arguments;

/// Valid by every reading of RFC 8259. Each line is one text.
const VALID: &str = r#"
{}
 {} 
{ }
{"":0}
{"a":null}
{"a":true}
{"a":false}
{"a":0}
{"a":-0}
{"a":-0.0}
{"a":10}
{"a":1.5}
{"a":1e1}
{"a":1E1}
{"a":1e+1}
{"a":1e-1}
{"a":0e0}
{"a":0.1e1}
{"a":-1e-1}
{"a":1e00}
{"a":123456789012345678901234567890}
{"a":0.000000000000000000000000000001}
{"a":""}
{"a":" "}
{"a":"é"}
{"a":"😀"}
{"a":"\u0000"}
{"a":"\u001f"}
{"a":"\u00e9"}
{"a":"\uD83D\uDE00"}
{"a":"\ud83d\ude00"}
{"a":"\uDBFF\uDFFF"}
{"a":"\uffff"}
{"a":"\ufdd0"}
{"a":"\"\\\/\b\f\n\r\t"}
{"a":"/"}
{"a":"\u005c"}
{"a":"\u0022"}
{"a":"//"}
{"a":"/* */"}
{"a":"<script>"}
{"a":[]}
{"a":[[]]}
{"a":[{}]}
{"a":{}}
{"a":[1,2,3]}
{"a":[ 1 , 2 ]}
{"a":[null,true,"x"]}
{"a":1,"b":2}
{"a":1,"A":2}
{"a":{"a":{"a":1}}}
{"a":[{"a":1},{"a":2}]}
{"__proto__":1}
{"\u0061":1}
{"a b":1}
{"a":1 }
{"é":1,"e\u0301":2}
"#;

/// Refused by RFC 8259.
const INVALID: &str = r##"
{
}
{]
[}
{}}
{{}}
{} {}
{},
{};
{}x
{}//
{}/**/
{}#
a
tru
{"a"}
{"a":}
{"a" 1}
{"a"::1}
{"a":1,}
{,"a":1}
{"a":1,,"b":2}
{"a":1 "b":2}
{"a":1;"b":2}
{a:1}
{'a':1}
{"a":'x'}
{1:1}
{null:1}
{[]:1}
{:1}
{"a":
{"a":1
{"a"
{"a":"x
{"a":"x}
{"a":x}
{"a":True}
{"a":NULL}
{"a":nul}
{"a":nulll}
{"a":undefined}
{"a":NaN}
{"a":-NaN}
{"a":Infinity}
{"a":-Infinity}
{"a":+1}
{"a":01}
{"a":-01}
{"a":00}
{"a":.1}
{"a":-.1}
{"a":1.}
{"a":1.e1}
{"a":1e}
{"a":1e+}
{"a":1e-}
{"a":1e1.5}
{"a":e1}
{"a":-}
{"a":--1}
{"a":1-1}
{"a":1.2.3}
{"a":0x1}
{"a":0b1}
{"a":1_0}
{"a":1n}
{"a":١}
{"a":１}
{"a":[}
{"a":]}
{"a":[1,]}
{"a":[,1]}
{"a":[,]}
{"a":[1,,2]}
{"a":[1 2]}
{"a":[1:2]}
{"a":[1}
{"a":[1}]}
{"a":"\x41"}
{"a":"\0"}
{"a":"\a"}
{"a":"\'"}
{"a":"\u"}
{"a":"\u1"}
{"a":"\u123"}
{"a":"\u123g"}
{"a":"\U0041"}
{"a":"\u{41}"}
{"a":"\"}
{"a":"	"}
/**/{}
{/**/}
{"a":1/*x*/}
{"a":`x`}
<a/>
a=1
{“a”:1}
{"a":(1)}
{"a":new Date()}
{...{}}
*
"{}
"##;

/// Valid texts of another kind than an object.
const NO_OBJECT: &str = "\nnull\ntrue\nfalse\n0\n-1.5\n\"\"\n\"{}\"\n[]\n[{}]\n [ ] \n";

/// Valid by the letter, and read differently by different readers: each is refused.
const DOUBTFUL: &str = r#"
{"a":1,"a":1}
{"a":1,"a":2}
{"a":1,"\u0061":2}
{"\u0061":1,"\u0061":2}
{"":1,"":2}
{"b":{"a":1,"a":2}}
{"b":[{"a":1,"a":2}]}
{"é":1,"\u00e9":2}
{"😀":1,"\ud83d\ude00":2}
{"a":"\ud800"}
{"a":"\udfff"}
{"a":"\ud800x"}
{"a":"\ud800\n"}
{"a":"\ud800\ud800"}
{"a":"\udc00\ud800"}
{"a":"\ud83d\u0041"}
{"\ud800":1}
{"a":1e1001}
{"a":1e-1001}
{"a":1e99999999999999999999}
{"a":-1E+999999}
{"$serde_json::private::Number":"1"}
{"a":{"$serde_json::private::RawValue":"1"}}
"#;

fn accepted(text: &[u8]) -> bool {
    Arguments::parse_bytes("t", text).is_ok()
}

#[test]
fn each_text_gets_its_verdict() {
    let mut texts = 0;
    for (table, expected) in [(VALID, true), (INVALID, false), (NO_OBJECT, false), (DOUBTFUL, false)] {
        for text in table.trim_matches('\n').split('\n') {
            assert_eq!(accepted(text.as_bytes()), expected, "{text:?}");
            texts += 1;
        }
    }
    assert!(texts >= 180, "only {texts}");
}

#[test]
fn what_one_line_cannot_hold_gets_its_verdict() {
    let nested = |n: usize| format!(r#"{{"a":{}{}}}"#, "[".repeat(n), "]".repeat(n));
    let many = |n: usize| format!(r#"{{"a":[{}0]}}"#, "0,".repeat(n));
    for (text, expected) in [
        (String::new(), false),
        (" \n\t".to_owned(), false),
        ("\t{}\r\n".to_owned(), true),
        ("{\"a\"\n:\n1\n}".to_owned(), true),
        ("{\"a\":\"\u{7f}\u{2028}\u{feff}\"}".to_owned(), true),
        ("{\"a\":\"\n\"}".to_owned(), false),
        ("{\"a\":\"\0\"}".to_owned(), false),
        ("{\"a\":\"\\\n\"}".to_owned(), false),
        ("{}\0".to_owned(), false),
        ("{\u{a0}}".to_owned(), false),
        ("{\u{b}}".to_owned(), false),
        ("\u{feff}{}".to_owned(), false),
        ("{}\u{feff}".to_owned(), false),
        (nested(63), true),
        (nested(64), false),
        (nested(100_000), false),
        (many(99_000), true),
        (many(100_000), false),
        (format!(r#"{{"a":"{}"}}"#, "x".repeat(1 << 20)), false),
        (format!(r#"{{"a":{}}}"#, "9".repeat(1_000)), true),
        (format!(r#"{{"a":{}}}"#, "9".repeat(1_001)), false),
    ] {
        assert_eq!(accepted(text.as_bytes()), expected, "{}", text.chars().take(40).collect::<String>());
    }
    for bytes in [
        &b"{\"a\":\"\xff\"}"[..],
        b"{\"a\":\"\xc0\xaf\"}",
        b"{\"a\":\"\xed\xa0\x80\"}",
        b"{\"a\":\"\xf4\x90\x80\x80\"}",
        b"{\"a\":\"\xe2\x82\"}",
        b"\xff\xfe{\0}\0",
        b"{\xe9:1}",
        b"\x80",
    ] {
        assert!(!accepted(bytes), "{bytes:?}");
    }
}
