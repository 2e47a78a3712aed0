//! Deliberate faults of the simulated server, which the simulation must detect.

/// A deliberate fault of the server of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// No fault.
    None,
    /// The server sends what its disk does not hold yet.
    EarlySend,
    /// The disk loses in a crash what it reported as stored.
    DiskLosesWrites,
    /// The server treats a repeated request as a new one.
    ForgottenRequests,
}
