//! What of WASI a guest gets: clocks and randomness, its own bounded output, and the directories that the operator
//! granted. One of the two places that open a directory; see [`folders`](super::folders).
//!
//! A guest inherits nothing: no arguments, no environment, no standard streams, no working folder, no network.

use std::path::PathBuf;
use std::time::Duration;

use wasmtime_wasi::{FsPerms, HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxBuilder};

use super::folders::host_path;
use super::sink::Sink;
use crate::id::TenantId;
use crate::policy::{DirectoryGrant, DirectoryPower};

/// Randomness that one call may ask for at a time, in bytes. The guest picks the number.
const RANDOM_BYTES: u64 = 64 << 10;

/// Why a guest's directories could not be given.
#[derive(Debug, thiserror::Error)]
#[error("the granted directory {path} cannot be opened: {reason}")]
pub struct DirectoryError {
    path: PathBuf,
    reason: String,
}

impl DirectoryError {
    pub(super) fn new(path: PathBuf, reason: &impl std::fmt::Display) -> Self {
        Self { path, reason: format!("{reason:#}") }
    }
}

/// A context without any directory.
pub(super) fn plain(output: &Sink) -> WasiCtx {
    bare(output).build()
}

/// A context with the granted directories. Opens them, which may block.
pub(super) fn context(
    grants: &[DirectoryGrant],
    tenant: &TenantId,
    output: &Sink,
) -> Result<WasiCtx, DirectoryError> {
    let mut builder = bare(output);
    for grant in grants {
        let path = host_path(grant, tenant);
        let power = match grant.power {
            DirectoryPower::ReadOnly => FsPerms::ReadOnly,
            DirectoryPower::Writable => FsPerms::ReadWrite,
        };
        builder
            .preopened_dir(&path, &grant.guest, power)
            .map_err(|fault| DirectoryError::new(path, &fault))?;
    }
    Ok(builder.build())
}

/// The context in which a component describes itself: a clock that stands still and randomness that is always the
/// same, so that a description cannot depend on when it is asked for.
pub(super) fn constant(output: &Sink) -> WasiCtx {
    bare(output)
        .wall_clock(StoppedClock)
        .monotonic_clock(StoppedClock)
        .secure_random(wasmtime_wasi::Deterministic::new(vec![4]))
        .insecure_random(wasmtime_wasi::Deterministic::new(vec![4]))
        .insecure_random_seed(4)
        .build()
}

fn bare(output: &Sink) -> WasiCtxBuilder {
    let mut builder = WasiCtxBuilder::new();
    builder
        .stdout(output.clone())
        .stderr(output.clone())
        .max_random_size(RANDOM_BYTES)
        .allow_tcp(false)
        .allow_udp(false)
        .allow_ip_name_lookup(false);
    builder
}

struct StoppedClock;

impl HostWallClock for StoppedClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        // 2020-01-01T00:00:00Z; arbitrary, but a year that programs take for real.
        Duration::from_secs(1_577_836_800)
    }
}

impl HostMonotonicClock for StoppedClock {
    fn resolution(&self) -> u64 {
        1_000_000_000
    }

    fn now(&self) -> u64 {
        0
    }
}
