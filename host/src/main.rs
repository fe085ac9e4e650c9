//! The `host` program: reads what it was started with, calls one function, and ends with its exit code.

mod telemetry;

use std::process::ExitCode;

use clap::Parser as _;
use toolhost::api::cli::{self, Cli, CliError, Exit, Output, Surroundings};
use toolhost::{config, sandbox};

fn main() -> ExitCode {
    let cli = Cli::parse();
    // The compiler's child needs no settings and no runtime, and lowers its own limits first.
    if let Some(artefact) = cli.compiles() {
        return sandbox::compile_main(artefact);
    }
    let (mut results, mut notes) = (std::io::stdout(), std::io::stderr());
    let mut output = Output::new(&mut results, &mut notes);
    let ended = start(cli, &mut output).unwrap_or_else(|fault| {
        output.note(&told(&fault));
        fault.exit()
    });
    ended.into()
}

fn start(cli: Cli, output: &mut Output<'_>) -> Result<Exit, CliError> {
    let filter = config::log_filter().unwrap_or_else(|| cli.log_filter().to_owned());
    telemetry::start(&filter).map_err(|fault| CliError::Setting(fault.to_string()))?;
    let folder = std::env::current_dir().map_err(CliError::Input)?;
    let surroundings = Surroundings {
        settings: config::load(cli.config(), &folder),
        key: config::environment_key(),
        executable: std::env::current_exe().map_err(CliError::Input)?,
        search_path: config::search_path(),
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CliError::Input)?;
    runtime.block_on(cli::run(cli, surroundings, output))
}

/// A fault as a person reads it: a configuration file with the line in question, anything else in one sentence.
fn told(fault: &CliError) -> String {
    if let CliError::Configuration(fault) = fault {
        let mut text = String::new();
        let handler = miette::GraphicalReportHandler::new();
        // A report that cannot be drawn is told in its own sentence.
        return match handler.render_report(&mut text, fault.as_ref()) {
            Ok(()) => text,
            Err(_) => fault.to_string(),
        };
    }
    match fault.advice() {
        Some(advice) => format!("host: {fault}\n{advice}"),
        None => format!("host: {fault}"),
    }
}
