//! The lines to an engine.

use std::{fmt, str::FromStr};

use super::{
    clock::ClockLine,
    step::Step,
    words::{LineError, Words, write_words},
};

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
        Ok(())
    }
}

impl Limits {
    fn read(mut words: Words<'_>) -> Result<Self, LineError> {
        let mut limits = Self::default();
        while let Some(word) = words.next() {
            match word {
                "clock" => limits.clock = true,
                "movetime" => limits.movetime_ms = Some(words.value("milliseconds")?),
                "nodes" => limits.nodes = Some(words.value("a number of nodes")?),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_are_written() {
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
    fn faulty_lines_say_what_is_wrong() {
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
}
