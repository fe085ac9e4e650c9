//! Landlock: which files and TCP ports the process may reach, and that it signals no process outside.
//!
//! The rights are those of the versions up to the sixth, which were tested. An older kernel does what it knows of them, and
//! says which version that is. What Landlock does not know (attributes of files, UDP) is left to seccomp.

use std::io;
use std::path::{Path, PathBuf};

use ::landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, LandlockStatus, NetPort, PathBeneath, PathFd,
    PathFdError, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, Scope, make_bitflags,
};

use super::rules::Reach;
use super::{Rules, WallError};

const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | ReadDir});
/// No devices, pipes or sockets are made, and nothing that is written can be started.
const WRITE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{
    ReadFile | ReadDir | WriteFile | Truncate | MakeReg | MakeDir | MakeSym | RemoveFile | RemoveDir | Refer
});
const RUN: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | Execute});

/// What came of it.
pub(super) struct Restricted {
    /// The version that the kernel has; none if it has none.
    pub(super) version: Option<i32>,
    /// Named paths that are not there.
    pub(super) absent: Vec<PathBuf>,
}

/// Restricts the calling thread, and those that it starts from then on.
pub(super) fn restrict(rules: &Rules) -> Result<Restricted, WallError> {
    let fault = |fault: RulesetError| WallError::Landlock(fault.to_string());
    let mut open = Ruleset::default()
        .handle_access(AccessFs::from_all(ABI::V5))
        .and_then(|all| all.handle_access(AccessNet::from_all(ABI::V4)))
        .and_then(|all| all.scope(Scope::from_all(ABI::V6)))
        .and_then(Ruleset::create)
        .map_err(fault)?;
    let mut absent = Vec::new();
    for (at, (path, reach)) in rules.paths.iter().enumerate() {
        match opened(path)? {
            Some(file) => open = open.add_rule(PathBeneath::new(file, rights(*reach))).map_err(fault)?,
            None if rules.is_named(at) => absent.push(path.clone()),
            None => {}
        }
    }
    if let Some(port) = rules.listen {
        open = open.add_rule(NetPort::new(port, AccessNet::BindTcp)).map_err(fault)?;
    }
    for port in &rules.connect {
        open = open.add_rule(NetPort::new(*port, AccessNet::ConnectTcp)).map_err(fault)?;
    }
    let done = open.restrict_self().map_err(fault)?;
    let version = match done.landlock {
        LandlockStatus::Available { effective_abi, kernel_abi } => {
            Some(kernel_abi.unwrap_or(effective_abi as i32))
        }
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => None,
    };
    Ok(Restricted { version, absent })
}

fn rights(reach: Reach) -> BitFlags<AccessFs> {
    match reach {
        Reach::Read => READ,
        Reach::Write => WRITE,
        Reach::Run => RUN,
    }
}

/// The file or folder of a rule, if it is there. An empty path is the working folder, as elsewhere.
fn opened(path: &Path) -> Result<Option<PathFd>, WallError> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match PathFd::new(path) {
        Ok(file) => Ok(Some(file)),
        Err(PathFdError::OpenCall { source, .. }) => match source.kind() {
            // What this user may not enter, a rule would not open either.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::PermissionDenied => {
                Ok(None)
            }
            _ => Err(WallError::Path { path: path.to_owned(), reason: source.to_string() }),
        },
        Err(other) => Err(WallError::Path { path: path.to_owned(), reason: other.to_string() }),
    }
}
