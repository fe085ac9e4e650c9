//! Why the store did not do what was asked. Texts are for operators; callers of tools never see them.

use std::time::Duration;

/// A fault of the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store cannot be opened at all.
    #[error("the store {database} cannot be opened: {reason}")]
    Open {
        /// The database, as it may be shown.
        database: String,
        /// What went wrong, and what to do where that is known.
        reason: String,
    },
    /// The store is there and did not answer in time. The same request may succeed later.
    #[error("the store did not {what} within {} ms{}", within.as_millis(), because(last_fault.as_ref()))]
    Timeout {
        /// What was asked for, as a verb with its object.
        what: &'static str,
        /// How long was waited.
        within: Duration,
        /// Why the last write failed, if writes fail at present.
        last_fault: Option<String>,
    },
    /// Another process holds the database. The same request may succeed later.
    #[error("the store is locked by another process and could not {what}")]
    Busy {
        /// What was asked for, as a verb with its object.
        what: &'static str,
    },
    /// The database refused or failed.
    #[error("the store could not {what}: {source}")]
    Query {
        /// What was asked for, as a verb with its object.
        what: &'static str,
        /// What the database says.
        source: sqlx::Error,
    },
    /// A row holds what this program never writes.
    #[error("the store holds a damaged row: column {column} of {id}")]
    Damaged {
        /// The column.
        column: &'static str,
        /// The row's id.
        id: String,
    },
}

impl StoreError {
    /// Whether the same request may succeed when nothing but time has passed.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Timeout { .. } | Self::Busy { .. })
    }

    pub(super) fn query(what: &'static str, source: sqlx::Error) -> Self {
        if is_busy(&source) { Self::Busy { what } } else { Self::Query { what, source } }
    }
}

/// The result codes of SQLite for a lock that another connection holds, extended ones included, and a connection
/// that did not become free.
fn is_busy(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Database(fault) => fault
            .code()
            // Those of PostgreSQL have five characters.
            .filter(|code| code.len() < 5)
            .and_then(|code| code.parse::<u32>().ok())
            .is_some_and(|code| matches!(code & 0xFF, 5 | 6)),
        _ => false,
    }
}

fn because(last_fault: Option<&String>) -> String {
    last_fault.map_or_else(String::new, |fault| format!("; the last write failed: {fault}"))
}
