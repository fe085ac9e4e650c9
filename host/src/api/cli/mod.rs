//! The `host` command: its words, its help, and one function for each subcommand.
//!
//! Results go to standard output, everything else to standard error. This module reads neither files nor variables
//! by itself: the binary hands over what it read, in [`Surroundings`]. Exit codes stand in one table, [`Exit`].

mod approvals;
mod args;
mod call;
mod client;
mod completions;
mod components;
mod doctor;
mod enclosure;
mod error;
mod exit;
mod explain;
mod granted;
mod inspect;
mod keys;
mod live;
mod many;
mod moment;
mod output;
mod secrets;
mod serve;
mod signal;
mod tools;
mod trace;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Parser, Subcommand};

use crate::config::{ConfigError, Secret};
use crate::executor::Settings;
use crate::sandbox::{BROKER_WORD, COMPILE_WORD, Child};
use args::after_help;
pub use enclosure::Enclosure;
pub use error::CliError;
pub use exit::Exit;
pub use output::Output;

/// How long running calls may go on once the command ends. Nothing runs by then but after a signal.
const GRACE: Duration = Duration::from_secs(5);

/// Run untrusted WebAssembly components as tools for language models.
#[derive(Debug, Parser)]
#[command(
    name = "host",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = after_help(
        &[
            "host serve",
            "host call multiply '{\"a\": 6, \"b\": 7}'",
            "host tools --format mcp",
            "host doctor",
        ],
        &Exit::ALL,
    )
)]
pub struct Cli {
    /// The configuration file [default: ./host.toml, if it is there]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::ServeArgs),
    Call(call::CallArgs),
    Tools(tools::ToolsArgs),
    Inspect(inspect::InspectArgs),
    Explain(explain::ExplainArgs),
    Trace(trace::TraceArgs),
    Approvals(approvals::ApprovalsArgs),
    Keys(keys::KeysArgs),
    Secrets(secrets::SecretsArgs),
    Components(components::ComponentsArgs),
    ClientConfig(client::ClientConfigArgs),
    Doctor(doctor::DoctorArgs),
    Completions(completions::CompletionsArgs),
    /// Compile one component from standard input to standard output, as the host's own child process
    #[command(name = COMPILE_WORD, hide = true)]
    CompileComponent {
        /// The process that it must not outlive
        #[arg(long)]
        parent: Option<i32>,
    },
    /// Start compilers, as the host's own child process
    #[command(name = BROKER_WORD, hide = true)]
    StartCompilers,
}

/// What the process was started with beside its arguments.
#[derive(Debug)]
pub struct Surroundings {
    /// The settings, or what is wrong with them.
    pub settings: Result<Settings, ConfigError>,
    /// The key in `TOOLHOST_KEY`.
    pub key: Option<Secret>,
    /// This program's file. It is started again to compile components.
    pub executable: PathBuf,
    /// The wall around this process.
    pub enclosure: Enclosure,
    /// The folders in which a shell looks for programs.
    pub search_path: Vec<PathBuf>,
}

impl Cli {
    /// The configuration file that was named.
    #[must_use]
    pub fn config(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// What is logged unless `TOOLHOST_LOG` says otherwise, in the words of a tracing filter.
    #[must_use]
    pub fn log_filter(&self) -> &'static str {
        match &self.command {
            Command::Serve(args) if !args.stdio => "warn,rmcp=off,wasmtime_wasi_http=error,toolhost=info",
            // A guest can make it warn as often as it likes.
            _ => "warn,wasmtime_wasi_http=error",
        }
    }

    /// What this process is, if another of the host's started it. It needs nothing else then.
    #[must_use]
    pub fn child(&self) -> Option<Child> {
        match &self.command {
            Command::CompileComponent { parent } => Some(Child::Compiler { parent: *parent }),
            Command::StartCompilers => Some(Child::Broker),
            _ => None,
        }
    }

    /// Raises the wall around a process that serves. It must be called before the process has a second thread; those would
    /// stand outside. `password_files` are where a client of PostgreSQL looks for its password.
    ///
    /// # Errors
    /// [`CliError`] if the wall does not stand as the settings ask for it.
    pub fn enclose(
        &self,
        settings: &Result<Settings, ConfigError>,
        executable: &Path,
        password_files: &[PathBuf],
    ) -> Result<Enclosure, CliError> {
        match (&self.command, settings) {
            (Command::Serve(args), Ok(settings)) => {
                Enclosure::of_server(args, settings, executable, password_files)
            }
            _ => Ok(Enclosure::none(executable)),
        }
    }
}

/// Does what the command line asks for.
///
/// Dropping the future cancels what runs, as a signal does.
///
/// # Errors
/// [`CliError`] with one sentence for people and its exit code. A call that ends as a failure is no error here: it
/// is shown, and the code says how it ended.
pub async fn run(cli: Cli, surroundings: Surroundings, output: &mut Output<'_>) -> Result<Exit, CliError> {
    match cli.command {
        Command::Serve(args) => serve::run(&args, surroundings, output).await,
        Command::Call(args) => call::run(args, surroundings, output).await,
        Command::Tools(args) => tools::run(args, surroundings, output).await,
        Command::Inspect(args) => inspect::run(args, surroundings, output).await,
        Command::Explain(args) => explain::run(args, surroundings, output).await,
        Command::Trace(args) => trace::run(args, surroundings, output).await,
        Command::Approvals(args) => approvals::run(args, surroundings, output).await,
        Command::Keys(args) => keys::run(args, surroundings, output).await,
        Command::Secrets(args) => secrets::run(args, surroundings, output).await,
        Command::Components(args) => components::run(args, surroundings, output).await,
        Command::ClientConfig(args) => {
            client::run(&args, &surroundings.settings?, &surroundings.executable, output).await
        }
        Command::Doctor(args) => doctor::run(&args, surroundings, output).await,
        Command::Completions(args) => completions::run(&args, output),
        Command::CompileComponent { .. } | Command::StartCompilers => {
            Err(CliError::Usage("this word is for the host's own child process".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests;
