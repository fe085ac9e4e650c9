//! Compiled components on disk, by the digest of the component and the engine's settings. Only the host writes
//! here; what is not as it was written is compiled again, and never loaded.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

use super::compile::{CompileError, Compiler};
use crate::id::{CallId, Digest, hex};

/// Why a component could not be had from the cache or the compiler.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArtefactError {
    /// It could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// It was compiled, but needs more than the sandbox has for one call.
    #[error("the sandbox cannot hold it: {0}")]
    Refused(String),
    /// The folder of artefacts does not work.
    #[error("the artefact folder {path} cannot be used: {reason}")]
    Folder {
        /// The path in question.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// The folder of artefacts.
#[derive(Debug, Clone)]
pub(super) struct Artefacts {
    folder: PathBuf,
    /// Differs whenever Wasmtime would refuse to load what another engine compiled.
    engine: String,
    compiler: Compiler,
}

impl Artefacts {
    /// The artefacts of one engine in a folder, which is made if it is missing.
    pub(super) fn open(folder: &Path, engine: &Engine, compiler: Compiler) -> Result<Self, ArtefactError> {
        let mut hash = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut hash);
        make_artefact_folder(folder)?;
        sweep(folder);
        Ok(Self { folder: folder.to_owned(), engine: format!("{:016x}", hash.finish()), compiler })
    }

    /// The compiled component, and whether it was there already.
    pub(super) async fn get(
        &self,
        engine: &Engine,
        digest: Digest,
        component: &[u8],
    ) -> Result<(Component, bool), ArtefactError> {
        let path = self.folder.join(format!("{}-{}.cwasm", digest.hex(), self.engine));
        let seal = path.with_extension("sha256");
        if let Some(Ok(component)) = self.load(engine, &path, &seal).await {
            return Ok((component, true));
        }
        // The same component may be compiled twice at once: each writes a file of its own, and the last one stays.
        let fresh = self.folder.join(format!("{}.{}.tmp", digest.hex(), CallId::fresh()));
        let artefact = create(&fresh).map_err(|e| fault(&fresh, &e))?;
        let compiled = self.compiler.compile(component, artefact).await;
        let sealed = compiled.map_err(ArtefactError::from).and_then(|()| publish(&fresh, &path, &seal));
        if sealed.is_err() {
            remove(&fresh);
        }
        sealed?;
        match self.load(engine, &path, &seal).await {
            Some(Ok(component)) => Ok((component, false)),
            Some(Err(refused)) => Err(ArtefactError::Refused(refused)),
            None => {
                Err(ArtefactError::Folder { path, reason: "what was just written is not there".to_owned() })
            }
        }
    }

    /// Loads an artefact whose bytes are what was sealed, or says why Wasmtime does not. None if there is none. Reads and hashes the file, so it goes to a thread that
    /// may block.
    async fn load(&self, engine: &Engine, path: &Path, seal: &Path) -> Option<Result<Component, String>> {
        let (engine, path, seal) = (engine.clone(), path.to_owned(), seal.to_owned());
        tokio::task::spawn_blocking(move || {
            let sealed = read_text(&seal).ok()?;
            if hash_file(&path).ok()? != sealed.trim() {
                tracing::warn!(path = %path.display(), "an artefact is not as it was written; compiling it again");
                return None;
            }
            #[expect(
                unsafe_code,
                reason = "Wasmtime runs what it is given here; these bytes are what our own compiler wrote into a \
                          folder that only this user can write to, as their seal shows"
            )]
            let component = unsafe { Component::deserialize_file(&engine, &path) };
            Some(component.map_err(|fault| format!("{fault:#}").replace('\n', " ")))
        })
        .await
        .ok()
        .flatten()
    }
}

/// Makes the folder of artefacts if it is missing.
///
/// # Errors
/// [`ArtefactError::Folder`] if it cannot be made, or others could write to it.
pub fn make_artefact_folder(folder: &Path) -> Result<(), ArtefactError> {
    private_folder(folder).map_err(|e| fault(folder, &e))
}

fn publish(fresh: &Path, path: &Path, seal: &Path) -> Result<(), ArtefactError> {
    let sealed = hash_file(fresh).map_err(|e| fault(fresh, &e))?;
    let fresh_seal = fresh.with_extension("seal.tmp");
    write_text(&fresh_seal, &sealed).map_err(|e| fault(&fresh_seal, &e))?;
    rename(fresh, path).map_err(|e| fault(path, &e))?;
    rename(&fresh_seal, seal).map_err(|e| fault(seal, &e))
}

fn fault(path: &Path, reason: &dyn std::fmt::Display) -> ArtefactError {
    ArtefactError::Folder { path: path.to_owned(), reason: reason.to_string() }
}

fn hash_file(path: &Path) -> std::io::Result<String> {
    let mut file = open(path)?;
    let mut hash = Sha256::new();
    let mut block = vec![0; 64 << 10];
    loop {
        match file.read(&mut block)? {
            0 => break,
            read => hash.update(block.get(..read).unwrap_or_default()),
        }
    }
    Ok(hex(&hash.finalize()))
}

#[expect(clippy::disallowed_methods, reason = "the artefact folder is the host's own")]
mod own_files {
    use std::fs;
    use std::io;
    use std::path::Path;

    pub(super) fn open(path: &Path) -> io::Result<fs::File> {
        fs::File::open(path)
    }

    /// A new file, for the compiler to write to.
    pub(super) fn create(path: &Path) -> io::Result<fs::File> {
        fs::File::create_new(path)
    }

    pub(super) fn read_text(path: &Path) -> io::Result<String> {
        fs::read_to_string(path)
    }

    pub(super) fn write_text(path: &Path, text: &str) -> io::Result<()> {
        fs::write(path, text)
    }

    pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    pub(super) fn remove(path: &Path) {
        // It may never have been written.
        drop(fs::remove_file(path));
    }

    /// Makes a folder that other users cannot write to: what is in it is run.
    pub(super) fn private_folder(path: &Path) -> io::Result<()> {
        use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        let folder = fs::metadata(path)?;
        if folder.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other("it belongs to another user, who could put code into it"));
        }
        if folder.permissions().mode() & 0o022 != 0 {
            return Err(io::Error::other("other users can write to it; `chmod go-w` it"));
        }
        Ok(())
    }

    /// Removes what compilers left behind that were killed longer ago than any of them may run.
    pub(super) fn sweep(folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            let age =
                fs::metadata(&path).and_then(|file| file.modified()).ok().and_then(|at| at.elapsed().ok());
            let stale = age.is_some_and(|age| age > 2 * super::super::compile::WALL);
            if stale && path.extension().is_some_and(|ending| ending == "tmp") {
                remove(&path);
            }
        }
    }
}

use own_files::{create, open, private_folder, read_text, remove, rename, sweep, write_text};
