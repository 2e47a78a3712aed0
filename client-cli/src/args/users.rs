//! Arguments of the commands about users.

use adamant_protocol::{
    GameId, UserName,
    from_client::Opponents,
    ids::{RulesName, StandingsCursor},
    values::Challengers,
};
use clap::{Args, ValueEnum};

/// Arguments of `standings`.
#[derive(Debug, Args)]
pub(crate) struct StandingsArgs {
    /// The game: adamas, hexma, stymie or diam
    #[arg(value_name = "GAME")]
    pub(crate) rules: RulesName,
    /// Ratings of games with N players; 2 by default
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<u8>,
    /// Only bots, with their places among bots
    #[arg(long)]
    pub(crate) bots: bool,
    /// Only people, with their places among people
    #[arg(long, conflicts_with = "bots")]
    pub(crate) people: bool,
    /// At most N entries
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Continue the list at this place, as the previous page printed it
    #[arg(long, value_name = "PLACE")]
    pub(crate) before: Option<StandingsCursor>,
}

/// Arguments of `stats`.
#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// The game: adamas, hexma, stymie or diam
    #[arg(value_name = "GAME")]
    pub(crate) rules: RulesName,
    /// Games with N players; 2 by default
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<u8>,
    /// Only games among people, among bots, or between both
    #[arg(long, value_name = "WHO", value_parser = opponents)]
    pub(crate) opponents: Option<Opponents>,
}

/// Reads whose games are counted.
fn opponents(word: &str) -> Result<Opponents, String> {
    match word {
        "people" => Ok(Opponents::People),
        "bots" => Ok(Opponents::Bots),
        "mixed" => Ok(Opponents::Mixed),
        _ => Err("people, bots or mixed".to_owned()),
    }
}

/// Arguments of `bots`.
#[derive(Debug, Args)]
pub(crate) struct BotsArgs {
    /// Only bots that play this game: adamas, hexma, stymie or diam
    #[arg(value_name = "GAME")]
    pub(crate) rules: Option<RulesName>,
    /// Only bots that play games of N players
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<u8>,
    /// Only bots that would begin a game at present
    #[arg(long)]
    pub(crate) free: bool,
    /// At most N entries
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Continue the list after this bot
    #[arg(long, value_name = "NAME")]
    pub(crate) before: Option<UserName>,
}

/// Arguments of `user`.
#[derive(Debug, Args)]
pub(crate) struct UserArgs {
    /// The user
    pub(crate) name: UserName,
}

/// Arguments of `history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// The user
    pub(crate) name: UserName,
    /// Only games of this kind: adamas, hexma, stymie or diam
    #[arg(long, value_name = "GAME")]
    pub(crate) rules: Option<RulesName>,
    /// At most N entries
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Continue the list after this game
    #[arg(long, value_name = "ID")]
    pub(crate) before: Option<GameId>,
}

/// Arguments of `settings`.
#[derive(Debug, Args)]
pub(crate) struct SettingsArgs {
    /// Who may challenge you
    #[arg(long, value_name = "WHO")]
    pub(crate) challenges: Option<ChallengersArg>,
}

/// Who may challenge the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChallengersArg {
    /// Every user.
    All,
    /// Users with an account, and their bots.
    Accounts,
    /// No user.
    None,
}

impl From<ChallengersArg> for Challengers {
    fn from(word: ChallengersArg) -> Self {
        match word {
            ChallengersArg::All => Self::All,
            ChallengersArg::Accounts => Self::Accounts,
            ChallengersArg::None => Self::None,
        }
    }
}
