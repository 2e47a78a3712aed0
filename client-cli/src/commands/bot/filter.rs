//! Which challenges a bot accepts. The places at its tables are counted elsewhere.

use std::{str::FromStr, time::Duration};

use adamant_engine::protocol::{Introduction, messages::PlayedGame};
use adamant_protocol::{
    from_client::{Allow, ClockMode, DeclineReason, RatingRange},
    to_client::Challenged,
    values::{self, TimeControl},
};
use adamant_record::wire;
use adamant_rules::{Kind, Options, options::OptionValue};
use clap::{Args, ValueEnum};

use crate::{
    proposal::{read_length, read_range},
    spelling::read_game,
};

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
    pub(crate) only_clocks: Vec<ClockModeArg>,
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

/// A kind of clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ClockModeArg {
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

impl From<ClockModeArg> for ClockMode {
    fn from(mode: ClockModeArg) -> Self {
        match mode {
            ClockModeArg::None => Self::None,
            ClockModeArg::Fischer => Self::Fischer,
            ClockModeArg::PerMove => Self::PerMove,
            ClockModeArg::Byoyomi => Self::Byoyomi,
            ClockModeArg::Days => Self::Days,
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

/// The moves by which a time for the whole game is divided.
const MOVES_OF_A_GAME: u32 = 40;

/// What a bot accepts.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    pub(super) args: AcceptanceArgs,
    /// The engine that plays, if one does.
    pub(super) engine: Option<Introduction>,
}

impl Filter {
    /// Whether the bot accepts a game with this number of players.
    pub(super) fn plays(&self, kind: Kind, players: usize) -> bool {
        let only = Introduction { games: self.args.only_games.clone(), ..Introduction::default() };
        only.plays(kind, players)
            && self.engine.as_ref().is_none_or(|engine| engine.plays(kind, players))
    }

    /// Returns which opponents a seek is open to.
    pub(super) const fn allow(&self) -> Allow {
        Allow { bots: !self.args.no_bots, guests: !self.args.no_guests }
    }

    /// Returns why the bot declines a challenge whatever the rating of its maker; `None` if it does
    /// not.
    pub(super) fn decline_reason(&self, challenged: &Challenged) -> Option<DeclineReason> {
        let args = &self.args;
        let players = challenged.seats.len();
        let kind = Kind::from_name(&challenged.rules.name);
        let Some(kind) = kind.filter(|kind| self.plays(*kind, players)) else {
            return Some(DeclineReason::Game);
        };
        if challenged.bot && args.no_bots {
            return Some(DeclineReason::NoBot);
        }
        if challenged.guest && args.no_guests {
            return Some(DeclineReason::Generic);
        }
        if challenged.rated && args.only_casual {
            return Some(DeclineReason::Rated);
        }
        if !challenged.rated && args.only_rated {
            return Some(DeclineReason::Casual);
        }
        let given = values::Options::Named(challenged.options.clone());
        let options = wire::given_options(kind, &given).unwrap_or_default();
        if !args.only_options.is_empty()
            && !are_allowed(&args.only_options, kind, &options, players, challenged.rated)
        {
            return Some(DeclineReason::Options);
        }
        self.pace_reason(challenged.clock)
    }

    fn pace_reason(&self, clock: TimeControl) -> Option<DeclineReason> {
        let AcceptanceArgs { only_clocks, pace: Pace { min, max }, .. } = &self.args;
        if matches!(clock, TimeControl::Unknown(_)) {
            return Some(DeclineReason::Generic);
        }
        let for_a_move = time_for_a_move(clock);
        if for_a_move.is_some_and(|time| min.is_some_and(|min| time < min)) {
            return Some(DeclineReason::TooFast);
        }
        if max.is_some_and(|max| for_a_move.is_none_or(|time| time > max)) {
            return Some(DeclineReason::TooSlow);
        }
        let is_listed = only_clocks.is_empty()
            || only_clocks.iter().any(|mode| ClockMode::from(*mode) == ClockMode::of(clock));
        (!is_listed).then_some(DeclineReason::Generic)
    }
}

/// Returns the average time for a move; `None` without a clock.
fn time_for_a_move(clock: TimeControl) -> Option<Duration> {
    let ms = Duration::from_millis;
    Some(match clock {
        TimeControl::None | TimeControl::Unknown(_) => return None,
        TimeControl::Fischer { base_ms, inc_ms } => ms(base_ms) / MOVES_OF_A_GAME + ms(inc_ms),
        TimeControl::PerMove { move_ms } => ms(move_ms),
        TimeControl::Byoyomi { base_ms, period_ms, .. } => {
            ms(base_ms) / MOVES_OF_A_GAME + ms(period_ms)
        }
        TimeControl::Days { per_move_days } => Duration::from_hours(24) * per_move_days,
    })
}

/// Whether options are the defaults but for those of a list. Defaults may depend on the others.
fn are_allowed(
    list: &[OptionWord],
    kind: Kind,
    options: &Options,
    players: usize,
    rated: bool,
) -> bool {
    let mut chosen = Options::new();
    for (name, value) in options.iter() {
        let text = match value {
            OptionValue::Flag(true) => "on".to_owned(),
            OptionValue::Flag(false) => "off".to_owned(),
            OptionValue::Number(number) => number.to_string(),
            OptionValue::Text(text) => text.to_ascii_lowercase(),
        };
        let is_listed = |word: &OptionWord| {
            word.name == name && word.value.as_ref().is_none_or(|wanted| *wanted == text)
        };
        if list.iter().any(is_listed) {
            chosen.set(name, value.clone());
        }
    }
    let chosen = if rated { kind.when_rated(chosen) } else { chosen };
    let complete = kind.complete(&chosen, players);
    complete.is_ok_and(|complete| {
        complete.iter().all(|(name, value)| options.get(name).is_none_or(|given| given == value))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cli::{Cli, Command};

    fn filter(line: &str) -> Filter {
        let words = ["adamant", "bot", "--accept-any"].into_iter().chain(line.split_whitespace());
        let cli = Cli::read(words.map(Into::into)).unwrap_or_else(|error| panic!("{error}"));
        let Command::Bot(args) = cli.command else { panic!("{line}") };
        Filter { args: args.acceptance, engine: None }
    }

    /// A challenge by ann to a game of Adamas with these fields changed.
    fn challenge(changes: &Value) -> Challenged {
        let mut challenge = json!({
            "challenge": "h_1", "by": "ann", "rules": "adamas@1", "seats": ["ann", "hal"],
            "options": {"size": 3, "pieces": 8, "prog_cap": false}, "shuffle": false,
            "clock": {"mode": "fischer", "base_ms": 300_000, "inc_ms": 5_000}, "rated": false,
            "accepted": ["ann"]
        });
        for (name, value) in changes.as_object().unwrap() {
            challenge[name] = value.clone();
        }
        serde_json::from_value(challenge).unwrap()
    }

    #[test]
    fn a_challenge_passes_only_if_every_filter_lets_it() {
        let size_4 = json!({"options": {"size": 4, "pieces": 12, "prog_cap": false}});
        let days = json!({"clock": {"mode": "days", "per_move_days": 3}});
        let untimed = json!({"clock": {"mode": "none"}});
        for (line, changes, reason) in [
            ("", json!({}), None),
            ("", json!({"rules": "chess@1"}), Some(DeclineReason::Game)),
            ("", json!({"clock": {"mode": "lunar"}}), Some(DeclineReason::Generic)),
            ("--only-games hexma,diam", json!({}), Some(DeclineReason::Game)),
            ("--only-games adamas/3", json!({}), Some(DeclineReason::Game)),
            ("--only-games adamas/2", json!({}), None),
            ("--no-bots", json!({"bot": true}), Some(DeclineReason::NoBot)),
            ("--no-guests", json!({"guest": true}), Some(DeclineReason::Generic)),
            ("--only-rated", json!({}), Some(DeclineReason::Casual)),
            ("--only-casual", json!({"rated": true}), Some(DeclineReason::Rated)),
            ("--only-casual", json!({}), None),
            ("--only-options prog_cap", json!({}), None),
            ("--only-options prog_cap", size_4.clone(), Some(DeclineReason::Options)),
            ("--only-options size=4", size_4.clone(), None),
            ("--only-options size=5", size_4.clone(), Some(DeclineReason::Options)),
            ("--only-options size", size_4, None),
            ("--only-clocks per_move,none", json!({}), Some(DeclineReason::Generic)),
            ("--only-clocks fischer", json!({}), None),
            ("--pace 13s-", json!({}), Some(DeclineReason::TooFast)),
            ("--pace 12s-13s", json!({}), None),
            ("--pace -12s", json!({}), Some(DeclineReason::TooSlow)),
            ("--pace -1h", days.clone(), Some(DeclineReason::TooSlow)),
            ("--pace -4d", days, None),
            ("--pace -4d", untimed.clone(), Some(DeclineReason::TooSlow)),
            ("--pace 1s-", untimed, None),
        ] {
            let found = filter(line).decline_reason(&challenge(&changes));
            assert_eq!(found, reason, "{line} {changes}");
        }
    }

    #[test]
    fn an_engine_that_does_not_play_a_game_declines_it() {
        let games = vec!["hexma/2".parse().unwrap()];
        let engine = Some(Introduction { games, ..Introduction::default() });
        let filter = Filter { engine, ..filter("") };
        assert!(!filter.plays(Kind::Adamas, 2) && filter.plays(Kind::Hexma, 2));
        assert!(!filter.plays(Kind::Hexma, 3));
        assert_eq!(filter.decline_reason(&challenge(&json!({}))), Some(DeclineReason::Game));
    }
}
