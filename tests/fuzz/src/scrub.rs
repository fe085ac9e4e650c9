//! A secret is found wherever the pieces of an answer are cut, and nothing else is taken out.

use super::parts;
use toolhost::spec::{ScrubStream, Scrubber, Secret};

/// Tries one input.
pub fn run(data: &[u8]) {
    let Some([secret, cuts, before, after]) = parts(data) else { return };
    let Ok(secret) = str::from_utf8(secret) else { return };
    let hidden = Secret::new(secret.to_owned());
    let Some(scrubber) = Scrubber::new([&hidden]) else { return };
    let plain = [before, secret.as_bytes(), after].concat();
    let whole = scrubber.bytes(&plain).into_owned();
    assert!(!contains(&whole, secret.as_bytes()) || contains(b"[secret]", secret.as_bytes()));
    // In pieces of any sizes the same comes out.
    let (mut stream, mut pieces, mut rest) = (ScrubStream::default(), Vec::new(), plain.as_slice());
    for cut in cuts {
        let (piece, left) = rest.split_at(usize::from(*cut).min(rest.len()));
        pieces.extend(stream.push(&scrubber, piece));
        rest = left;
    }
    pieces.extend(stream.push(&scrubber, rest));
    pieces.extend(stream.finish(&scrubber));
    assert_eq!(pieces, whole);
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
