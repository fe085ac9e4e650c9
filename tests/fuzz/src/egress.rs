//! Where a request goes: what the rules admit is what a URL parser that is not ours would dial.

use super::parts;
use toolhost::policy::{Destination, HttpRule, admits, target};

/// Tries one input.
pub fn run(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Some([scheme, authority, path, rule]) = parts(text.as_bytes()) else { return };
    // The separator is one byte, so that its neighbours are UTF-8.
    let [scheme, authority, path, rule] =
        [scheme, authority, path, rule].map(|part| str::from_utf8(part).unwrap_or_default());
    // A rule that is read is the same when it is written and read again.
    if let Ok(rule) = rule.parse::<HttpRule>() {
        let again: HttpRule = rule.to_string().parse().expect("its own text");
        assert_eq!(again, rule);
    }
    let Ok(to) = Destination::parse(scheme, authority) else { return };
    let again = Destination::parse(scheme, &to.authority()).expect("its own text");
    assert_eq!(again.authority(), to.authority());
    let only: HttpRule = "https://ok.test".parse().expect("a rule");
    if admits(std::slice::from_ref(&only), &to) {
        assert!(["ok.test", "ok.test:443"].contains(&to.authority().as_str()), "{}", to.authority());
    }
    let Ok(path) = target(path) else { return };
    assert!(path.starts_with('/') && !path.starts_with("//"));
    // Of the whole URL that goes out, another parser finds the same host.
    let url = format!("https://{}{path}", to.authority());
    let uri: http::Uri = url.parse().unwrap_or_else(|fault| panic!("{url}: {fault}"));
    assert_eq!(uri.authority().map(http::uri::Authority::as_str), Some(to.authority().as_str()), "{url}");
}
