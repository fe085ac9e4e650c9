//! The query of a request, read strictly: what is not known, is there twice, or is not UTF-8, is refused and never
//! guessed at. `+` is a space, as forms write it.

use std::str::FromStr;

use axum::http::Uri;
use axum::response::Response;
use percent_encoding::percent_decode_str;

use super::answers::refused;

/// The longest query, in bytes.
const MOST_BYTES: usize = 16 << 10;

/// A query that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the query cannot be read: {0}")]
pub(super) struct QueryFault(String);

impl From<QueryFault> for Response {
    fn from(fault: QueryFault) -> Self {
        refused(&fault.to_string())
    }
}

/// Refuses a query where none is taken.
pub(super) fn no_query(uri: &Uri) -> Result<(), QueryFault> {
    Query::of(uri)?.close()
}

/// The parameters of a query. Whoever reads it takes out what it knows, and closes it.
#[derive(Debug)]
pub(super) struct Query {
    pairs: Vec<(String, String)>,
    known: Vec<&'static str>,
}

impl Query {
    /// Reads the query of a request.
    pub(super) fn of(uri: &Uri) -> Result<Self, QueryFault> {
        Self::parse(uri.query())
    }

    fn parse(text: Option<&str>) -> Result<Self, QueryFault> {
        let text = text.unwrap_or_default();
        if text.len() > MOST_BYTES {
            return Err(QueryFault(format!("it has more than {MOST_BYTES} bytes")));
        }
        let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decoded(name)?, decoded(value)?))
        });
        Ok(Self { pairs: pairs.collect::<Result<_, _>>()?, known: Vec::new() })
    }

    /// All values of a parameter that may be there more than once.
    pub(super) fn all<T: FromStr<Err: ToString>>(
        &mut self,
        name: &'static str,
    ) -> Result<Vec<T>, QueryFault> {
        self.known.push(name);
        let (own, rest) = std::mem::take(&mut self.pairs).into_iter().partition(|pair| pair.0 == name);
        self.pairs = rest;
        let own: Vec<(String, String)> = own;
        own.into_iter()
            .map(|(_, value)| {
                value.parse().map_err(|fault: T::Err| {
                    QueryFault(format!("{name} is not valid: {}", fault.to_string()))
                })
            })
            .collect()
    }

    /// The value of a parameter that may be there once.
    pub(super) fn one<T: FromStr<Err: ToString>>(
        &mut self,
        name: &'static str,
    ) -> Result<Option<T>, QueryFault> {
        let mut values = self.all(name)?;
        if values.len() > 1 {
            return Err(QueryFault(format!("{name} is there {} times", values.len())));
        }
        Ok(values.pop())
    }

    /// Refuses what nobody took out.
    pub(super) fn close(self) -> Result<(), QueryFault> {
        let Some((name, _)) = self.pairs.first() else { return Ok(()) };
        let shown: String = name.chars().take(64).collect();
        let known = if self.known.is_empty() {
            "there are none".to_owned()
        } else {
            format!("there are {}", self.known.join(", "))
        };
        Err(QueryFault(format!("there is no parameter {shown:?}; {known}")))
    }
}

fn decoded(text: &str) -> Result<String, QueryFault> {
    let spaced = text.replace('+', " ");
    let is_whole = |(at, _): (usize, &str)| {
        let digits = spaced.get(at + 1..at + 3).unwrap_or_default();
        digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    if !spaced.match_indices('%').all(is_whole) {
        return Err(QueryFault("a % is not followed by two hexadecimal digits".to_owned()));
    }
    match percent_decode_str(&spaced).decode_utf8() {
        Ok(text) => Ok(text.into_owned()),
        Err(_) => Err(QueryFault("it is not UTF-8".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        let read = |text| {
            let mut query = Query::parse(Some(text))?;
            query.one::<u32>("n")?;
            query.all::<String>("each")?;
            query.close()
        };
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn values_are_decoded_once() {
        let mut query = Query::parse(Some("each=a+b%2B%2525&each=%C3%A4&&n=7&each")).unwrap();
        assert_eq!(query.all::<String>("each").unwrap(), ["a b+%25", "ä", ""]);
        assert_eq!(query.one::<u32>("n").unwrap(), Some(7));
        assert_eq!(query.one::<u32>("m").unwrap(), None);
        assert_eq!(query.close(), Ok(()));
        assert_eq!(Query::parse(None).unwrap().close(), Ok(()));
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_reason() {
        for (text, said) in [
            ("n=1&n=2", "n is there 2 times"),
            ("n=x", "n is not valid"),
            ("n=", "n is not valid"),
            ("N=1", "there is no parameter \"N\"; there are n, each"),
            ("%6e=1&m=1", "there is no parameter \"m\""),
            ("each=%ff", "it is not UTF-8"),
            ("each=%C3", "it is not UTF-8"),
            ("each=%", "a % is not followed"),
            ("each=%2", "a % is not followed"),
            ("each=%zz", "a % is not followed"),
            ("each=%+1", "a % is not followed"),
            (&"n".repeat(MOST_BYTES + 1), "it has more than"),
        ] {
            let fault = fault(text);
            assert!(fault.starts_with(&format!("the query cannot be read: {said}")), "{text}: {fault}");
        }
    }
}
