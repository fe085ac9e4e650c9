//! Gate 3: whatever a client sends is read or refused, and what is read means the same to everybody.

use serde_json::Value;
use toolhost_check::Arguments;
use toolhost_check::canonical::canonical;
use toolhost_check::json::Limits;

/// Tries one input.
pub fn run(text: &[u8]) {
    let Ok(arguments) = Arguments::parse_within("tool", text, &Limits::ARGUMENTS) else { return };
    // What passes is one JSON object to a parser that is not ours, too, and the same one.
    let value: Value = serde_json::from_slice(text).expect("what passes is JSON");
    assert!(value.is_object());
    assert_eq!(canonical(&value), canonical(arguments.value()));
    // The canonical text is its own canonical text, and has the same digest.
    let once = canonical(&value);
    let again = Arguments::parse("tool", &once).expect("the canonical text is taken");
    assert_eq!(canonical(again.value()), once);
    assert_eq!(again.digest(), arguments.digest());
}
