//! A game to start: its kind, options, time control and number of players. It is checked here as
//! the server will check it, so that errors come with the list of options.

use adamant_protocol::{
    RequestId, UserName,
    from_client::{Challenge, Invite, RatingRange, SeatWish, Seek},
    ids::RulesName,
    values::{self, TimeControl},
};
use adamant_record::wire;
use adamant_rules::{Kind, Options, event::DELAY_MAX, options::OptionKind};
use clap::Args;

use crate::failure::UsageError;

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

pub(crate) fn read_seat(text: &str) -> Result<SeatWish, &'static str> {
    let number: u8 = text.parse().map_err(|_| "a seat is a number, from 1")?;
    number.checked_sub(1).map(SeatWish::Seat).ok_or("seats are counted from 1")
}

pub(crate) fn read_range(text: &str) -> Result<RatingRange, &'static str> {
    let bad = "a range of ratings is written as 1400-1700, 1400- or -1700";
    let (min, max) = text.split_once('-').ok_or(bad)?;
    let read = |number: &str| match number {
        "" => Ok(None),
        number => number.parse().map(Some).map_err(|_| bad),
    };
    Ok(RatingRange { min: read(min)?, max: read(max)? })
}

/// A game that can be played.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Proposal {
    pub(crate) kind: Kind,
    /// The options that were chosen.
    pub(crate) options: Options,
    pub(crate) clock: TimeControl,
    /// Number of moves that spectators are behind.
    pub(crate) delay: u8,
    /// Whether no list shows the game to others.
    pub(crate) unlisted: bool,
}

impl Proposal {
    /// Parses the game's name and options.
    pub(crate) fn read(game: &str, setup: &GameSetupArgs) -> Result<Self, UsageError> {
        let (kind, options) = read_game(game, &setup.options)?;
        let GameSetupArgs { clock, delay, unlisted, .. } = *setup;
        Ok(Self { kind, options, clock, delay, unlisted })
    }

    /// Checks that this number of players can play it.
    pub(crate) fn check(&self, players: usize) -> Result<(), UsageError> {
        self.kind
            .complete(&self.options, players)
            .map(|_| ())
            .map_err(|error| UsageError(format!("{error}\n{}", option_list(self.kind))))
    }

    pub(crate) fn challenge(&self, id: RequestId, seats: Vec<UserName>) -> Challenge {
        let (options, &Self { clock, delay, unlisted, .. }) = (self.wire_options(), self);
        let challenge = Challenge::new(id, self.wire_rules(), seats);
        Challenge { options, clock, delay, unlisted, ..challenge }
    }

    pub(crate) fn seek(&self, id: RequestId) -> Seek {
        let (options, &Self { clock, delay, unlisted, .. }) = (self.wire_options(), self);
        Seek { options, clock, delay, unlisted, ..Seek::new(id, self.wire_rules()) }
    }

    pub(crate) fn invite(&self, id: RequestId) -> Invite {
        let (options, &Self { clock, delay, unlisted, .. }) = (self.wire_options(), self);
        Invite { options, clock, delay, unlisted, ..Invite::new(id, self.wire_rules()) }
    }

    fn wire_rules(&self) -> RulesName {
        RulesName { name: self.kind.name().into(), version: None }
    }

    fn wire_options(&self) -> values::Options {
        values::Options::Named(wire::options(&self.options))
    }
}

/// Parses the name of a game and its options.
pub(crate) fn read_game(game: &str, words: &[String]) -> Result<(Kind, Options), UsageError> {
    let kind = Kind::from_name(game).ok_or_else(|| unknown_kind(game))?;
    let mut options = Options::new();
    for word in words {
        options.parse_word(word, kind.option_specs()).map_err(|error| {
            UsageError(format!("{error}{}\n{}", suggestion(word, kind), option_list(kind)))
        })?;
    }
    Ok((kind, options))
}

pub(crate) fn unknown_kind(game: &str) -> UsageError {
    let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    UsageError(format!("there is no game {game}; the games are {}", known.join(", ")))
}

/// How similar a name must be to be suggested, from 0 to 1.
const ALIKE_MIN: f64 = 0.7;

/// Returns a question with the option that an unknown one probably means.
fn suggestion(word: &str, kind: Kind) -> String {
    let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
    let name = name.to_ascii_lowercase();
    let specs = kind.option_specs();
    if specs.iter().any(|spec| spec.name == name) {
        return String::new();
    }
    let likeness = |other: &str| strsim::jaro(&name, other);
    let alike = specs.iter().map(|spec| (likeness(spec.name), spec.name));
    let best =
        alike.filter(|(likeness, _)| *likeness >= ALIKE_MIN).max_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, name)| format!("; did you mean -{name}?")).unwrap_or_default()
}

/// Lists the options of a game, one per line.
pub(crate) fn option_list(kind: Kind) -> String {
    let lines = kind.option_specs().iter().map(|spec| {
        let value = match spec.kind {
            OptionKind::Flag => String::new(),
            OptionKind::Number { min, max } => format!("={min}..{max}"),
            OptionKind::Text => "=...".to_owned(),
        };
        format!("  -{}{value}  {}", spec.name, spec.about)
    });
    let lines: Vec<String> = lines.collect();
    format!("Options of {}:\n{}", kind.name(), lines.join("\n"))
}

/// Returns the seats of a challenge: `me` comes first unless the names include it.
pub(crate) fn seats(me: &UserName, names: &[UserName]) -> Vec<UserName> {
    let mut seats = names.to_vec();
    if !names.iter().any(|name| name.is_same(me.as_str())) {
        seats.insert(0, me.clone());
    }
    seats
}

const HOW: &str = "write none, 5m+5s (main time and increment), 30s/move, 5m+5x30s (main time and \
                   five byoyomi periods) or days:3 (per move)";

/// Parses a time control and checks its bounds.
pub(crate) fn read_clock(text: &str) -> Result<TimeControl, String> {
    let text = text.to_ascii_lowercase();
    let clock = if text == "none" {
        TimeControl::None
    } else if let Some(length) = text.strip_suffix("/move") {
        TimeControl::PerMove { move_ms: read_length(length).ok_or(HOW)? }
    } else if let Some(days) = text.strip_prefix("days:") {
        TimeControl::Days { per_move_days: days.parse().map_err(|_| HOW)? }
    } else if let Some(byoyomi) = text.strip_prefix("byoyomi:") {
        read_byoyomi(byoyomi, read_seconds).ok_or(HOW)?
    } else if text.contains('x') {
        read_byoyomi(&text, read_length).ok_or(HOW)?
    } else {
        let (base, inc) = text.split_once('+').unwrap_or((&text, "0s"));
        let base_ms = read_length(base).ok_or(HOW)?;
        TimeControl::Fischer { base_ms, inc_ms: read_length(inc).ok_or(HOW)? }
    };
    let rules = <adamant_rules::TimeControl as wire::Mirror>::from_wire(clock);
    rules.map_err(|error| error.to_string())?.check().map_err(|error| error.to_string())?;
    Ok(clock)
}

/// Parses a main time and byoyomi periods: `5m+5x30s`.
fn read_byoyomi(text: &str, length: impl Fn(&str) -> Option<u64>) -> Option<TimeControl> {
    let (base, overtime) = text.split_once('+')?;
    let (periods, period) = overtime.split_once('x')?;
    let (base_ms, period_ms) = (length(base)?, length(period)?);
    Some(TimeControl::Byoyomi { base_ms, periods: periods.parse().ok()?, period_ms })
}

/// Parses a duration in which a number without a unit means seconds, as is usual after `byoyomi:`.
fn read_seconds(text: &str) -> Option<u64> {
    match text.parse::<u64>() {
        Ok(seconds) => seconds.checked_mul(1_000),
        Err(_) => read_length(text),
    }
}

/// Parses a duration such as `90s` or `1h30m`. A number needs its unit: on other servers `5+5` has
/// two meanings.
pub(crate) fn read_length(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total_ms: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, after) = rest.split_at(digits);
        let unit = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit);
        let unit_ms = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return None,
        };
        let ms = number.parse::<u64>().ok()?.checked_mul(unit_ms)?;
        total_ms = total_ms.checked_add(ms)?;
        rest = after;
    }
    (!text.is_empty()).then_some(total_ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::{Cli, Command},
        messages,
    };

    fn challenge(line: &str) -> Result<(Proposal, Vec<UserName>), String> {
        let words = line.split_whitespace().map(Into::into);
        let cli = Cli::read(words).map_err(|error| error.to_string())?;
        let Command::Challenge(args) = cli.command else { panic!("{line}") };
        let proposal =
            Proposal::read(&args.game, &args.setup).map_err(|error| error.to_string())?;
        Ok((proposal, args.names))
    }

    #[test]
    fn game_options_are_spelt_as_on_pbmserv() {
        let (plain, names) = challenge("adamant challenge adamas ann bob").unwrap();
        assert!(plain.options.is_empty());
        assert_eq!(names.len(), 2);

        for line in [
            "adamant challenge adamas -size=4 -prog_cap ann bob",
            "adamant challenge Adamas ann -size=4 bob -PROG_CAP",
            "adamant challenge -size=4 adamas ann bob -prog_cap",
        ] {
            let (proposal, names) = challenge(line).unwrap();
            assert_eq!(proposal.options.to_string(), "-size=4 -prog_cap", "{line}");
            assert_eq!(names, ["ann".parse().unwrap(), "bob".parse().unwrap()], "{line}");
            proposal.check(2).unwrap();
        }
        let (timed, names) =
            challenge("adamant challenge adamas ann --clock 5m+5s bob cy --rated --json").unwrap();
        assert_eq!(timed.clock, TimeControl::Fischer { base_ms: 300_000, inc_ms: 5_000 });
        assert_eq!(names.len(), 3);
        timed.check(3).unwrap();
    }

    #[test]
    fn every_game_has_its_own_options() {
        for (line, options, players) in [
            ("adamant challenge hexma ann bob cy", "", 3),
            ("adamant challenge stymie -size=8 -swap ann bob", "-size=8 -swap", 2),
            ("adamant challenge diam ann bob -board=8x4 -pieces=2x4", "-board=8x4 -pieces=2x4", 2),
        ] {
            let (proposal, names) = challenge(line).unwrap();
            assert_eq!((proposal.options.to_string().as_str(), names.len()), (options, players));
            proposal.check(players).unwrap();
        }
        let (stymie, _) = challenge("adamant challenge stymie ann bob cy").unwrap();
        assert!(stymie.check(3).is_err());
    }

    #[test]
    fn every_page_of_help_names_every_game() {
        for command in ["play", "challenge", "seek", "invite"] {
            let help =
                Cli::read(["adamant", command, "--help"].map(Into::into)).unwrap_err().to_string();
            for kind in Kind::ALL {
                assert!(help.contains(kind.name()), "{} is not in\n{help}", kind.name());
            }
        }
    }

    #[test]
    fn errors_name_the_valid_values() {
        for (line, says) in [
            ("adamant challenge checkers ann bob", "adamas, hexma, stymie, diam"),
            ("adamant challenge hexma -size=4 ann bob", "no option -size"),
            ("adamant challenge adamas -sise=4 ann bob", "did you mean -size?"),
            ("adamant challenge adamas -progcap ann bob", "did you mean -prog_cap?"),
            ("adamant challenge adamas -size ann bob", "needs a value"),
            ("adamant challenge adamas -size=4 -size=5 ann bob", "twice"),
            ("adamant challenge adamas ann bob --clock 5+5", "5m+5s"),
            ("adamant challenge adamas a_name_that_is_much_too_long bob", "2 to 20"),
        ] {
            let error = challenge(line).unwrap_err();
            assert!(error.contains(says), "{line}: {error}");
        }
        let (proposal, _) = challenge("adamant challenge adamas -size=99 ann bob").unwrap();
        assert!(proposal.check(2).is_err());
        assert!(challenge("adamant challenge adamas ann bob").unwrap().0.check(4).is_err());
    }

    #[test]
    fn the_challenger_takes_the_first_seat_unless_named() {
        let names = |names: &[&str]| -> Vec<UserName> {
            names.iter().map(|name| name.parse().unwrap()).collect()
        };
        let ann = "ann".parse().unwrap();
        assert_eq!(seats(&ann, &names(&["bob"])), names(&["ann", "bob"]));
        assert_eq!(seats(&ann, &names(&["bob", "cy"])), names(&["ann", "bob", "cy"]));
        assert_eq!(seats(&ann, &names(&["bob", "ANN"])), names(&["bob", "ANN"]));
    }

    #[test]
    fn time_controls_are_parsed() {
        assert_eq!(read_clock("none"), Ok(TimeControl::None));
        let fischer = |base_ms, inc_ms| Ok(TimeControl::Fischer { base_ms, inc_ms });
        assert_eq!(read_clock("5m+5s"), fischer(300_000, 5_000));
        assert_eq!(read_clock("10M"), fischer(600_000, 0));
        assert_eq!(read_clock("1h30m+500ms"), fischer(5_400_000, 500));
        assert_eq!(read_clock("30s/move"), Ok(TimeControl::PerMove { move_ms: 30_000 }));
        assert_eq!(read_clock("2d/move"), Ok(TimeControl::PerMove { move_ms: 172_800_000 }));
        let byoyomi = Ok(TimeControl::Byoyomi { base_ms: 300_000, periods: 5, period_ms: 30_000 });
        for text in ["5m+5x30s", "byoyomi:5m+5x30s", "byoyomi:300+5x30", "Byoyomi:300+5X30s"] {
            assert_eq!(read_clock(text), byoyomi, "{text}");
        }
        assert_eq!(read_clock("days:3"), Ok(TimeControl::Days { per_move_days: 3 }));
    }

    #[test]
    fn ambiguous_and_out_of_bounds_time_controls_are_rejected() {
        for bad in [
            "",
            "5",
            "5+5",
            "5m+",
            "+5s",
            "5m+5",
            "m",
            "5x",
            "-5m",
            "/move",
            "5 m",
            "5m+5x30",
            "300+5x30s",
            "5m+x30s",
            "5m+5x",
            "5x30s",
            "byoyomi:5m+5s",
            "days:",
            "days:1.5",
            "3days",
        ] {
            assert!(read_clock(bad).is_err(), "{bad:?}");
        }
        for out_of_bounds in [
            "0s",
            "0s/move",
            "400d",
            "5m+2h",
            "99999999999999999999d",
            "5m+0x30s",
            "5m+100x30s",
            "5m+5x999ms",
            "5m+5x2h",
            "days:0",
            "days:31",
        ] {
            assert!(read_clock(out_of_bounds).is_err(), "{out_of_bounds:?}");
        }
    }

    #[test]
    fn formatted_time_controls_parse_back() {
        for text in ["5m+5s", "90s+0s", "2d+1h", "5m+5x30s", "0s+1x1m"] {
            let clock = read_clock(text).unwrap();
            let shown = messages::control(wire::Mirror::from_wire(clock).unwrap());
            assert_eq!(read_clock(&shown), Ok(clock), "{text} is shown as {shown}");
        }
    }
}
