//! Compiling a stranger's component, in a process of its own that can be killed: compiling is outside of what
//! Wasmtime promises about denial of service.
//!
//! The compiler reads the component that was hashed from its standard input and writes the artefact to its standard
//! output, which is the open file. So it needs no path, and walls itself in without any. It is started directly, or by a
//! [`broker`] where the process itself may start nothing any more.

#[cfg(target_os = "linux")]
mod broker;
#[cfg(target_os = "linux")]
mod brokered;
mod child;
mod direct;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};
use std::time::Duration;

#[cfg(target_os = "linux")]
use brokered::Brokered;

/// The hidden word with which the `host` program is started as a compiler.
pub const COMPILE_WORD: &str = "compile-component";
/// The hidden word with which it is started as the process that starts compilers.
pub const BROKER_WORD: &str = "start-compilers";

/// The largest component that is taken, in bytes.
pub const COMPONENT_BYTES: usize = 64 << 20;
/// Address space of the child. A Python component of 18 MB takes less than half of it.
const ADDRESS_SPACE: u64 = 8 << 30;
/// How long one compilation may take. Arbitrary; a Python component takes 8 s on two cores.
pub(super) const WALL: Duration = Duration::from_secs(120);
/// How much of the child's complaint is kept, in bytes.
const COMPLAINT: u64 = 2_000;
/// Stack of each compiling thread: deep nesting overflows the usual one.
const STACK_BYTES: &str = "67108864";

/// How a compiler ends that found fault with the component.
const INVALID: u8 = 3;
/// How it ends when it does not work itself.
const BROKEN: u8 = 4;

/// Why there is no artefact.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The component is not valid, or uses what is switched off.
    #[error("it is not a component that this host can compile: {0}")]
    Invalid(String),
    /// The compiler ran into its limits or died.
    #[error("it could not be compiled within {} s and {} GiB: {reason}", WALL.as_secs(), ADDRESS_SPACE >> 30)]
    Limits {
        /// What was seen.
        reason: String,
    },
    /// The compiler could not be started.
    #[error("the compiler {program} could not be started: {reason}")]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        reason: String,
    },
}

/// The way to a compiler.
#[derive(Debug, Clone)]
pub struct Compiler(Way);

#[derive(Debug, Clone)]
enum Way {
    Direct(PathBuf),
    #[cfg(target_os = "linux")]
    Brokered(Brokered),
}

/// The `host` program, started for each component.
impl<P: AsRef<Path> + ?Sized> From<&P> for Compiler {
    fn from(program: &P) -> Self {
        Self(Way::Direct(program.as_ref().to_owned()))
    }
}

impl Compiler {
    /// Starts the process that starts compilers, from the `host` program. It ends with the last clone of what is returned,
    /// or with this process, however that ends.
    ///
    /// # Errors
    /// [`CompileError::Start`].
    #[cfg(target_os = "linux")]
    pub fn brokered(program: &Path) -> Result<Self, CompileError> {
        Ok(Self(Way::Brokered(Brokered::start(program)?)))
    }

    /// There are no walls elsewhere, so that no broker is needed.
    ///
    /// # Errors
    /// None.
    #[cfg(not(target_os = "linux"))]
    pub fn brokered(program: &Path) -> Result<Self, CompileError> {
        Ok(Self::from(program))
    }

    /// The process that starts compilers, if there is one.
    #[must_use]
    pub fn broker(&self) -> Option<u32> {
        match &self.0 {
            Way::Direct(_) => None,
            #[cfg(target_os = "linux")]
            Way::Brokered(broker) => Some(broker.id()),
        }
    }

    /// Compiles bytes into an open file. Dropping the future kills the compiler.
    ///
    /// # Errors
    /// [`CompileError`] tells the component's fault from the host's.
    pub(super) async fn compile(&self, component: &[u8], artefact: File) -> Result<(), CompileError> {
        match &self.0 {
            Way::Direct(program) => direct::compile(program, component, artefact).await,
            #[cfg(target_os = "linux")]
            Way::Brokered(broker) => broker.compile(component, artefact).await,
        }
    }
}

/// What this process is, if it was started by another of the host's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Child {
    /// A compiler, and the process that it must not outlive.
    Compiler {
        /// None if the parent takes care of that.
        parent: Option<i32>,
    },
    /// The process that starts compilers.
    Broker,
}

/// The whole work of a child. It must be called before the process has a second thread. `program` is started again for
/// each compiler.
#[must_use]
pub fn child_main(child: Child, program: &Path) -> ExitCode {
    match child {
        Child::Compiler { parent } => child::main(parent),
        #[cfg(target_os = "linux")]
        Child::Broker => broker::main(program),
        #[cfg(not(target_os = "linux"))]
        Child::Broker => ExitCode::FAILURE,
    }
}

/// What the end of a compiler means.
fn verdict(status: ExitStatus, complaint: &[u8]) -> Result<(), CompileError> {
    let complaint = String::from_utf8_lossy(complaint).trim().to_owned();
    match status.code() {
        Some(0) => Ok(()),
        Some(code) if code == i32::from(INVALID) => Err(CompileError::Invalid(complaint)),
        _ if complaint.is_empty() => {
            Err(CompileError::Limits { reason: format!("the compiler ended with {status}") })
        }
        _ => Err(CompileError::Limits { reason: format!("the compiler ended with {status}: {complaint}") }),
    }
}

fn too_long() -> CompileError {
    CompileError::Limits { reason: "it took too long".to_owned() }
}
