//! Arguments of the commands about invites.

use adamant_protocol::{InviteId, from_client::SeatWish};
use clap::Args;

use super::{
    kinds::help_with_kinds,
    play::{GameSetupArgs, JoinArgs, WaitMode, read_seat},
};

/// Arguments of `invite`.
#[derive(Debug, Args)]
pub(crate) struct InviteArgs {
    #[arg(help = help_with_kinds("The game"))]
    pub(crate) game: String,
    /// Options of the game.
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
    /// The number of players, you included
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) players: u8,
    /// Your seat, counted from 1; random by default
    #[arg(long, value_name = "N", value_parser = read_seat)]
    pub(crate) seat: Option<SeatWish>,
    /// Play for a rating
    #[arg(long)]
    pub(crate) rated: bool,
    /// When to wait until the others have joined
    #[arg(long, value_name = "WHEN", default_value = "auto", default_missing_value = "always")]
    #[arg(num_args = 0..=1, require_equals = true)]
    pub(crate) wait: WaitMode,
    /// Whether to open the board.
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

/// Arguments of `invites`.
#[derive(Debug, Args)]
pub(crate) struct InvitesArgs {
    /// Show this invite (i_... or its link) instead, of any user
    #[arg(value_parser = read_invite)]
    pub(crate) id: Option<InviteId>,
}

fn read_invite(text: &str) -> Result<InviteId, String> {
    last_segment(text).parse().map_err(|error| format!("{error}"))
}

/// Returns the id that a link ends with, or the id itself.
pub(crate) fn last_segment(text: &str) -> &str {
    text.trim_end_matches('/').rsplit('/').next().unwrap_or(text)
}
