//! What a process holds: memory, open files, running calls; and whether it computes.

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
        let files = || std::fs::read_dir(format!("/proc/{process}/fd")).expect("its files").count();
        Self { resident: resident(process), files: files() }
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

/// Memory that is really there, in bytes.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/statm")).expect("a process");
    let pages: u64 = status.split_whitespace().nth(1).expect("a field").parse().expect("a number");
    pages * 4096
}
