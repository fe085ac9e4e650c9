use axum::http::HeaderValue;

use super::*;
use crate::policy::Disclosure;

fn settings(hosts: &[&str], origins: &[&str]) -> ServerSettings {
    ServerSettings {
        listen: "127.0.0.1:8080".parse().unwrap(),
        allowed_hosts: hosts.iter().map(|&host| host.to_owned()).collect(),
        allowed_origins: origins.iter().map(|&origin| origin.to_owned()).collect(),
        disclosure: Disclosure::Normal,
        wall: crate::wall::Demand::default(),
        authentication: Default::default(),
        public_url: None,
    }
}

fn origins(listen: &str) -> Origins {
    let settings = settings(
        &["Tools.Example.com", "proxy.example.com:8443", "plain.example.com:80"],
        &["https://app.example.com", "http://dev.example.com:3000", "vscode-webview://panel"],
    );
    Origins::new(listen.parse().unwrap(), &settings).unwrap()
}

fn check(origins: &Origins, target: &str, headers: &[(&HeaderName, &[u8])]) -> Result<(), Refused> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(*name, HeaderValue::from_bytes(value).unwrap());
    }
    origins.check(&target.parse().unwrap(), &map)
}

#[test]
fn the_host_table() {
    let origins = origins("127.0.0.1:8080");
    for (host, admitted) in [
        ("127.0.0.1:8080", true),
        ("localhost:8080", true),
        ("LOCALHOST:8080", true),
        ("localhost.:8080", true),
        ("[::1]:8080", true),
        ("[0:0:0:0:0:0:0:1]:8080", true),
        ("localhost:08080", true),
        ("tools.example.com", true),
        ("TOOLS.example.COM.", true),
        ("tools.example.com:9", true),
        ("proxy.example.com:8443", true),
        ("plain.example.com", true),
        // The right name with a wrong port is another server's.
        ("localhost", false),
        ("localhost:8081", false),
        ("localhost:80", false),
        ("127.0.0.1", false),
        ("proxy.example.com", false),
        ("proxy.example.com:8444", false),
        // Names that only look like one of ours.
        ("evil.test", false),
        ("EVIL.test.:8080", false),
        ("localhost.evil.test:8080", false),
        ("notlocalhost:8080", false),
        ("evil.test:8080", false),
        ("sub.tools.example.com", false),
        ("tools.example.com.evil.test", false),
        ("localhost..:8080", false),
        // Other spellings of the loopback address.
        ("127.1:8080", false),
        ("2130706433:8080", false),
        ("0x7f.0.0.1:8080", false),
        ("127.0.0.2:8080", false),
        ("0.0.0.0:8080", false),
        ("[::ffff:127.0.0.1]:8080", false),
        ("::1:8080", false),
        ("[::1]8080", false),
        ("[::1:8080", false),
        // Not a host at all.
        ("", false),
        (":8080", false),
        (".:8080", false),
        ("localhost:", false),
        ("localhost:+8080", false),
        ("localhost:99999", false),
        ("localhost:8080:8080", false),
        ("evil.test@localhost:8080", false),
        ("localhost:8080@evil.test", false),
        ("localhost:8080/", false),
        ("localhost :8080", false),
        ("localhost:8080, evil.test", false),
        ("*", false),
    ] {
        let result = check(&origins, "/mcp", &[(&HOST, host.as_bytes())]);
        assert_eq!(result.is_ok(), admitted, "{host:?}: {result:?}");
        if let Err(refused) = result {
            assert_eq!((refused.header, refused.setting), ("Host", "server.allowed_hosts"));
            assert_eq!(refused.value, host);
        }
    }
}

#[test]
fn a_host_twice_missing_or_unreadable_is_refused() {
    let origins = origins("127.0.0.1:8080");
    let good = b"localhost:8080".as_slice();
    for headers in [vec![(&HOST, good), (&HOST, b"evil.test")], vec![(&HOST, good), (&HOST, good)]] {
        assert!(check(&origins, "/mcp", &headers).unwrap_err().value.starts_with("localhost:8080, "));
    }
    assert_eq!(check(&origins, "/mcp", &[]).unwrap_err().to_string(), "The request has no Host header.");
    assert!(check(&origins, "/mcp", &[(&HOST, b"localhost\xFF")]).is_err());
    let long = "a".repeat(5_000);
    assert_eq!(check(&origins, "/mcp", &[(&HOST, long.as_bytes())]).unwrap_err().value.len(), SHOWN);
}

#[test]
fn a_target_in_absolute_form_must_name_the_same_admitted_host() {
    let origins = origins("127.0.0.1:8080");
    for (target, host, admitted) in [
        ("http://localhost:8080/mcp", "localhost:8080", true),
        ("http://LOCALHOST:8080/mcp", "localhost:8080", true),
        ("http://evil.test/mcp", "localhost:8080", false),
        ("http://localhost:8080/mcp", "evil.test", false),
        ("http://127.0.0.1:8080/mcp", "localhost:8080", false),
        ("http://user@localhost:8080/mcp", "localhost:8080", false),
    ] {
        let result = check(&origins, target, &[(&HOST, host.as_bytes())]);
        assert_eq!(result.is_ok(), admitted, "{target} with {host}: {result:?}");
    }
}

#[test]
fn the_origin_table() {
    let origins = origins("127.0.0.1:8080");
    let host = (&HOST, b"localhost:8080".as_slice());
    for (origin, admitted) in [
        ("http://localhost:8080", true),
        ("http://127.0.0.1:8080", true),
        ("http://[::1]:8080", true),
        ("HTTP://LocalHost:8080", true),
        ("https://app.example.com", true),
        ("https://app.example.com:443", true),
        ("http://dev.example.com:3000", true),
        ("vscode-webview://panel", true),
        ("null", false),
        ("NULL", false),
        ("", false),
        ("http://localhost", false),
        ("http://localhost:8081", false),
        ("https://localhost:8080", false),
        ("http://app.example.com", false),
        ("https://app.example.com:444", false),
        ("https://app.example.com.evil.test", false),
        ("https://evil.test", false),
        ("https://evil.test?https://app.example.com", false),
        ("https://user@app.example.com", false),
        ("https://app.example.com/", false),
        ("app.example.com", false),
        ("://app.example.com", false),
        ("https://app.example.com https://evil.test", false),
        ("file://", false),
    ] {
        let result = check(&origins, "/mcp", &[host, (&ORIGIN, origin.as_bytes())]);
        assert_eq!(result.is_ok(), admitted, "{origin:?}: {result:?}");
        if let Err(refused) = result {
            assert_eq!((refused.header, refused.setting), ("Origin", "server.allowed_origins"));
            assert!(!refused.value.is_empty());
        }
    }
    assert!(check(&origins, "/mcp", &[host]).is_ok());
    let twice =
        [host, (&ORIGIN, b"https://app.example.com".as_slice()), (&ORIGIN, b"https://app.example.com")];
    assert!(check(&origins, "/mcp", &twice).is_err());
}

#[test]
fn the_address_listened_on_is_admitted_unless_it_is_any() {
    let lan = origins("192.168.1.5:8080");
    assert!(check(&lan, "/mcp", &[(&HOST, b"192.168.1.5:8080")]).is_ok());
    assert!(check(&lan, "/mcp", &[(&HOST, b"192.168.1.6:8080")]).is_err());
    let any = origins("0.0.0.0:8080");
    assert!(check(&any, "/mcp", &[(&HOST, b"0.0.0.0:8080")]).is_err());
    let standard = origins("127.0.0.1:80");
    assert!(check(&standard, "/mcp", &[(&HOST, b"localhost")]).is_ok());
    assert!(check(&standard, "/mcp", &[(&HOST, b"localhost"), (&ORIGIN, b"http://localhost")]).is_ok());
}

#[test]
fn a_setting_that_names_nothing_is_refused() {
    let listen = "127.0.0.1:8080".parse().unwrap();
    for (hosts, origins, setting) in [
        (vec!["*"], vec![], "server.allowed_hosts"),
        (vec!["https://tools.example.com"], vec![], "server.allowed_hosts"),
        (vec![""], vec![], "server.allowed_hosts"),
        (vec![], vec!["null"], "server.allowed_origins"),
        (vec![], vec!["*"], "server.allowed_origins"),
        (vec![], vec!["app.example.com"], "server.allowed_origins"),
        (vec![], vec!["https://app.example.com/path"], "server.allowed_origins"),
    ] {
        let fault = Origins::new(listen, &settings(&hosts, &origins)).unwrap_err();
        assert!(fault.to_string().contains(setting), "{fault}");
    }
}
