use axum::http::HeaderValue;

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
        (vec!["Bearer abc"], Ok(Some("abc"))),
        (vec!["bearer  abc "], Ok(Some("abc"))),
        (vec!["BEARER a b"], Ok(Some("a b"))),
        (vec![], Ok(None)),
        (vec!["abc"], Err(Unreadable)),
        (vec!["Bearer"], Err(Unreadable)),
        (vec!["Bearer "], Err(Unreadable)),
        (vec!["Basic abc"], Err(Unreadable)),
        (vec!["Bearer abc", "Bearer abc"], Err(Unreadable)),
    ] {
        assert_eq!(bearer(&headers(&values)), key, "{values:?}");
    }
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
