//! What a wall leaves open: nothing, unless it is named.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How far a path is open. What lies beneath a folder is open as the folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Files may be read and folders listed.
    Read,
    /// And written, made, renamed and removed.
    Write,
    /// Files may be read and started as programs.
    Run,
}

/// What a wall leaves open. The default is nothing: no file can be opened, no socket made, no program started.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    pub(super) paths: Vec<(PathBuf, Reach)>,
    pub(super) listen: Option<u16>,
    pub(super) connect: BTreeSet<u16>,
    pub(super) unix_sockets: bool,
    pub(super) names: bool,
    pub(super) programs: bool,
    /// Paths that are open for the sake of the process itself, which nobody has to be told of.
    own: usize,
}

/// Where the resolver finds its settings, and the modules that it loads for them.
const NAMES: &[&str] = &[
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/ld.so.cache",
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
];
/// Which authorities are trusted. Private keys lie elsewhere.
const AUTHORITIES: &[&str] = &[
    "/etc/ssl/certs",
    "/etc/ssl/cert.pem",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted",
    "/usr/share/ca-certificates",
    "/usr/local/share/ca-certificates",
];
/// The port of name servers, which are asked over TCP where an answer is long.
const NAME_SERVER: u16 = 53;
/// What a process asks of the system about itself: its memory, its share of the processors; and randomness.
const ITSELF: &[&str] = &[
    "/proc/self/pagemap",
    "/proc/self/cgroup",
    "/proc/self/mountinfo",
    "/sys/fs/cgroup",
    "/sys/devices/system/cpu/online",
    "/dev/urandom",
];

impl Rules {
    /// Leaves a file, or all beneath a folder, open for reading.
    pub fn read(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.paths.push((path.into(), Reach::Read));
        self
    }

    /// Leaves a file, or all beneath a folder, open for reading and writing.
    pub fn write(&mut self, path: impl Into<PathBuf>) -> &mut Self {
        self.paths.push((path.into(), Reach::Write));
        self
    }

    /// Leaves one TCP port open to listen on, until [`end_listening`](super::Wall::end_listening); port 0 stands for any
    /// free one.
    pub fn listen(&mut self, port: u16) -> &mut Self {
        self.listen = Some(port);
        self
    }

    /// Leaves a TCP port open to connect to, on any machine.
    pub fn connect(&mut self, port: u16) -> &mut Self {
        self.connect.insert(port);
        self
    }

    /// Leaves Unix sockets open to connect to.
    pub fn unix_sockets(&mut self) -> &mut Self {
        self.unix_sockets = true;
        self
    }

    /// Leaves open what it takes to find the address of a name, and whom to trust there. That is UDP to any address.
    ///
    /// A file that is replaced by another later stays closed, but for one that a link leads to: its folder is open.
    pub fn resolve_names(&mut self) -> &mut Self {
        self.names = true;
        self.connect(NAME_SERVER);
        for path in NAMES.iter().chain(AUTHORITIES) {
            self.own(path, Reach::Read);
        }
        if let Some(folder) =
            Path::new("/etc/resolv.conf").canonicalize().ok().as_deref().and_then(Path::parent)
            && folder.parent() != Some(Path::new("/"))
            && folder.starts_with("/run")
        {
            self.own(folder, Reach::Read);
        }
        self
    }

    /// Leaves open what a process asks of the system about itself.
    pub fn itself(&mut self) -> &mut Self {
        for path in ITSELF {
            self.own(path, Reach::Read);
        }
        self
    }

    /// Leaves open to start other programs, of those files that this process itself was made from.
    #[cfg(target_os = "linux")]
    pub fn start_itself(&mut self) -> &mut Self {
        self.programs = true;
        self.own("/etc/ld.so.cache", Reach::Read);
        for file in mapped_files() {
            self.own(file, Reach::Run);
        }
        self
    }

    /// The named paths that are open for reading alone, and those for writing.
    #[must_use]
    pub fn named(&self) -> (Vec<&Path>, Vec<&Path>) {
        let of = |reach| {
            let named = self.paths.iter().skip(self.own);
            let mut found: Vec<&Path> =
                named.filter(|(_, is)| *is == reach).map(|(path, _)| path.as_path()).collect();
            found.sort();
            found.dedup();
            found
        };
        (of(Reach::Read), of(Reach::Write))
    }

    /// Own paths stand before named ones.
    fn own(&mut self, path: impl Into<PathBuf>, reach: Reach) {
        self.paths.insert(self.own, (path.into(), reach));
        self.own += 1;
    }

    /// Whether an absent path is one that somebody named.
    pub(super) fn is_named(&self, at: usize) -> bool {
        at >= self.own
    }
}

/// The files that this process has mapped: its program, the loader and the libraries.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "a look at the process itself")]
fn mapped_files() -> BTreeSet<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.lines().filter_map(|line| line.find('/').and_then(|at| line.get(at..))).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_of_what_they_named_alone() {
        let mut rules = Rules::default();
        rules.read("tools").itself().write("data").read("tools");
        let (read, written) = rules.named();
        assert_eq!((read, written), (vec![Path::new("tools")], vec![Path::new("data")]));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_knows_what_it_was_made_from() {
        let program = std::env::current_exe().unwrap();
        assert!(mapped_files().contains(&program), "{:?}", mapped_files());
    }
}
