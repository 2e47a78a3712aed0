//! Arguments of the commands about players.

use adamant_protocol::{
    GameId, UserName,
    ids::{RulesName, StandingsCursor},
};
use clap::Args;

/// Arguments of `standings`.
#[derive(Debug, Args)]
pub(crate) struct StandingsArgs {
    /// The game: adamas, hexma, stymie or diam
    #[arg(value_name = "GAME")]
    pub(crate) rules: RulesName,
    /// At tables of so many; two, unless it is said
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<u8>,
    /// At most so many
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Only those after this place in the list, as the page before named it
    #[arg(long, value_name = "PLACE")]
    pub(crate) before: Option<StandingsCursor>,
}

/// Arguments of `user`.
#[derive(Debug, Args)]
pub(crate) struct UserArgs {
    /// Who
    pub(crate) name: UserName,
}

/// Arguments of `history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Whose
    pub(crate) name: UserName,
    /// Only those of this game: adamas, hexma, stymie or diam
    #[arg(long, value_name = "GAME")]
    pub(crate) rules: Option<RulesName>,
    /// At most so many
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Only those after this one in the list
    #[arg(long, value_name = "ID")]
    pub(crate) before: Option<GameId>,
}
