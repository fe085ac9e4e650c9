use super::*;

const SMALL: Limits = Limits { bytes: 40, depth: 3, elements: 4, number_chars: 8, exponent: 20 };

fn slug(text: &str, limits: &Limits) -> &'static str {
    scan(text.as_bytes(), limits).map_or_else(|fault| fault.reason.slug(), |_| "ok")
}

#[test]
fn every_small_limit_holds_at_the_bound_and_bites_one_over_it() {
    let at = |n: usize| format!("\"{}\"", "a".repeat(n - 2));
    assert_eq!(slug(&at(40), &SMALL), "ok");
    assert_eq!(slug(&at(41), &SMALL), "too_long");
    assert_eq!(slug("[{\"a\":[]}]", &SMALL), "ok");
    assert_eq!(slug("[{\"a\":[[]]}]", &SMALL), "depth");
    assert_eq!(slug("[{\"a\":[{}]}]", &SMALL), "depth");
    assert_eq!(slug("[1,2,3,4]", &SMALL), "ok");
    assert_eq!(slug("[1,2,3,4,5]", &SMALL), "too_many_elements");
    assert_eq!(slug(r#"{"a":1,"b":[1,2]}"#, &SMALL), "ok");
    assert_eq!(slug(r#"{"a":1,"b":[1,2,3]}"#, &SMALL), "too_many_elements");
    assert_eq!(slug("12345678", &SMALL), "ok");
    assert_eq!(slug("-12345678", &SMALL), "number_too_long");
    assert_eq!(slug("1e20", &SMALL), "ok");
    assert_eq!(slug("1e-20", &SMALL), "ok");
    assert_eq!(slug("1e21", &SMALL), "exponent");
    assert_eq!(slug("1E-21", &SMALL), "exponent");
    assert_eq!(slug("1e0000020", &Limits { number_chars: 20, ..SMALL }), "ok");
    assert_eq!(slug("1e99999999999", &Limits { number_chars: 20, ..SMALL }), "exponent");
}

#[test]
fn the_limits_for_arguments_are_the_promised_ones() {
    let limits = &Limits::ARGUMENTS;
    let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert_eq!(slug(&nested(64), limits), "ok");
    assert_eq!(slug(&nested(65), limits), "depth");
    assert_eq!(slug(&nested(129), limits), "depth");
    let items = |n: usize| format!("[{}1]", "1,".repeat(n - 1));
    assert_eq!(slug(&items(100_000), limits), "ok");
    assert_eq!(slug(&items(100_001), limits), "too_many_elements");
    let long = |n: usize| format!("\"{}\"", "a".repeat(n - 2));
    assert_eq!(slug(&long(1 << 20), limits), "ok");
    assert_eq!(slug(&long((1 << 20) + 1), limits), "too_long");
    assert_eq!(slug(&"1".repeat(1_000), limits), "ok");
    assert_eq!(slug(&"1".repeat(1_001), limits), "number_too_long");
    assert_eq!(slug("1.7976931348623157e308", limits), "ok");
    assert_eq!(slug("5e-324", limits), "ok");
    assert_eq!(slug("1e1000", limits), "ok");
    assert_eq!(slug("1e1001", limits), "exponent");
}

#[test]
fn a_million_open_brackets_overflow_no_stack() {
    let wide = Limits { bytes: usize::MAX, ..Limits::ARGUMENTS };
    let open = "[".repeat(1_000_000);
    assert_eq!(slug(&open, &wide), "depth");
    let mixed = r#"{"a":["#.repeat(200_000);
    assert_eq!(slug(&mixed, &wide), "depth");

    // A tolerant scan goes all the way down and up again.
    let body = format!(r#"{{"args":{open}{},"id":1}}"#, "]".repeat(1_000_000));
    let located = locate(body.as_bytes(), &["args"], &wide);
    assert_eq!(located.span, Some(8..8 + 2_000_000));
    assert_eq!(located.inside.map(|fault| fault.reason), Some(Reason::TooDeep { limit: 64 }));
    assert_eq!(located.outside, None);
}

#[test]
fn many_keys_take_time_in_proportion() {
    // Half a million keys compared pairwise would take minutes, and the test would not end.
    let wide = Limits { bytes: usize::MAX, elements: 1_000_000, ..Limits::ARGUMENTS };
    let keys: Vec<String> = (0..500_000).map(|index| format!("\"{index}\":0")).collect();
    assert_eq!(slug(&format!("{{{}}}", keys.join(",")), &wide), "ok");
}
