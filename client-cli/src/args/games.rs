//! Arguments of the commands about one game, and of `games`.

use std::{path::PathBuf, str::FromStr};

use adamant_protocol::{GameId, UserName, from_client::SoughtResult, ids::RulesName};
use clap::{Args, ValueEnum};

use super::{
    kinds::help_with_kinds,
    play::{JoinArgs, WaitMode},
    spelling::read_dashed_word,
};
use crate::notation::without_spaces;

/// Arguments of `games`.
#[derive(Debug, Args)]
pub(crate) struct GamesArgs {
    /// Only games of this user
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<UserName>,
    #[arg(long, value_name = "GAME", help = help_with_kinds("Only games of this kind"))]
    pub(crate) rules: Option<RulesName>,
    /// Only games with N players
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<u8>,
    /// List finished games instead of live ones
    #[arg(long)]
    pub(crate) finished: bool,
    /// Only finished games of --user against this user
    #[arg(long, value_name = "NAME", requires = "user", requires = "finished")]
    pub(crate) opponent: Option<UserName>,
    /// Only finished games that --user has won, lost or drawn
    #[arg(long, value_name = "RESULT", value_parser = sought_result)]
    #[arg(requires = "user", requires = "finished")]
    pub(crate) result: Option<SoughtResult>,
    /// Only finished games that are rated
    #[arg(long, requires = "finished")]
    pub(crate) rated: bool,
    /// At most N entries
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Continue the list after this game
    #[arg(long, value_name = "ID")]
    pub(crate) before: Option<GameId>,
}

fn sought_result(text: &str) -> Result<SoughtResult, &'static str> {
    match text {
        "won" => Ok(SoughtResult::Won),
        "lost" => Ok(SoughtResult::Lost),
        "drawn" => Ok(SoughtResult::Drawn),
        _ => Err("the results are won, lost and drawn"),
    }
}

/// Arguments of `join`.
#[derive(Debug, Args)]
pub(crate) struct FollowArgs {
    /// The game's id
    pub(crate) game: Option<GameId>,
}

/// Arguments of `watch`.
#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// The game.
    #[command(flatten)]
    pub(crate) follow: FollowArgs,
    /// Show your name to the others at the game
    #[arg(long)]
    pub(crate) named: bool,
}

/// Arguments of `move` and `try`.
#[derive(Debug, Args)]
pub(crate) struct MoveArgs {
    /// The game's id; with #N only if this is move N of the game
    #[arg(value_name = "GAME[#N]")]
    pub(crate) game_ply: GamePly,
    /// The move in the game's notation; spaces between its parts do not matter
    #[arg(value_name = "MOVE", required = true, value_parser = read_dashed_word)]
    words: Vec<String>,
    /// Only if turn N is still to be played
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<u32>,
}

impl MoveArgs {
    /// Returns the move without spaces.
    pub(crate) fn notation(&self) -> String {
        without_spaces(&self.words.concat())
    }
}

/// A game, and a ply in it: `k7q2mx#12`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GamePly {
    /// The game.
    pub(crate) game: GameId,
    /// Number of plies from the start; `None` means the current board.
    pub(crate) ply: Option<u32>,
}

impl FromStr for GamePly {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (game, ply) = match text.split_once('#') {
            Some((game, ply)) => {
                let ply = ply.parse().map_err(|_| "the number of a move must follow #")?;
                (game, Some(ply))
            }
            None => (text, None),
        };
        let game = game.parse().map_err(|error| format!("{error}"))?;
        Ok(Self { game, ply })
    }
}

/// Arguments of `show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The game's id; with #N as it stood after N moves
    #[arg(value_name = "GAME[#N]")]
    pub(crate) game_ply: GamePly,
}

/// Arguments of commands that need a game only.
#[derive(Debug, Args)]
pub(crate) struct ActArgs {
    /// The game's id
    pub(crate) game: GameId,
}

/// What to do with an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OfferAction {
    /// Make it.
    Offer,
    /// Accept the open offer.
    Accept,
    /// Decline it.
    Decline,
    /// Withdraw your own.
    Withdraw,
}

/// Arguments of `draw`, `takeback` and `call-off`.
#[derive(Debug, Args)]
pub(crate) struct OfferArgs {
    /// The game's id
    pub(crate) game: GameId,
    /// What to do
    #[arg(default_value = "offer")]
    pub(crate) word: OfferAction,
}

/// Arguments of `claim`.
#[derive(Debug, Args)]
pub(crate) struct ClaimArgs {
    /// The game's id
    pub(crate) game: GameId,
    /// The seat of the player who is away, counted from 1; by default the seat to move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub(crate) seat: Option<u8>,
}

/// Arguments of `rematch`.
#[derive(Debug, Args)]
pub(crate) struct RematchArgs {
    /// The game's id
    pub(crate) game: GameId,
    /// When to wait until the others have accepted
    #[arg(long, value_name = "WHEN", default_value = "auto", default_missing_value = "always")]
    #[arg(num_args = 0..=1, require_equals = true)]
    pub(crate) wait: WaitMode,
    /// Whether to open the board.
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

/// The format of an exported game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Text record: a challenge line, then one move per line.
    Text,
    /// Journal record: every event with its hash chain, and the server's signature.
    Journal,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The game's id
    pub(crate) game: GameId,
    /// The format
    #[arg(long, default_value = "text", conflicts_with_all = ["text", "journal"])]
    format: ExportFormat,
    /// The same as --format text
    #[arg(long, conflicts_with = "journal")]
    text: bool,
    /// The same as --format journal
    #[arg(long)]
    journal: bool,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

impl ExportArgs {
    /// Returns the chosen format.
    pub(crate) const fn format(&self) -> ExportFormat {
        if self.journal { ExportFormat::Journal } else { self.format }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ply_follows_the_game_after_a_hash_sign() {
        let place: GamePly = "k7q2mx#12".parse().unwrap();
        assert_eq!((place.game.as_str(), place.ply), ("k7q2mx", Some(12)));
        assert_eq!("k7q2mx".parse::<GamePly>().unwrap().ply, None);
        for bad in ["k7q2mx#", "k7q2mx#-1", "#3", ""] {
            assert!(bad.parse::<GamePly>().is_err(), "{bad}");
        }
    }
}
