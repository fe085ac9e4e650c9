//! What a component says about itself, for an operator who has not granted it anything.

use std::path::{Path, PathBuf};

use super::load::{LoadError, read};
use crate::id::Digest;
use crate::sandbox::Sandbox;
use crate::spec::ToolSpec;

/// A component as it describes itself.
#[derive(Debug, Clone)]
pub struct Inspection {
    /// The file.
    pub path: PathBuf,
    /// The identity of its code.
    pub digest: Digest,
    /// Its size in bytes.
    pub size: usize,
    /// Its tools, with their wishes.
    pub specs: Vec<ToolSpec>,
    /// The names of its imports.
    pub imports: Vec<String>,
    /// The names of its exports.
    pub exports: Vec<String>,
}

pub(super) async fn inspect(path: &Path, sandbox: &Sandbox) -> Result<Inspection, LoadError> {
    let bytes = read(path).await?;
    let prepared = sandbox.prepare(&bytes).await?;
    Ok(Inspection {
        path: path.to_owned(),
        digest: prepared.digest,
        size: bytes.len(),
        specs: prepared.specs,
        imports: prepared.imports,
        exports: prepared.exports,
    })
}
