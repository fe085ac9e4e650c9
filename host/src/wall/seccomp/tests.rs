//! The filters, asked as the kernel asks them, for calls that no test could make.

use super::*;

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const EPERM: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
const ENOSYS: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

/// Runs one filter on a call, as the kernel does.
fn run(program: &[sock_filter], data: &[u32; 16]) -> u32 {
    let (mut at, mut a) = (0, 0);
    loop {
        let step = &program[at];
        let jump = |taken: bool| 1 + usize::from(if taken { step.jt } else { step.jf });
        at += match step.code {
            0x20 => {
                a = data[step.k as usize / 4];
                1
            }
            0x05 => 1 + step.k as usize,
            0x06 => return step.k,
            0x15 => jump(a == step.k),
            0x25 => jump(a > step.k),
            0x35 => jump(a >= step.k),
            0x45 => jump(a & step.k != 0),
            0x54 => {
                a &= step.k;
                1
            }
            other => panic!("{other:#x}"),
        };
    }
}

/// What all filters of some rules answer: the gravest answer counts, and here at most one denies.
fn asked(rules: &Rules, call: c_long, arguments: &[u64]) -> u32 {
    let arch = if cfg!(target_arch = "x86_64") { 0xc000_003e } else { 0xc000_00b7 };
    let mut data = [0; 16];
    (data[0], data[1]) = (u32::try_from(call).unwrap(), arch);
    for (at, argument) in arguments.iter().enumerate() {
        data[4 + 2 * at] = (argument & 0xffff_ffff) as u32;
        data[5 + 2 * at] = (argument >> 32) as u32;
    }
    let answers = programs(rules).unwrap().map(|program| run(&program, &data));
    answers.into_iter().find(|answer| *answer != ALLOW).unwrap_or(ALLOW)
}

fn socket(rules: &Rules, family: c_int, kind: c_int, protocol: c_int) -> u32 {
    // Garbage in the upper half, which the kernel does not look at.
    let wide = |value: c_int| u64::from(value.unsigned_abs()) | 0xdead_0000_0000_0000;
    asked(rules, libc::SYS_socket, &[wide(family), wide(kind | libc::SOCK_CLOEXEC), wide(protocol)])
}

fn serving() -> Rules {
    let mut rules = Rules::default();
    rules.read("tools").listen(80).connect(5432);
    rules
}

#[test]
fn what_is_never_needed_is_denied_to_all() {
    let mut broker = Rules::default();
    broker.start_itself();
    for rules in [&Rules::default(), &serving(), &broker] {
        for call in NEVER.iter().chain(NEVER_HERE) {
            assert_eq!(asked(rules, *call, &[]), EPERM, "{call}");
        }
        // As a 32-bit program would make them.
        for call in [libc::SYS_execve, libc::SYS_ptrace, libc::SYS_read] {
            assert_eq!(asked(rules, call | 0x4000_0000, &[]), EPERM, "{call}");
        }
        for call in [libc::SYS_read, libc::SYS_write, libc::SYS_mmap, libc::SYS_futex, libc::SYS_exit_group] {
            assert_eq!(asked(rules, call, &[]), ALLOW, "{call}");
        }
    }
}

#[test]
fn programs_are_started_by_the_broker_alone() {
    let mut broker = Rules::default();
    broker.start_itself();
    let thread = u64::from((libc::CLONE_THREAD | libc::CLONE_VM).unsigned_abs());
    let fork = u64::from(libc::SIGCHLD.unsigned_abs());
    for (rules, answer) in [(&serving(), EPERM), (&Rules::default(), EPERM), (&broker, ALLOW)] {
        for call in START.iter().chain(FORK) {
            assert_eq!(asked(rules, *call, &[]), answer, "{call}");
        }
        assert_eq!(asked(rules, libc::SYS_clone, &[fork]), answer);
        assert_eq!(asked(rules, libc::SYS_clone, &[thread]), ALLOW);
        assert_eq!(asked(rules, libc::SYS_clone3, &[]), ENOSYS);
        for namespace in NAMESPACES {
            let flags = u64::from(namespace.unsigned_abs());
            assert_eq!(asked(rules, libc::SYS_clone, &[fork | flags]), EPERM, "{namespace:#x}");
            assert_eq!(asked(rules, libc::SYS_clone, &[thread | flags]), EPERM, "{namespace:#x}");
        }
    }
}

#[test]
fn files_are_opened_where_a_path_is_open_alone() {
    for call in OPEN.iter().chain(OPEN_HERE) {
        assert_eq!(asked(&Rules::default(), *call, &[]), EPERM, "{call}");
        assert_eq!(asked(&serving(), *call, &[]), ALLOW, "{call}");
    }
}

#[test]
fn sockets_are_of_the_kinds_that_the_rules_name() {
    let mut named = serving();
    named.resolve_names();
    let mut local = Rules::default();
    local.unix_sockets();
    let nothing = Rules::default();
    let (tcp, udp) = (libc::SOCK_STREAM | libc::SOCK_NONBLOCK, libc::SOCK_DGRAM);
    for (family, kind, protocol, expected) in [
        // To a process with nothing, one that serves, one that resolves names, and one with Unix sockets alone.
        (libc::AF_INET, tcp, 0, [EPERM, ALLOW, ALLOW, EPERM]),
        (libc::AF_INET6, tcp, libc::IPPROTO_TCP, [EPERM, ALLOW, ALLOW, EPERM]),
        (libc::AF_INET, udp, 0, [EPERM, EPERM, ALLOW, EPERM]),
        (libc::AF_INET6, udp, libc::IPPROTO_UDP, [EPERM, EPERM, ALLOW, EPERM]),
        (libc::AF_INET, tcp, libc::IPPROTO_MPTCP, [EPERM; 4]),
        (libc::AF_INET, tcp, libc::IPPROTO_SCTP, [EPERM; 4]),
        (libc::AF_INET, udp, libc::IPPROTO_ICMP, [EPERM; 4]),
        (libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP, [EPERM; 4]),
        (libc::AF_INET6, libc::SOCK_SEQPACKET, 0, [EPERM; 4]),
        (libc::AF_NETLINK, libc::SOCK_RAW, 0, [EPERM; 4]),
        (libc::AF_PACKET, libc::SOCK_RAW, 0, [EPERM; 4]),
        (libc::AF_VSOCK, tcp, 0, [EPERM; 4]),
        (libc::AF_ALG, libc::SOCK_SEQPACKET, 0, [EPERM; 4]),
        (libc::AF_UNIX, tcp, 0, [EPERM, EPERM, EPERM, ALLOW]),
    ] {
        let answers =
            [&nothing, &serving(), &named, &local].map(|rules| socket(rules, family, kind, protocol));
        assert_eq!(answers, expected, "{family} {kind:#x} {protocol}");
    }
    let pair = |family: c_int| asked(&nothing, libc::SYS_socketpair, &[u64::from(family.unsigned_abs())]);
    assert_eq!((pair(libc::AF_UNIX), pair(libc::AF_TIPC)), (ALLOW, EPERM));
}

#[test]
fn listening_is_for_who_has_a_port() {
    for call in LISTEN {
        assert_eq!(asked(&Rules::default(), *call, &[]), EPERM);
        assert_eq!(asked(&serving(), *call, &[]), ALLOW);
    }
}

#[test]
fn ways_round_are_closed() {
    let fast = u64::from(libc::MSG_FASTOPEN.unsigned_abs());
    let usual = u64::from(libc::MSG_NOSIGNAL.unsigned_abs());
    for (call, at) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
        let with = |flags: u64| {
            let mut arguments = [0; 6];
            arguments[at] = flags;
            asked(&serving(), call, &arguments)
        };
        assert_eq!((with(usual), with(usual | fast)), (ALLOW, EPERM), "{call}");
    }
    for (request, answer) in [(libc::TCGETS, ALLOW), (libc::TIOCSTI, EPERM), (libc::TIOCLINUX, EPERM)] {
        assert_eq!(asked(&serving(), libc::SYS_ioctl, &[0, request]), answer, "{request:#x}");
    }
}
