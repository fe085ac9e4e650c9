//! The `Accept` header (RFC 9110, section 12.5.1): whether a client takes the one form that a route answers in.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

/// Whether a client takes a media type. Without the header, and with one that cannot be read, it takes all.
pub(super) fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let texts: Option<Vec<&str>> = headers.get_all(ACCEPT).iter().map(|value| value.to_str().ok()).collect();
    let Some(texts) = texts else { return true };
    let mut ranges = texts.iter().flat_map(|text| text.split(',')).map(str::trim).peekable();
    if ranges.peek().is_none() {
        return true;
    }
    let main = kind.split('/').next().unwrap_or_default();
    // The most specific range that fits decides.
    let mut best: Option<(u8, bool)> = None;
    for range in ranges {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let precision = match name.as_str() {
            "*/*" | "" => 0,
            name if name == kind => 2,
            name if name.strip_suffix("/*") == Some(main) => 1,
            _ => continue,
        };
        let wanted = !parts.any(|part| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            key.trim().eq_ignore_ascii_case("q") && value.trim().parse::<f32>() == Ok(0.0)
        });
        if best.is_none_or(|(known, _)| precision > known) {
            best = Some((precision, wanted));
        }
    }
    best.is_some_and(|(_, wanted)| wanted)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn the_most_specific_range_decides() {
        for (values, taken) in [
            (&[][..], true),
            (&[""], true),
            (&["*/*"], true),
            (&["application/json"], true),
            (&["Application/JSON; charset=utf-8"], true),
            (&["text/html", "application/*;q=0.1"], true),
            (&["text/html, application/xml"], false),
            (&["*/*, application/json;q=0"], false),
            (&["*/*;q=0"], false),
            (&["application/*; Q=0.000, */*"], false),
            (&["application/jsonp"], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(ACCEPT, HeaderValue::from_static(value));
            }
            assert_eq!(accepts(&headers, "application/json"), taken, "{values:?}");
        }
    }
}
