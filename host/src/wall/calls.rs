//! The system calls that no process of this program needs.
//!
//! A list of what is denied, and not of what is allowed: each version of the C library brings calls of its own to do the same
//! things, and a list of what is allowed stops a server at the next one of them. What is denied is what breaks out, what
//! gives power over other processes and the machine, and what large parts of the kernel hide behind. It is complete
//! as far as a list of this kind can be; files and ports are Landlock's, which denies what is not named.

use libc::c_long;

/// Denied to every process.
pub(super) const NEVER: &[c_long] = &[
    // Other processes, and what they have open.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // Namespaces and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_acct,
    // Files by a number instead of a path, and changes of what Landlock does not look at. Those of an open file are left.
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_mknodat,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    // Another user.
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setreuid,
    libc::SYS_setregid,
    libc::SYS_setresuid,
    libc::SYS_setresgid,
    libc::SYS_setfsuid,
    libc::SYS_setfsgid,
    libc::SYS_setgroups,
    libc::SYS_capset,
    // Keys of the kernel.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Large parts of the kernel that many faults were found in. io_uring would also go round this list.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_personality,
    libc::SYS_vmsplice,
    // The machine.
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_syslog,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_vhangup,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
];

/// The same, of an architecture that has older calls too.
#[cfg(target_arch = "x86_64")]
pub(super) const NEVER_HERE: &[c_long] = &[
    libc::SYS_mknod,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS__sysctl,
];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const NEVER_HERE: &[c_long] = &[];

/// Calls that the C library's bindings have no name for yet. They have one number on all architectures.
const FCHMODAT2: c_long = 452;
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;

/// To start a program.
pub(super) const START: &[c_long] = &[libc::SYS_execve, libc::SYS_execveat];
/// To make a process, and nothing else. `clone` makes threads too and is looked at more closely.
#[cfg(target_arch = "x86_64")]
pub(super) const FORK: &[c_long] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const FORK: &[c_long] = &[];

/// To open a file. Denied to a process that has no path open.
pub(super) const OPEN: &[c_long] = &[libc::SYS_openat, libc::SYS_openat2];
/// The same, older.
#[cfg(target_arch = "x86_64")]
pub(super) const OPEN_HERE: &[c_long] = &[libc::SYS_open, libc::SYS_creat];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const OPEN_HERE: &[c_long] = &[];

/// To take connections in.
pub(super) const LISTEN: &[c_long] = &[libc::SYS_bind, libc::SYS_listen];
