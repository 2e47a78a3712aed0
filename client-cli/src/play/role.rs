//! The role of the user at a game.

/// The role of the user at a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A player, with a prompt.
    Play,
    /// A spectator.
    Watch,
}
