//! The compiler itself. It lowers its limits and walls itself in before it reads a byte: what it needs is open already.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::process::ExitCode;

use rustix::process::{Resource, Rlimit, setrlimit};

use super::{ADDRESS_SPACE, BROKEN, COMPONENT_BYTES, INVALID, WALL};
use crate::sandbox::engine;
use crate::wall::{Rules, Wall};

/// The largest artefact, in bytes.
const ARTEFACT_BYTES: u64 = 1 << 30;

/// From a component at standard input to an artefact at standard output.
pub(super) fn main(parent: Option<i32>) -> ExitCode {
    match ends_with(parent).and_then(|()| compile()) {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, reason)) => {
            // Nobody reads it any more if this fails.
            drop(writeln!(io::stderr(), "{reason}"));
            ExitCode::from(code)
        }
    }
}

type Complaint = (u8, String);

fn broken(fault: impl std::fmt::Display) -> Complaint {
    (BROKEN, fault.to_string())
}

/// Sees to it that the kernel ends this process with its parent.
#[cfg(target_os = "linux")]
fn ends_with(parent: Option<i32>) -> Result<(), Complaint> {
    use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
    let Some(parent) = parent else { return Ok(()) };
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(broken)?;
    // It may have ended before.
    if getppid().map(Pid::as_raw_pid) == Some(parent) { Ok(()) } else { Err(broken("the parent has ended")) }
}

#[cfg(not(target_os = "linux"))]
fn ends_with(_: Option<i32>) -> Result<(), Complaint> {
    Ok(())
}

fn compile() -> Result<(), Complaint> {
    lower_limits().map_err(broken)?;
    // No file, no socket, no program. Nobody else is left to be told what of that the kernel does not offer.
    Wall::raise(&Rules::default()).map_err(broken)?;
    let mut component = Vec::new();
    let most = u64::try_from(COMPONENT_BYTES).unwrap_or(u64::MAX);
    io::stdin().lock().take(most).read_to_end(&mut component).map_err(broken)?;
    // A thread of its own, since RUST_MIN_STACK does not reach the main one.
    let compiled = std::thread::spawn(move || {
        let engine = engine::compiler().map_err(broken)?;
        engine.precompile_component(&component).map_err(|fault| (INVALID, one_line(&fault)))
    });
    let artefact = compiled.join().map_err(|_panic| broken("the compiler panicked"))??;
    // Unlike the stream of the standard library, a file keeps nothing back.
    let mut output = File::from(io::stdout().as_fd().try_clone_to_owned().map_err(broken)?);
    output.write_all(&artefact).map_err(broken)
}

fn lower_limits() -> io::Result<()> {
    let capped = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(Resource::As, capped(ADDRESS_SPACE))?;
    setrlimit(Resource::Fsize, capped(ARTEFACT_BYTES))?;
    setrlimit(Resource::Cpu, capped(WALL.as_secs() * 4))?;
    setrlimit(Resource::Core, capped(0))?;
    Ok(())
}

fn one_line(error: &wasmtime::Error) -> String {
    let chain: Vec<String> = error.chain().map(|cause| cause.to_string().replace('\n', " ")).collect();
    chain.join(": ").chars().take(1_000).collect()
}
