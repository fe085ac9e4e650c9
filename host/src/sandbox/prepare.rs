//! From a component's bytes to code that can be called: everything that is slow happens here, at load.

use wasmtime::component::Component;

use super::code::Code;
use super::compile::COMPONENT_BYTES;
use super::describe::{DescribeError, describe};
use super::engine::{MEMORIES, TABLE_ELEMENTS, TABLES};
use super::{ArtefactError, Sandbox, sections};
use crate::id::Digest;
use crate::spec::ToolSpec;

/// What this host links, by the beginning of the import's name.
const OFFERED: &[&str] = &[
    "wasi:cli/",
    "wasi:clocks/",
    "wasi:filesystem/",
    "wasi:http/outgoing-handler",
    "wasi:http/types",
    "wasi:io/",
    "wasi:random/",
    "wasi:sockets/",
    "toolhost:tool/",
];

/// Why a component is not taken. The message names the fault.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// It is too large.
    #[error("it has {found} bytes; at most {COMPONENT_BYTES} are taken")]
    TooLarge {
        /// How large it is.
        found: usize,
    },
    /// It is a core module, or not WebAssembly at all.
    #[error("it is {0}, not a WebAssembly component")]
    NotAComponent(&'static str),
    /// It has too much in it that is no code.
    #[error(
        "it has {sections} custom sections with {bytes} bytes; at most {most} with {most_bytes} bytes are taken"
    )]
    TooMuchCustom {
        /// How many it has.
        sections: u64,
        /// What they hold.
        bytes: u64,
        /// How many it may have.
        most: u64,
        /// What they may hold.
        most_bytes: u64,
    },
    /// It could not be compiled or loaded.
    #[error(transparent)]
    Artefact(#[from] ArtefactError),
    /// It imports what this host does not offer.
    #[error("it imports {0}, which this host does not offer")]
    UnknownImports(String),
    /// An import or export does not have the type that the contract gives it.
    #[error("it does not fit the contract toolhost:tool@0.1.0: {0}")]
    Contract(String),
    /// It asks for more than a call may have before it starts.
    #[error("it needs {found} {what} to start; a call may have {most}")]
    TooHungry {
        /// What it asks for.
        what: &'static str,
        /// How much.
        found: u64,
        /// How much it may have.
        most: u64,
    },
    /// It does not describe itself.
    #[error(transparent)]
    Describe(#[from] DescribeError),
}

/// A component that can be called.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The identity of its code.
    pub digest: Digest,
    /// Its tools, in the order in which it names them.
    pub specs: Vec<ToolSpec>,
    /// The names of its imports.
    pub imports: Vec<String>,
    /// The names of its exports.
    pub exports: Vec<String>,
    /// It was compiled before.
    pub from_cache: bool,
}

pub(super) async fn prepare(sandbox: &Sandbox, bytes: &[u8]) -> Result<(Prepared, Code), PrepareError> {
    if bytes.len() > COMPONENT_BYTES {
        return Err(PrepareError::TooLarge { found: bytes.len() });
    }
    check_header(bytes)?;
    sections::check(bytes)?;
    let digest = Digest::of(bytes);
    let (component, from_cache) = sandbox.artefacts.get(&sandbox.engine, digest, bytes).await?;
    let ty = component.component_type();
    let imports: Vec<String> = ty.imports(&sandbox.engine).map(|(name, _)| name.to_owned()).collect();
    let exports: Vec<String> = ty.exports(&sandbox.engine).map(|(name, _)| name.to_owned()).collect();
    let unknown: Vec<&str> = imports
        .iter()
        .map(String::as_str)
        .filter(|name| !OFFERED.iter().any(|offered| name.starts_with(offered)))
        .collect();
    if !unknown.is_empty() {
        return Err(PrepareError::UnknownImports(unknown.join(", ")));
    }
    check_hunger(sandbox, &component)?;
    let contract = |error: wasmtime::Error| PrepareError::Contract(format!("{error:#}").replace('\n', " "));
    let code = Code::link(&sandbox.linker, &component).map_err(contract)?;
    let _alone = sandbox.describing.lock().await;
    let specs = describe(&code, &sandbox.cpu, sandbox.describe_memory).await?;
    Ok((Prepared { digest, specs, imports, exports, from_cache }, code))
}

/// Tells the commonest mistakes apart before a compiler is started.
fn check_header(bytes: &[u8]) -> Result<(), PrepareError> {
    match bytes {
        [] => Err(PrepareError::NotAComponent("an empty file")),
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => Err(PrepareError::NotAComponent("a core module")),
        [0, b'a', b's', b'm', ..] => Ok(()),
        _ => Err(PrepareError::NotAComponent("something else")),
    }
}

fn check_hunger(sandbox: &Sandbox, component: &Component) -> Result<(), PrepareError> {
    let Some(needs) = component.resources_required() else { return Ok(()) };
    // Wasmtime counts initial memory in pages of 64 KiB.
    let checks = [
        ("pages of memory", needs.max_initial_memory_size.unwrap_or(0), sandbox.describe_memory >> 16),
        ("memories", u64::from(needs.num_memories), u64::from(MEMORIES)),
        ("table elements", needs.max_initial_table_size.unwrap_or(0), TABLE_ELEMENTS as u64),
        ("tables", u64::from(needs.num_tables), u64::from(TABLES)),
    ];
    for (what, found, most) in checks {
        if found > most {
            return Err(PrepareError::TooHungry { what, found, most });
        }
    }
    Ok(())
}
