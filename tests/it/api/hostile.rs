//! Requests that mean no good, for each part of a request: each is answered, clearly, and the server goes on.

use toolhost_tests::process::Held;
use toolhost_tests::wire::{Served, exchange, raw_exchange};

use super::{ACME, assert_fault, get, post, send, two_tenants};

#[tokio::test(flavor = "multi_thread")]
async fn paths_are_read_strictly() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let long = "x".repeat(8_000);
    for (path, status, code) in [
        ("/v1/tools/%ff", 400, "bad_request"),
        ("/v1/tools/%C3%28", 400, "bad_request"),
        ("/v1/tools/echo%00", 404, "no_such_tool"),
        ("/v1/tools/%2e%2e", 404, "no_such_tool"),
        ("/v1/tools/echo%2Fcall", 404, "no_such_tool"),
        ("/v1/tools/%2565cho", 404, "no_such_tool"),
        ("/v1/tools/../tools", 404, "no_such_path"),
        ("/v1/tools//echo", 404, "no_such_path"),
        ("/v1//tools", 404, "no_such_path"),
        ("/V1/tools", 404, "no_such_path"),
        ("/v1/tools/echo/", 404, "no_such_path"),
        (&format!("/v1/tools/{long}"), 404, "no_such_tool"),
        (&format!("/v1/calls/{long}"), 404, "no_such_call"),
        ("/v1/calls/%ff", 400, "bad_request"),
        ("/v1/calls/%00", 404, "no_such_call"),
        ("/v1/calls/'%20OR%201=1--", 404, "no_such_call"),
        ("/v1/approvals/%ff", 400, "bad_request"),
        ("/v1/approvals/%F0%9F%A6%80", 404, "no_such_approval"),
    ] {
        assert_fault(&get(&served, ACME, path).await, status, code);
    }
    // What is decoded once is the same name.
    assert_eq!(get(&served, ACME, "/v1/tools/%65cho").await.status, 200);
    let outcome = post(&served, ACME, "/v1/tools/a%0Ab%1B/call", "{}").await.json();
    assert_eq!(outcome["error"]["code"], "no_such_tool");
    assert!(!outcome["error"]["message"].as_str().unwrap().contains(['\n', '\u{1b}']), "{outcome}");
    assert_fault(&post(&served, ACME, "/v1/tools/%ff/call", "{}").await, 400, "bad_request");
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_are_read_strictly() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let patterns = "allow=a&".repeat(257);
    let long = "x".repeat(20_000);
    for (path, said) in [
        ("/v1/tools?format=mcp&format=mcp", "format is there 2 times"),
        ("/v1/tools?formats=mcp", "there is no parameter \"formats\"; there are format, strict, allow"),
        ("/v1/tools?allow=", "the tool pattern \"\" is not valid"),
        ("/v1/tools?allow=a%20b", "the tool pattern \"a b\" is not valid"),
        ("/v1/tools?allow=%ff", "it is not UTF-8"),
        ("/v1/tools?allow=%zz", "a % is not followed"),
        (&format!("/v1/tools?{patterns}"), "it has 257 patterns"),
        (&format!("/v1/tools?allow={long}"), "it has more than 16384 bytes"),
        ("/v1/tools/echo?allow=a", "there is no parameter \"allow\""),
        ("/v1/calls?limit=0", "limit has to be from 1 to 1000"),
        ("/v1/calls?limit=1001", "limit has to be from 1 to 1000"),
        ("/v1/calls?limit=-1", "limit is not valid"),
        ("/v1/calls?limit=1e1", "limit is not valid"),
        ("/v1/calls?limit=99999999999999999999999", "limit is not valid"),
        ("/v1/calls?limit=1&limit=2", "limit is there 2 times"),
        ("/v1/calls?tool=", "tool has to have 1 to 64 printable"),
        ("/v1/calls?tool=%00", "tool has to have 1 to 64 printable"),
        ("/v1/calls?code=%F0%9F%A6%80", "code has to have 1 to 64 printable"),
        ("/v1/calls?before=", "before is not valid"),
        ("/v1/calls?before=%0a", "before is not valid"),
        ("/v1/calls?tenant=globex", "there is no parameter \"tenant\""),
        ("/v1/calls/x?a=1", "there is no parameter \"a\"; there are none"),
        ("/v1/events?last=1", "there is no parameter \"last\""),
        ("/v1/approvals?all=yes", "all is not valid"),
        ("/v1/approvals?all=true&all=true", "all is there 2 times"),
    ] {
        let answer = get(&served, ACME, path).await;
        assert_fault(&answer, 400, "bad_request");
        assert!(answer.json()["error"]["message"].as_str().unwrap().contains(said), "{path}: {answer:?}");
    }
    for path in ["/v1/tools/echo/call?wait=true", "/v1/calls?a", "/v1/approvals/x?a"] {
        assert_fault(&post(&served, ACME, path, "{}").await, 400, "bad_request");
    }
    // What looks like a statement is a text.
    let page = get(&served, ACME, "/v1/calls?tool=x'%4fR'1'='1&before=~").await.json();
    assert_eq!(page["calls"], serde_json::json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_read_strictly() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let deep = format!(r#"{{"answers":{{"a":{}1{}}}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let answers: Vec<String> = (0..65).map(|at| format!(r#""{at}":{{}}"#)).collect();
    let answers = format!(r#"{{"answers":{{{}}}}}"#, answers.join(","));
    let long = format!(r#"{{"run":"{}"}}"#, "r".repeat(129));
    let unknown = format!(r#"{{"{}\u001b":1}}"#, "k".repeat(10_000));
    let many = format!(r#"{{"allow":[{}]}}"#, vec![r#""a""#; 257].join(","));
    let bodies = [
        "",
        "null",
        "[]",
        "{",
        "{}{}",
        "\u{feff}{}",
        r#""text""#,
        "1",
        r#"{"arguments":{},"arguments":{}}"#,
        r#"{"tenant":"globex"}"#,
        r#"{"user":"u"}"#,
        r#"{"run":1}"#,
        r#"{"run":null}"#,
        r#"{"run":""}"#,
        r#"{"run":"a\u0000"}"#,
        &long,
        r#"{"idempotency_key":{}}"#,
        r#"{"idempotency_key":"\u0007"}"#,
        r#"{"allow":"echo"}"#,
        r#"{"allow":[1]}"#,
        r#"{"allow":["a b"]}"#,
        &many,
        r#"{"wait":"true"}"#,
        r#"{"wait":1}"#,
        r#"{"deadline_ms":0}"#,
        r#"{"deadline_ms":-5}"#,
        r#"{"deadline_ms":1.5}"#,
        r#"{"deadline_ms":"1"}"#,
        r#"{"deadline_ms":99999999999999999999}"#,
        r#"{"answers":[]}"#,
        r#"{"answers":{"a":1}}"#,
        &answers,
        &deep,
        r#"{"state":5}"#,
        &unknown,
    ];
    for body in bodies {
        let headers = [("Content-Type", "application/json"), ("Authorization", "Bearer key-of-acme")];
        let answer = exchange(&served.address, "POST", "/v1/tools/echo/call", &headers, body).await;
        assert_fault(&answer, 400, "bad_request");
        assert!(answer.body.len() < 1_000 && !answer.body.contains("\\u001b"), "{answer:?}");
    }
    for state in ["", "AAAA", "\u{1F980}", &"A".repeat(100_000)] {
        let body = serde_json::json!({"state": state}).to_string();
        assert_fault(&post(&served, ACME, "/v1/tools/echo/call", &body).await, 409, "state_mismatch");
    }
    for (path, body) in [
        ("/v1/calls", r#"{"calls":{}}"#),
        ("/v1/calls", r#"{"calls":[{"tool":"echo","deadline_ms":1}]}"#),
        ("/v1/approvals/x", r#"{"approve":"yes"}"#),
        ("/v1/approvals/x", r#"{"approve":false}"#),
        ("/v1/approvals/x", r#"{"approve":true,"approve":false}"#),
    ] {
        assert_fault(&post(&served, ACME, path, body).await, 400, "bad_request");
    }
    let local = toolhost_tests::host::Ground::new().samples(&["math"]);
    let served = Served::start(local.path());
    for body in [
        "{}",
        r#"{"tool":1}"#,
        r#"{"tool":"a","user":""}"#,
        r#"{"tool":"a","allow":["%"]}"#,
        r#"{"tool":"a","x":1}"#,
    ] {
        assert_fault(&send(&served, "", "POST", "/v1/explain", body).await, 400, "bad_request");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_no_text_are_refused() {
    let ground = two_tenants();
    let served = Served::start(ground.path());
    let request = |middle: &[u8], body: &[u8]| {
        let mut bytes = b"POST /v1/tools/echo/call HTTP/1.1\r\nConnection: close\r\nHost: ".to_vec();
        bytes.extend_from_slice(served.address.as_bytes());
        bytes.extend_from_slice(
            b"\r\nAuthorization: Bearer key-of-acme\r\nContent-Type: application/json\r\n",
        );
        bytes.extend_from_slice(middle);
        bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
        bytes.extend_from_slice(body);
        bytes
    };
    for (middle, body, status) in [
        (&b""[..], &b"{\"run\":\"\xff\"}"[..], 400),
        (b"Idempotency-Key: \xff\r\n", b"{}", 400),
        (b"Idempotency-Key: a\r\nIdempotency-Key: a\r\n", b"{}", 400),
        (b"Idempotency-Key: \"\"\r\n", b"{}", 400),
        (b"Authorization: Bearer key-of-globex\r\n", b"{}", 401),
        (b"Content-Length: 1\r\n", b"{}", 400),
        (b"Transfer-Encoding: chunked\r\n", b"{}", 400),
        (b"No colon\r\n", b"{}", 400),
        (b"Accept: \xff\r\n", b"{}", 200),
        (b"X-Tenant: globex\r\nX-Forwarded-Host: evil.test\r\n", b"{}", 200),
    ] {
        let answer = raw_exchange(&served.address, &request(middle, body)).await;
        assert_eq!(answer.status, status, "{:?}: {answer:?}", String::from_utf8_lossy(middle));
    }
    // A text with a byte in its arguments that is no text is the gates' business.
    let odd = raw_exchange(&served.address, &request(b"", b"{\"arguments\":{\"a\":\"\xff\"}}")).await;
    assert!(odd.status == 400 || odd.json()["error"]["code"] == "bad_json", "{odd:?}");
    assert_eq!(served.health().await, 200);
    Held::idle(&served).await;
}
