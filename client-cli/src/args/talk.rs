//! Arguments of the commands about talk, and about looking at many games.

use adamant_protocol::{GameId, UserName, ids::RulesName, values::TalkRoom};
use clap::{Args, ValueEnum};

use super::{kinds::help_with_kinds, spelling::read_dashed_word};

/// A room that a game is talked about in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TalkRoomArg {
    /// That of the players.
    Players,
    /// That of everybody else, and of all once the game is over.
    Spectators,
}

impl From<TalkRoomArg> for TalkRoom {
    fn from(word: TalkRoomArg) -> Self {
        match word {
            TalkRoomArg::Players => Self::Players,
            TalkRoomArg::Spectators => Self::Spectators,
        }
    }
}

/// A game, and a room in which it is talked about.
#[derive(Debug, Args)]
pub(crate) struct TalkTarget {
    /// The game's id
    pub(crate) game: GameId,
    /// The room; by itself that of the players for those who play, else that of the spectators
    #[arg(long)]
    pub(crate) room: Option<TalkRoomArg>,
}

/// Arguments of `say`.
#[derive(Debug, Args)]
pub(crate) struct SayArgs {
    /// Where to say it.
    #[command(flatten)]
    pub(crate) target: TalkTarget,
    /// What to say; quotes are not needed. A word that begins with -- needs a -- before the text
    #[arg(required = true, value_name = "TEXT", value_parser = read_dashed_word)]
    pub(crate) words: Vec<String>,
}

/// Arguments of `unsay`.
#[derive(Debug, Args)]
pub(crate) struct UnsayArgs {
    /// Where it was said.
    #[command(flatten)]
    pub(crate) target: TalkTarget,
    /// The number of the line
    #[arg(value_name = "N")]
    pub(crate) number: u64,
}

/// Arguments of `talk`.
#[derive(Debug, Args)]
pub(crate) struct TalkArgs {
    /// Where to listen.
    #[command(flatten)]
    pub(crate) target: TalkTarget,
    /// At most so many lines
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Only lines before this one
    #[arg(long, value_name = "N")]
    pub(crate) before: Option<u64>,
}

/// Arguments of `mute` and `unmute`.
#[derive(Debug, Args)]
pub(crate) struct MuteArgs {
    /// Whom
    pub(crate) name: UserName,
}

/// Arguments of `tv`.
#[derive(Debug, Args)]
pub(crate) struct TvArgs {
    /// The game
    #[arg(value_name = "GAME", help = help_with_kinds("The game"))]
    pub(crate) rules: RulesName,
    /// Go on and tell when another is featured
    #[arg(long)]
    pub(crate) follow: bool,
}

/// Arguments of `live`.
#[derive(Debug, Args)]
pub(crate) struct LiveArgs {
    /// Only those of this game
    #[arg(value_name = "GAME", help = help_with_kinds("Only those of this game"))]
    pub(crate) rules: Option<RulesName>,
    /// Go on and tell what changes
    #[arg(long)]
    pub(crate) follow: bool,
}
