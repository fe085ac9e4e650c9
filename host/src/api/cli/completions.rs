//! `host completions`: what a shell needs to complete this command's words.

use clap::CommandFactory as _;

use super::args::after_help;
use super::error::CliError;
use super::exit::Exit;
use super::output::Output;

/// Print a shell's completion script.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help(
    &[
        "host completions bash > ~/.local/share/bash-completion/completions/host",
        "host completions zsh > ~/.zfunc/_host",
        "host completions fish --bin toolhost > ~/.config/fish/completions/toolhost.fish",
    ],
    &[Exit::Ok, Exit::Usage],
))]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,

    /// The name by which the command is called
    #[arg(long, value_name = "NAME", default_value = "host", value_parser = ["host", "toolhost"])]
    bin: String,
}

/// Prints the script.
pub(super) fn run(args: &CompletionsArgs, output: &mut Output<'_>) -> Result<Exit, CliError> {
    // The generators show hidden words too, so that they are given a command without them.
    let full = super::Cli::command();
    let mut shown = clap::Command::new("host")
        .version(env!("CARGO_PKG_VERSION"))
        .propagate_version(true)
        .args(full.get_arguments().cloned())
        .subcommands(full.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned());
    // They panic when their writer fails, so that they write to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut shown, args.bin.as_str(), &mut script);
    output.result(&script)?;
    Ok(Exit::Ok)
}
