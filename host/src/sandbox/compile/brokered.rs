//! A compiler that the broker starts: this process hands over open files, and is told how it ended.

use std::fs::File;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, sendmsg,
    socketpair,
};
use rustix::pipe::{PipeFlags, pipe_with};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe;

use super::broker::{FILES, REQUEST, Told};
use super::{BROKER_WORD, COMPLAINT, CompileError, WALL, too_long, verdict};

/// How much longer than a compiler may take the broker is waited for: one that is stopped tells nothing.
const PATIENCE: Duration = Duration::from_secs(5);

/// The broker as its host sees it. It ends once the last clone is gone.
#[derive(Debug, Clone)]
pub(super) struct Brokered {
    socket: Arc<OwnedFd>,
    program: PathBuf,
    id: u32,
}

impl Brokered {
    /// Starts it. The host need not wait for it to be ready.
    pub(super) fn start(program: &Path) -> Result<Self, CompileError> {
        let fault = |fault: io::Error| start_fault(program, &fault.to_string());
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
                .map_err(|errno| fault(errno.into()))?;
        #[expect(
            clippy::disallowed_methods,
            reason = "one of the places that start a process: our own broker"
        )]
        let mut command = Command::new(program);
        command
            .arg(BROKER_WORD)
            .env_clear()
            .stdin(theirs)
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            // A signal from the terminal is for the host, which ends it in time.
            .process_group(0);
        let child = command.spawn().map_err(fault)?;
        Ok(Self { socket: Arc::new(ours), program: program.to_owned(), id: child.id() })
    }

    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// Compiles bytes into an open file. If the future is dropped, the broker sees that nobody waits for the outcome, and
    /// kills the compiler.
    pub(super) async fn compile(&self, component: &[u8], artefact: File) -> Result<(), CompileError> {
        let start = |fault: io::Error| start_fault(&self.program, &fault.to_string());
        let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(|errno| start(errno.into()));
        let ((component_out, component_in), (complaint_out, complaint_in), (outcome_out, outcome_in)) =
            (pipe()?, pipe()?, pipe()?);
        self.send([component_out, artefact.into(), complaint_in, outcome_in]).map_err(start)?;
        let mut input = pipe::Sender::from_owned_fd(component_in).map_err(start)?;
        let complaint_out = pipe::Receiver::from_owned_fd(complaint_out).map_err(start)?;
        let outcome_out = pipe::Receiver::from_owned_fd(outcome_out).map_err(start)?;
        let feed = async move {
            // A child that stops reading has something to say, so that a broken pipe is not the news.
            drop(input.write_all(component).await);
            drop(input);
            let (mut complaint, mut outcome) = (Vec::new(), Vec::new());
            drop(complaint_out.take(COMPLAINT).read_to_end(&mut complaint).await);
            let most = u64::try_from(Told::BYTES).unwrap_or(u64::MAX);
            drop(outcome_out.take(most).read_to_end(&mut outcome).await);
            (Told::parse(&outcome), complaint)
        };
        let (told, complaint) = tokio::time::timeout(WALL + PATIENCE, feed).await.map_err(|_| too_long())?;
        match told {
            Some(Told::Ended(status)) => verdict(ExitStatus::from_raw(status), &complaint),
            Some(Told::TooLong) => Err(too_long()),
            Some(Told::NotStarted(reason)) => Err(start(io::Error::from_raw_os_error(reason))),
            None => Err(start_fault(&self.program, GONE)),
        }
    }

    /// Hands files over. This process keeps none of them. What does not fit into the socket at once is refused.
    fn send(&self, files: [OwnedFd; FILES]) -> io::Result<()> {
        let borrowed = files.each_ref().map(OwnedFd::as_fd);
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !control.push(SendAncillaryMessage::ScmRights(&borrowed)) {
            return Err(io::Error::other("the request is too large"));
        }
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        match sendmsg(&self.socket, &[IoSlice::new(REQUEST)], &mut control, flags) {
            Ok(_) => Ok(()),
            Err(rustix::io::Errno::PIPE | rustix::io::Errno::CONNRESET) => Err(io::Error::other(GONE)),
            Err(fault) => Err(fault.into()),
        }
    }
}

const GONE: &str = "the process that starts it has ended; start the host again";

fn start_fault(program: &Path, reason: &str) -> CompileError {
    CompileError::Start { program: program.to_owned(), reason: reason.to_owned() }
}
