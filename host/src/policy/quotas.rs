//! What a tenant may use over time, all of its calls together. Nothing here means: as much as there is.

/// A tenant's quotas. Each is counted in one host process; a further one counts anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quotas {
    /// Calls that come in, refused ones too. As many may come at once.
    pub calls_per_second: Option<u32>,
    /// Calls that run or wait for a place, without those that a tool makes.
    pub concurrent_calls: Option<u32>,
    /// Fuel, whatever became of the calls that used it.
    pub fuel_per_minute: Option<u64>,
    /// Bytes of the bodies of requests and answers.
    pub egress_bytes_per_minute: Option<u64>,
}
