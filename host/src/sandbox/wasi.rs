//! What of WASI a guest gets beside [`files`](super::files): clocks and randomness, and its own bounded output.
//!
//! A guest inherits nothing: no arguments, no environment, no standard streams, no working folder, no network.

use std::time::Duration;

use wasmtime_wasi::{HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxBuilder};

use super::sink::Sink;

/// Randomness that one call may ask for at a time, in bytes. The guest picks the number.
const RANDOM_BYTES: u64 = 64 << 10;

/// The context of a call.
pub(super) fn plain(output: &Sink) -> WasiCtx {
    bare(output).build()
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
