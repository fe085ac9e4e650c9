//! What a process holds: memory, open files, running calls; whether it computes, whom it started, and behind which wall.

use std::time::{Duration, Instant};

use crate::wire::Served;

/// How long a process may take to become idle, on a machine that builds others meanwhile.
const PATIENCE: Duration = Duration::from_secs(30);
/// How much more memory a process may hold after the same work again, in bytes: what an allocator and a page cache keep.
const SLACK: u64 = 24 << 20;

/// What a server holds while it has nothing to do.
#[derive(Debug)]
pub struct Held {
    resident: u64,
    /// Files that are open, but for those of its database.
    files: usize,
}

impl Held {
    /// Waits until nothing runs and nothing computes.
    pub async fn idle(served: &Served) -> Self {
        let patience = Instant::now();
        while served.running().await > 0 {
            assert!(patience.elapsed() < PATIENCE, "calls still hold places in the pools");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let process = served.id();
        tokio::task::spawn_blocking(move || wait_until_idle(process))
            .await
            .expect("the process becomes idle");
        Self { resident: resident(process), files: files(process) }
    }

    /// Compares with what was held before.
    pub fn assert_no_more_than(&self, before: &Self) {
        assert!(self.resident <= before.resident + SLACK, "memory: {before:?}, then {self:?}");
        assert!(self.files <= before.files, "open files: {before:?}, then {self:?}");
    }
}

/// Waits until a process uses no processor time to speak of.
pub fn wait_until_idle(process: u32) {
    let patience = Instant::now();
    loop {
        let before = ticks(process);
        std::thread::sleep(Duration::from_millis(300));
        if ticks(process) - before < 6 {
            return;
        }
        assert!(patience.elapsed() < PATIENCE, "the process still burns processor time");
    }
}

/// Processor time of a process, in hundredths of a second.
fn ticks(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("a process");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    [11, 12].iter().map(|at| fields[*at].parse::<u64>().expect("a number")).sum()
}

/// How many files are open, but for those of the database: how many connections to it there are, up to their bound,
/// depends on how many were needed at once.
fn files(process: u32) -> usize {
    let open = std::fs::read_dir(format!("/proc/{process}/fd")).expect("its files").flatten();
    let paths = open.filter_map(|file| std::fs::read_link(file.path()).ok());
    paths.filter(|path| !path.to_string_lossy().contains("/toolhost.db")).count()
}

/// Memory that is really there, in bytes.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/statm")).expect("a process");
    let pages: u64 = status.split_whitespace().nth(1).expect("a field").parse().expect("a number");
    pages * 4096
}

/// The field of a process's or thread's status.
pub fn status(of: &str, field: &str) -> String {
    let text = std::fs::read_to_string(format!("/proc/{of}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{field}:")));
    line.unwrap_or_default().trim().to_owned()
}

/// The processes that a process started, by what they are started with.
pub fn children(of: u32, word: &str) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let processes = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes
        .filter(|id| status(&id.to_string(), "PPid") == of.to_string())
        .filter(|id| {
            let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            line.split(|byte| *byte == 0).any(|it| it == word.as_bytes())
        })
        .collect()
}

/// Waits until something holds, and fails if it does not.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let patience = Instant::now();
    while !holds() {
        assert!(patience.elapsed() < PATIENCE * 2, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A process is there and has not ended.
pub fn lives(id: u32) -> bool {
    let state = status(&id.to_string(), "State");
    !state.is_empty() && !state.starts_with('Z')
}

/// Fails unless every thread of a process is filtered by so many filters, and can gain no rights.
pub fn assert_walled(process: u32, filters: &str) {
    let mut threads = 0;
    for thread in std::fs::read_dir(format!("/proc/{process}/task")).unwrap().flatten() {
        let of = format!("{process}/task/{}", thread.file_name().to_str().unwrap());
        let seen = [status(&of, "NoNewPrivs"), status(&of, "Seccomp"), status(&of, "Seccomp_filters")];
        // One that has ended meanwhile says nothing.
        if !seen[0].is_empty() {
            assert_eq!(seen, ["1", "2", filters], "{} of {of}", status(&of, "Name"));
            threads += 1;
        }
    }
    assert!(threads > 0);
}
