//! `[pools.NAME]`.

use crate::config::error::ConfigError;
use crate::config::read::Table;
use crate::id::PoolName;
use crate::policy::{PoolSettings, Pools};

/// The most executions of one pool.
const LARGEST: u64 = 4_096;

pub(super) fn read(table: &Table<'_>, pools: &mut Pools) -> Result<(), ConfigError> {
    for (name, span, value) in table.named_entries() {
        let name: PoolName = name.parse().map_err(|fault| table.fault_at(&span, format!("{fault}")))?;
        let mut pool = value.table()?;
        let known = pools.get(name.as_str());
        let size = match (pool.take("size"), known) {
            (Some(size), _) => figure(size.count(LARGEST)?),
            (None, Some(known)) => known.size,
            (None, None) => {
                return Err(pool.fault("a new pool needs a size").with_help("add size = 16, say"));
            }
        };
        let half = PoolSettings::halved(size);
        let share = |value: Option<crate::config::read::Value<'_>>, half| match value {
            Some(value) => value
                .count(u64::from(size))
                .map(figure)
                .map_err(|fault| fault.or_help("a share cannot be larger than its pool")),
            None => Ok(half),
        };
        let tool_share = share(pool.take("tool_share"), half.tool_share)?;
        let tenant_share = share(pool.take("tenant_share"), half.tenant_share)?;
        pool.close()?;
        pools.insert(&name, PoolSettings { size, tool_share, tenant_share });
    }
    Ok(())
}

fn figure(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
