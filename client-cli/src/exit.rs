//! Exit statuses, on which scripts branch.

use std::process::ExitCode;

/// The exit status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Done.
    Success,
    /// A failure without a status of its own.
    Failed,
    /// The command line or a file is invalid.
    Usage,
    /// The server cannot be reached.
    Unreachable,
    /// The server rejected the request.
    Refused,
    /// Client and server share no protocol version.
    Protocol,
}

impl ExitStatus {
    /// Returns the status as a number.
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
