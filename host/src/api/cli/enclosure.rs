//! The second wall around `host serve`, raised while the process has one thread: those that it starts later are inside.
//!
//! What can start compilers is started before it, and stays outside with a wall of its own.

use std::path::{Path, PathBuf};

use super::error::CliError;
use super::serve::ServeArgs;
use crate::executor::Settings;
use crate::sandbox::Compiler;
use crate::wall::{Demand, Rules, Wall};

/// What surrounds the process, and its way to a compiler.
#[derive(Debug)]
pub struct Enclosure {
    compiler: Compiler,
    wall: Option<Wall>,
    lines: Vec<String>,
}

impl Enclosure {
    /// No wall. The program is started for each component.
    #[must_use]
    pub fn none(executable: &Path) -> Self {
        Self { compiler: Compiler::from(executable), wall: None, lines: Vec::new() }
    }

    /// A wall as the settings ask for it, for a server.
    pub(super) fn of_server(
        args: &ServeArgs,
        settings: &Settings,
        executable: &Path,
        password_files: &[PathBuf],
    ) -> Result<Self, CliError> {
        let demand = settings.server.wall;
        if demand == Demand::Off {
            let line = "No second wall stands (server.wall = \"off\"): a fault in the sandbox would reach whatever this \
                        user can reach.";
            return Ok(Self { lines: vec![line.to_owned()], ..Self::none(executable) });
        }
        let mut rules = settings.reach()?;
        if settings.store.is_shared() {
            for file in password_files {
                rules.read(file);
            }
        }
        if !args.stdio {
            rules.listen(args.address(settings).port());
        }
        let compiler = Compiler::brokered(executable).map_err(|fault| CliError::Broker(fault.to_string()))?;
        let wall = Wall::raise(&rules)?;
        let standing = wall.standing();
        if demand == Demand::Required && !standing.is_whole() {
            let missing = standing.missing().unwrap_or_default();
            return Err(CliError::Setting(format!("server.wall is \"required\", and {missing}")));
        }
        let lines = lines(&wall, &rules);
        Ok(Self { compiler, wall: Some(wall), lines })
    }

    /// The way to a compiler.
    pub(super) fn compiler(&self) -> Compiler {
        self.compiler.clone()
    }

    /// What a person has to know of the wall.
    pub(super) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Listens nowhere else from now on.
    pub(super) fn end_listening(&self) -> Result<(), CliError> {
        Ok(self.wall.as_ref().map_or(Ok(()), Wall::end_listening)?)
    }
}

fn lines(wall: &Wall, rules: &Rules) -> Vec<String> {
    let standing = wall.standing();
    let missing = standing.missing().map(|missing| format!(": {missing}")).unwrap_or_default();
    let Some(parts) = standing.parts() else { return vec![format!("No second wall stands{missing}.")] };
    let whole = if missing.is_empty() { "" } else { " in part" };
    let (read, written) = rules.named();
    let mut lines = vec![format!(
        "A second wall stands{whole}, of {parts}{missing}. Readable: {}. Writable: {}.",
        listed(&read),
        listed(&written)
    )];
    lines.extend(wall.absent().iter().map(|path| {
        format!("{} is not there, and stays closed until the host is started again.", path.display())
    }));
    lines
}

fn listed(paths: &[&Path]) -> String {
    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    if shown.is_empty() { "nothing".to_owned() } else { shown.join(", ") }
}
