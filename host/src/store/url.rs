//! Which database the store is in.

use std::fmt;
use std::path::PathBuf;

/// Which database the store is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// One SQLite file, for the processes of one machine. Its folder holds their locks too.
    Sqlite(PathBuf),
    /// A PostgreSQL database, for processes of any machines.
    Postgres(PostgresUrl),
}

/// The URL of a PostgreSQL database. It is never shown with its password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(String);

/// Why a text names no PostgreSQL database that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PostgresUrlFault(&'static str);

impl PostgresUrl {
    /// Takes a URL as libpq's documentation describes it: `postgres://user@host:port/database`.
    ///
    /// # Errors
    /// Says what is missing, or asks for what this program does not do.
    pub fn parse(text: &str) -> Result<Self, PostgresUrlFault> {
        let rest = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"));
        let rest = rest.ok_or(PostgresUrlFault("must begin with postgres://"))?;
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        if place.split_once('/').is_none_or(|(_, database)| database.is_empty()) {
            return Err(PostgresUrlFault("must name a database, as postgres://user@host/database"));
        }
        let encrypted = parameters.split('&').any(|parameter| {
            parameter.split_once('=').is_some_and(|(name, value)| {
                matches!(name, "sslmode" | "ssl-mode") && !matches!(value, "disable" | "allow" | "prefer")
            })
        });
        if encrypted {
            return Err(PostgresUrlFault(
                "asks for TLS, which this build does not speak; leave sslmode out, and connect over a network that is \
                 yours or through a tunnel",
            ));
        }
        Ok(Self(text.to_owned()))
    }

    /// The URL as it was given, with its password.
    pub(super) fn whole(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.0.split_once("://").unwrap_or(("postgres", &self.0));
        let rest = rest.split('?').next().unwrap_or(rest);
        let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
        write!(f, "{scheme}://{place}")
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(file) => write!(f, "{}", file.display()),
            Self::Postgres(url) => write!(f, "{url}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_shown_without_what_is_secret() {
        let url = PostgresUrl::parse("postgres://ann:se@cret@db.example:5433/tools?options=secret").unwrap();
        assert_eq!(
            format!("{url} {url:?}"),
            "postgres://db.example:5433/tools postgres://db.example:5433/tools"
        );
        assert!(url.whole().contains("se@cret"));
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        for (bad, said) in [
            ("mysql://a/b", "must begin with"),
            ("postgres://a", "must name a database"),
            ("postgres://a/", "must name a database"),
            ("postgres://a/b?sslmode=verify-full", "asks for TLS"),
        ] {
            assert!(PostgresUrl::parse(bad).unwrap_err().to_string().starts_with(said), "{bad}");
        }
        assert!(PostgresUrl::parse("postgresql:///b?host=/run/postgresql").is_ok());
    }
}
