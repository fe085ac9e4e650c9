//! The process that starts compilers for one that may start nothing any more.
//!
//! It takes one kind of request, over the socket that is its standard input: open files for one compiler. It holds no
//! path of its own but what it was made from, makes no socket, and ends with the process that started it, whose end closes
//! the socket. A compiler ends with it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IoSliceMut, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::{COMPILE_WORD, STACK_BYTES, WALL};
use crate::wall::{Rules, Wall};

/// The one request.
pub(super) const REQUEST: &[u8] = b"c";
/// What comes with it: the component to read, the artefact and the complaint to write, and where to tell the outcome.
pub(super) const FILES: usize = 4;
/// Compilers at once. A host asks for fewer; further requests wait in the socket.
const AT_ONCE: usize = 8;

/// What became of a compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// It ended, with this status as the system gives it.
    Ended(i32),
    /// It took too long and was killed.
    TooLong,
    /// It could not be started, for the system's reason of that number.
    NotStarted(i32),
}

impl Told {
    /// How long it is.
    pub(super) const BYTES: usize = 5;

    fn bytes(self) -> [u8; Self::BYTES] {
        let (kind, number) = match self {
            Self::Ended(status) => (0, status),
            Self::TooLong => (1, 0),
            Self::NotStarted(reason) => (2, reason),
        };
        let [a, b, c, d] = number.to_le_bytes();
        [kind, a, b, c, d]
    }

    /// None if it is not one, as when the broker ended.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (kind, number) = bytes.split_first()?;
        let number = i32::from_le_bytes(number.try_into().ok()?);
        match kind {
            0 => Some(Self::Ended(number)),
            1 => Some(Self::TooLong),
            2 => Some(Self::NotStarted(number)),
            _ => None,
        }
    }
}

/// Takes requests until the other end of the socket is closed.
pub(super) fn main(program: &Path) -> ExitCode {
    let ended = Wall::raise(Rules::default().start_itself())
        .map_err(io::Error::other)
        .and_then(|_wall| serve(&io::stdin(), program));
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            // Nobody reads it any more if this fails.
            drop(writeln!(io::stderr(), "the process that starts compilers ends: {fault}"));
            ExitCode::FAILURE
        }
    }
}

fn serve(socket: &impl AsFd, program: &Path) -> io::Result<()> {
    let mut running: VecDeque<JoinHandle<()>> = VecDeque::new();
    while let Some([component, artefact, complaint, outcome]) = receive(socket)? {
        running.retain(|it| !it.is_finished());
        if running.len() >= AT_ONCE
            && let Some(oldest) = running.pop_front()
        {
            // It tells of itself, and one that panicked has nothing to tell.
            drop(oldest.join());
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "one of the places that start a process: our own compiler"
        )]
        let mut command = Command::new(program);
        command
            .arg(COMPILE_WORD)
            .args(["--parent", &std::process::id().to_string()])
            .env_clear()
            .env("RUST_MIN_STACK", STACK_BYTES)
            .stdin(component)
            .stdout(artefact)
            .stderr(complaint);
        // The thread outlives the compiler, which the kernel ends with the thread that started it.
        running.push_back(std::thread::Builder::new().spawn(move || oversee(command, outcome, WALL))?);
    }
    Ok(())
}

/// The files of the next request; none if nobody is left to make one.
fn receive(socket: &impl AsFd) -> io::Result<Option<[OwnedFd; FILES]>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut word = [0; 8];
    let got = loop {
        match recvmsg(socket, &mut [IoSliceMut::new(&mut word)], &mut control, RecvFlags::CMSG_CLOEXEC) {
            Err(rustix::io::Errno::INTR) => {}
            other => break other?,
        }
    };
    if got.bytes == 0 {
        return Ok(None);
    }
    let mut files: Vec<OwnedFd> = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            files.extend(rights);
        }
    }
    match files.try_into() {
        Ok(files) if word.get(..got.bytes) == Some(REQUEST) => Ok(Some(files)),
        _ => Err(io::Error::other("a request that is none")),
    }
}

/// Starts a compiler and sees it to its end, which is early if it takes too long or nobody waits for it any more.
fn oversee(mut command: Command, outcome: OwnedFd, within: Duration) {
    let started = command.spawn();
    // With it go this process's own ends of the compiler's streams.
    drop(command);
    let told = match started {
        Ok(child) => await_end(child, &outcome, within).unwrap_or_else(not_started),
        Err(fault) => not_started(fault),
    };
    // Nobody may be left to be told.
    drop(File::from(outcome).write_all(&told.bytes()));
}

#[expect(clippy::needless_pass_by_value, reason = "the form of a handler of errors")]
fn not_started(fault: io::Error) -> Told {
    Told::NotStarted(fault.raw_os_error().unwrap_or_default())
}

fn await_end(mut child: std::process::Child, outcome: &OwnedFd, within: Duration) -> io::Result<Told> {
    let ends = Instant::now() + within;
    let watch = || -> io::Result<bool> {
        let process = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
        loop {
            let left = ends.saturating_duration_since(Instant::now());
            let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
            // Of a pipe that nobody reads any more the kernel tells unasked.
            let mut watched =
                [PollFd::new(&process, PollFlags::IN), PollFd::new(outcome, PollFlags::empty())];
            match poll(&mut watched, Some(&timeout)) {
                Err(rustix::io::Errno::INTR) => {}
                Err(fault) => return Err(fault.into()),
                Ok(0) => return Ok(false),
                Ok(_) => return Ok(true),
            }
        }
    };
    let in_time = watch();
    // One that has ended already takes no harm.
    let killed = if matches!(child.try_wait(), Ok(Some(_))) { Ok(()) } else { child.kill() };
    let status: ExitStatus = killed.and_then(|()| child.wait())?;
    Ok(if in_time? { Told::Ended(status.into_raw()) } else { Told::TooLong })
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::Stdio;

    use rustix::pipe::{PipeFlags, pipe_with};

    use super::*;

    #[expect(clippy::disallowed_methods, reason = "a test starts what it oversees")]
    fn command(program: &str, argument: &str) -> Command {
        let mut command = Command::new(program);
        command.arg(argument).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    const LONG: Duration = Duration::from_secs(600);

    fn told(command: Command, within: Duration) -> Option<Told> {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        oversee(command, write, within);
        let mut bytes = Vec::new();
        File::from(read).read_to_end(&mut bytes).unwrap();
        Told::parse(&bytes)
    }

    #[test]
    fn each_end_is_told() {
        let Some(Told::Ended(status)) = told(command("false", ""), LONG) else { panic!() };
        assert_eq!(ExitStatus::from_raw(status).code(), Some(1));
        assert_eq!(told(command("sleep", "600"), Duration::from_millis(50)), Some(Told::TooLong));
        assert_eq!(told(command("/nowhere", ""), LONG), Some(Told::NotStarted(2)));
    }

    #[test]
    fn a_compiler_that_nobody_waits_for_is_killed() {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        drop(read);
        // It would not come back for as long as the compiler runs.
        oversee(command("sleep", "600"), write, LONG);
    }

    #[test]
    fn what_is_no_outcome_is_not_taken_for_one() {
        for told in [Told::Ended(-1), Told::TooLong, Told::NotStarted(13)] {
            assert_eq!(Told::parse(&told.bytes()), Some(told));
        }
        for bytes in [&[][..], &[0], &[0, 0, 0, 0], &[3, 0, 0, 0, 0], &[0, 0, 0, 0, 0, 0]] {
            assert_eq!(Told::parse(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn requests_that_are_none_end_the_broker() {
        use rustix::net::{AddressFamily, SocketFlags, SocketType, send, socketpair};
        for word in [&b"c"[..], b"x", b"cc"] {
            let (ours, theirs) =
                socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
            send(&ours, word, rustix::net::SendFlags::empty()).unwrap();
            drop(ours);
            assert!(serve(&theirs, Path::new("/nowhere")).is_err(), "{word:?}");
            assert!(serve(&theirs, Path::new("/nowhere")).is_ok(), "the other end is closed");
        }
    }
}
