//! Why a store is only read.

use super::sqlite::Loss;

/// Why a store is only read: every write is refused, as on a full disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReadsOnly {
    /// There was no room on the disk when the server started.
    #[error("reads only: there is no room on the disk")]
    NoRoom,
    /// The log was damaged, and the operator has not accepted the loss.
    #[error("reads only: the log was damaged, {0}: see the server's log and --accept-loss")]
    Damaged(Loss),
}

impl ReadsOnly {
    /// All reasons, as metrics name them.
    pub(crate) const NAMES: [&str; 2] = ["no_room", "damaged"];

    /// The reason as metrics name it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::NoRoom => Self::NAMES[0],
            Self::Damaged(_) => Self::NAMES[1],
        }
    }
}
