//! seccomp: which system calls the process may make. What is denied answers EPERM, as to a user who may not, so that the
//! caller goes on with an error instead of dying.

use std::collections::BTreeMap;
use std::io;

use libc::{c_int, c_long};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, sock_filter,
};

use super::calls::{FORK, LISTEN, NEVER, NEVER_HERE, OPEN, OPEN_HERE, START};
use super::{Rules, WallError};

/// A call, and when it is denied: in each of these cases, or always if there is none.
type Denied = BTreeMap<c_long, Vec<SeccompRule>>;

/// From this number on, x86-64 has all calls a second time, as a 32-bit program makes them. A list of numbers would be
/// gone round there.
const SECOND_TABLE: u32 = 0x4000_0000;
/// Namespaces that `clone` can make.
const NAMESPACES: &[c_int] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];
/// What of a socket's type is the type; the rest are flags.
const TYPE: u64 = 0xf;
/// Kinds of Internet sockets that are neither TCP nor UDP.
const OTHER_TYPES: &[c_int] =
    &[libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET, libc::SOCK_DCCP, SOCK_PACKET];
/// Raw packets by an old name.
const SOCK_PACKET: c_int = 10;

/// Filters the calls of the calling thread, and of those that it starts. False if the kernel does not offer it.
pub(super) fn restrict_thread(rules: &Rules) -> Result<bool, WallError> {
    apply(rules, seccompiler::apply_filter)
}

/// Filters the calls of every thread of the process.
pub(super) fn restrict_process(rules: &Rules) -> Result<bool, WallError> {
    apply(rules, seccompiler::apply_filter_all_threads)
}

/// Denies every thread of the process to listen anywhere from now on.
pub(super) fn end_listening() -> Result<(), WallError> {
    let denied = LISTEN.iter().map(|call| (*call, Vec::new())).collect();
    let program = compiled(denied, libc::EPERM).map_err(refused)?;
    seccompiler::apply_filter_all_threads(&program).map_err(refused)
}

fn apply(
    rules: &Rules,
    filter: impl Fn(&[sock_filter]) -> Result<(), seccompiler::Error>,
) -> Result<bool, WallError> {
    if rustix::thread::secure_computing_mode().is_err() {
        return Ok(false);
    }
    for program in programs(rules).map_err(refused)? {
        match filter(&program) {
            Err(seccompiler::Error::Seccomp(fault)) if fault.kind() == io::ErrorKind::Unsupported => {
                return Ok(false);
            }
            done => done.map_err(refused)?,
        }
    }
    Ok(true)
}

fn refused(fault: impl std::fmt::Display) -> WallError {
    WallError::Seccomp(fault.to_string())
}

/// The filters of some rules. The kernel asks all of them.
fn programs(rules: &Rules) -> Result<[BpfProgram; 2], BackendError> {
    // What `clone3` is asked for stands in memory, where no filter looks. The C library takes `clone` where there is none.
    let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    Ok([compiled(denied(rules)?, libc::EPERM)?, compiled(unknown, libc::ENOSYS)?])
}

fn compiled(denied: Denied, errno: c_int) -> Result<BpfProgram, BackendError> {
    let answer = SeccompAction::Errno(errno.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into()?;
    let filter: BpfProgram =
        SeccompFilter::new(denied, SeccompAction::Allow, answer.clone(), arch)?.try_into()?;
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    // Load the number; if it is of the second table, deny it.
    let mut program = vec![
        step(0x20, 0, 0, 0),
        step(0x35, 0, 1, SECOND_TABLE),
        step(0x06, 0, 0, SeccompAction::Errno(libc::EPERM.unsigned_abs()).into()),
    ];
    program.extend(filter);
    Ok(program)
}

fn denied(rules: &Rules) -> Result<Denied, BackendError> {
    let mut denied = Denied::new();
    let mut always = |calls: &[c_long]| calls.iter().for_each(|call| drop(denied.insert(*call, Vec::new())));
    always(NEVER);
    always(NEVER_HERE);
    if !rules.programs {
        always(START);
        always(FORK);
    }
    if rules.paths.is_empty() {
        always(OPEN);
        always(OPEN_HERE);
    }
    if rules.listen.is_none() {
        always(LISTEN);
    }
    denied.insert(libc::SYS_clone, clones(rules)?);
    denied.insert(libc::SYS_socket, sockets(rules)?);
    denied.insert(libc::SYS_socketpair, vec![when([is_not(0, libc::AF_UNIX)?])?]);
    // Sending with this flag connects without asking Landlock.
    for (call, flags) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
        denied.insert(call, vec![when([has(flags, libc::MSG_FASTOPEN)?])?]);
    }
    // Keystrokes into the terminal of whoever started the process.
    denied.insert(libc::SYS_ioctl, vec![when([is(1, TIOCSTI)?])?, when([is(1, TIOCLINUX)?])?]);
    Ok(denied)
}

const TIOCSTI: c_int = 0x5412;
const TIOCLINUX: c_int = 0x541c;

fn clones(rules: &Rules) -> Result<Vec<SeccompRule>, BackendError> {
    let mut cases = Vec::new();
    if !rules.programs {
        cases.push(when([has_not(0, libc::CLONE_THREAD)?])?);
    }
    for namespace in NAMESPACES {
        cases.push(when([has(0, *namespace)?])?);
    }
    Ok(cases)
}

fn sockets(rules: &Rules) -> Result<Vec<SeccompRule>, BackendError> {
    let tcp = rules.listen.is_some() || !rules.connect.is_empty();
    let internet = [libc::AF_INET, libc::AF_INET6];
    let mut families = Vec::new();
    if tcp || rules.names {
        families.extend(internet);
    }
    if rules.unix_sockets {
        families.push(libc::AF_UNIX);
    }
    if families.is_empty() {
        return Ok(Vec::new());
    }
    let other: Result<Vec<_>, _> = families.iter().map(|family| is_not(0, *family)).collect();
    let mut cases = vec![SeccompRule::new(other?)?];
    for family in internet {
        let mut refused_types = OTHER_TYPES.to_vec();
        if !tcp {
            refused_types.push(libc::SOCK_STREAM);
        }
        if !rules.names {
            refused_types.push(libc::SOCK_DGRAM);
        }
        for kind in refused_types {
            cases.push(when([is(0, family)?, is_type(kind)?])?);
        }
        // MPTCP and SCTP are streams that Landlock does not take for TCP.
        for (kind, protocol) in
            [(libc::SOCK_STREAM, libc::IPPROTO_TCP), (libc::SOCK_DGRAM, libc::IPPROTO_UDP)]
        {
            cases.push(when([is(0, family)?, is_type(kind)?, is_not(2, 0)?, is_not(2, protocol)?])?);
        }
    }
    Ok(cases)
}

type Condition = Result<SeccompCondition, BackendError>;

fn when<const N: usize>(conditions: [SeccompCondition; N]) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions.into())
}

/// The kernel takes these arguments for 32 bits wide, and so they are compared.
fn condition(argument: u8, operator: SeccompCmpOp, value: c_int) -> Condition {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value.unsigned_abs().into())
}

fn is(argument: u8, value: c_int) -> Condition {
    condition(argument, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: c_int) -> Condition {
    condition(argument, SeccompCmpOp::Ne, value)
}

fn has(argument: u8, flag: c_int) -> Condition {
    condition(argument, SeccompCmpOp::MaskedEq(flag.unsigned_abs().into()), flag)
}

fn has_not(argument: u8, flag: c_int) -> Condition {
    condition(argument, SeccompCmpOp::MaskedEq(flag.unsigned_abs().into()), 0)
}

fn is_type(kind: c_int) -> Condition {
    condition(1, SeccompCmpOp::MaskedEq(TYPE), kind)
}

#[cfg(test)]
mod tests;
