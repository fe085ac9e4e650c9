//! The shop in the host's store: one value for each tenant, changed in one step.

use toolhost_sdk::{Context, ToolError};

use crate::shop::Shop;

const KEY: &str = "shop";
/// How often a change is tried again when another call changed the shop meanwhile.
const TRIES: u32 = 32;

/// The tenant's shop as it is now. At its first use it is filled; of two calls that do so at once, one value stands,
/// and both read that one.
pub(crate) fn load(ctx: &Context) -> Result<Shop, ToolError> {
    Ok(read(ctx)?.0)
}

/// Changes the tenant's shop. `change` may be called more than once, each time with the newest state; nothing is
/// written if it fails.
pub(crate) fn update<T>(
    ctx: &Context,
    mut change: impl FnMut(&mut Shop) -> Result<T, ToolError>,
) -> Result<T, ToolError> {
    for _ in 0..TRIES {
        let (mut shop, before) = read(ctx)?;
        let result = change(&mut shop)?;
        let after = encode(&shop)?;
        if after == before
            || ctx.kv().swap(KEY, Some(&before), Some(&after)).map_err(ToolError::from_error)?
        {
            return Ok(result);
        }
    }
    Err(ToolError::with_kind("Busy", "Too many changes at once. Nothing was changed; call the tool again.")
        .retryable())
}

fn read(ctx: &Context) -> Result<(Shop, Vec<u8>), ToolError> {
    if let Some(bytes) = ctx.kv().get(KEY).map_err(ToolError::from_error)? {
        return Ok((decode(&bytes)?, bytes));
    }
    let seed = encode(&Shop::seed(&ctx.tenant_id()))?;
    if ctx.kv().swap(KEY, None, Some(&seed)).map_err(ToolError::from_error)? {
        return Ok((decode(&seed)?, seed));
    }
    let bytes = ctx.kv().get(KEY).map_err(ToolError::from_error)?;
    let bytes = bytes
        .ok_or_else(|| ToolError::new("The shop was emptied meanwhile. Call the tool again.").retryable())?;
    Ok((decode(&bytes)?, bytes))
}

fn encode(shop: &Shop) -> Result<Vec<u8>, ToolError> {
    serde_json::to_vec(shop).map_err(ToolError::from_error)
}

fn decode(bytes: &[u8]) -> Result<Shop, ToolError> {
    serde_json::from_slice(bytes).map_err(|error| {
        ToolError::new(format!("What the store holds is not a shop: {error}. Tell the operator."))
    })
}
