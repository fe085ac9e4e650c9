//! What became of a guest: a closed list, told apart by type and never by text.

use wasmtime::Trap;
use wasmtime_wasi::I32Exit;

use super::limiter::Denial;
use crate::spec::Reply;

/// How a guest's attempt ended.
#[derive(Debug)]
pub enum Ended {
    /// It answered.
    Returned(Reply),
    /// Its time was over.
    TimedOut,
    /// It used up its fuel.
    OutOfFuel,
    /// It was refused memory and did not answer.
    Refused(Denial),
    /// It trapped or left without an answer; one line about it.
    Crashed(String),
    /// What it returned or handed to the host cannot be read: not UTF-8, out of bounds, or far too much.
    Unreadable(String),
    /// It could not be started for a reason that lies with the host; one line for the operator.
    Fault(String),
    /// The pool of instances was full although a permit was free.
    NoRoom(String),
}

/// What an attempt used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Used {
    /// Fuel.
    pub fuel: u64,
    /// The most memory held, in bytes.
    pub memory_peak_bytes: u64,
}

/// Where a guest was when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Being instantiated, its start functions included.
    Start,
    /// In its export.
    Call,
}

/// Tells failures apart. The first denial of the limiter decides whatever trap followed.
pub(super) fn classify(phase: Phase, error: &wasmtime::Error, denied: Option<Denial>) -> Ended {
    if let Some(denial) = denied {
        return Ended::Refused(denial);
    }
    if let Some(trap) = error.downcast_ref::<Trap>() {
        return match trap {
            Trap::OutOfFuel => Ended::OutOfFuel,
            trap => Ended::Crashed(format!("{trap}")),
        };
    }
    if let Some(exit) = error.downcast_ref::<I32Exit>() {
        return Ended::Crashed(format!("it left with exit code {} and no answer", exit.0));
    }
    if error.is::<wasmtime::PoolConcurrencyLimitError>() {
        return Ended::NoRoom(format!("{error:#}"));
    }
    // What is left comes from values that the guest made, for which Wasmtime has no public types. Before its export was
    // called it had made none: then a sound component could not be set up.
    match phase {
        Phase::Start => Ended::Fault(first_line(error)),
        Phase::Call => Ended::Unreadable(first_line(error)),
    }
}

fn first_line(error: &wasmtime::Error) -> String {
    let text = error.root_cause().to_string();
    text.lines().next().unwrap_or("it failed").chars().take(200).collect()
}
