//! The lines of an engine.

use std::{fmt, str::FromStr};

use super::words::{LineError, Words, write_words};

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
    /// How many positions it has looked at.
    pub nodes: Option<u64>,
    /// How long that took in milliseconds.
    pub time_ms: Option<u64>,
    /// The value for the seat to move, from -1000 (a certain loss) to 1000 (a certain win).
    pub score: Option<i32>,
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
        if let Some(nodes) = self.nodes {
            write!(f, " nodes {nodes}")?;
        }
        if let Some(time_ms) = self.time_ms {
            write!(f, " time {time_ms}")?;
        }
        if let Some(score) = self.score {
            write!(f, " score {score}")?;
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
    fn lines_are_read_as_they_are_written() {
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
    fn faulty_lines_say_what_is_wrong() {
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
