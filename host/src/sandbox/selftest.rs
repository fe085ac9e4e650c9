//! Proof at start that an endless loop can be stopped on this machine, with this engine: a host that cannot must not
//! serve.

use std::pin::pin;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use wasmtime::{Engine, Instance, Module, Store};

use super::cpu::CpuPermits;

/// `(module (func (export "f") (loop (br 0))))`
const ENDLESS: &[u8] = &[
    0, b'a', b's', b'm', 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, b'f', 0, 0, 10, 9, 1, 7, 0,
    3, 0x40, 0x0c, 0, 0x0b, 0x0b,
];
/// How long the loop may run before it is to be stopped.
const DEADLINE: Duration = Duration::from_millis(5);
/// How long the proof may take on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(10);

/// The loop was not stopped.
#[derive(Debug, thiserror::Error)]
#[error("an endless loop could not be stopped on this machine, so that no tool may run: {0}")]
pub struct SelfTestError(String);

/// Runs an endless loop with a deadline and gives how long it took to stop it.
///
/// The loop has a thread of its own. If it cannot be stopped that thread is lost, and the error ends the process.
pub(super) fn stop_a_loop(engine: &Engine) -> Result<Duration, SelfTestError> {
    let (done, ended) = mpsc::channel();
    let engine = engine.clone();
    let began = Instant::now();
    std::thread::spawn(move || {
        // Nobody waits any more if this comes too late.
        drop(done.send(run(&engine)));
    });
    match ended.recv_timeout(PATIENCE) {
        Ok(Ok(())) => Ok(began.elapsed()),
        Ok(Err(fault)) => Err(SelfTestError(fault)),
        Err(_) => Err(SelfTestError(format!("it still ran after {} s", PATIENCE.as_secs()))),
    }
}

fn run(engine: &Engine) -> Result<(), String> {
    let text = |fault: wasmtime::Error| format!("{fault:#}");
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(|e| e.to_string())?;
    let module = Module::new(engine, ENDLESS).map_err(text)?;
    let mut store = Store::new(engine, ());
    store.set_fuel(u64::MAX).map_err(text)?;
    let turns = CpuPermits::new(1).share(&mut store, None);
    runtime.block_on(async {
        let work = pin!(async {
            let instance = Instance::new_async(&mut store, &module, &[]).await?;
            instance.get_typed_func::<(), ()>(&mut store, "f")?.call_async(&mut store, ()).await
        });
        match tokio::time::timeout(DEADLINE, turns.of(work)).await {
            Err(_elapsed) => Ok(()),
            Ok(ended) => Err(format!("it ended by itself: {ended:?}")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Limits, Pools};

    #[test]
    fn an_endless_loop_is_stopped() {
        let (engine, _) = super::super::engine::build(&Limits::default(), &Pools::default()).unwrap();
        assert!(stop_a_loop(&engine).is_ok());
    }
}
