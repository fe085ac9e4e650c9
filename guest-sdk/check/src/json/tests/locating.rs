use super::*;

const PATH: &[&str] = &["params", "arguments"];

fn find(body: &str) -> Located {
    locate(body.as_bytes(), PATH, &Limits::ARGUMENTS)
}

fn inner<'b>(body: &'b str, located: &Located) -> &'b str {
    &body[located.span.clone().expect("a span")]
}

#[test]
fn the_value_at_the_path_is_found_as_it_was_written() {
    for (body, value) in [
        (r#"{"params":{"arguments":{"a":1}}}"#, r#"{"a":1}"#),
        (
            r#"{"id":1,"params":{"name":"x","arguments" : { "a" : 1.0 } , "_meta":{}},"jsonrpc":"2.0"}"#,
            r#"{ "a" : 1.0 }"#,
        ),
        (r#"{"params":{"arguments": 5 }}"#, "5"),
        (r#"{"params":{"arguments":"x"}}"#, r#""x""#),
        (r#"{"params":{"arguments":null}}"#, "null"),
        (r#"{"p\u0061rams":{"arg\u0075ments":[]}}"#, "[]"),
        (r#"{"other":{"arguments":1},"params":{"deep":{"arguments":2},"arguments":3}}"#, "3"),
        (r#"{"params":{"x":{"params":{"arguments":1}},"arguments":{"arguments":4}}}"#, r#"{"arguments":4}"#),
    ] {
        let located = find(body);
        assert_eq!(inner(body, &located), value);
        assert_eq!((located.inside, located.outside), (None, None), "for {body}");
    }
    let whole = locate(b" [1] ", &[], &Limits::ARGUMENTS);
    assert_eq!(whole.span, Some(1..4));
}

#[test]
fn a_path_that_leads_nowhere_gives_no_span() {
    for body in [
        "{}",
        r#"{"params":{}}"#,
        r#"{"params":[{"arguments":1}]}"#,
        r#"{"params":"arguments"}"#,
        r#"{"arguments":1}"#,
        r#"[{"params":{"arguments":1}}]"#,
        r#"{"params":{"x":{"arguments":1}}}"#,
    ] {
        assert_eq!(find(body), Located::default(), "for {body}");
    }
}

#[test]
fn faults_inside_and_outside_are_kept_apart() {
    let body = r#"{"params":{"arguments":{"a":1,"a":2},"name":"x"},"id":7}"#;
    let located = find(body);
    assert_eq!(inner(body, &located), r#"{"a":1,"a":2}"#);
    let fault = located.inside.expect("a duplicate inside");
    assert_eq!(fault.to_string(), r#"the key "a" appears twice in one object at line 1, column 8"#);
    assert_eq!(located.outside, None);

    let body = "{\"id\":1,\"id\":2,\n\"params\":{\"arguments\":{\"a\":1}}}";
    let located = find(body);
    assert_eq!(inner(body, &located), r#"{"a":1}"#);
    assert_eq!(located.inside, None);
    assert_eq!(located.outside.expect("outside").reason.slug(), "duplicate_key");
}

#[test]
fn of_a_doubled_path_the_first_is_taken_and_the_body_is_at_fault() {
    for body in [
        r#"{"params":{"arguments":1,"arguments":2}}"#,
        r#"{"params":{"arguments":1},"params":{"arguments":2}}"#,
        r#"{"params":{"arguments":1},"p\u0061rams":0}"#,
    ] {
        let located = find(body);
        assert_eq!(inner(body, &located), "1");
        assert_eq!(located.outside.expect(body).reason.slug(), "duplicate_key");
    }
}

#[test]
fn every_readable_fault_leaves_the_span_readable() {
    for (value, slug) in [
        (r#"{"a":"\ud800"}"#.to_owned(), "lone_surrogate"),
        ("{\"a\":\"x\ny\"}".to_owned(), "control_character"),
        ("[1e5000]".to_owned(), "exponent"),
        ("9".repeat(2_000), "number_too_long"),
        (format!("{}{}", "[".repeat(80), "]".repeat(80)), "depth"),
        (format!("[{}0]", "0,".repeat(100_000)), "too_many_elements"),
        (format!("\"{}\"", "x".repeat(1 << 20)), "too_long"),
        (r#"{"$serde_json::private::Number":"1"}"#.to_owned(), "reserved_key"),
    ] {
        let body = format!(r#"{{"params":{{"arguments":{value},"n":1}}}}"#);
        let located = find(&body);
        assert_eq!(inner(&body, &located), value);
        assert_eq!(located.inside.expect(slug).reason.slug(), slug);
        assert_eq!(located.outside, None, "for {slug}");
    }
}

#[test]
fn depth_and_elements_inside_do_not_count_what_is_around() {
    let fits = format!("{}{}", "[".repeat(64), "]".repeat(64));
    assert_eq!(find(&format!(r#"{{"params":{{"arguments":{fits}}}}}"#)).inside, None);
    let full = format!("[{}0]", "0,".repeat(99_999));
    let body = format!(r#"{{"a":[1,2,3],"params":{{"arguments":{full},"b":1}},"c":[1]}}"#);
    let located = find(&body);
    assert_eq!((located.inside, located.outside), (None, None));
}

#[test]
fn broken_syntax_is_told_where_it_is_and_hides_the_end() {
    let located = find(r#"{"params":{"arguments":{"a":}}}"#);
    assert_eq!(located.span, None);
    assert_eq!(
        located.inside.expect("inside").to_string(),
        "expected a value, found '}' at line 1, column 6"
    );
    assert_eq!(located.outside, None);

    let body = r#"{"params":{"arguments":{"a":1}}"#;
    let located = find(body);
    assert_eq!(inner(body, &located), r#"{"a":1}"#);
    assert_eq!(located.inside, None);
    assert_eq!(located.outside.expect("outside").reason.slug(), "syntax");
}

#[test]
fn bytes_that_are_no_utf8_belong_to_their_side() {
    let inside = locate(b"{\"params\":{\"arguments\":\"\xff\"}}", PATH, &Limits::ARGUMENTS);
    assert_eq!(inside.span, Some(23..26));
    assert_eq!(inside.inside.map(|fault| (fault.reason, fault.column)), Some((Reason::NotUtf8, 2)));
    assert_eq!(inside.outside, None);
    let outside = locate(b"{\"params\":{\"arguments\":1,\"\xff\":1}}", PATH, &Limits::ARGUMENTS);
    assert_eq!(outside.inside, None);
    assert_eq!(outside.outside.map(|fault| (fault.reason, fault.column)), Some((Reason::NotUtf8, 27)));
}
