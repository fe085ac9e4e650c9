//! What of a call's values is kept out of traces.

use std::str::FromStr;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::id::hex;

/// What stands in a trace instead of a value.
const REDACTED: &str = "[redacted]";

/// A place in a value: a JSON pointer (RFC 6901) in which `*` stands for each member or item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place(Vec<String>);

/// A text that is no such pointer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a JSON pointer: it has to be empty or to begin with /, and ~ stands before 0 or 1 alone"
)]
pub struct PlaceError(String);

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        let wrong = || PlaceError(text.chars().take(80).collect());
        if text.is_empty() {
            return Ok(Self(Vec::new()));
        }
        let steps = text.strip_prefix('/').ok_or_else(wrong)?.split('/');
        let steps = steps.map(|step| {
            let plain = step.replace("~1", "").replace("~0", "");
            if plain.contains('~') { Err(wrong()) } else { Ok(step.replace("~1", "/").replace("~0", "~")) }
        });
        steps.collect::<Result<_, _>>().map(Self)
    }
}

/// The places of a tool's arguments and structured results that traces leave out. Nothing is left out if there are none.
///
/// Where anything is left out, so is every other text that may repeat it: the result's content, what the guest wrote to its
/// output, and messages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Redaction(Vec<Place>);

impl Redaction {
    /// Leaves these places out.
    #[must_use]
    pub const fn of(places: Vec<Place>) -> Self {
        Self(places)
    }

    /// Whether nothing is left out.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A JSON text without what is left out; of what is no JSON, its hash.
    #[must_use]
    pub fn json(&self, text: &str) -> String {
        if self.is_empty() {
            return text.to_owned();
        }
        let Ok(mut value) = serde_json::from_str(text) else { return Self::hidden(text) };
        for Place(steps) in &self.0 {
            redact(&mut value, steps);
        }
        value.to_string()
    }

    /// What is kept of a text that may repeat what is left out.
    #[must_use]
    pub fn text(&self, text: String) -> String {
        if self.is_empty() { text } else { Self::hidden(&text) }
    }

    fn hidden(text: &str) -> String {
        // As JSON, since that is what stands there otherwise.
        format!("\"{REDACTED} {} bytes, sha256:{}\"", text.len(), hex(&Sha256::digest(text.as_bytes())))
    }
}

fn redact(value: &mut Value, steps: &[String]) {
    let Some((step, rest)) = steps.split_first() else {
        *value = REDACTED.into();
        return;
    };
    match value {
        Value::Object(members) if step == "*" => members.values_mut().for_each(|it| redact(it, rest)),
        Value::Object(members) => members.get_mut(step).into_iter().for_each(|it| redact(it, rest)),
        Value::Array(items) if step == "*" => items.iter_mut().for_each(|it| redact(it, rest)),
        Value::Array(items) => {
            let at = step.parse().ok().and_then(|at: usize| items.get_mut(at));
            at.into_iter().for_each(|it| redact(it, rest));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(places: &[&str]) -> Redaction {
        Redaction::of(places.iter().map(|place| place.parse().unwrap()).collect())
    }

    #[test]
    fn places_are_left_out_and_the_rest_stays_as_it_was() {
        let text = r#"{"card":{"no":"4111","till":"12/30"},"items":[{"pin":1,"n":9007199254740993},{"pin":2}],"a/b":1,"*":2}"#;
        assert_eq!(
            of(&["/card/no", "/items/*/pin", "/a~1b", "/missing/x", "/card/till/deeper"]).json(text),
            r#"{"card":{"no":"[redacted]","till":"12/30"},"items":[{"pin":"[redacted]","n":9007199254740993},{"pin":"[redacted]"}],"a/b":"[redacted]","*":2}"#
        );
        assert_eq!(of(&["/items/1"]).json(r#"{"items":[1,2]}"#), r#"{"items":[1,"[redacted]"]}"#);
        assert_eq!(of(&[""]).json(text), r#""[redacted]""#);
        assert_eq!(of(&[]).json("{ }"), "{ }");
    }

    #[test]
    fn what_cannot_be_read_is_hidden_whole() {
        let hidden = of(&["/card"]).json(r#"{"card":"4111""#);
        assert!(hidden.starts_with("\"[redacted] 14 bytes, sha256:") && !hidden.contains("4111"), "{hidden}");
        assert!(!of(&["/card"]).text("card 4111".into()).contains("4111"));
        assert_eq!(of(&[]).text("card 4111".into()), "card 4111");
    }

    #[test]
    fn a_place_is_a_pointer() {
        for wrong in ["card", "/a~", "/a~2", "~1"] {
            assert!(wrong.parse::<Place>().is_err(), "{wrong}");
        }
    }
}
