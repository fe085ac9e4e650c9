//! Arguments that a reviewer put in the place of a call's own. They make another call, which passes the gates anew, and
//! whoever made the first is told what was changed.

use serde_json::Value;
use toolhost_check::Arguments;
use toolhost_check::canonical::canonical;

use super::{matches, parsed};
use crate::id::ToolName;
use crate::registry::{Entry, Snapshot};
use crate::spec::{Code, Failure, Gate, clean};

/// How many changes are told one by one.
const CHANGES_TOLD: usize = 20;
/// Characters of a pointer or a value that are told.
const TOLD_CHARS: usize = 100;

/// Reads a reviewer's arguments: gates 3 and 4.
///
/// # Errors
/// The gate's refusal, which says whose arguments they are.
pub(super) fn edited(text: &str, entry: &Entry) -> Result<Arguments, Failure> {
    let read = parsed(text.as_bytes(), entry).and_then(|arguments| {
        matches(entry, &arguments)?;
        Ok(arguments)
    });
    read.map_err(|failure| {
        let message = format!("{} These arguments are a reviewer's, not the call's own.", failure.message);
        Failure { message, retryable: false, ..failure }
    })
}

/// Whether a tool would take a reviewer's arguments. Runs nothing.
///
/// # Errors
/// The refusal of gate 1, 3 or 4.
pub fn check_edit(tool: &ToolName, text: &str, snapshot: &Snapshot) -> Result<(), Failure> {
    let Some(entry) = snapshot.get(tool.as_str()) else {
        let message = format!("There is no tool named '{tool}' here any more.");
        return Err(Failure::new(Code::NoSuchTool, message).at(Gate::Exists));
    };
    edited(text, entry).map(|_| ())
}

/// What was changed, in one sentence.
#[must_use]
pub(super) fn told(from: &Value, to: &Value) -> String {
    let mut changes = Changes { path: Vec::new(), told: Vec::new(), more: 0 };
    changes.compare(Some(from), Some(to));
    let more = if changes.more > 0 { format!("; and {} more", changes.more) } else { String::new() };
    clean(format!("A reviewer changed the arguments of this call: {}{more}.", changes.told.join("; ")))
}

/// What differs, and where.
struct Changes<'a> {
    path: Vec<&'a str>,
    told: Vec<String>,
    more: usize,
}

impl<'a> Changes<'a> {
    /// Adds what differs. The gates bound the depth and the number of members.
    fn compare(&mut self, from: Option<&'a Value>, to: Option<&'a Value>) {
        match (from, to) {
            (Some(Value::Object(before)), Some(Value::Object(after))) => {
                let added = after.keys().filter(|key| !before.contains_key(*key));
                for key in before.keys().chain(added) {
                    self.path.push(key);
                    self.compare(before.get(key), after.get(key));
                    self.path.pop();
                }
            }
            (Some(before), Some(after)) if canonical(before) == canonical(after) => {}
            (Some(before), Some(after)) => {
                self.add(|place| format!("{place} from {} to {}", short(before), short(after)));
            }
            (Some(before), None) => {
                self.add(|place| format!("{place}, which was {}, taken out", short(before)))
            }
            (None, Some(after)) => self.add(|place| format!("{place} added as {}", short(after))),
            (None, None) => {}
        }
    }

    /// Tells one change by its JSON pointer (RFC 6901), or counts it.
    fn add(&mut self, change: impl FnOnce(&str) -> String) {
        if self.told.len() >= CHANGES_TOLD {
            self.more += 1;
            return;
        }
        let steps = self.path.iter().map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1")));
        let place: String = steps.collect();
        let place = if place.is_empty() { "the whole".to_owned() } else { cut(&place) };
        self.told.push(change(&place));
    }
}

/// The beginning of a text that is told.
fn cut(text: &str) -> String {
    match text.char_indices().nth(TOLD_CHARS) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn short(value: &Value) -> String {
    cut(&value.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_change_is_told_by_its_pointer() {
        let from = json!({"order": {"id": "o-1", "a/b": 1}, "n": 1, "note": "x"});
        let to = json!({"order": {"id": "o-2", "a/b": 2}, "n": 1.0, "fast": true});
        assert_eq!(
            told(&from, &to),
            "A reviewer changed the arguments of this call: /order/id from \"o-1\" to \"o-2\"; /order/a~1b from 1 to 2; \
             /note, which was \"x\", taken out; /fast added as true."
        );
    }

    #[test]
    fn what_is_told_is_bounded() {
        let of = |n: usize| {
            let members =
                (0..50).map(|key| (format!("k{key}{}", "x".repeat(500)), json!(n.to_string().repeat(500))));
            Value::Object(members.collect())
        };
        let told = told(&of(1), &of(2));
        assert!(told.ends_with("; and 30 more."), "{told}");
        assert!(told.len() < 20 * 400, "{}", told.len());
    }
}
