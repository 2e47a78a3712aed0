//! How the program ends: the statuses that scripts branch on. What went wrong is told elsewhere.

use std::process::ExitCode;

/// The exit status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Done.
    Success,
    /// It went wrong in a way that has no number of its own.
    Failed,
    /// The command line or a file makes no sense.
    Usage,
    /// The server cannot be reached.
    Unreachable,
    /// The server said no.
    Refused,
    /// Client and server share no version of the protocol.
    Protocol,
}

impl ExitStatus {
    /// The number that the shell sees.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Unreachable => 3,
            Self::Refused => 4,
            Self::Protocol => 5,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.number())
    }
}
