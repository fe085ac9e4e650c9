//! Which tools a caller may see and use: one evaluator for the declaration and for the call.

use std::fmt;
use std::str::FromStr;

/// Why a text is not a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the tool pattern {0:?} is not valid: it must be a tool name in which * stands for any characters")]
pub struct PatternError(String);

/// A tool name in which `*` stands for any characters, none included.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Pattern(String);

impl Pattern {
    /// The pattern that fits every tool.
    #[must_use]
    pub fn any() -> Self {
        Self("*".to_owned())
    }

    /// Whether a tool's name fits. Linear in the name for each star, so that no pattern is expensive.
    #[must_use]
    pub fn fits(&self, name: &str) -> bool {
        if self.0 == "*" {
            return true;
        }
        let mut parts = self.0.split('*');
        let Some(first) = parts.next() else { return false };
        let Some(mut rest) = name.strip_prefix(first) else { return false };
        let Some(last) = parts.next_back() else { return rest.is_empty() };
        for part in parts {
            match rest.find(part).and_then(|at| rest.get(at + part.len()..)) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        rest.ends_with(last)
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let valid = !text.is_empty()
            && text.len() <= 64
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-*".contains(&b));
        if valid { Ok(Self(text.to_owned())) } else { Err(PatternError(text.chars().take(80).collect())) }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

/// A decision, with the rule that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The tool may be seen and used.
    Allowed(String),
    /// It may not.
    Denied(String),
}

impl Verdict {
    /// Whether the tool may be seen and used.
    #[must_use]
    pub const fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed(_))
    }
}

/// A tenant's allow and deny patterns, and what its caller's key or token leaves of them. An empty list allows nothing; a
/// deny pattern always wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// What may be used.
    pub allow: Vec<Pattern>,
    /// What may not, whatever `allow` says.
    pub deny: Vec<Pattern>,
    /// Lists each of which has to allow a tool too.
    pub within: Vec<Vec<Pattern>>,
}

impl Access {
    /// Access to every tool.
    #[must_use]
    pub fn everything() -> Self {
        Self { allow: vec![Pattern::any()], deny: Vec::new(), within: Vec::new() }
    }

    /// What is left of it where a further list has to allow each tool too. It can be no more than before.
    #[must_use]
    pub fn narrowed_to(mut self, list: Vec<Pattern>) -> Self {
        self.within.push(list);
        self
    }

    /// Whether the caller's key or token leaves it a tool, whatever the tenant may use.
    #[must_use]
    pub fn leaves(&self, tool: &str) -> bool {
        self.within.iter().all(|list| list.iter().any(|pattern| pattern.fits(tool)))
    }

    /// Whether a tool may be used, under the tenant's rules and the request's own narrower list.
    #[must_use]
    pub fn permits(&self, tool: &str, narrowed: Option<&[Pattern]>) -> bool {
        !self.deny.iter().any(|pattern| pattern.fits(tool))
            && self.allow.iter().any(|pattern| pattern.fits(tool))
            && self.leaves(tool)
            && narrowed.is_none_or(|list| list.iter().any(|pattern| pattern.fits(tool)))
    }

    /// The same decision with the rule that made it, for operators.
    #[must_use]
    pub fn explain(&self, tool: &str, narrowed: Option<&[Pattern]>) -> Verdict {
        if let Some(pattern) = self.deny.iter().find(|pattern| pattern.fits(tool)) {
            return Verdict::Denied(format!("the tenant's deny pattern {pattern}"));
        }
        let Some(allow) = self.allow.iter().find(|pattern| pattern.fits(tool)) else {
            return Verdict::Denied("no allow pattern of the tenant fits".to_owned());
        };
        let fits = |list: &Vec<Pattern>| list.iter().any(|pattern| pattern.fits(tool));
        if !self.within.iter().all(fits) {
            return Verdict::Denied("no allow pattern of the caller's key or token fits".to_owned());
        }
        match narrowed.map(|list| list.iter().find(|pattern| pattern.fits(tool))) {
            Some(None) => Verdict::Denied("no pattern of the request's own allow list fits".to_owned()),
            Some(Some(own)) => {
                Verdict::Allowed(format!("allow pattern {allow}, narrowed by the request to {own}"))
            }
            None => Verdict::Allowed(format!("the tenant's allow pattern {allow}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        text.parse().unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn patterns_fit_as_a_shell_reader_expects() {
        for (text, name, fits) in [
            ("*", "anything", true),
            ("find_*", "find_orders", true),
            ("find_*", "find_", true),
            ("find_*", "refind_x", false),
            ("*_order", "get_order", true),
            ("*_order", "get_orders", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "acb", false),
            ("ab*ba", "aba", false),
            ("multiply", "multiply", true),
            ("multiply", "multiply2", false),
        ] {
            assert_eq!(pattern(text).fits(name), fits, "{text} on {name}");
        }
    }

    #[test]
    fn an_empty_allow_list_allows_nothing_and_deny_wins() {
        let nothing = Access { allow: vec![], deny: vec![], within: vec![] };
        assert!(!nothing.permits("multiply", None));
        let rules = Access { allow: vec![Pattern::any()], deny: vec![pattern("cancel_*")], within: vec![] };
        assert!(rules.permits("multiply", None));
        assert!(!rules.permits("cancel_order", Some(&[Pattern::any()])));
    }

    #[test]
    fn a_request_narrows_and_never_widens() {
        let rules = Access { allow: vec![pattern("get_*")], deny: vec![], within: vec![] };
        assert!(!rules.permits("multiply", Some(&[Pattern::any()])));
        assert!(!rules.permits("get_order", Some(&[])));
        assert!(rules.permits("get_order", Some(&[pattern("get_order")])));
    }

    #[test]
    fn a_key_narrows_and_never_widens() {
        let rules = Access { allow: vec![pattern("get_*")], deny: vec![pattern("*x")], within: vec![] };
        let key =
            rules.clone().narrowed_to(vec![pattern("get_order"), pattern("get_x"), pattern("multiply")]);
        for (tool, permitted) in
            [("get_order", true), ("get_x", false), ("get_y", false), ("multiply", false)]
        {
            assert_eq!(key.permits(tool, Some(&[Pattern::any()])), permitted, "{tool}");
        }
        assert!(
            !key.clone().narrowed_to(vec![pattern("get_y")]).permits("get_order", None),
            "both have to allow it"
        );
        assert!(!key.narrowed_to(vec![]).permits("get_order", None));
    }

    #[test]
    fn explaining_agrees_with_permitting() {
        let rules = Access {
            allow: vec![pattern("get_*"), pattern("m*")],
            deny: vec![pattern("*x")],
            within: vec![],
        };
        let by_key = rules.clone().narrowed_to(vec![pattern("get_order"), pattern("get_x")]);
        for tool in ["get_order", "get_x", "multiply", "other"] {
            for narrowed in [None, Some(vec![pattern("m*")])] {
                let narrowed = narrowed.as_deref();
                for rules in [&rules, &by_key] {
                    assert_eq!(rules.explain(tool, narrowed).is_allowed(), rules.permits(tool, narrowed));
                }
            }
        }
    }
}
