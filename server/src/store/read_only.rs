//! Why a store is read-only.

use super::sqlite::Loss;

/// Why a store is read-only. It rejects every write, as on a full disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReadOnlyReason {
    /// The disk was full when the server started.
    #[error("read-only: the disk is full")]
    DiskFull,
    /// The WAL is damaged, and the operator has not accepted the loss.
    #[error("read-only: the WAL is damaged, {0}: see the server's log and --accept-loss")]
    Damaged(Loss),
}

impl ReadOnlyReason {
    /// The labels of all reasons in metrics.
    pub(crate) const NAMES: [&str; 2] = ["no_room", "damaged"];

    /// Returns the label in metrics.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::DiskFull => Self::NAMES[0],
            Self::Damaged(_) => Self::NAMES[1],
        }
    }
}
