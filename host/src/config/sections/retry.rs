//! `[retry]`.

use std::time::Duration;

use crate::config::error::ConfigError;
use crate::config::read::Table;
use crate::policy::Retry;

/// The most that a call is tried again.
pub(super) const MOST_RETRIES: u64 = 10;

const LONGEST_FIRST_PAUSE: Duration = Duration::from_secs(30);

pub(super) fn read(mut table: Table<'_>, base: Retry) -> Result<Retry, ConfigError> {
    let retries = table.take("retries").map(|value| value.count_or_none(MOST_RETRIES)).transpose()?;
    let first_pause = table.take("first_pause").map(|it| it.duration(LONGEST_FIRST_PAUSE)).transpose()?;
    table.close()?;
    Ok(Retry {
        retries: retries.map_or(base.retries, |it| u32::try_from(it).unwrap_or(u32::MAX)),
        first_pause: first_pause.unwrap_or(base.first_pause),
    })
}
