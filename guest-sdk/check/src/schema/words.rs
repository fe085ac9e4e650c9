//! The words in which a model reads what is wrong with a value.
//!
//! It owns field paths, echoes and lists, all of them short: a value from outside is never repeated in full.

use std::fmt::{self, Write as _};

use serde_json::Value;

use super::graph::escape;
use super::rules::Types;

/// The longest echo of a value, in characters.
const ECHO_CHARS: usize = 80;
/// The most options or names that a reason lists.
const LISTED: usize = 20;

/// The place of a part of a value, as a chain from the part up to the root.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'p> {
    up: Option<&'p Place<'p>>,
    step: Step<'p>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl<'p> Place<'p> {
    pub(super) const ROOT: Self = Self { up: None, step: Step::Root };

    pub(super) fn key(&'p self, key: &'p str) -> Self {
        Self { up: Some(self), step: Step::Key(key) }
    }

    pub(super) fn index(&'p self, index: usize) -> Self {
        Self { up: Some(self), step: Step::Index(index) }
    }

    /// Whether this is a member of the root.
    pub(super) fn is_at_top(&self) -> bool {
        self.up.is_some_and(|up| up.up.is_none())
    }

    /// The JSON pointer of the place.
    pub(super) fn pointer(&self) -> String {
        let mut out = String::new();
        for step in self.steps() {
            match step {
                Step::Root => {}
                Step::Key(key) => _ = write!(out, "/{}", escape(key)),
                Step::Index(index) => _ = write!(out, "/{index}"),
            }
        }
        out
    }

    /// The place as a person writes it: `items[2].price`, `(arguments)` for the root.
    pub(super) fn field(&self) -> String {
        let mut out = String::new();
        for step in self.steps() {
            match step {
                Step::Root => {}
                Step::Key(key) if is_plain(key) => {
                    if !out.is_empty() {
                        out.push('.');
                    }
                    out.push_str(key);
                }
                Step::Key(key) => _ = write!(out, "[{:?}]", cut(key, ECHO_CHARS)),
                Step::Index(index) => _ = write!(out, "[{index}]"),
            }
        }
        if out.is_empty() { "(arguments)".to_owned() } else { out }
    }

    fn steps(&self) -> Vec<Step<'p>> {
        let mut steps = vec![self.step];
        let mut at = self.up;
        while let Some(place) = at {
            steps.push(place.step);
            at = place.up;
        }
        steps.reverse();
        steps
    }
}

/// One thing wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The place as a person writes it, such as `items[2].price`; `(arguments)` for the root.
    pub field: String,
    /// The JSON pointer of the place; of a missing property, where it would be.
    pub pointer: String,
    /// What is wrong, as a fragment without a full stop.
    pub reason: String,
}

impl Fault {
    pub(super) fn new(place: &Place<'_>, reason: impl Into<String>) -> Self {
        Self { field: place.field(), pointer: place.pointer(), reason: reason.into() }
    }
}

/// `FIELD: REASON.`
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}.", self.field, self.reason)
    }
}

/// All that is wrong with a value: the first faults in full, the others counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faults {
    /// The faults that are listed, in the order in which the schema was walked.
    pub listed: Vec<Fault>,
    /// How many more there are.
    pub more: usize,
}

impl Faults {
    /// The JSON pointers of the listed faults, in the same order.
    #[must_use]
    pub fn pointers(&self) -> Vec<String> {
        self.listed.iter().map(|fault| fault.pointer.clone()).collect()
    }

    pub(super) fn n_faults(&self) -> usize {
        self.listed.len() + self.more
    }

    pub(super) fn one(fault: Fault) -> Self {
        Self { listed: vec![fault], more: 0 }
    }
}

/// `FIELD: REASON. FIELD: REASON. And N more.`
impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.listed.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{fault}")?;
        }
        if self.more > 0 {
            write!(f, " And {} more.", self.more)?;
        }
        Ok(())
    }
}

/// A text cut to a number of characters, with `...` where something was cut.
pub(super) fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A value as an echo: scalars in JSON and cut, containers by their kind.
pub(super) fn echo(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{:?}", cut(text, ECHO_CHARS)),
        Value::Number(number) => cut(number.as_str(), ECHO_CHARS),
        Value::Array(items) if items.is_empty() => "an empty array".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(members) if members.is_empty() => "an empty object".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Bool(_) | Value::Null => value.to_string(),
    }
}

/// A value that the schema's author wrote, in JSON and cut.
fn spelled(value: &Value) -> String {
    cut(&value.to_string(), ECHO_CHARS)
}

pub(super) fn wrong_type(types: &[Types], value: &Value) -> String {
    let mut articles: Vec<&str> = Vec::new();
    for article in types.iter().flat_map(|types| types.articles()) {
        if !articles.contains(&article) {
            articles.push(article);
        }
    }
    let found = match value {
        Value::String(_) => format!("the string {}", echo(value)),
        _ => echo(value),
    };
    format!("expected {}, found {found}", join_or(&articles))
}

pub(super) fn wrong_option(options: &[Value], found: &str) -> String {
    let mut listed: Vec<String> = options.iter().take(LISTED).map(spelled).collect();
    if options.len() > LISTED {
        listed.push(format!("{} more", options.len() - LISTED));
    }
    match options {
        [_] => format!("expected {}, found {found}", listed.join("")),
        _ => format!("expected one of {}; found {found}", listed.join(", ")),
    }
}

pub(super) fn unknown(at_top: bool, known: &[&str]) -> String {
    let whole = if at_top { "the tool" } else { "this object" };
    if known.is_empty() {
        let nothing = if at_top { "arguments" } else { "properties" };
        return format!("unknown; {whole} takes no {nothing}");
    }
    let mut listed: Vec<String> = known.iter().take(LISTED).map(|name| cut(name, ECHO_CHARS)).collect();
    if known.len() > LISTED {
        listed.push(format!("{} more", known.len() - LISTED));
    }
    format!("unknown; {whole} takes {}", listed.join(", "))
}

pub(super) fn wrong_format(name: &str, value: &Value) -> String {
    let wanted = match name {
        "date" => "a date such as 2026-01-31",
        "date-time" => "a date and time such as 2026-01-31T12:00:00Z",
        "time" => "a time such as 12:00:00Z",
        "duration" => "an ISO 8601 duration such as P3DT4H",
        "email" | "idn-email" => "an e-mail address",
        "uuid" => "a UUID",
        "uri" | "iri" => "an absolute URI",
        "ipv4" => "an IPv4 address",
        "ipv6" => "an IPv6 address",
        "hostname" | "idn-hostname" => "a host name",
        "regex" => "a regular expression",
        _ => {
            return format!("expected text in the format {:?}, found {}", cut(name, ECHO_CHARS), echo(value));
        }
    };
    format!("expected {wanted}, found {}", echo(value))
}

pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

fn join_or(words: &[&str]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn is_plain(key: &str) -> bool {
    let mut chars = key.chars();
    key.len() <= ECHO_CHARS
        && chars.next().is_some_and(|first| first.is_alphabetic() || first == '_' || first == '$')
        && chars.all(|next| next.is_alphanumeric() || matches!(next, '_' | '-' | '$'))
}
