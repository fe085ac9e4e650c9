//! The environment variables that mean something. No other is looked at.

use crate::spec::Secret;

/// The key of the tenant whom `host serve --stdio` serves, from `TOOLHOST_KEY`. None if it is unset or empty. One
/// that is not UTF-8 is given with replacement characters, so that it fits no tenant instead of being ignored.
#[must_use]
pub fn environment_key() -> Option<Secret> {
    variable("TOOLHOST_KEY").map(Secret::new)
}

/// What is logged, from `TOOLHOST_LOG`, in the words of `tracing`: `info`, `toolhost=debug`. None if it is unset or
/// empty.
#[must_use]
pub fn log_filter() -> Option<String> {
    variable("TOOLHOST_LOG")
}

/// The folders in which a shell looks for programs, from `PATH`, in order.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this module alone reads the environment")]
pub fn search_path() -> Vec<std::path::PathBuf> {
    std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default()
}

/// The key under which secrets are kept in the database, from `TOOLHOST_SECRETS_KEY`. None if it is unset or empty.
pub(super) fn secrets_key() -> Option<Secret> {
    variable("TOOLHOST_SECRETS_KEY").map(Secret::new)
}

/// A secret from a variable that the configuration names. None if it is unset or empty.
pub(super) fn secret(name: &str) -> Option<Secret> {
    variable(name).map(Secret::new)
}

/// Where the passwords of PostgreSQL servers are looked for, from `PGPASSFILE` and `HOME`.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this module alone reads the environment")]
pub fn password_files() -> Vec<std::path::PathBuf> {
    let named = std::env::var_os("PGPASSFILE").map(std::path::PathBuf::from);
    named.into_iter().chain(std::env::home_dir().map(|home| home.join(".pgpass"))).collect()
}

#[expect(clippy::disallowed_methods, reason = "this module alone reads the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.is_empty())
}
