//! Openings: from a book, or drawn by lot.

use std::collections::{HashMap, HashSet};

use adamant_rules::{Table, table::SetupError};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use serde_json::{Value, json};

use crate::tournament::{
    limits::{BOOK_BYTES_MAX, OPENING_ATTEMPTS_MAX, OPENING_PLIES_MAX},
    rules::Rules,
};

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

#[cfg(test)]
mod tests {
    use adamant_rules::{Kind, Options, TimeControl};

    use super::*;

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
