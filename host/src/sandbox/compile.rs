//! Compiling a stranger's component, in a process of its own that can be killed: compiling is outside of what
//! Wasmtime promises about denial of service.
//!
//! The parent feeds the bytes that it has hashed through standard input and names the file to write. The child
//! lowers its own limits before it reads a byte.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::engine;

/// The hidden word with which the `host` program is started as a compiler.
pub const COMPILE_WORD: &str = "compile-component";

/// The largest component that is taken, in bytes.
pub const COMPONENT_BYTES: usize = 64 << 20;
/// Address space of the child. A Python component of 18 MB takes less than half of it.
const ADDRESS_SPACE: u64 = 8 << 30;
/// The largest artefact, in bytes.
const ARTEFACT_BYTES: u64 = 1 << 30;
/// How long one compilation may take. Arbitrary; a Python component takes 8 s on two cores.
pub(super) const WALL: Duration = Duration::from_secs(120);
/// Stack of each compiling thread: deep nesting overflows the usual one.
const STACK_BYTES: &str = "67108864";
/// How much of the child's complaint is kept, in bytes.
const COMPLAINT: u64 = 2_000;

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

/// Compiles bytes into a file, in a child process. Dropping the future kills the child.
///
/// # Errors
/// [`CompileError`] tells the component's fault from the host's.
pub(super) async fn compile(program: &Path, component: &[u8], artefact: &Path) -> Result<(), CompileError> {
    let start = |reason: String| CompileError::Start { program: program.to_owned(), reason };
    #[expect(clippy::disallowed_methods, reason = "the one place that starts a process: our own compiler")]
    let mut child = tokio::process::Command::new(program)
        .arg(COMPILE_WORD)
        .arg(artefact)
        .env_clear()
        .env("RUST_MIN_STACK", STACK_BYTES)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|e| start(e.to_string()))?;
    let (Some(mut stdin), Some(stderr)) = (child.stdin.take(), child.stderr.take()) else {
        return Err(start("its standard streams are missing".to_owned()));
    };
    let feed = async {
        // A child that stops reading has something to say, so that a broken pipe is not the news.
        drop(stdin.write_all(component).await);
        drop(stdin);
        let mut complaint = Vec::new();
        drop(stderr.take(COMPLAINT).read_to_end(&mut complaint).await);
        (child.wait().await, String::from_utf8_lossy(&complaint).trim().to_owned())
    };
    let (status, complaint) = tokio::time::timeout(WALL, feed)
        .await
        .map_err(|_| CompileError::Limits { reason: "it took too long".to_owned() })?;
    let status = status.map_err(|e| start(e.to_string()))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(code) if code == i32::from(INVALID) => Err(CompileError::Invalid(complaint)),
        _ if complaint.is_empty() => {
            Err(CompileError::Limits { reason: format!("the compiler ended with {status}") })
        }
        _ => Err(CompileError::Limits { reason: format!("the compiler ended with {status}: {complaint}") }),
    }
}

const INVALID: u8 = 3;
const BROKEN: u8 = 4;

/// The child's work: standard input to an artefact file. Called by the `host` program when it is started with
/// [`COMPILE_WORD`] and the artefact's path.
#[must_use]
pub fn compile_main(artefact: &Path) -> ExitCode {
    let complain = |code: u8, reason: &dyn std::fmt::Display| {
        // Nobody reads it any more if this fails.
        drop(writeln!(std::io::stderr(), "{reason}"));
        ExitCode::from(code)
    };
    if let Err(fault) = lower_limits() {
        return complain(BROKEN, &fault);
    }
    let mut component = Vec::new();
    let most = u64::try_from(COMPONENT_BYTES).unwrap_or(u64::MAX);
    if let Err(fault) = std::io::stdin().lock().take(most).read_to_end(&mut component) {
        return complain(BROKEN, &fault);
    }
    // A thread of its own, since RUST_MIN_STACK does not reach the main one.
    let compiled = std::thread::spawn(move || {
        let engine = engine::compiler().map_err(|e| (BROKEN, e.to_string()))?;
        engine.precompile_component(&component).map_err(|e| (INVALID, one_line(&e)))
    });
    match compiled.join() {
        Ok(Ok(bytes)) => match write(artefact, &bytes) {
            Ok(()) => ExitCode::SUCCESS,
            Err(fault) => complain(BROKEN, &fault),
        },
        Ok(Err((code, reason))) => complain(code, &reason),
        Err(_panic) => complain(BROKEN, &"the compiler panicked"),
    }
}

#[expect(clippy::disallowed_methods, reason = "the child writes the one file that its parent named")]
fn write(artefact: &Path, bytes: &[u8]) -> std::io::Result<()> {
    std::fs::File::create(artefact)?.write_all(bytes)
}

fn lower_limits() -> std::io::Result<()> {
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
