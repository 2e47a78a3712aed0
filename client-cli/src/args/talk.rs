//! Arguments of the commands about talk, featured games and live games.

use adamant_protocol::{GameId, UserName, ids::RulesName, values::TalkRoom};
use clap::{Args, ValueEnum};

use super::{kinds::help_with_kinds, spelling::read_dashed_word};

/// A talk room of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TalkRoomArg {
    /// The players.
    Players,
    /// The spectators; after the game the players too.
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

/// A game and one of its talk rooms.
#[derive(Debug, Args)]
pub(crate) struct TalkTarget {
    /// The game's id
    pub(crate) game: GameId,
    /// The talk room; by default the players' room if you play, else the spectators' room
    #[arg(long)]
    pub(crate) room: Option<TalkRoomArg>,
}

/// Arguments of `say`.
#[derive(Debug, Args)]
pub(crate) struct SayArgs {
    /// The talk room.
    #[command(flatten)]
    pub(crate) target: TalkTarget,
    /// The text; quotes are not needed. Put -- before a text with a word that begins with --
    #[arg(required = true, value_name = "TEXT", value_parser = read_dashed_word)]
    pub(crate) words: Vec<String>,
}

/// Arguments of `unsay`.
#[derive(Debug, Args)]
pub(crate) struct UnsayArgs {
    /// The talk room.
    #[command(flatten)]
    pub(crate) target: TalkTarget,
    /// The number of the line
    #[arg(value_name = "N")]
    pub(crate) number: u64,
}

/// Arguments of `talk`.
#[derive(Debug, Args)]
pub(crate) struct TalkArgs {
    /// The talk room.
    #[command(flatten)]
    pub(crate) target: TalkTarget,
    /// At most N lines
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Only lines before line N
    #[arg(long, value_name = "N")]
    pub(crate) before: Option<u64>,
}

/// Arguments of `mute`, `unmute`, `block` and `unblock`.
#[derive(Debug, Args)]
pub(crate) struct MuteArgs {
    /// The user
    pub(crate) name: UserName,
}

/// Arguments of `tv`.
#[derive(Debug, Args)]
pub(crate) struct TvArgs {
    /// The game
    #[arg(value_name = "GAME", help = help_with_kinds("The game"))]
    pub(crate) rules: RulesName,
    /// Keep running and print each newly featured game
    #[arg(long)]
    pub(crate) follow: bool,
}

/// Arguments of `live`.
#[derive(Debug, Args)]
pub(crate) struct LiveArgs {
    #[arg(value_name = "GAME", help = help_with_kinds("Only games of this kind"))]
    pub(crate) rules: Option<RulesName>,
    /// Keep running and print changes
    #[arg(long)]
    pub(crate) follow: bool,
}
