//! Arguments of the commands that start games.

use adamant_protocol::{
    ChallengeId, UserName,
    from_client::{DeclineReason, RatingRange, SeatWish},
    to_client::HouseLevel,
    values::TimeControl,
};
use adamant_rules::{Kind, event::DELAY_MAX};
use clap::{Args, ValueEnum};

use super::kinds::help_with_kinds;
use crate::time_control::read_clock;

/// Options of the game to start.
#[derive(Debug, Args)]
pub(crate) struct GameSetupArgs {
    /// An option of the game, with its dash: -size=4
    #[arg(long = "option", hide = true, value_name = "WORD", allow_hyphen_values = true)]
    pub(crate) options: Vec<String>,
    /// The time control: none, 5m+5s (main time and increment), 30s/move, 5m+5x30s (main time and
    /// five byoyomi periods) or days:3 (per move)
    #[arg(long, default_value = "none", value_parser = read_clock)]
    pub(crate) clock: TimeControl,
    /// Delay spectators by N moves while the game is live
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u8).range(..=i64::from(DELAY_MAX)))]
    pub(crate) delay: u8,
    /// Keep the game out of all lists; clients that know its id can watch it
    #[arg(long)]
    pub(crate) unlisted: bool,
}

/// Arguments of `play`.
#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    #[arg(help = help_with_kinds("The game"), default_value = Kind::ALL[0].name())]
    pub(crate) game: String,
    /// The strength of the server bot
    #[arg(long, value_enum, default_value_t = PlayLevel::Medium)]
    pub(crate) level: PlayLevel,
    /// Options of the game.
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
}

/// The strength of a server bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlayLevel {
    /// Legal moves at random.
    Easy,
    /// One move ahead.
    Medium,
    /// A search some moves ahead.
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
    #[arg(help = help_with_kinds("The game"))]
    pub(crate) game: String,
    /// The players in seat order; you take the first seat unless you name yourself
    #[arg(required = true, value_name = "NAME")]
    pub(crate) names: Vec<UserName>,
    /// Options of the game.
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
    /// Play for a rating
    #[arg(long)]
    pub(crate) rated: bool,
    /// Assign the seats at random
    #[arg(long)]
    pub(crate) shuffle: bool,
    /// When to wait for the answer
    #[arg(long, value_name = "WHEN", default_value = "auto", default_missing_value = "always")]
    #[arg(num_args = 0..=1, require_equals = true)]
    pub(crate) wait: WaitMode,
    /// Whether to open the board.
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

/// Whether to open the board when the game starts.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct JoinArgs {
    /// Print the game's id when it starts, and do not open the board
    #[arg(long)]
    pub(crate) no_join: bool,
}

/// When to wait for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WaitMode {
    /// On a terminal, but not in scripts.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Arguments of `seek`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(crate) struct SeekArgs {
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
    /// Exclude bots
    #[arg(long)]
    pub(crate) no_bots: bool,
    /// Exclude guests
    #[arg(long)]
    pub(crate) no_guests: bool,
    /// Only opponents with a rating in this range: 1400-1700, 1400- or -1700
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true, value_parser = read_range)]
    pub(crate) rating: Option<RatingRange>,
    /// Keep the seek open for a week, whether you are connected or not
    #[arg(long)]
    pub(crate) lasting: bool,
    /// Whether to open the board.
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

pub(super) fn read_seat(text: &str) -> Result<SeatWish, &'static str> {
    let number: u8 = text.parse().map_err(|_| "a seat is a number, from 1")?;
    number.checked_sub(1).map(SeatWish::Seat).ok_or("seats are counted from 1")
}

pub(super) fn read_range(text: &str) -> Result<RatingRange, &'static str> {
    let bad = "a range of ratings is written as 1400-1700, 1400- or -1700";
    let (min, max) = text.split_once('-').ok_or(bad)?;
    let read = |number: &str| match number {
        "" => Ok(None),
        number => number.parse().map(Some).map_err(|_| bad),
    };
    Ok(RatingRange { min: read(min)?, max: read(max)? })
}

/// Arguments of `accept`.
#[derive(Debug, Args)]
pub(crate) struct AcceptArgs {
    /// The seek (k_...), challenge (h_...) or invite (i_... or its link)
    pub(crate) id: String,
    /// Whether to open the board.
    #[command(flatten)]
    pub(crate) join: JoinArgs,
}

/// Arguments of `decline`.
#[derive(Debug, Args)]
pub(crate) struct DeclineArgs {
    /// The challenge
    pub(crate) id: ChallengeId,
    /// The reason.
    #[arg(
        help = "The reason: later, too_fast, too_slow, rated, casual, game, options, no_bot, busy"
    )]
    #[arg(default_value = "generic", value_parser = read_reason, hide_default_value = true)]
    pub(crate) reason: DeclineReason,
}

fn read_reason(text: &str) -> Result<DeclineReason, String> {
    serde_json::from_value(text.to_ascii_lowercase().into())
        .map_err(|_| "unknown reason; `adamant help decline` lists them".to_owned())
}

/// Arguments of `cancel`.
#[derive(Debug, Args)]
pub(crate) struct CancelArgs {
    /// The challenge (h_...), invite (i_...) or seek (k_...)
    pub(crate) id: String,
}

/// Arguments of `lobby`.
#[derive(Debug, Args)]
pub(crate) struct LobbyArgs {
    /// Keep running and print changes
    #[arg(long)]
    pub(crate) follow: bool,
}
