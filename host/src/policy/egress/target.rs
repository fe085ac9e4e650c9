//! What a request asks of its host: a path and a query, and nothing that could name another host.

/// The longest target, in bytes.
const LONGEST: usize = 8_192;

/// Why a text is no target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// It could be read as another host's.
    #[error("a path begins with one / and is not followed by another one")]
    Begin,
    /// A character that has to be escaped, or that some servers read as another one.
    #[error("a path and a query have no character {0:?}; write it as %XX")]
    Character(char),
    /// It is too long.
    #[error("a path and a query have at most {LONGEST} bytes")]
    TooLong,
}

/// Checks a path with its query (RFC 3986, sections 3.3 and 3.4), and gives what goes to the peer: the same text, with
/// a / where nothing stood.
///
/// # Errors
/// [`TargetError`] names what is wrong.
pub fn target(text: &str) -> Result<String, TargetError> {
    if text.len() > LONGEST {
        return Err(TargetError::TooLong);
    }
    let target = match text.chars().next() {
        None => "/".to_owned(),
        Some('?') => format!("/{text}"),
        Some('/') => text.to_owned(),
        Some(_) => return Err(TargetError::Begin),
    };
    if target.starts_with("//") {
        return Err(TargetError::Begin);
    }
    match target.chars().find(|c| !allowed(*c)) {
        Some(c) => Err(TargetError::Character(c)),
        None => Ok(target),
    }
}

/// The characters of pchar and query, and those that browsers send as they are.
const fn allowed(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(
            c,
            '-' | '.'
                | '_'
                | '~'
                | '!'
                | '$'
                | '&'
                | '\''
                | '('
                | ')'
                | '*'
                | '+'
                | ','
                | ';'
                | '='
                | ':'
                | '@'
                | '/'
                | '?'
                | '%'
                | '['
                | ']'
                | '|'
                | '{'
                | '}'
        )
}
