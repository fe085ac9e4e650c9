//! What a call used, told to whoever counts for its tenant while it is used. Who counts stands above the sandbox, and is
//! handed in.

/// Counts for one tenant.
pub trait Meter: Send + Sync {
    /// An attempt used fuel. Told once for each, however it ended; of one that was dropped too.
    fn fuel(&self, used: u64);

    /// Bytes are about to pass between the guest and a peer. False if no more may.
    fn egress(&self, bytes: u64) -> bool;
}
