//! The lines of the protocol, as values. Each is a command and its words, separated by blanks.
//!
//! A line that a side does not know is no error of the other: versions may add lines and words.

use std::{
    fmt,
    str::{FromStr, SplitAsciiWhitespace},
};

use adamant_rules::{Seat, TimeControl};

/// Why a line cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LineError {
    /// The line is empty.
    #[error("the line is empty")]
    Empty,
    /// There is no such command.
    #[error("unknown command {0}")]
    Unknown(String),
    /// A word is missing.
    #[error("{command}: {what} is missing")]
    Missing {
        /// The command.
        command: &'static str,
        /// What should follow.
        what: &'static str,
    },
    /// A word is not what it should be.
    #[error("{command}: {word} is not {what}")]
    Wrong {
        /// The command.
        command: &'static str,
        /// The word.
        word: String,
        /// What it should be.
        what: &'static str,
    },
}

/// The words of one command.
#[derive(Clone, Debug)]
struct Words<'a> {
    command: &'static str,
    rest: SplitAsciiWhitespace<'a>,
}

impl<'a> Words<'a> {
    /// Returns the words after the command.
    fn new(command: &'static str, line: &'a str) -> Self {
        let mut rest = line.split_ascii_whitespace();
        rest.next();
        Self { command, rest }
    }

    /// The next word, if there is one.
    fn next(&mut self) -> Option<&'a str> {
        self.rest.next()
    }

    /// The next word, which must be there.
    fn word(&mut self, what: &'static str) -> Result<&'a str, LineError> {
        self.next().ok_or(LineError::Missing { command: self.command, what })
    }

    fn value<T: FromStr>(&mut self, what: &'static str) -> Result<T, LineError> {
        let word = self.word(what)?;
        word.parse().map_err(|_| self.wrong(word, what))
    }

    /// The next words as numbers, up to the first that is none.
    fn numbers(&mut self) -> Vec<u64> {
        let mut numbers = Vec::new();
        while let Some(number) = self.rest.clone().next().and_then(|word| word.parse().ok()) {
            self.rest.next();
            numbers.push(number);
        }
        numbers
    }

    /// All words that are left.
    fn all(self) -> Vec<String> {
        self.rest.map(str::to_owned).collect()
    }

    /// All words that are left, as a text.
    fn text(self) -> String {
        self.all().join(" ")
    }

    fn wrong(&self, word: &str, what: &'static str) -> LineError {
        LineError::Wrong { command: self.command, word: word.to_owned(), what }
    }
}

/// Writes words with a blank before each.
fn write_words<T: fmt::Display>(f: &mut fmt::Formatter<'_>, words: &[T]) -> fmt::Result {
    words.iter().try_for_each(|word| write!(f, " {word}"))
}

/// A word of `position`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A move in canonical notation; `swap` among them.
    Move(Box<str>),
    /// The rules passed over the seat to move.
    Pass,
    /// A seat left a game that went on: it resigned, its time ran out, or it went away.
    Left(Seat),
}

/// How a departure begins. No notation has a colon.
const LEFT: &str = "left:";

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(notation) => f.write_str(notation),
            Self::Pass => f.write_str("pass"),
            Self::Left(seat) => write!(f, "{LEFT}{}", seat.index()),
        }
    }
}

impl FromStr for Step {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word.strip_prefix(LEFT) {
            Some(seat) => seat.parse().ok().and_then(Seat::new).map(Self::Left).ok_or(()),
            None if word == "pass" => Ok(Self::Pass),
            None => Ok(Self::Move(word.into())),
        }
    }
}

/// The clocks of all seats. Times are in milliseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockLine {
    /// The time control.
    pub control: TimeControl,
    /// What each seat has left; empty without a time control. In byoyomi it includes all periods.
    pub left_ms: Vec<u64>,
}

impl fmt::Display for ClockLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.control.mode())?;
        if !self.left_ms.is_empty() {
            f.write_str(" left")?;
            write_words(f, &self.left_ms)?;
        }
        match self.control {
            TimeControl::None => Ok(()),
            TimeControl::Fischer { base_ms, inc_ms } => write!(f, " base {base_ms} inc {inc_ms}"),
            TimeControl::PerMove { move_ms } => write!(f, " move {move_ms}"),
            TimeControl::Byoyomi { base_ms, periods, period_ms } => {
                write!(f, " base {base_ms} periods {periods} period {period_ms}")
            }
            TimeControl::Days { per_move_days } => write!(f, " days {per_move_days}"),
        }
    }
}

impl ClockLine {
    /// Reads the words after `clock`. Unknown words are passed over.
    fn read(mut words: Words<'_>) -> Result<Self, LineError> {
        let mode = words.word("a time control")?;
        let mut named: Vec<(&str, Vec<u64>)> = Vec::new();
        while let Some(word) = words.next() {
            named.push((word, words.numbers()));
        }
        let list = |name: &str| named.iter().find(|(known, _)| *known == name).map(|(_, all)| all);
        let number = |name: &'static str| {
            let missing = LineError::Missing { command: "clock", what: name };
            list(name).and_then(|all| all.first()).copied().ok_or(missing)
        };
        let few = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let control = match mode {
            "none" => TimeControl::None,
            "fischer" => TimeControl::Fischer { base_ms: number("base")?, inc_ms: number("inc")? },
            "per_move" => TimeControl::PerMove { move_ms: number("move")? },
            "byoyomi" => TimeControl::Byoyomi {
                base_ms: number("base")?,
                periods: few(number("periods")?),
                period_ms: number("period")?,
            },
            "days" => TimeControl::Days { per_move_days: few(number("days")?) },
            other => return Err(words.wrong(other, "a time control")),
        };
        Ok(Self { control, left_ms: list("left").cloned().unwrap_or_default() })
    }
}

/// A line to an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToEngine {
    /// `adamant-engine`: the first line, with the version of the protocol.
    Hello(u32),
    /// `setoption`: sets an option that the engine has named.
    SetOption {
        /// The option.
        name: String,
        /// Its value; it may have blanks.
        value: String,
    },
    /// `newgame`: a game begins, or is taken up again.
    NewGame(NewGame),
    /// `position`: all that has happened in the game.
    Position(Vec<Step>),
    /// `clock`: the clocks at this moment.
    Clock(ClockLine),
    /// `go`: asks for a move of the seat to move.
    Go(Limits),
    /// `ponder`: the same while the opponent thinks. The position has the move that is expected.
    Ponder(Limits),
    /// `ponderhit`: the expected move was made, and the engine's clock runs.
    PonderHit,
    /// `stop`: asks for the move now.
    Stop,
    /// `legal`: legal moves, as asked for.
    Legal {
        /// Whether these are all.
        all: bool,
        /// The moves.
        moves: Vec<String>,
    },
    /// `board`: the board, as asked for.
    Board(Board),
    /// `offer draw`: the opponents offer a draw.
    OfferDraw,
    /// `quit`: the engine shall end.
    Quit,
}

/// What `newgame` says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewGame {
    /// The kind of game.
    pub game: String,
    /// The number of seats.
    pub players: usize,
    /// The seat of the engine, from 0.
    pub seat: usize,
    /// The options as in a challenge, with their dashes. Flags that are off are left out.
    pub options: Vec<String>,
}

/// What bounds a thought. Without any the engine decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Whether to keep to the last `clock`.
    pub clock: bool,
    /// The time for this move in milliseconds.
    pub movetime_ms: Option<u64>,
    /// The number of positions to look at.
    pub nodes: Option<u64>,
    /// The number of moves to look ahead.
    pub depth: Option<u32>,
    /// Whether to think until `stop`, whatever was found.
    pub infinite: bool,
}

/// What `board` says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// Moves and skips so far.
    pub ply: u32,
    /// The seat to move.
    pub to_move: usize,
    /// The letter of each seat.
    pub letters: Vec<char>,
    /// The pieces that each seat has yet to bring onto the board.
    pub reserve: Vec<String>,
    /// The occupied cells with their pieces, bottom piece first.
    pub cells: Vec<(String, String)>,
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.clock {
            f.write_str(" clock")?;
        }
        if let Some(ms) = self.movetime_ms {
            write!(f, " movetime {ms}")?;
        }
        if let Some(nodes) = self.nodes {
            write!(f, " nodes {nodes}")?;
        }
        if let Some(depth) = self.depth {
            write!(f, " depth {depth}")?;
        }
        f.write_str(if self.infinite { " infinite" } else { "" })
    }
}

impl Limits {
    /// Whether a time bounds the thought.
    pub const fn has_time(&self) -> bool {
        self.clock || self.movetime_ms.is_some()
    }

    fn read(mut words: Words<'_>) -> Result<Self, LineError> {
        let mut limits = Self::default();
        while let Some(word) = words.next() {
            match word {
                "clock" => limits.clock = true,
                "movetime" => limits.movetime_ms = Some(words.value("milliseconds")?),
                "nodes" => limits.nodes = Some(words.value("a number of nodes")?),
                "depth" => limits.depth = Some(words.value("a number of moves")?),
                "infinite" => limits.infinite = true,
                // Words of later versions.
                _ => {}
            }
        }
        Ok(limits)
    }
}

/// What stands for a seat without pieces in reserve.
const NOTHING: &str = "-";

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "board ply {} to_move {} letters", self.ply, self.to_move)?;
        write_words(f, &self.letters)?;
        f.write_str(" reserve")?;
        for pieces in &self.reserve {
            write!(f, " {}", if pieces.is_empty() { NOTHING } else { pieces })?;
        }
        f.write_str(" cells")?;
        self.cells.iter().try_for_each(|(cell, pieces)| write!(f, " {cell}={pieces}"))
    }
}

impl Board {
    fn read(mut words: Words<'_>) -> Result<Self, LineError> {
        let mut board = Self {
            ply: 0,
            to_move: 0,
            letters: Vec::new(),
            reserve: Vec::new(),
            cells: Vec::new(),
        };
        let mut part = "";
        while let Some(word) = words.next() {
            match word {
                "ply" => board.ply = words.value("a number")?,
                "to_move" => board.to_move = words.value("a seat")?,
                "letters" | "reserve" | "cells" => part = word,
                piece if part == "letters" => board.letters.extend(piece.chars().next()),
                NOTHING if part == "reserve" => board.reserve.push(String::new()),
                pieces if part == "reserve" => board.reserve.push(pieces.to_owned()),
                cell if part == "cells" => {
                    let split = cell.split_once('=');
                    let (name, pieces) = split.ok_or_else(|| words.wrong(cell, "CELL=PIECES"))?;
                    board.cells.push((name.to_owned(), pieces.to_owned()));
                }
                // Words of later versions.
                _ => {}
            }
        }
        Ok(board)
    }
}

impl fmt::Display for NewGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { game, players, seat, options } = self;
        write!(f, "newgame {game} players {players} seat {seat}")?;
        if !options.is_empty() {
            f.write_str(" options")?;
            write_words(f, options)?;
        }
        Ok(())
    }
}

impl NewGame {
    fn read(mut words: Words<'_>) -> Result<Self, LineError> {
        let game = words.word("a game")?.to_owned();
        let mut new_game = Self { game, players: 2, seat: 0, options: Vec::new() };
        while let Some(word) = words.next() {
            match word {
                "players" => new_game.players = words.value("a number of players")?,
                "seat" => new_game.seat = words.value("a seat")?,
                option if option.starts_with('-') => new_game.options.push(option.to_owned()),
                // `options`, and words of later versions.
                _ => {}
            }
        }
        Ok(new_game)
    }
}

impl fmt::Display for ToEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hello(version) => write!(f, "adamant-engine {version}"),
            Self::SetOption { name, value } => write!(f, "setoption name {name} value {value}"),
            Self::NewGame(new_game) => write!(f, "{new_game}"),
            Self::Position(steps) => {
                f.write_str("position start")?;
                if !steps.is_empty() {
                    f.write_str(" moves")?;
                }
                write_words(f, steps)
            }
            Self::Clock(clock) => write!(f, "clock {clock}"),
            Self::Go(limits) => write!(f, "go{limits}"),
            Self::Ponder(limits) => write!(f, "ponder{limits}"),
            Self::PonderHit => f.write_str("ponderhit"),
            Self::Stop => f.write_str("stop"),
            Self::Legal { all, moves } => {
                f.write_str(if *all { "legal all" } else { "legal some" })?;
                write_words(f, moves)
            }
            Self::Board(board) => write!(f, "{board}"),
            Self::OfferDraw => f.write_str("offer draw"),
            Self::Quit => f.write_str("quit"),
        }
    }
}

impl FromStr for ToEngine {
    type Err = LineError;

    fn from_str(line: &str) -> Result<Self, LineError> {
        let command = line.split_ascii_whitespace().next().ok_or(LineError::Empty)?;
        let words = |command| Words::new(command, line);
        Ok(match command {
            "adamant-engine" => Self::Hello(words("adamant-engine").value("a version")?),
            "setoption" => read_option(words("setoption"))?,
            "newgame" => Self::NewGame(NewGame::read(words("newgame"))?),
            "position" => read_position(words("position"))?,
            "clock" => Self::Clock(ClockLine::read(words("clock"))?),
            "go" => Self::Go(Limits::read(words("go"))?),
            "ponder" => Self::Ponder(Limits::read(words("ponder"))?),
            "ponderhit" => Self::PonderHit,
            "stop" => Self::Stop,
            "legal" => {
                let mut words = words("legal");
                let all = words.word("`all` or `some`")? == "all";
                Self::Legal { all, moves: words.all() }
            }
            "board" => Self::Board(Board::read(words("board"))?),
            "offer" => {
                let mut words = words("offer");
                match words.word("an offer")? {
                    "draw" => Self::OfferDraw,
                    other => return Err(words.wrong(other, "an offer")),
                }
            }
            "quit" => Self::Quit,
            other => return Err(LineError::Unknown(other.to_owned())),
        })
    }
}

fn read_option(mut words: Words<'_>) -> Result<ToEngine, LineError> {
    let first = words.word("`name`")?;
    if first != "name" {
        return Err(words.wrong(first, "`name`"));
    }
    let text = words.text();
    let (name, value) = text.split_once(" value ").unwrap_or((&text, ""));
    Ok(ToEngine::SetOption { name: name.to_owned(), value: value.to_owned() })
}

fn read_position(mut words: Words<'_>) -> Result<ToEngine, LineError> {
    let first = words.word("`start`")?;
    if first != "start" {
        return Err(words.wrong(first, "`start`"));
    }
    let mut steps = Vec::new();
    if words.next() == Some("moves") {
        while let Some(word) = words.next() {
            steps.push(word.parse().map_err(|()| words.wrong(word, "a move"))?);
        }
    }
    Ok(ToEngine::Position(steps))
}

/// A line of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FromEngine {
    /// `id name`: its name and version.
    Name(String),
    /// `id author`: who wrote it.
    Author(String),
    /// `games`: what it plays.
    Games(Vec<PlayedGame>),
    /// `can`: optional parts of the protocol that it takes part in, such as `ponder` and `draw`.
    Can(Vec<String>),
    /// `option`: a setting.
    Option(EngineOption),
    /// `ready`: the end of its introduction.
    Ready,
    /// `error`: it cannot go on; the text says why.
    Error(String),
    /// `legal`: asks for legal moves.
    Legal {
        /// The most moves that it wants.
        max: Option<usize>,
    },
    /// `board`: asks for the board.
    Board,
    /// `info`: what it thinks.
    Info(Info),
    /// `bestmove`: its move.
    BestMove(BestMove),
    /// `accept`: it accepts the draw that was offered.
    Accept,
    /// `decline`: it declines it.
    Decline,
}

/// A game that an engine plays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedGame {
    /// The kind of game.
    pub game: String,
    /// The number of players; any if absent.
    pub players: Option<usize>,
}

/// A setting of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineOption {
    /// Its name.
    pub name: String,
    /// Everything else: its type, default and bounds, as the engine writes them.
    pub about: String,
}

/// What an engine thinks. Every part may be missing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// How many moves it has looked ahead.
    pub depth: Option<u32>,
    /// How many moves it has looked ahead in its longest line.
    pub seldepth: Option<u32>,
    /// Which of several best moves the line is about, from 1.
    pub multipv: Option<u32>,
    /// How many positions it has looked at.
    pub nodes: Option<u64>,
    /// How many of them in a second.
    pub nps: Option<u64>,
    /// How long that took in milliseconds.
    pub time_ms: Option<u64>,
    /// The value for the seat to move, from -1000 (a certain loss) to 1000 (a certain win).
    pub score: Option<i32>,
    /// Whether the score is proven.
    pub exact: bool,
    /// How full its tables are, in thousandths.
    pub hashfull: Option<u32>,
    /// The moves that it expects, its own first.
    pub pv: Vec<String>,
    /// A text for people.
    pub text: Option<String>,
}

/// What an engine chooses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BestMove {
    /// To give up.
    Resign,
    /// A move.
    Move {
        /// The move.
        notation: String,
        /// The answer that it expects.
        ponder: Option<String>,
        /// Whether it offers a draw with the move.
        draw: bool,
    },
}

impl fmt::Display for PlayedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.game)?;
        self.players.map_or(Ok(()), |players| write!(f, "/{players}"))
    }
}

impl FromStr for PlayedGame {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        Ok(match word.split_once('/') {
            Some((game, players)) => {
                Self { game: game.to_owned(), players: Some(players.parse().map_err(|_| ())?) }
            }
            None => Self { game: word.to_owned(), players: None },
        })
    }
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        if let Some(depth) = self.depth {
            write!(f, " depth {depth}")?;
        }
        if let Some(seldepth) = self.seldepth {
            write!(f, " seldepth {seldepth}")?;
        }
        if let Some(multipv) = self.multipv {
            write!(f, " multipv {multipv}")?;
        }
        if let Some(nodes) = self.nodes {
            write!(f, " nodes {nodes}")?;
        }
        if let Some(nps) = self.nps {
            write!(f, " nps {nps}")?;
        }
        if let Some(time_ms) = self.time_ms {
            write!(f, " time {time_ms}")?;
        }
        if let Some(score) = self.score {
            write!(f, " score {score}")?;
        }
        f.write_str(if self.exact { " exact" } else { "" })?;
        if let Some(hashfull) = self.hashfull {
            write!(f, " hashfull {hashfull}")?;
        }
        if !self.pv.is_empty() {
            f.write_str(" pv")?;
            write_words(f, &self.pv)?;
        }
        match &self.text {
            Some(text) => write!(f, " string {text}"),
            None => Ok(()),
        }
    }
}

impl Info {
    fn read(mut words: Words<'_>) -> Result<Self, LineError> {
        let mut info = Self::default();
        let mut in_pv = false;
        while let Some(word) = words.next() {
            match word {
                "string" => {
                    info.text = Some(words.text());
                    break;
                }
                "depth" => info.depth = Some(words.value("a number")?),
                "seldepth" => info.seldepth = Some(words.value("a number")?),
                "multipv" => info.multipv = Some(words.value("a number")?),
                "nps" => info.nps = Some(words.value("a number")?),
                "hashfull" => info.hashfull = Some(words.value("thousandths")?),
                "exact" if !in_pv => info.exact = true,
                "nodes" => info.nodes = Some(words.value("a number")?),
                "time" => info.time_ms = Some(words.value("milliseconds")?),
                "score" => info.score = Some(words.value("a score")?),
                "pv" => in_pv = true,
                notation if in_pv => info.pv.push(notation.to_owned()),
                // Words of later versions.
                _ => {}
            }
        }
        Ok(info)
    }
}

impl fmt::Display for BestMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resign => f.write_str("bestmove resign"),
            Self::Move { notation, ponder, draw } => {
                write!(f, "bestmove {notation}")?;
                if let Some(ponder) = ponder {
                    write!(f, " ponder {ponder}")?;
                }
                f.write_str(if *draw { " draw" } else { "" })
            }
        }
    }
}

impl BestMove {
    fn read(mut words: Words<'_>) -> Result<Self, LineError> {
        let notation = words.word("a move")?.to_owned();
        if notation == "resign" {
            return Ok(Self::Resign);
        }
        let (mut ponder, mut draw) = (None, false);
        while let Some(word) = words.next() {
            match word {
                "ponder" => ponder = Some(words.word("a move")?.to_owned()),
                "draw" => draw = true,
                // Words of later versions.
                _ => {}
            }
        }
        Ok(Self::Move { notation, ponder, draw })
    }
}

impl fmt::Display for FromEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "id name {name}"),
            Self::Author(author) => write!(f, "id author {author}"),
            Self::Games(games) => {
                f.write_str("games")?;
                write_words(f, games)
            }
            Self::Can(parts) => {
                f.write_str("can")?;
                write_words(f, parts)
            }
            Self::Option(EngineOption { name, about }) => write!(f, "option name {name} {about}"),
            Self::Ready => f.write_str("ready"),
            Self::Error(text) => write!(f, "error {text}"),
            Self::Legal { max: Some(max) } => write!(f, "legal max {max}"),
            Self::Legal { max: None } => f.write_str("legal"),
            Self::Board => f.write_str("board"),
            Self::Info(info) => write!(f, "{info}"),
            Self::BestMove(best) => write!(f, "{best}"),
            Self::Accept => f.write_str("accept"),
            Self::Decline => f.write_str("decline"),
        }
    }
}

impl FromStr for FromEngine {
    type Err = LineError;

    fn from_str(line: &str) -> Result<Self, LineError> {
        let command = line.split_ascii_whitespace().next().ok_or(LineError::Empty)?;
        let words = |command| Words::new(command, line);
        Ok(match command {
            "id" => {
                let mut words = words("id");
                match words.word("`name` or `author`")? {
                    "name" => Self::Name(words.text()),
                    "author" => Self::Author(words.text()),
                    other => return Err(words.wrong(other, "`name` or `author`")),
                }
            }
            "games" => {
                let mut words = words("games");
                let mut games = Vec::new();
                while let Some(word) = words.next() {
                    games.push(word.parse().map_err(|()| words.wrong(word, "GAME/PLAYERS"))?);
                }
                Self::Games(games)
            }
            "can" => Self::Can(words("can").all()),
            "option" => {
                let mut words = words("option");
                let first = words.word("`name`")?;
                if first != "name" {
                    return Err(words.wrong(first, "`name`"));
                }
                let all = words.text();
                let at = all.find(" type ").unwrap_or(all.len());
                let (name, about) = all.split_at(at);
                Self::Option(EngineOption {
                    name: name.to_owned(),
                    about: about.trim_start().to_owned(),
                })
            }
            "ready" => Self::Ready,
            "error" => Self::Error(words("error").text()),
            "legal" => {
                let mut words = words("legal");
                let max = match words.next() {
                    Some("max") => Some(words.value("a number")?),
                    Some(_) | None => None,
                };
                Self::Legal { max }
            }
            "board" => Self::Board,
            "info" => Self::Info(Info::read(words("info"))?),
            "bestmove" => Self::BestMove(BestMove::read(words("bestmove"))?),
            "accept" => Self::Accept,
            "decline" => Self::Decline,
            other => return Err(LineError::Unknown(other.to_owned())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_to_an_engine_are_read_as_they_are_written() {
        for line in [
            "adamant-engine 1",
            "setoption name Hash size value 16 MB",
            "newgame adamas players 2 seat 1 options -size=3 -pieces=8",
            "newgame hexma players 3 seat 2",
            "position start",
            "position start moves c1-e1,c2,4xc3 swap pass left:2 6,3- 4+",
            "clock none",
            "clock fischer left 300000 298000 base 300000 inc 5000",
            "clock per_move left 30000 30000 move 30000",
            "clock byoyomi left 1 2 3 base 0 periods 5 period 30000",
            "clock days left 259200000 259200000 days 3",
            "go",
            "go clock",
            "go clock movetime 500 nodes 20000",
            "go nodes 7 depth 3",
            "go infinite",
            "ponder nodes 7",
            "ponderhit",
            "stop",
            "legal all a1 b2",
            "legal some",
            "board ply 2 to_move 1 letters O X reserve - XX cells a1=OX b2=X",
            "offer draw",
            "quit",
        ] {
            let read: ToEngine = line.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(read.to_string(), line);
        }
    }

    #[test]
    fn words_of_later_versions_are_passed_over() {
        for (line, means) in [
            ("  go   mate 3 nodes 7  ", "go nodes 7"),
            ("newgame diam colour red players 2 seat 0", "newgame diam players 2 seat 0"),
            ("clock none since 7", "clock none"),
            (
                "board ply 1 turn 2 to_move 0 letters O reserve - cells",
                "board ply 1 to_move 0 letters O reserve - cells",
            ),
        ] {
            assert_eq!(line.parse::<ToEngine>().unwrap().to_string(), means, "{line}");
        }
    }

    #[test]
    fn faulty_lines_to_an_engine_say_what_is_wrong() {
        for (line, why) in [
            ("", "the line is empty"),
            ("dance", "unknown command dance"),
            ("adamant-engine", "adamant-engine: a version is missing"),
            ("adamant-engine one", "adamant-engine: one is not a version"),
            ("go nodes -1", "go: -1 is not a number of nodes"),
            ("position fen", "position: fen is not `start`"),
            ("position start moves left:9", "position: left:9 is not a move"),
            ("clock sand", "clock: sand is not a time control"),
            ("clock fischer left 1 1", "clock: base is missing"),
            ("offer tea", "offer: tea is not an offer"),
            ("setoption Hash", "setoption: Hash is not `name`"),
        ] {
            assert_eq!(line.parse::<ToEngine>().unwrap_err().to_string(), why, "{line}");
        }
    }

    #[test]
    fn lines_of_an_engine_are_read_as_they_are_written() {
        for line in [
            "id name Hexbot 2.1",
            "id author Ann and Bob",
            "games adamas hexma/2 hexma/3",
            "can ponder draw",
            "option name Hash size type spin default 16 min 1 max 1024",
            "ready",
            "error no licence",
            "legal",
            "legal max 40",
            "board",
            "info depth 3 nodes 20000 time 120 score -17 pv c1-c2 c5-c4",
            "info depth 3 seldepth 9 multipv 2 nodes 20 nps 7 time 3 score 1000 exact hashfull 12 pv c1-c2",
            "info string a text with pv in it",
            "bestmove c1-c2",
            "bestmove c1-c2 ponder c5-c4 draw",
            "bestmove resign",
            "accept",
            "decline",
        ] {
            let read: FromEngine = line.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(read.to_string(), line);
        }
    }

    #[test]
    fn faulty_lines_of_an_engine_say_what_is_wrong() {
        for (line, why) in [
            (" \t", "the line is empty"),
            ("hello", "unknown command hello"),
            ("id", "id: `name` or `author` is missing"),
            ("games adamas/two", "games: adamas/two is not GAME/PLAYERS"),
            ("info depth deep", "info: deep is not a number"),
            ("bestmove", "bestmove: a move is missing"),
            ("legal max all", "legal: all is not a number"),
        ] {
            assert_eq!(line.parse::<FromEngine>().unwrap_err().to_string(), why, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_line_makes_the_reader_panic(line in ".{0,80}") {
            if let Ok(read) = line.parse::<FromEngine>() {
                let again: FromEngine = read.to_string().parse().unwrap();
                proptest::prop_assert_eq!(again, read);
            }
        }
    }
}
