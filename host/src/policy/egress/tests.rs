//! Tables: spellings of addresses, verdicts of rules, targets.

use std::net::IpAddr;

use super::*;

/// Spellings of addresses that are not public, and of what is no address: as a host in a URL, and what becomes of it.
/// `None` is a text that is refused as a host; otherwise the word for what lies there.
fn hosts() -> Vec<(String, Option<String>)> {
    serde_json::from_str(include_str!("../../../../tests/corpora/addresses.json")).unwrap()
}

#[test]
fn what_is_not_public_is_refused_in_every_spelling() {
    let hosts = hosts();
    assert!(hosts.len() >= 80, "{}", hosts.len());
    for (text, expected) in hosts {
        let found = match text.parse::<Host>() {
            Ok(Host::Address(address)) => Some(unreachable(address).unwrap_or("public")),
            Ok(Host::Name(name)) => panic!("{text:?} is taken for the name {name:?}"),
            Err(_) => None,
        };
        assert_eq!(found, expected.as_deref(), "{text:?}");
    }
}

#[test]
fn what_is_public_is_not_refused() {
    let edges = [
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2003::1",
        "2606:4700::1111",
        "2a00:1450::1",
        "3ffe::1",
    ];
    for text in edges {
        assert_eq!(unreachable(text.parse::<IpAddr>().unwrap()), None, "{text}");
    }
}

const RULES: [&str; 6] = [
    "https://api.example.com",
    "https://*.example.org",
    "https://b.example.net:8443",
    "http://plain.example.com",
    "https://8.8.8.8",
    "https://[2606:4700::1111]:4430",
];

/// Schemes and authorities, and whether the rules above admit them.
fn urls() -> Vec<(String, String, bool)> {
    serde_json::from_str(include_str!("../../../../tests/corpora/urls.json")).unwrap()
}

#[test]
fn rules_admit_what_they_name_and_nothing_else() {
    let rules: Vec<HttpRule> = RULES.iter().map(|rule| rule.parse().unwrap()).collect();
    let urls = urls();
    assert!(urls.len() >= 80, "{}", urls.len());
    for (scheme, authority, expected) in urls {
        let admitted = Destination::parse(&scheme, &authority).is_ok_and(|to| admits(&rules, &to));
        assert_eq!(admitted, expected, "{scheme}://{authority:?}");
    }
}

#[test]
fn rules_that_say_too_little_or_too_much_are_none() {
    let refused = [
        "api.example.com",
        "*",
        "https://*",
        "https://*.com",
        "https://*.",
        "https://a*.example.com",
        "https://*.*.example.com",
        "https://api.*.com",
        "https://api.example.com/",
        "https://api.example.com/v1",
        "https://api.example.com?x",
        "https://api.example.com#x",
        "https://u@api.example.com",
        "https://api.example.com.",
        "https://api.example.com:0",
        "https://api.example.com:*",
        "ftp://api.example.com",
        "https://",
        "https://:443",
        "https://0x7f.1",
        "https://127.1",
        "https://*.0.0.1",
        "https://[::1",
        "https://api example.com",
        "https://*.example.com:",
        "https://api.example.com\\",
        "//api.example.com",
        "https://\u{200b}",
        "https://a..example.com",
    ];
    for text in refused {
        assert!(text.parse::<HttpRule>().is_err(), "{text:?}");
    }
}

#[test]
fn rules_are_shown_as_they_are_understood() {
    for (text, shown) in [
        ("HTTPS://API.example.com:443", "https://api.example.com"),
        ("http://*.Example.com:8080", "http://*.example.com:8080"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("https://[2606:4700:0::1]:1", "https://[2606:4700::1]:1"),
    ] {
        assert_eq!(text.parse::<HttpRule>().unwrap().to_string(), shown);
    }
}

#[test]
fn a_network_is_dialled_only_for_the_rule_that_names_it() {
    let network = |text: &str| Networks::new(vec![text.parse().unwrap()]);
    let rules = [
        "http://inside.test".parse::<HttpRule>().unwrap().with_networks(network("10.1.0.0/16")),
        "http://mapped.test".parse::<HttpRule>().unwrap().with_networks(network("::ffff:0:0/96")),
        "http://outside.test".parse().unwrap(),
    ];
    let refused = |host: &str, address: &str| {
        let to = Destination::parse("http", host).unwrap();
        refusal(&rules, &to, address.parse().unwrap()).is_some()
    };
    assert!(!refused("inside.test", "10.1.2.3"));
    assert!(refused("inside.test", "10.2.0.1"));
    assert!(refused("inside.test", "127.0.0.1"));
    assert!(refused("inside.test", "::ffff:10.1.2.3"));
    assert!(refused("inside.test", "8.8.8.8"));
    assert!(!refused("outside.test", "8.8.8.8"));
    assert!(!refused("mapped.test", "::ffff:10.1.2.3"));
    assert!(refused("mapped.test", "10.1.2.3"));
    assert!(refused("outside.test", "10.1.2.3"));
    assert!(refused("unknown.test", "10.1.2.3"));
}

#[test]
fn a_target_names_no_other_host() {
    for (text, expected) in [
        ("", "/"),
        ("/", "/"),
        ("?q=1", "/?q=1"),
        ("/a/b?c=d&e=%20f", "/a/b?c=d&e=%20f"),
        ("/a//b", "/a//b"),
        ("/x?u=http://other.test/", "/x?u=http://other.test/"),
        ("/@evil", "/@evil"),
    ] {
        assert_eq!(target(text).as_deref(), Ok(expected));
    }
    for text in [
        "http://evil.test/x",
        "//evil.test",
        "///",
        "\\evil",
        "/\\evil.test",
        "evil",
        "*",
        "@evil.test",
        ":80/",
        "/a b",
        "/a\tb",
        "/a\r\nHost: evil",
        "/a\nb",
        "/a\0",
        "/ä",
        "/a#b",
        "/\u{7f}",
        "/<",
        "/\"",
        "/^",
        "/`",
    ] {
        assert!(target(text).is_err(), "{text:?}");
    }
    assert_eq!(target(&format!("/{}", "a".repeat(8_192))), Err(TargetError::TooLong));
}
