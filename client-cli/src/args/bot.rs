//! Arguments of `bot`.

use std::{path::PathBuf, str::FromStr, time::Duration};

use adamant_engine::choice::Level;
use adamant_engine::protocol::messages::PlayedGame;
use adamant_protocol::{
    UserName,
    from_client::{self, RatingRange},
};
use adamant_rules::Kind;
use clap::{Args, ValueEnum};

use super::{
    account::BotCommand,
    play::{GameSetupArgs, read_range},
};
use crate::time_control::read_length;

/// Arguments of `bot`.
#[derive(Debug, Args)]
pub(crate) struct BotArgs {
    /// A command instead of playing.
    #[command(subcommand)]
    pub(crate) command: Option<BotCommand>,
    /// The bot's strength: random, greedy or search
    #[arg(long, default_value_t = Level::Greedy)]
    pub(crate) level: Level,
    /// Play as a guest with this name
    #[arg(long, value_name = "NAME")]
    pub(crate) guest: Option<UserName>,
    /// Read options from this file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Accept every challenge that the options below allow
    #[arg(long)]
    pub(crate) accept_any: bool,
    /// Open seeks for this game
    #[arg(long, value_name = "GAME")]
    pub(crate) seek: Option<String>,
    /// Challenge these users to that game, one after the other, instead of opening seeks
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "seek")]
    #[arg(conflicts_with = "players")]
    pub(crate) challenge: Vec<UserName>,
    /// The number of players of a seek
    #[arg(long, value_name = "N", default_value_t = 2, requires = "seek")]
    pub(crate) players: u8,
    /// Seek rated games
    #[arg(long, requires = "seek")]
    pub(crate) rated: bool,
    /// Options of the game that is sought.
    #[command(flatten)]
    pub(crate) setup: GameSetupArgs,
    /// Stop after N games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) games: Option<u32>,
    /// Which opponents and games it accepts.
    #[command(flatten)]
    pub(crate) acceptance: AcceptanceArgs,
    /// How it runs an engine.
    #[command(flatten)]
    pub(crate) run: EngineRunArgs,
}

/// Which opponents and games a bot accepts.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Opponents and games")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(crate) struct AcceptanceArgs {
    /// Play at most N games at once
    #[arg(long, value_name = "N", default_value_t = 8)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=GAMES_AT_ONCE_MAX))]
    pub(crate) games_at_once: u32,
    /// Of these, keep N for games with people
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) people_places: u32,
    /// Only these games, such as adamas,hexma/2 with a number of players
    #[arg(long, value_name = "GAME", value_delimiter = ',', value_parser = read_game)]
    pub(crate) only_games: Vec<PlayedGame>,
    /// Of the options that differ from a game's defaults only these, such as
    /// size=4
    #[arg(long, value_name = "OPTION", value_delimiter = ',')]
    pub(crate) only_options: Vec<OptionWord>,
    /// Only these kinds of clocks
    #[arg(long, value_name = "CLOCK", value_delimiter = ',', value_enum)]
    pub(crate) only_clocks: Vec<ClockMode>,
    /// Only games with this average time for a move: 5s-10m, 5s- or -10m
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true, default_value = "-")]
    #[arg(hide_default_value = true)]
    pub(crate) pace: Pace,
    /// Only rated games
    #[arg(long, conflicts_with = "only_casual")]
    pub(crate) only_rated: bool,
    /// Only games that are not rated
    #[arg(long)]
    pub(crate) only_casual: bool,
    /// Only opponents with a rating in this range: 1400-1700, 1400- or -1700
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true, value_parser = read_range)]
    pub(crate) rating: Option<RatingRange>,
    /// Exclude bots
    #[arg(long)]
    pub(crate) no_bots: bool,
    /// Exclude guests
    #[arg(long)]
    pub(crate) no_guests: bool,
    /// Agree to takebacks in games that are not rated
    #[arg(long)]
    pub(crate) takebacks: bool,
}

/// The most games at once: as many as a server lets one user play.
const GAMES_AT_ONCE_MAX: i64 = 200;

/// How a bot runs an engine.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Engine")]
pub(crate) struct EngineRunArgs {
    /// Let this program choose the moves; docs/ENGINES.md describes how it is spoken to
    #[arg(long, value_name = "COMMAND", conflicts_with = "level")]
    pub(crate) engine: Option<String>,
    /// Set an option of the engine
    #[arg(long, value_name = "NAME=VALUE", value_parser = read_setting)]
    pub(crate) engine_option: Vec<(String, String)>,
    /// Let it look at N positions for a move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Let it think at most this long for a move, such as 2s; 5s in games without a running clock
    #[arg(long, value_name = "TIME", value_parser = read_ms)]
    pub(crate) movetime: Option<u64>,
    /// Keep this time of each move for the way to the server
    #[arg(long, value_name = "TIME", default_value = "300ms", value_parser = read_ms)]
    pub(crate) move_overhead: u64,
    /// Start it again up to N times without a move in between, then resign
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) restarts: u32,
    /// What to do if it does not answer in time: play its last plan or any legal move, or resign
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = OnTimeout::Play)]
    pub(crate) on_timeout: OnTimeout,
    /// Let it think while the opponent does, if it can
    #[arg(long)]
    pub(crate) ponder: bool,
}

/// What a bot does if its engine does not answer in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnTimeout {
    /// Play its last plan, or any legal move.
    Play,
    /// Resign the game.
    Resign,
}

/// A kind of clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ClockMode {
    /// No clock.
    None,
    /// A time for the game, and an increment.
    Fischer,
    /// A time for each move.
    PerMove,
    /// A main time, then periods.
    Byoyomi,
    /// Days for each move.
    Days,
}

impl From<ClockMode> for from_client::ClockMode {
    fn from(mode: ClockMode) -> Self {
        match mode {
            ClockMode::None => Self::None,
            ClockMode::Fischer => Self::Fischer,
            ClockMode::PerMove => Self::PerMove,
            ClockMode::Byoyomi => Self::Byoyomi,
            ClockMode::Days => Self::Days,
        }
    }
}

/// A game option by its name, with one value or any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OptionWord {
    /// The name in lower case, without a dash.
    pub(crate) name: String,
    /// The value; any if absent.
    pub(crate) value: Option<String>,
}

impl FromStr for OptionWord {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let word = word.trim_start_matches('-').to_ascii_lowercase();
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let mut specs = Kind::ALL.iter().flat_map(|kind| kind.option_specs());
        if specs.any(|spec| spec.name == name) {
            Ok(Self { name: name.to_owned(), value })
        } else {
            Err(format!("no game has an option {name}"))
        }
    }
}

/// A range of average times for a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Pace {
    /// The shortest.
    pub(crate) min: Option<Duration>,
    /// The longest. With one, games without a clock are too slow.
    pub(crate) max: Option<Duration>,
}

impl FromStr for Pace {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let bad = "a range of times is written as 5s-10m, 5s- or -10m";
        let (min, max) = text.split_once('-').ok_or(bad)?;
        let read = |time: &str| match time {
            "" => Ok(None),
            time => read_length(time).map(|ms| Some(Duration::from_millis(ms))).ok_or(bad),
        };
        Ok(Self { min: read(min)?, max: read(max)? })
    }
}

fn read_game(word: &str) -> Result<PlayedGame, String> {
    let played: PlayedGame = word
        .parse()
        .map_err(|()| "write a game, or hexma/2 with a number of players".to_owned())?;
    match Kind::from_name(&played.game) {
        Some(_) => Ok(played),
        None => Err(format!("there is no game {}", played.game)),
    }
}

fn read_setting(word: &str) -> Result<(String, String), &'static str> {
    let (name, value) = word.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(super) fn read_ms(text: &str) -> Result<u64, &'static str> {
    read_length(text).ok_or("write a time such as 500ms or 2s")
}
