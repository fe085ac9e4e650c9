//! The one engine of the process: every setting with its reason, and the clock that only ticks.

use std::time::Duration;

use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig, Strategy,
    WasmBacktraceDetails,
};

use crate::policy::{Limits, Pools};

/// How often the epoch advances: the finest grain at which a guest is stopped or made to share the CPU.
const TICK: Duration = Duration::from_millis(1);

/// Core instances in one component. JavaScript and Python components have about a dozen.
const CORE_INSTANCES: u32 = 50;
/// Linear memories in one component. Composed components have one for each part.
pub(super) const MEMORIES: u32 = 4;
/// Tables in one component.
pub(super) const TABLES: u32 = 8;
/// Entries of one table. Python's largest has about 10,000.
pub(super) const TABLE_ELEMENTS: usize = 65_536;
/// Native stack of one guest. Wasm may use a quarter of it; the rest is for host functions.
const STACK_BYTES: usize = 2 << 20;
const WASM_STACK_BYTES: usize = 512 << 10;
/// Pages that stay mapped between calls, so that a call costs no `madvise` and no page fault. Arbitrary, but
/// measured: larger figures gained nothing with the sample tools.
const KEEP_MEMORY: usize = 512 << 10;
const KEEP_TABLE: usize = 64 << 10;
const KEEP_STACK: usize = 64 << 10;

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
#[error(
    "the WebAssembly engine cannot be set up for {executions} executions at once of {memory} bytes each: \
     {reason}; lower `limits.memory` or the sizes in `pools`"
)]
pub struct EngineError {
    executions: u32,
    memory: u64,
    reason: String,
}

/// What the engine makes of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineReport {
    /// Executions at once.
    pub executions: u32,
    /// Pages of a finished call are reset by scanning for those it touched (Linux 6.7 or later).
    pub pagemap_scan: bool,
    /// Memory of each idle slot that stays mapped, in bytes.
    pub keep_resident: usize,
    /// Guests that may compute at the same time, beyond their first tick.
    pub cpu_permits: usize,
    /// How often a guest can be stopped.
    pub tick: Duration,
    /// How long it took at start to compile an endless loop, run it for 5 ms and stop it.
    pub loop_stopped_in: Duration,
}

impl EngineReport {
    /// The report in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let scan = if self.pagemap_scan {
            "touched pages are found by scanning"
        } else {
            "the kernel cannot scan for touched pages (that needs Linux 6.7), so memory is reset the slower way"
        };
        format!(
            "The sandbox pool has {} slots that keep {} KiB resident; {scan}; {} guest(s) compute at a time. An \
             endless loop was stopped within {} ms.",
            self.executions,
            self.keep_resident >> 10,
            self.cpu_permits,
            self.loop_stopped_in.as_millis()
        )
    }
}

/// Sets up the engine and starts its clock.
///
/// # Errors
/// [`EngineError`] if the pool cannot be reserved. There is no fallback to another allocator.
pub fn build(limits: &Limits, pools: &Pools) -> Result<(Engine, EngineReport), EngineError> {
    let executions = executions(pools);
    let pagemap_scan = PoolingAllocationConfig::is_pagemap_scan_available();
    let fault = |reason: String| EngineError { executions, memory: limits.memory_bytes, reason };
    let engine = Engine::new(&config(limits, pools)).map_err(|e| fault(format!("{e:#}")))?;
    start_clock(&engine).map_err(|e| fault(e.to_string()))?;
    let report = EngineReport {
        executions,
        pagemap_scan,
        keep_resident: KEEP_MEMORY + KEEP_TABLE + KEEP_STACK,
        cpu_permits: cpu_permits(),
        tick: TICK,
        loop_stopped_in: Duration::ZERO,
    };
    Ok((engine, report))
}

/// The settings of the sandbox's engine, so that bare Wasmtime can be measured with the same.
#[must_use]
pub fn config(limits: &Limits, pools: &Pools) -> Config {
    let memory = usize::try_from(limits.memory_bytes).unwrap_or(usize::MAX);
    let mut config = base_config();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pooling(executions(pools), memory)));
    config
}

/// One more than there may be in calls, for `describe`.
fn executions(pools: &Pools) -> u32 {
    pools.guests().saturating_add(1)
}

/// An engine that compiles for [`build`]'s and runs nothing. It reserves no pool.
///
/// # Errors
/// [`EngineError`] if Wasmtime refuses the settings.
pub fn compiler() -> Result<Engine, EngineError> {
    Engine::new(&base_config()).map_err(|e| EngineError {
        executions: 0,
        memory: 0,
        reason: format!("{e:#}"),
    })
}

/// How many guests may compute at a time: all cores but one, so that timers and health checks find one free.
pub fn cpu_permits() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).max(1))
}

/// The settings that artefacts depend on, and the ones that keep untrusted code small.
fn base_config() -> Config {
    let mut config = Config::new();
    config
        .strategy(Strategy::Cranelift)
        .cranelift_opt_level(OptLevel::Speed)
        .epoch_interruption(true)
        .consume_fuel(true)
        .async_stack_size(STACK_BYTES)
        .max_wasm_stack(WASM_STACK_BYTES)
        // A trap is told in one line; frames would cost time and tell strangers about each other.
        .wasm_backtrace_max_frames(None)
        .wasm_backtrace_details(WasmBacktraceDetails::Disable)
        .native_unwind_info(false)
        .memory_init_cow(true)
        .memory_may_move(false)
        .wasm_component_model(true);
    // Half of the engine's advisories since 2024 needed one of these. They are switched off here and not by
    // leaving out crate features, since that was itself the cause of aborts.
    config
        .concurrency_support(false)
        .wasm_component_model_async(false)
        .wasm_gc(false)
        .wasm_function_references(false)
        .wasm_exceptions(false)
        .wasm_threads(false)
        .shared_memory(false)
        .wasm_memory64(false)
        .wasm_custom_page_sizes(false)
        .wasm_stack_switching(false)
        .wasm_wide_arithmetic(false)
        .wasm_relaxed_simd(false);
    config
}

fn pooling(executions: u32, memory: usize) -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(executions)
        .total_core_instances(executions.saturating_mul(CORE_INSTANCES))
        .total_memories(executions.saturating_mul(MEMORIES))
        .total_tables(executions.saturating_mul(TABLES))
        .total_stacks(executions)
        // Collected heaps are switched off, so that none is ever taken.
        .total_gc_heaps(0)
        .max_core_instances_per_component(CORE_INSTANCES)
        .max_memories_per_component(MEMORIES)
        .max_tables_per_component(TABLES)
        .max_memory_size(memory)
        .table_elements(TABLE_ELEMENTS)
        .linear_memory_keep_resident(KEEP_MEMORY)
        .table_keep_resident(KEEP_TABLE)
        .async_stack_keep_resident(KEEP_STACK)
        .pagemap_scan(Enabled::Auto);
    pool
}

/// The clock has a thread of its own and a weak hold on the engine, so that it ends with it. Nothing else ever
/// advances the epoch: cancelling one call must not touch another.
fn start_clock(engine: &Engine) -> std::io::Result<()> {
    let engine = engine.weak();
    std::thread::Builder::new().name("epoch".to_owned()).spawn(move || {
        loop {
            std::thread::sleep(TICK);
            match engine.upgrade() {
                Some(engine) => engine.increment_epoch(),
                None => return,
            }
        }
    })?;
    Ok(())
}
