//! What is played: everything on which the games depend.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use adamant_protocol::UserName;
use adamant_rules::{
    BySeat, Kind, Options, Player, Seat, Setup, Table, TimeControl, options::OptionError,
    table::SetupError,
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use serde_json::{Value, json};

use super::{
    limits::{BOOK_BYTES_MAX, ENGINES_MAX, OPENING_ATTEMPTS_MAX, OPENING_PLIES_MAX, PLIES_MAX},
    schedule::{Format, Schedule, ScheduleError},
    stats::SprtBounds,
};
use crate::protocol::{Engine, EngineCommand, EngineError, Introduction, Log};

/// The version of the form of results files.
const FORM_VERSION: u32 = 1;

/// An engine that takes part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSpec {
    /// Its name in records and tables.
    pub name: UserName,
    /// The command line as it was written.
    pub line: String,
    /// The command.
    pub command: EngineCommand,
    /// The options to set, with their values.
    pub options: Vec<(String, String)>,
    /// The nodes of each move.
    pub nodes: Option<u64>,
    /// The time of each move.
    pub movetime: Option<Duration>,
}

impl EngineSpec {
    /// Reads a command line.
    pub fn new(name: UserName, line: &str) -> Result<Self, EngineError> {
        let command = EngineCommand::parse(line)?;
        let line = line.to_owned();
        Ok(Self { name, line, command, options: Vec::new(), nodes: None, movetime: None })
    }
}

/// Why a plan is no plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    /// The schedule is impossible.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// Too many engines.
    #[error("there are more than {ENGINES_MAX} engines")]
    TooManyEngines,
    /// Two engines have one name.
    #[error("two engines are called {0}; name each")]
    SameName(UserName),
    /// An engine would think for ever.
    #[error("{0} has no budget: give --nodes, --movetime or --clock")]
    NoBudget(UserName),
    /// A test needs two engines.
    #[error("a sequential test needs two engines and a game for two")]
    Sprt,
    /// The number of plies is out of bounds.
    #[error("a game is drawn after 1 to {PLIES_MAX} plies")]
    MaxPlies,
}

/// What is played.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The game.
    pub rules: Rules,
    /// The engines.
    pub engines: Vec<EngineSpec>,
    /// Who meets whom.
    pub format: Format,
    /// The games of each pairing.
    pub games: u32,
    /// The openings.
    pub openings: Openings,
    /// The seed from which random openings are drawn.
    pub seed: u64,
    /// A game with this number of plies is drawn.
    pub max_plies: u32,
    /// How long an engine may think where nothing else limits its time.
    pub hang_timeout: Duration,
    /// The sequential test after which the match ends.
    pub sprt: Option<SprtBounds>,
}

impl Plan {
    /// Checks the plan and schedules its games.
    pub fn schedule(&self) -> Result<Schedule, PlanError> {
        let engines = &self.engines;
        if engines.len() > ENGINES_MAX {
            return Err(PlanError::TooManyEngines);
        }
        for (index, engine) in engines.iter().enumerate() {
            if engines[..index].iter().any(|other| other.name.is_same(engine.name.as_str())) {
                return Err(PlanError::SameName(engine.name.clone()));
            }
            let has_budget = engine.nodes.is_some() || engine.movetime.is_some();
            if !has_budget && self.rules.clock == TimeControl::None {
                return Err(PlanError::NoBudget(engine.name.clone()));
            }
        }
        if !(1..=PLIES_MAX).contains(&self.max_plies) {
            return Err(PlanError::MaxPlies);
        }
        if self.sprt.is_some() && (engines.len() != 2 || self.rules.players != 2) {
            return Err(PlanError::Sprt);
        }
        Ok(Schedule::new(self.format, engines.len(), self.rules.players, self.games)?)
    }

    /// Describes everything on which the games depend. A match that goes on must have been begun
    /// with the same words.
    pub(crate) fn words(&self) -> Value {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let engine = |engine: &EngineSpec| {
            json!({
                "name": engine.name,
                "command": engine.line,
                "options": engine.options,
                "nodes": engine.nodes,
                "movetime_ms": engine.movetime.map(millis),
            })
        };
        let rules = &self.rules;
        json!({
            "version": FORM_VERSION,
            "game": rules.kind.name(),
            "options": rules.options.to_string(),
            "players": rules.players,
            "clock": format!("{:?}", rules.clock),
            "engines": self.engines.iter().map(engine).collect::<Vec<_>>(),
            "format": self.format.name(),
            "games": self.games,
            "openings": self.openings.words(),
            "seed": self.seed,
            "max_plies": self.max_plies,
            "hang_timeout_ms": millis(self.hang_timeout),
            "sprt": self.sprt,
        })
    }
}

/// A game and its clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The game.
    pub kind: Kind,
    /// Its options, complete.
    pub options: Options,
    /// The number of players.
    pub players: usize,
    /// The time control.
    pub clock: TimeControl,
}

impl Rules {
    /// Completes the options.
    pub fn new(
        kind: Kind,
        options: &Options,
        players: usize,
        clock: TimeControl,
    ) -> Result<Self, OptionError> {
        Ok(Self { kind, options: kind.complete(options, players)?, players, clock })
    }

    /// Returns what is agreed before a game between players of these names.
    pub(crate) fn setup(&self, name: impl Fn(Seat) -> Arc<str>) -> Setup {
        let player =
            |seat: Seat| Player { user: name(seat), bot: true, guest: false, rating: None };
        Setup {
            kind: self.kind,
            options: self.options.clone(),
            seats: BySeat::from_fn(self.players, player),
            clock: self.clock,
            rated: false,
            delay: 0,
            unlisted: false,
        }
    }

    /// Returns a table at which a game without clocks has just begun.
    pub(crate) fn start(&self) -> Result<Table, SetupError> {
        Table::for_analysis(self.setup(|seat| format!("seat{}", seat.index()).into()))
    }
}

/// The moves of an opening, in canonical notation.
pub type Opening = Vec<String>;

/// Why there are no openings.
#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    /// The book is too large.
    #[error("a book has at most {BOOK_BYTES_MAX} bytes")]
    TooLarge,
    /// The book has no opening.
    #[error("the book is empty")]
    Empty,
    /// A line of the book has a move that cannot be made.
    #[error("line {line}: {notation}: {why}")]
    Move {
        /// The line, from 1.
        line: usize,
        /// The move.
        notation: String,
        /// The reason.
        why: String,
    },
    /// A line of the book ends the game.
    #[error("line {line}: the game is over after this opening")]
    Finished {
        /// The line, from 1.
        line: usize,
    },
    /// Two lines lead to one position.
    #[error("line {line}: this opening leads to the same position as line {other}")]
    Twice {
        /// The line, from 1.
        line: usize,
        /// The line before it.
        other: usize,
    },
    /// A random opening has too many moves.
    #[error("a random opening has at most {OPENING_PLIES_MAX} plies")]
    TooLong,
    /// There are too few different openings.
    #[error(
        "only {found} different openings of {plies} plies were found, and {wanted} are needed: \
         give --opening-plies a larger number"
    )]
    TooFew {
        /// How many were found.
        found: usize,
        /// How long they are.
        plies: u32,
        /// How many are needed.
        wanted: u32,
    },
    /// The game cannot begin.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// Where openings come from.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Source {
    /// A book with this hash.
    Book(String),
    /// Drawn by lot, with this number of moves.
    Random(u32),
}

/// The openings of a tournament. It uses them one after the other, and then again from the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Openings {
    source: Source,
    all: Vec<Opening>,
}

impl Openings {
    /// Reads a book: an opening a line, its moves separated by blanks. `#` begins a comment.
    pub fn read(book: &str, rules: &Rules) -> Result<Self, OpeningsError> {
        if book.len() as u64 > BOOK_BYTES_MAX {
            return Err(OpeningsError::TooLarge);
        }
        let mut all = Vec::new();
        let mut seen = HashMap::new();
        for (line, text) in (1..).zip(book.lines()) {
            let moves = text.split('#').next().unwrap_or_default();
            if moves.trim().is_empty() {
                continue;
            }
            let mut table = rules.start()?;
            for notation in moves.split_whitespace() {
                table.play(notation).map_err(|refusal| OpeningsError::Move {
                    line,
                    notation: notation.to_owned(),
                    why: refusal.to_string(),
                })?;
            }
            if table.to_move().is_none() {
                return Err(OpeningsError::Finished { line });
            }
            if let Some(other) = seen.insert(table.hash(), line) {
                return Err(OpeningsError::Twice { line, other });
            }
            all.push(moves_of(&table));
        }
        if all.is_empty() {
            return Err(OpeningsError::Empty);
        }
        let hash = blake3::hash(book.as_bytes()).to_hex().to_string();
        Ok(Self { source: Source::Book(hash), all })
    }

    /// Draws openings of `plies` moves, all different, none of which ends the game. Without moves
    /// there is one: the start.
    pub fn random(
        rules: &Rules,
        plies: u32,
        number: u32,
        seed: u64,
    ) -> Result<Self, OpeningsError> {
        if plies > OPENING_PLIES_MAX {
            return Err(OpeningsError::TooLong);
        }
        let wanted = if plies == 0 { 1 } else { number };
        let mut rng = StdRng::seed_from_u64(seed);
        let mut all = Vec::new();
        let mut reached = HashSet::new();
        let start = rules.start()?;
        let mut attempts = 0;
        while all.len() < wanted as usize {
            match random_opening(&start, plies, &mut rng) {
                Some(table) if reached.insert(table.hash()) => {
                    all.push(moves_of(&table));
                    attempts = 0;
                }
                Some(_) | None => attempts += 1,
            }
            if attempts == OPENING_ATTEMPTS_MAX {
                return Err(OpeningsError::TooFew { found: all.len(), plies, wanted });
            }
        }
        Ok(Self { source: Source::Random(plies), all })
    }

    /// The openings.
    pub fn all(&self) -> &[Opening] {
        &self.all
    }

    /// Describes where they come from.
    pub(crate) fn words(&self) -> Value {
        match &self.source {
            Source::Book(hash) => json!({"book": hash}),
            Source::Random(plies) => json!({"plies": plies}),
        }
    }
}

/// Returns the moves that were made, without those that the rules make themselves.
fn moves_of(table: &Table) -> Opening {
    table.moves().filter(|notation| *notation != "pass").map(str::to_owned).collect()
}

/// Makes random moves. `None` if they end the game.
fn random_opening(start: &Table, plies: u32, rng: &mut StdRng) -> Option<Table> {
    let mut table = start.clone();
    for _ in 0..plies {
        let mut pick = |below: usize| rng.random_range(0..below);
        let mv = table.position().sample_moves(1, &mut pick).pop()?;
        table.play(&mv.to_string()).ok()?;
    }
    table.to_move().is_some().then_some(table)
}

/// Why an engine cannot take part.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// It does not run.
    #[error("{name}: {error}")]
    Engine {
        /// The engine.
        name: UserName,
        /// What is wrong.
        error: EngineError,
    },
    /// It plays other games.
    #[error("{name} does not play {game} with {players} players")]
    Game {
        /// The engine.
        name: UserName,
        /// The game.
        game: &'static str,
        /// The number of players.
        players: usize,
    },
    /// It has no such option.
    #[error("{name} has no option {option}; it has {known}")]
    Option {
        /// The engine.
        name: UserName,
        /// The option.
        option: String,
        /// The options that it has.
        known: String,
    },
}

/// Starts an engine and asks what it is, before the first game, so that a wrong command is an error
/// at once.
pub async fn enter(spec: &EngineSpec, rules: &Rules) -> Result<Introduction, EntryError> {
    let name = || spec.name.clone();
    let silent: Log = Arc::new(|_| {});
    let started = async {
        let mut engine = Engine::start(&spec.command, &silent)?;
        let introduction = engine.ready().await?.clone();
        engine.quit().await;
        Ok(introduction)
    };
    let introduction: Introduction =
        started.await.map_err(|error| EntryError::Engine { name: name(), error })?;
    let (kind, players) = (rules.kind, rules.players);
    if !introduction.plays(kind, players) {
        return Err(EntryError::Game { name: name(), game: kind.name(), players });
    }
    let known: Vec<&str> = introduction.options.iter().map(|option| option.name.as_str()).collect();
    match spec.options.iter().find(|(option, _)| !known.contains(&option.as_str())) {
        Some((option, _)) => {
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Err(EntryError::Option { name: name(), option: option.clone(), known })
        }
        None => Ok(introduction),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adamant_rules::{Kind, Options, TimeControl};

    fn rules(kind: Kind, options: &str, players: usize) -> Rules {
        let options = Options::parse(options, kind.option_specs()).unwrap();
        Rules::new(kind, &options, players, TimeControl::None).unwrap()
    }

    #[test]
    fn random_openings_are_legal_different_and_the_same_for_a_seed() {
        for kind in Kind::ALL {
            for players in kind.players() {
                let rules = rules(*kind, "", players);
                let drawn = Openings::random(&rules, 4, 50, 7).unwrap();
                assert_eq!(drawn, Openings::random(&rules, 4, 50, 7).unwrap());
                assert_ne!(drawn, Openings::random(&rules, 4, 50, 8).unwrap());
                let few = Openings::random(&rules, 4, 20, 7).unwrap();
                assert_eq!(few.all(), &drawn.all()[..20], "more games begin alike");
                let lines: Vec<String> = drawn.all().iter().map(|moves| moves.join(" ")).collect();
                let book = Openings::read(&lines.join("\n"), &rules).unwrap();
                assert_eq!(book.all(), drawn.all(), "a book refuses what is illegal or twice");
            }
        }
    }

    #[test]
    fn too_few_different_openings_are_an_error() {
        let rules = rules(Kind::Diam, "-board=8x4", 2);
        let error = Openings::random(&rules, 1, 100, 1).unwrap_err().to_string();
        assert!(error.contains("different openings of 1 plies were found, and 100"), "{error}");
        assert_eq!(Openings::random(&rules, 0, 100, 1).unwrap().all(), [Opening::new()]);
        assert!(Openings::random(&rules, 41, 1, 1).is_err());
    }

    #[test]
    fn a_book_is_checked_line_by_line() {
        let rules = rules(Kind::Diam, "-board=8x4", 2);
        let read = |book: &str| Openings::read(book, &rules);
        let book = read("# mine\n\na1 x1   # A comment.\nA2 X3\n").unwrap();
        assert_eq!(book.all(), [["A1", "X1"], ["A2", "X3"]], "moves become canonical");
        for (book, why) in [
            ("", "the book is empty"),
            ("A1 X1\nA1 Z9\n", "line 2: Z9: "),
            ("A1 X2\n\nA1 X2\n", "line 3: this opening leads to the same position as line 1"),
        ] {
            let error = read(book).unwrap_err().to_string();
            assert!(error.starts_with(why), "{error}");
        }
    }
}
