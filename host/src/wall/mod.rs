//! The second wall: what this process may still ask of the system, should the first one, WebAssembly, have a hole.
//!
//! Owns Landlock, which bounds files and TCP ports, and seccomp, which bounds system calls. Knows neither WebAssembly nor
//! wires: it is told what to leave open, as [`Rules`]. What stands is never taken down again, not even by the process
//! itself, and its children inherit it.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod landlock;
mod rules;
#[cfg(target_os = "linux")]
mod seccomp;

use std::path::PathBuf;

#[cfg(not(target_os = "linux"))]
use elsewhere as landlock;
#[cfg(not(target_os = "linux"))]
use elsewhere as seccomp;
pub use rules::Rules;

/// The first version of Landlock that bounds TCP ports (Linux 6.7).
const WITH_PORTS: i32 = 4;

/// How much an operator asks of the wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Demand {
    /// All of it, or the process does not serve.
    Required,
    /// As much as the kernel offers.
    #[default]
    Available,
    /// Nothing.
    Off,
}

/// Why a wall could not be raised. That the kernel does not offer one is no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WallError {
    /// Landlock restricts the calling thread and those that it starts, so that others would stay outside.
    #[error("the process has {0} threads already, and those would stand outside of the wall")]
    Threads(usize),
    /// A path that is to stay open cannot be looked at.
    #[error("{path} cannot be kept open: {reason}")]
    Path {
        /// The path.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// The kernel offers Landlock and does not do it.
    #[error("Landlock refuses: {0}")]
    Landlock(String),
    /// The kernel offers seccomp and does not do it.
    #[error("seccomp refuses: {0}")]
    Seccomp(String),
}

/// Which parts of the wall stand, or would.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The version of Landlock; none if the kernel does not offer it.
    pub landlock: Option<i32>,
    /// System calls are filtered.
    pub seccomp: bool,
}

impl Standing {
    /// What would stand here. A thread walls itself in and ends, so that nothing else is restricted.
    ///
    /// # Errors
    /// [`WallError`] if the kernel offers what it does not do.
    pub fn offered() -> Result<Self, WallError> {
        let alone = std::thread::spawn(|| {
            let rules = Rules::default();
            let landlock = landlock::restrict(&rules)?.version;
            Ok(Self { landlock, seccomp: seccomp::restrict_thread(&rules)? })
        });
        alone.join().unwrap_or_else(|_panic| Err(WallError::Landlock("the trial panicked".to_owned())))
    }

    /// Whether files, TCP ports and system calls are all bounded.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.seccomp && self.landlock.is_some_and(|version| version >= WITH_PORTS)
    }

    /// The parts that stand, for people; none if nothing does.
    #[must_use]
    pub fn parts(&self) -> Option<String> {
        match (self.landlock, self.seccomp) {
            (Some(version), true) => Some(format!("Landlock ABI {version} and seccomp")),
            (Some(version), false) => Some(format!("Landlock ABI {version}")),
            (None, true) => Some("seccomp".to_owned()),
            (None, false) => None,
        }
    }

    /// What the kernel does not offer, and what that leaves open; none if nothing is missing.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        let mut missing = Vec::new();
        match self.landlock {
            None => missing.push(
                "no Landlock (Linux 5.13, and switched on), so files and TCP ports are open".to_owned(),
            ),
            Some(version) if version < WITH_PORTS => {
                missing.push(format!(
                    "only Landlock ABI {version} (ports need Linux 6.7), so TCP ports are open"
                ));
            }
            Some(_) => {}
        }
        if !self.seccomp {
            missing.push("no seccomp, so all system calls are open".to_owned());
        }
        if missing.is_empty() { None } else { Some(format!("the kernel offers {}", missing.join("; "))) }
    }
}

/// A wall around this process. Dropping it takes nothing down.
#[derive(Debug)]
pub struct Wall {
    standing: Standing,
    absent: Vec<PathBuf>,
}

impl Wall {
    /// Walls this process in. It must have no other thread yet; those that it starts later, and its children, are
    /// inside.
    ///
    /// # Errors
    /// [`WallError`] if the kernel offers what it does not do. Part of the wall may stand then, so that the process
    /// should end.
    pub fn raise(rules: &Rules) -> Result<Self, WallError> {
        match threads() {
            Some(1) | None => {}
            Some(more) => return Err(WallError::Threads(more)),
        }
        let landlock::Restricted { version, absent } = landlock::restrict(rules)?;
        let seccomp = seccomp::restrict_process(rules)?;
        Ok(Self { standing: Standing { landlock: version, seccomp }, absent })
    }

    /// Takes the right to listen away from every thread of the process, once it listens where it should.
    ///
    /// # Errors
    /// [`WallError::Seccomp`]; the right stays then.
    pub fn end_listening(&self) -> Result<(), WallError> {
        if self.standing.seccomp { seccomp::end_listening() } else { Ok(()) }
    }

    /// What stands.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// Paths of the rules that were not there. They stay closed, even if somebody makes them later.
    #[must_use]
    pub fn absent(&self) -> &[PathBuf] {
        &self.absent
    }
}

/// The threads of this process; none where that cannot be seen.
#[expect(clippy::disallowed_methods, reason = "a look at the process itself")]
fn threads() -> Option<usize> {
    std::fs::read_dir("/proc/self/task").ok().map(Iterator::count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said() {
        let standing = |landlock, seccomp| Standing { landlock, seccomp };
        let whole = standing(Some(7), true);
        assert!(whole.is_whole());
        assert_eq!((whole.parts().unwrap().as_str(), whole.missing()), ("Landlock ABI 7 and seccomp", None));
        let old = standing(Some(3), true);
        assert!(!old.is_whole());
        assert_eq!(
            old.missing().unwrap(),
            "the kernel offers only Landlock ABI 3 (ports need Linux 6.7), so TCP ports are open"
        );
        let nothing = standing(None, false);
        assert!(!nothing.is_whole() && !standing(Some(7), false).is_whole());
        assert_eq!(nothing.parts(), None);
        assert_eq!(
            nothing.missing().unwrap(),
            "the kernel offers no Landlock (Linux 5.13, and switched on), so files and TCP ports are open; no \
             seccomp, so all system calls are open"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_wall_that_would_leave_threads_outside_is_refused() {
        // The test program has a thread for each test beside its first.
        assert!(matches!(Wall::raise(&Rules::default()), Err(WallError::Threads(_))));
    }
}
