//! The view of one live game: full screen for people, lines for pipes. Connecting is not done here.

use adamant_protocol::GameId;

use crate::{exit::ExitStatus, output::Output, session::Session};

/// In what capacity a game is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// With a prompt for moves.
    Play,
    /// Only looking.
    Watch,
}

/// Shows the game full screen until the person leaves it.
pub(crate) async fn run(
    _session: Session,
    _game: GameId,
    _role: Role,
    _output: Output,
) -> anyhow::Result<ExitStatus> {
    anyhow::bail!("the full-screen view is not there yet")
}

/// Prints the game's events line by line until it ends, with the board after each move.
pub(crate) async fn lines(
    _session: Session,
    _game: GameId,
    _output: Output,
) -> anyhow::Result<ExitStatus> {
    anyhow::bail!("the line view is not there yet")
}
