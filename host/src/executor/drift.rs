//! What is different between two descriptions of a component, for a person who has to accept the later one.

mod lines;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt;

use serde_json::{Map, Value};

/// How many differences are told. Whoever changes more is to be looked at as a whole.
const MOST: usize = 200;
/// How long a value may be in a line, in characters.
const LONGEST_VALUE: usize = 200;
/// How long a summary may be, in characters.
const LONGEST_SUMMARY: usize = 400;

/// One difference.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The tool that it is about; none if it is about the component.
    pub tool: Option<String>,
    /// Where it is, as a JSON pointer (RFC 6901) into the tool's description; empty for a whole tool.
    pub place: String,
    /// What stood there; none if it was added.
    pub before: Option<Value>,
    /// What stands there; none if it was removed.
    pub after: Option<Value>,
}

/// All differences between two descriptions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drift {
    /// The first of them, in the order of the later description.
    pub differences: Vec<Difference>,
    /// How many more there are.
    pub omitted: usize,
}

impl Drift {
    /// Compares two descriptions as they are kept. One that is missing, or is no description, is taken as an empty one.
    #[must_use]
    pub fn between(before: Option<&str>, after: Option<&str>) -> Self {
        let parse = |text: Option<&str>| -> Value {
            text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
        };
        let (before, after) = (parse(before), parse(after));
        let mut drift = Self::default();
        drift.walk(None, "/imports", before.get("imports"), after.get("imports"));
        let (old, new) = (tools(&before), tools(&after));
        for (name, tool) in &new {
            match old.iter().find(|(other, _)| other == name) {
                Some((_, before)) => drift.walk(Some(name), "", Some(before), Some(tool)),
                None => drift.add(Some(name), "", None, Some(tool)),
            }
        }
        for (name, tool) in old.iter().filter(|(name, _)| !new.iter().any(|(other, _)| other == name)) {
            drift.add(Some(name), "", Some(tool), None);
        }
        drift
    }

    /// The same in one sentence without a full stop, at most 400 characters of it.
    #[must_use]
    pub fn summary(&self) -> String {
        if self.differences.is_empty() {
            return "its code changed, and nothing that it says about itself".to_owned();
        }
        let all: Vec<String> = self.differences.iter().map(Difference::heading).collect();
        let text = format!("changed: {}", all.join("; "));
        let cut: String = text.chars().take(LONGEST_SUMMARY).collect();
        if cut.len() < text.len() || self.omitted > 0 { cut + " and more" } else { cut }
    }

    fn add(&mut self, tool: Option<&str>, place: &str, before: Option<&Value>, after: Option<&Value>) {
        if self.differences.len() == MOST {
            self.omitted += 1;
            return;
        }
        self.differences.push(Difference {
            tool: tool.map(str::to_owned),
            place: place.to_owned(),
            before: before.cloned(),
            after: after.cloned(),
        });
    }

    /// Goes down two values as far as both have the same form. What is deep was refused when it was loaded.
    fn walk(&mut self, tool: Option<&str>, place: &str, before: Option<&Value>, after: Option<&Value>) {
        match (before, after) {
            (before, after) if before == after => {}
            (Some(Value::Object(old)), Some(Value::Object(new))) => {
                for key in new.keys().chain(old.keys().filter(|key| !new.contains_key(*key))) {
                    let below = format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"));
                    self.walk(tool, &below, old.get(key), new.get(key));
                }
            }
            (Some(Value::Array(old)), Some(Value::Array(new))) if are_sets(old, new) => {
                let (before, after) = (texts(old), texts(new));
                let is_in =
                    |set: &HashSet<&str>, item: &Value| item.as_str().is_some_and(|text| set.contains(text));
                for item in new.iter().filter(|item| !is_in(&before, item)) {
                    self.add(tool, place, None, Some(item));
                }
                for item in old.iter().filter(|item| !is_in(&after, item)) {
                    self.add(tool, place, Some(item), None);
                }
            }
            (Some(Value::Array(old)), Some(Value::Array(new))) => {
                for at in 0..old.len().max(new.len()) {
                    self.walk(tool, &format!("{place}/{at}"), old.get(at), new.get(at));
                }
            }
            (before, after) => self.add(tool, place, before, after),
        }
    }
}

impl Difference {
    /// What changed, without the values.
    fn heading(&self) -> String {
        let what = match (&self.before, &self.after) {
            (None, _) => " added",
            (_, None) => " removed",
            _ => "",
        };
        let value = self.after.as_ref().or(self.before.as_ref());
        match (&self.tool, self.place.as_str()) {
            (Some(tool), "") => format!("tool {tool}{what}"),
            (Some(tool), place) => format!("tool {tool} {place}{what}"),
            (None, _) => format!("import {}{what}", value.map(shown).unwrap_or_default()),
        }
    }
}

/// Lines for people. Whatever a component wrote in them is for the caller to clean.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.heading())?;
        match (&self.before, &self.after) {
            _ if self.tool.is_none() || self.place.is_empty() => Ok(()),
            (Some(Value::String(before)), Some(Value::String(after))) if self.place == "/description" => {
                for line in lines::diff(before, after) {
                    write!(f, "\n  {line}")?;
                }
                Ok(())
            }
            (Some(before), Some(after)) => write!(f, ": {} became {}", shown(before), shown(after)),
            (Some(value), None) | (None, Some(value)) => write!(f, ": {}", shown(value)),
            (None, None) => Ok(()),
        }
    }
}

fn tools(description: &Value) -> Vec<(&str, &Value)> {
    let listed = description.get("tools").and_then(Value::as_array).into_iter().flatten();
    listed.filter_map(|tool| Some((tool.get("name")?.as_str()?, tool))).collect()
}

/// Whether the order of two lists says nothing: lists of different texts, as of required properties.
fn are_sets(old: &[Value], new: &[Value]) -> bool {
    old.iter().chain(new).all(Value::is_string) && texts(old) != texts(new)
}

fn texts(list: &[Value]) -> HashSet<&str> {
    list.iter().filter_map(Value::as_str).collect()
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    let cut: String = text.chars().take(LONGEST_VALUE).collect();
    if cut.len() < text.len() { cut + "..." } else { cut }
}

/// A difference for programs: `{tool, place, before, after}`.
impl From<&Difference> for Value {
    fn from(difference: &Difference) -> Self {
        let Difference { tool, place, before, after } = difference;
        let mut object = Map::new();
        object.insert("tool".to_owned(), tool.clone().into());
        object.insert("place".to_owned(), place.as_str().into());
        object.insert("before".to_owned(), before.clone().into());
        object.insert("after".to_owned(), after.clone().into());
        Self::Object(object)
    }
}
