//! Arguments of the commands that bring games about.

use adamant_bot::Level;
use adamant_protocol::{
    ChallengeId, UserName,
    from_client::{DeclineReason, SeatWish},
    to_client::HouseLevel,
    values::Clock,
};
use adamant_rules::{Kind, event::DELAY_MAX};
use clap::{Args, ValueEnum};

use super::{account::BotCommand, kinds::help_with_kinds};
use crate::time_control::read_clock;

/// What is to be played.
#[derive(Debug, Args)]
pub(crate) struct GameSetupArgs {
    /// An option of the game, such as -size=4; the dash stands for itself
    #[arg(long = "option", hide = true, value_name = "WORD", allow_hyphen_values = true)]
    pub(crate) options: Vec<String>,
    /// The time control: none, 5m+5s (for the game, and more for each move), 30s/move,
    /// 5m+5x30s (and then five periods of byoyomi) or days:3 (for each move)
    #[arg(long, default_value = "none", value_parser = read_clock)]
    pub(crate) clock: Clock,
    /// Keep spectators so many moves behind while the game goes on
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u8).range(..=i64::from(DELAY_MAX)))]
    pub(crate) delay: u8,
}

/// Arguments of `play`.
#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    /// What game.
    #[arg(help = help_with_kinds("The game"), default_value = Kind::ALL[0].name())]
    pub(crate) game: String,
    /// How well the house shall play
    #[arg(long, value_enum, default_value_t = PlayLevel::Medium)]
    pub(crate) level: PlayLevel,
    /// What is to be played.
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
}

/// How well the house plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlayLevel {
    /// By the rules, and no more.
    Easy,
    /// One move ahead.
    Medium,
    /// Some moves ahead.
    Hard,
}

impl From<PlayLevel> for HouseLevel {
    fn from(strength: PlayLevel) -> Self {
        match strength {
            PlayLevel::Easy => Self::Easy,
            PlayLevel::Medium => Self::Medium,
            PlayLevel::Hard => Self::Hard,
        }
    }
}

/// Arguments of `challenge`.
#[derive(Debug, Args)]
pub(crate) struct ChallengeArgs {
    /// What game.
    #[arg(help = help_with_kinds("The game"))]
    pub(crate) game: String,
    /// Who plays, in seat order; you come first if you are not named
    #[arg(required = true, value_name = "NAME")]
    pub(crate) names: Vec<UserName>,
    /// What is to be played.
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
    /// The result shall count
    #[arg(long)]
    pub(crate) rated: bool,
    /// Draw the seats by lot
    #[arg(long)]
    pub(crate) shuffle: bool,
    /// When to wait until it is answered
    #[arg(long, value_name = "WHEN", default_value = "auto", default_missing_value = "always")]
    #[arg(num_args = 0..=1, require_equals = true)]
    pub(crate) wait: WaitMode,
    /// Whether to go to the board.
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

/// Whether to go to the board when the game begins.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct JoinArgs {
    /// Only print the game's id when it begins, and do not go to its board
    #[arg(long)]
    pub(crate) no_join: bool,
}

/// When to wait for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WaitMode {
    /// When a person sits before it.
    Auto,
    /// In scripts too.
    Always,
    /// Not at all.
    Never,
}

/// Arguments of `seek`.
#[derive(Debug, Args)]
pub(crate) struct SeekArgs {
    /// What game.
    #[arg(help = help_with_kinds("The game"))]
    pub(crate) game: String,
    /// What is to be played.
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
    /// How many are to play, you included
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) players: u8,
    /// Sit here, counted from 1; by lot if not given
    #[arg(long, value_name = "N", value_parser = read_seat)]
    pub(crate) seat: Option<SeatWish>,
    /// The result shall count
    #[arg(long)]
    pub(crate) rated: bool,
    /// Play people only
    #[arg(long)]
    pub(crate) no_bots: bool,
    /// Play users with an account only
    #[arg(long)]
    pub(crate) no_guests: bool,
    /// Whether to go to the board.
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

fn read_seat(text: &str) -> Result<SeatWish, &'static str> {
    let number: u8 = text.parse().map_err(|_| "a seat is a number from 1")?;
    number.checked_sub(1).map(SeatWish::Seat).ok_or("seats are counted from 1")
}

/// Arguments of `accept`.
#[derive(Debug, Args)]
pub(crate) struct AcceptArgs {
    /// The seek (k_...) or challenge (h_...)
    pub(crate) id: String,
    /// Whether to go to the board.
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

/// Arguments of `decline`.
#[derive(Debug, Args)]
pub(crate) struct DeclineArgs {
    /// The challenge
    pub(crate) id: ChallengeId,
    /// Why
    #[arg(help = "Why: later, too_fast, too_slow, rated, casual, game, options, no_bot, busy")]
    #[arg(default_value = "generic", value_parser = read_reason, hide_default_value = true)]
    pub(crate) reason: DeclineReason,
}

fn read_reason(text: &str) -> Result<DeclineReason, String> {
    serde_json::from_value(text.to_ascii_lowercase().into())
        .map_err(|_| "not a reason; see the help of this command".to_owned())
}

/// Arguments of `cancel`.
#[derive(Debug, Args)]
pub(crate) struct CancelArgs {
    /// The challenge
    pub(crate) id: ChallengeId,
}

/// Arguments of `lobby`.
#[derive(Debug, Args)]
pub(crate) struct LobbyArgs {
    /// Go on and tell what changes
    #[arg(long)]
    pub(crate) follow: bool,
}

/// Arguments of `bot`.
#[derive(Debug, Args)]
pub(crate) struct BotArgs {
    /// What to do instead of playing.
    #[command(subcommand)]
    pub(crate) command: Option<BotCommand>,
    /// How well it plays: random, greedy or search
    #[arg(long, default_value_t = Level::Greedy)]
    pub(crate) level: Level,
    /// Come as a guest of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) guest: Option<UserName>,
    /// Accept every challenge
    #[arg(long)]
    pub(crate) accept_any: bool,
    /// Look for opponents at this game
    #[arg(long, value_name = "GAME")]
    pub(crate) seek: Option<String>,
    /// How many are to play in a game that is looked for
    #[arg(long, value_name = "N", default_value_t = 2, requires = "seek")]
    pub(crate) players: u8,
    /// What is to be played in a game that is looked for.
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
    /// Stop after so many games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) games: Option<u32>,
}
