//! Why a store is only read.

use super::sqlite::Loss;

/// Why a store is only read: every write is refused, as on a full disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReadOnlyReason {
    /// There was no room on the disk when the server started.
    #[error("read-only: the disk is full")]
    DiskFull,
    /// The log was damaged, and the operator has not accepted the loss.
    #[error("read-only: the WAL is damaged, {0}: see the server's log and --accept-loss")]
    Damaged(Loss),
}

impl ReadOnlyReason {
    /// All reasons, as metrics name them.
    pub(crate) const NAMES: [&str; 2] = ["no_room", "damaged"];

    /// The reason as metrics name it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::DiskFull => Self::NAMES[0],
            Self::Damaged(_) => Self::NAMES[1],
        }
    }
}
