use super::*;

fn headers(values: &[&str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
    }
    headers
}

#[test]
fn a_key_is_read_from_exactly_one_bearer_header() {
    for (values, key) in [
        (vec!["Bearer abc"], Some("abc")),
        (vec!["bearer  abc "], Some("abc")),
        (vec!["BEARER a b"], Some("a b")),
        (vec![], None),
        (vec!["abc"], None),
        (vec!["Bearer"], None),
        (vec!["Bearer "], None),
        (vec!["Basic abc"], None),
        (vec!["Bearer abc", "Bearer abc"], None),
    ] {
        assert_eq!(bearer(&headers(&values)), key, "{values:?}");
    }
}

#[test]
fn whoever_is_not_known_learns_no_more_than_that() {
    let response = unauthenticated();
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(response.headers()[WWW_AUTHENTICATE], "Bearer realm=\"toolhost\"");
}

#[test]
fn the_document_has_the_paths_of_the_router() {
    for has_keys in [false, true] {
        let document: Value = serde_json::from_str(&openapi::text(has_keys)).unwrap();
        let described: Vec<&str> =
            document["paths"].as_object().unwrap().keys().map(String::as_str).collect();
        let mut served: Vec<&str> = routes().into_iter().map(|(path, _)| path).collect();
        served.sort_unstable();
        assert_eq!(described, served);
    }
}
