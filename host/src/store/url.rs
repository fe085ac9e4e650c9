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
pub struct PostgresUrl {
    text: String,
    certificates: Vec<PathBuf>,
}

/// Why a text names no PostgreSQL database that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PostgresUrlFault(String);

/// The parameters of a URL that are understood, by libpq's names.
const PARAMETERS: &[&str] = &[
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "user",
];
/// How a connection is encrypted, by libpq's names. Of its modes `allow` is missing: it says little and no library does it.
const TLS_MODES: &[&str] = &["disable", "prefer", "require", "verify-ca", "verify-full"];

impl PostgresUrl {
    /// Takes a URL as libpq's documentation describes it: `postgres://user@host:port/database`.
    ///
    /// With `sslmode=verify-full` the server has to show a certificate for its name, from one of the authorities in the
    /// file `sslrootcert`, else from a public one; without `sslmode` a connection is encrypted if the server can do it, and
    /// nobody is sure who that is.
    ///
    /// # Errors
    /// Says what is missing, or which parameter is not understood: none is left out silently.
    pub fn parse(text: &str) -> Result<Self, PostgresUrlFault> {
        let fault = |said: &str| PostgresUrlFault(said.to_owned());
        let rest = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"));
        let rest = rest.ok_or_else(|| fault("must begin with postgres://"))?;
        let (place, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        if place.split_once('/').is_none_or(|(_, database)| database.is_empty()) {
            return Err(fault("must name a database, as postgres://user@host/database"));
        }
        let mut certificates = Vec::new();
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            match name {
                "sslmode" if !TLS_MODES.contains(&value) => {
                    return Err(PostgresUrlFault(format!(
                        "must have one of sslmode={}",
                        TLS_MODES.join(", ")
                    )));
                }
                "sslrootcert" | "sslcert" | "sslkey" => certificates.push(file(name, value)?),
                // A setting of the server's, as `options[search_path]`.
                name if PARAMETERS.contains(&name) || name.starts_with("options[") => {}
                _ => {
                    let known = PARAMETERS.join(", ");
                    return Err(PostgresUrlFault(format!("has the parameter {name:?}; there are: {known}")));
                }
            }
        }
        Ok(Self { text: text.to_owned(), certificates })
    }

    /// The URL as it was given, with its password.
    pub(super) fn whole(&self) -> &str {
        &self.text
    }

    /// The files of certificates and keys that are read for each connection.
    #[must_use]
    pub fn certificates(&self) -> &[PathBuf] {
        &self.certificates
    }
}

/// A file in a parameter. Only a path that is written as it is, from the root on, is the same file wherever a process is
/// started.
fn file(name: &str, value: &str) -> Result<PathBuf, PostgresUrlFault> {
    let path = PathBuf::from(value);
    if !path.is_absolute() || value.contains(['%', '+']) {
        return Err(PostgresUrlFault(format!(
            "must have a whole path in {name}, from / on, without % and +"
        )));
    }
    Ok(path)
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.text.split_once("://").unwrap_or(("postgres", &self.text));
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
            ("postgres://a/b?sslmode=allow", "must have one of sslmode=disable, prefer, require, "),
            ("postgres://a/b?sslmode=", "must have one of sslmode="),
            ("postgres://a/b?ssl-mode=require", "has the parameter \"ssl-mode\"; there are: "),
            ("postgres://a/b?sslmode=require&sslmod=disable", "has the parameter \"sslmod\""),
            ("postgres://a/b?connect_timeout=10", "has the parameter \"connect_timeout\""),
            ("postgres://a/b?sslrootcert=ca.pem", "must have a whole path in sslrootcert"),
            ("postgres://a/b?sslkey=/srv/k%65y", "must have a whole path in sslkey"),
        ] {
            assert!(PostgresUrl::parse(bad).unwrap_err().to_string().starts_with(said), "{bad}");
        }
        assert!(PostgresUrl::parse("postgresql:///b?host=/run/postgresql").is_ok());
        let encrypted =
            "postgres://a/b?sslmode=verify-full&sslrootcert=/srv/ca.pem&options[search_path]=tools";
        assert_eq!(PostgresUrl::parse(encrypted).unwrap().certificates(), [PathBuf::from("/srv/ca.pem")]);
    }
}
