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
/// Characters of a value that are told.
const VALUE_CHARS: usize = 100;

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
    let mut changes = Vec::new();
    compare("", Some(from), Some(to), &mut changes);
    let more = changes.len().saturating_sub(CHANGES_TOLD);
    changes.truncate(CHANGES_TOLD);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    clean(format!("A reviewer changed the arguments of this call: {}{more}.", changes.join("; ")))
}

/// Adds what differs, by its JSON pointer (RFC 6901). The gates bound the depth.
fn compare(pointer: &str, from: Option<&Value>, to: Option<&Value>, changes: &mut Vec<String>) {
    let name = if pointer.is_empty() { "the whole" } else { pointer };
    match (from, to) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let added = after.keys().filter(|key| !before.contains_key(*key));
            for key in before.keys().chain(added) {
                let step = key.replace('~', "~0").replace('/', "~1");
                compare(&format!("{pointer}/{step}"), before.get(key), after.get(key), changes);
            }
        }
        (Some(before), Some(after)) if canonical(before) == canonical(after) => {}
        (Some(before), Some(after)) => {
            changes.push(format!("{name} from {} to {}", short(before), short(after)));
        }
        (Some(before), None) => changes.push(format!("{name}, which was {}, taken out", short(before))),
        (None, Some(after)) => changes.push(format!("{name} added as {}", short(after))),
        (None, None) => {}
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= VALUE_CHARS {
        return text;
    }
    format!("{}...", text.chars().take(VALUE_CHARS).collect::<String>())
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
            let members = (0..50).map(|key| (format!("k{key}"), json!(n.to_string().repeat(500))));
            Value::Object(members.collect())
        };
        let told = told(&of(1), &of(2));
        assert!(told.ends_with("; and 30 more."), "{told}");
        assert!(told.len() < 20 * 300, "{}", told.len());
    }
}
