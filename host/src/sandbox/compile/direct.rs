//! A compiler started by this process itself.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{COMPILE_WORD, COMPLAINT, CompileError, STACK_BYTES, WALL, too_long, verdict};

/// Compiles bytes into an open file, in a child process. Dropping the future kills the child.
pub(super) async fn compile(program: &Path, component: &[u8], artefact: File) -> Result<(), CompileError> {
    let start = |reason: String| CompileError::Start { program: program.to_owned(), reason };
    #[expect(clippy::disallowed_methods, reason = "one of the places that start a process: our own compiler")]
    let mut child = tokio::process::Command::new(program)
        .arg(COMPILE_WORD)
        .env_clear()
        .env("RUST_MIN_STACK", STACK_BYTES)
        .stdin(Stdio::piped())
        .stdout(artefact)
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
        (child.wait().await, complaint)
    };
    let (status, complaint) = tokio::time::timeout(WALL, feed).await.map_err(|_| too_long())?;
    verdict(status.map_err(|e| start(e.to_string()))?, &complaint)
}
