//! In what capacity a game is shown.

/// In what capacity a game is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// With a prompt for moves.
    Play,
    /// Only looking.
    Watch,
}
