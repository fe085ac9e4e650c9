//! `[limits]`, and the same keys in narrower scopes.

use std::time::Duration;

use crate::config::error::ConfigError;
use crate::config::read::Table;
use crate::policy::{Ceilings, Limits};

/// What no file can raise a limit above.
pub(in super::super) const MOST: Limits = Limits {
    attempt_timeout: Duration::from_secs(3_600),
    deadline: Duration::from_secs(86_400),
    // All that a 32-bit memory can address.
    memory_bytes: 4 << 30,
    fuel: i64::MAX.unsigned_abs(),
    result_chars: 1_000_000,
    structured_bytes: 16 << 20,
    raw_result_bytes: 64 << 20,
    arguments_bytes: 16 << 20,
};

/// The ceilings for every call.
pub(super) fn limits(mut table: Table<'_>, base: Limits) -> Result<Limits, ConfigError> {
    let given = ceilings(&mut table, &MOST, "this is the most that the program allows")?;
    let raw = table.take("raw_result").map(|value| value.size(wide(MOST.raw_result_bytes))).transpose()?;
    let arguments =
        table.take("arguments").map(|value| value.size(wide(MOST.arguments_bytes))).transpose()?;
    table.close()?;
    Ok(Limits {
        attempt_timeout: given.attempt_timeout.unwrap_or(base.attempt_timeout),
        deadline: given.deadline.unwrap_or(base.deadline),
        memory_bytes: given.memory_bytes.unwrap_or(base.memory_bytes),
        fuel: given.fuel.unwrap_or(base.fuel),
        result_chars: given.result_chars.unwrap_or(base.result_chars),
        structured_bytes: given.structured_bytes.unwrap_or(base.structured_bytes),
        raw_result_bytes: raw.map_or(base.raw_result_bytes, narrow),
        arguments_bytes: arguments.map_or(base.arguments_bytes, narrow),
    })
}

/// The ceilings of a tool or a tenant, none above that of the wider scope: a figure that would change nothing would
/// say more than it does.
pub(super) fn narrower(table: &mut Table<'_>, wider: &Limits) -> Result<Ceilings, ConfigError> {
    ceilings(
        table,
        wider,
        "[limits] is the ceiling, and a narrower scope can only lower it; raise it there first",
    )
}

fn ceilings(table: &mut Table<'_>, most: &Limits, help: &str) -> Result<Ceilings, ConfigError> {
    let helped = |fault: ConfigError| fault.or_help(help);
    let mut duration = |key, most| table.take(key).map(|it| it.duration(most)).transpose().map_err(helped);
    let attempt_timeout = duration("attempt_timeout", most.attempt_timeout)?;
    let deadline = duration("deadline", most.deadline)?;
    let memory_bytes =
        table.take("memory").map(|it| it.size(most.memory_bytes)).transpose().map_err(helped)?;
    let fuel = table.take("fuel").map(|it| it.count(most.fuel)).transpose().map_err(helped)?;
    let result_chars =
        table.take("result_chars").map(|it| it.count(wide(most.result_chars))).transpose().map_err(helped)?;
    let structured = table
        .take("structured_result")
        .map(|it| it.size(wide(most.structured_bytes)))
        .transpose()
        .map_err(helped)?;
    Ok(Ceilings {
        attempt_timeout,
        deadline,
        memory_bytes,
        fuel,
        result_chars: result_chars.map(narrow),
        structured_bytes: structured.map(narrow),
    })
}

fn wide(figure: usize) -> u64 {
    u64::try_from(figure).unwrap_or(u64::MAX)
}

/// Never larger than what was written, which is at most a ceiling that is itself of this width.
fn narrow(figure: u64) -> usize {
    usize::try_from(figure).unwrap_or(usize::MAX)
}
