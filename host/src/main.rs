//! The `host` program: reads its arguments and surroundings, calls one function, and says how it ended.

mod telemetry;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use std::{env, io};

use clap::Parser as _;
use toolhost::api::cli::{self, Cli, CliError, Exit, Output, Surroundings};
use toolhost::config;

/// A call's memory is freed by the writer of the log, on another thread: the system's allocator makes both wait for each
/// other, which costs a short call some per cent.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) => {
            // Help and version are answers too. Nobody is left to be told if they cannot be written.
            let _ = answer.print();
            return ExitCode::from(if answer.use_stderr() { Exit::Usage } else { Exit::Ok });
        }
    };
    // Found on the search path where the system does not say which file this is.
    let executable = env::current_exe().unwrap_or_else(|_| "toolhost".into());
    if let Some(child) = cli.child() {
        return toolhost::sandbox::child_main(child, &executable);
    }
    ExitCode::from(run(cli, executable).unwrap_or_else(show))
}

fn run(cli: Cli, executable: PathBuf) -> Result<Exit, CliError> {
    let settings = config::load(cli.config(), Path::new(""));
    // Before the first thread is started: one that is there already would stand outside of the wall.
    let enclosure = cli.enclose(&settings, &executable, &config::password_files())?;
    let filter = config::log_filter();
    let _logging = telemetry::start(filter.as_deref().unwrap_or(cli.log_filter()))
        .map_err(|fault| CliError::Setting(fault.to_string()))?;
    let surroundings = Surroundings {
        settings,
        key: config::environment_key(),
        executable,
        enclosure,
        search_path: config::search_path(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (mut results, mut notes) = (io::stdout(), io::stderr());
    let ended = runtime.block_on(cli::run(cli, surroundings, &mut Output::new(&mut results, &mut notes)));
    // A read of standard input cannot be taken back, so that nothing waits for it.
    runtime.shutdown_timeout(Duration::from_millis(100));
    ended
}

/// Tells a person what went wrong, and gives the code to end with. Nobody is left to be told if that fails.
fn show(error: CliError) -> Exit {
    let (exit, advice, mut stderr) = (error.exit(), error.advice().unwrap_or_default(), io::stderr());
    let _ = match error {
        CliError::Configuration(fault) => writeln!(stderr, "{:?}", miette::Report::new(*fault)),
        other => writeln!(stderr, "Error: {other}. {advice}"),
    };
    exit
}
