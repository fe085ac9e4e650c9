//! A process that walls itself in and then tries what it should not do. It prints what came of each act, one a line; the
//! tests know what should have.
//!
//! `wall-probe WALL FOLDER ALLOWED OTHER`: the wall, a folder with `read/`, `write/` and `outside`, a TCP port that is open to
//! it, and one that is not.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test that cannot go on says so"
)]

use std::fs;
use std::io;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::net::{AddressFamily, SocketType, ipproto, socket};
use rustix::process::{
    Pid, PidfdFlags, PidfdGetfdFlags, chroot, getppid, getuid, pidfd_getfd, pidfd_open, test_kill_process,
};
use rustix::thread::{UnshareFlags, set_thread_uid};
use toolhost::wall::{Rules, Wall};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, folder, allowed, other] = arguments.as_slice() else {
        // The program that another probe starts.
        return;
    };
    let folder = PathBuf::from(folder);
    let (allowed, other): (u16, u16) = (allowed.parse().unwrap(), other.parse().unwrap());
    let mut rules = Rules::default();
    match kind.as_str() {
        // As of `host serve`.
        "serving" => {
            rules.itself().read(folder.join("read")).write(folder.join("write")).connect(allowed);
        }
        // The same with a port to listen on, while it may and afterwards.
        "listening" | "listened" => {
            rules.itself().read(folder.join("read")).write(folder.join("write")).connect(allowed).listen(0);
        }
        // As of the process that starts compilers.
        "starting" => {
            rules.start_itself();
        }
        // As of a compiler, and no wall at all.
        _ => {}
    }
    if kind != "none" {
        let wall = Wall::raise(&rules).unwrap();
        if kind == "listened" {
            wall.end_listening().unwrap();
        }
    }
    files(&folder);
    attributes(&folder);
    network(&folder, allowed, other);
    processes();
    let read = std::thread::spawn(|| fs::read("/etc/passwd")).join().unwrap();
    told("read /etc/passwd in another thread", read);
}

/// Prints the outcome of an act: "ok", or the system's number of the reason.
fn told<T>(act: &str, outcome: Result<T, impl Into<io::Error>>) {
    let outcome = outcome.map(drop).map_err(Into::into);
    println!("{act}: {}", outcome.map_or_else(|fault| named(&fault), |()| "ok".to_owned()));
}

fn named(fault: &io::Error) -> String {
    match fault.raw_os_error() {
        Some(1) => "EPERM".to_owned(),
        Some(13) => "EACCES".to_owned(),
        Some(18) => "EXDEV".to_owned(),
        _ => format!("{fault:?}"),
    }
}

fn files(folder: &Path) {
    let (read, write) = (folder.join("read"), folder.join("write"));
    told("read a readable file", fs::read(read.join("file")));
    told("list a readable folder", fs::read_dir(&read));
    told("write a readable file", fs::write(read.join("file"), "x"));
    told("make a file in a readable folder", fs::write(read.join("new"), "x"));
    told("make a writable file", fs::write(write.join("new"), "x"));
    told("read a writable file", fs::read(write.join("new")));
    told("make a writable folder", fs::create_dir(write.join("folder")));
    told("move a file between writable folders", fs::rename(write.join("new"), write.join("folder/new")));
    told("remove a writable file", fs::remove_file(write.join("folder/new")));
    told("remove a writable folder", fs::remove_dir(write.join("folder")));
    told("link to what is outside", symlink(folder.join("outside"), write.join("link")));
    told("read what is outside through a link", fs::read(write.join("link")));
    told("read /etc/passwd", fs::read("/etc/passwd"));
    told("list /", fs::read_dir("/"));
    told("read what is outside", fs::read(folder.join("outside")));
    told("write what is outside", fs::OpenOptions::new().append(true).open(folder.join("outside")));
    told(
        "cut what is outside",
        rustix::fs::open(
            folder.join("outside"),
            rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::TRUNC,
            Mode::empty(),
        ),
    );
    told("make a file outside", fs::write(folder.join("new"), "x"));
    told("make a folder outside", fs::create_dir(folder.join("folder")));
    told("take a file in from outside", fs::hard_link(folder.join("outside"), write.join("taken")));
    told("remove what is outside", fs::remove_file(folder.join("away")));
    told("make a pipe among files", mknodat(CWD, write.join("pipe"), FileType::Fifo, Mode::RWXU, 0));
    told(
        "read the memory of the parent",
        parent().and_then(|it| fs::File::open(format!("/proc/{}/mem", it.as_raw_pid()))),
    );
}

fn attributes(folder: &Path) {
    let outside = folder.join("outside");
    told(
        "change the mode of what is outside",
        fs::set_permissions(&outside, fs::Permissions::from_mode(0o644)),
    );
    told("change the owner of what is outside", chown(&outside, None, None));
}

fn network(folder: &Path, allowed: u16, other: u16) {
    told("connect to the port", TcpStream::connect(("127.0.0.1", allowed)));
    told("connect to another port", TcpStream::connect(("127.0.0.1", other)));
    told("listen", TcpListener::bind("127.0.0.1:0"));
    told("listen on a port of choice", TcpListener::bind("127.0.0.1:1"));
    told("use UDP", UdpSocket::bind("127.0.0.1:0"));
    told("use netlink", socket(AddressFamily::NETLINK, SocketType::RAW, None));
    told("use raw packets", socket(AddressFamily::INET, SocketType::RAW, Some(ipproto::ICMP)));
    told(
        "use a stream that is not TCP",
        socket(AddressFamily::INET, SocketType::STREAM, Some(ipproto::MPTCP)),
    );
    told("make a Unix socket", UnixListener::bind(folder.join("write/socket")));
    told("make a pair of sockets", UnixStream::pair());
}

fn processes() {
    // With the streams of this process, so that nothing is opened for it.
    let start = |program: &str| match Command::new(program).status() {
        Ok(status) if !status.success() => Err(io::Error::other("it failed")),
        started => started,
    };
    told("start a program", start("/bin/true"));
    told("start itself", start("/proc/self/exe"));
    told("start a thread", std::thread::Builder::new().spawn(|| ()).map(|it| it.join().unwrap()));
    told("signal the parent", parent().and_then(|it| Ok(test_kill_process(it)?)));
    told("take a file of another process", parent().and_then(taken));
    #[expect(deprecated, reason = "of what can be left, this harms nobody")]
    let left = rustix::thread::unshare(UnshareFlags::FS);
    told("leave a namespace", left);
    told("change the root", chroot("/"));
    told("become a user", set_thread_uid(getuid()));
}

fn parent() -> io::Result<Pid> {
    getppid().ok_or(io::ErrorKind::NotFound.into())
}

fn taken(process: Pid) -> io::Result<()> {
    let process = pidfd_open(process, PidfdFlags::empty())?;
    pidfd_getfd(&process, 0, PidfdGetfdFlags::empty())?;
    Ok(())
}
