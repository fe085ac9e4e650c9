//! `host call --many`: many calls from a file, one outcome for each, in their order.

use std::path::Path;

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::GRACE;
use super::error::CliError;
use super::exit::Exit;
use super::output::Output;
use super::signal::interrupted;
use crate::api::{batch, view};
use crate::executor::{Host, Settings};
use crate::gate::{Call, Caller};

/// What a file of calls may have, in bytes.
const FILE_BYTES: u64 = 16 << 20;

/// Makes the calls and prints a line of JSON for each. The exit code is that of the first that failed.
pub(super) async fn run(
    calls: Vec<Call>,
    settings: Settings,
    executable: &Path,
    output: &mut Output<'_>,
) -> Result<Exit, CliError> {
    let host = Host::start(settings, executable).await?;
    let outcomes = tokio::select! {
        outcomes = host.call_many(calls) => Some(outcomes),
        () = interrupted() => None,
    };
    host.shutdown(GRACE).await;
    let Some(outcomes) = outcomes else {
        output.note(
            "Interrupted. The calls that had not ended were stopped; one with a key may go on for a moment.",
        );
        return Ok(Exit::Interrupted);
    };
    let outcomes = outcomes.map_err(|fault| CliError::Usage(fault.to_string()))?;
    for outcome in &outcomes {
        output.line(&view::outcome(outcome))?;
    }
    Ok(outcomes.iter().find(|outcome| outcome.result.is_err()).map_or(Exit::Ok, Exit::of))
}

/// Reads the calls of a file, or of standard input.
#[expect(clippy::disallowed_methods, reason = "the file that the user named")]
pub(super) async fn read(file: &Path, caller: &Caller) -> Result<Vec<Call>, CliError> {
    let text = if file == Path::new("-") {
        text(file, tokio::io::stdin()).await?
    } else {
        let opened = tokio::fs::File::open(file).await;
        let opened = opened
            .map_err(|fault| CliError::Usage(format!("{} cannot be opened: {fault}", file.display())))?;
        text(file, opened).await?
    };
    batch::lines(&text, caller).map_err(|fault| CliError::Usage(format!("{}: {fault}", file.display())))
}

async fn text(file: &Path, from: impl AsyncRead + Unpin) -> Result<String, CliError> {
    let mut text = String::new();
    let read = from.take(FILE_BYTES + 1).read_to_string(&mut text).await;
    let read =
        read.map_err(|fault| CliError::Usage(format!("{} cannot be read: {fault}", file.display())))?;
    if u64::try_from(read).unwrap_or(u64::MAX) > FILE_BYTES {
        return Err(CliError::Usage(format!("{} is longer than {FILE_BYTES} bytes", file.display())));
    }
    Ok(text)
}
