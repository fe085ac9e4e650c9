//! A tool that does with files what a test asks: one command after the other, each with its own outcome.

mod bindings;
mod commands;

use commands::Session;
use toolhost_sdk::{ToolError, tool};

/// Runs commands on files, one for each line, and gives the outcome of each. For testing what a grant allows. It has
/// whatever side effect is asked for.
#[tool]
fn files(
    /// Commands. The words of one are parted by a `|`; in a path, `%0` stands for a NUL.
    commands: Vec<String>,
) -> Result<Vec<String>, ToolError> {
    let mut session = Session::new();
    Ok(commands.iter().map(|command| session.run(command)).collect())
}

toolhost_sdk::export!(files);
