//! `[egress]`.

use std::path::Path;
use std::time::Duration;

use super::path;
use crate::config::error::ConfigError;
use crate::config::load::small_file;
use crate::config::read::{Table, Value};
use crate::executor::EgressSettings;

const LONGEST: Duration = Duration::from_secs(600);

pub(super) fn read(
    mut table: Table<'_>,
    folder: &Path,
    base: EgressSettings,
) -> Result<EgressSettings, ConfigError> {
    let EgressSettings { mut limits, mut authorities, mut files } = base;
    if let Some(value) = table.take("connect_timeout") {
        limits.connect = value.duration(LONGEST)?;
    }
    if let Some(value) = table.take("first_byte_timeout") {
        limits.first_byte = value.duration(LONGEST)?;
    }
    if let Some(value) = table.take("requests") {
        limits.requests = count(&value, 10_000)?;
    }
    if let Some(value) = table.take("requests_at_once") {
        limits.at_once = count(&value, 100)?;
    }
    if let Some(value) = table.take("bytes") {
        limits.bytes = value.size(4 << 30)?;
    }
    for value in table.take("authorities").map(|value| value.list()).transpose()?.unwrap_or_default() {
        let file = path(&value, folder)?;
        let text = small_file(&file).map_err(|fault| value.fault(format!("cannot be read: {fault}")))?;
        authorities.push(text);
        files.push(file);
    }
    table.close()?;
    Ok(EgressSettings { limits, authorities, files })
}

fn count(value: &Value<'_>, most: u64) -> Result<u32, ConfigError> {
    value.count(most).map(|count| u32::try_from(count).unwrap_or(u32::MAX))
}
