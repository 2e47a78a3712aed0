//! Opening books: for the first positions of a game its best moves, found by long thoughts.
//!
//! A book is of a game of two with its default options. It holds the opening position, the positions
//! after each of the best moves there, and so on for some plies. Among moves that are worth about the
//! same chance chooses, so that games differ.

mod file;
mod make;

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, PoisonError, RwLock},
};

use adamant_rules::{Kind, Move, Options, Position};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use super::report::Line;

pub use file::{BadBook, BookFault, book_file, built_in_books, read_books, use_books};

/// A move of the book and its value to the seat that makes it, as a score.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Valued {
    mv: String,
    value: i32,
}

/// A position of the book: the moves that lead to it, and what to play there, the best first.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    path: Vec<String>,
    moves: Vec<Valued>,
}

/// The book of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Book {
    kind: Kind,
    entries: Vec<Entry>,
    /// The entry of a position, by its hash.
    by_hash: HashMap<u64, usize>,
}

static BOOKS: LazyLock<RwLock<Arc<Vec<Book>>>> =
    LazyLock::new(|| RwLock::new(Arc::new(built_in_books())));

impl Book {
    /// A book of these entries; `None` if a move is not legal.
    fn of(kind: Kind, entries: Vec<Entry>) -> Option<Self> {
        let mut by_hash = HashMap::new();
        for (index, Entry { path, moves }) in entries.iter().enumerate() {
            let position = after(kind, path)?;
            let is_legal = |valued: &Valued| parsed(&position, &valued.mv).is_some();
            if moves.is_empty() || !moves.iter().all(is_legal) {
                return None;
            }
            by_hash.insert(position.hash(), index);
        }
        Some(Self { kind, entries, by_hash })
    }

    /// The game.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// How many positions it has.
    pub const fn positions(&self) -> usize {
        self.entries.len()
    }

    /// One of the moves of a position, by chance.
    fn choose(&self, position: &Position, seed: u64) -> Option<&Valued> {
        let Entry { moves, .. } = &self.entries[*self.by_hash.get(&position.hash())?];
        let mut rng = StdRng::seed_from_u64(seed ^ position.hash());
        moves.get(rng.random_range(0..moves.len()))
    }
}

/// What a thought need not find out, because a book has it. No move returns to a position that has
/// been `seen`.
pub(super) fn by_book(position: &Position, seen: &[u64], chance: u64) -> Option<Line> {
    let books = BOOKS.read().unwrap_or_else(PoisonError::into_inner).clone();
    let book = books.iter().find(|book| book.kind == position.kind())?;
    let Valued { mv, value } = book.choose(position, chance)?;
    let mut after = position.clone();
    after.apply(&parsed(position, mv)?);
    if seen.contains(&after.hash()) {
        return None;
    }
    Some(Line { moves: vec![mv.clone()], value: *value, exact: false, distance: None })
}

/// The position after some moves of a game with its default options; `None` if one is not legal or ends
/// the game.
fn after(kind: Kind, path: &[String]) -> Option<Position> {
    let mut position = kind.open(&Options::new(), 2).ok()?;
    for mv in path {
        let mv = parsed(&position, mv)?;
        position.apply(&mv);
        if position.settle().is_some() {
            return None;
        }
    }
    Some(position)
}

fn parsed(position: &Position, mv: &str) -> Option<Move> {
    position.parse_move(mv).ok().filter(|mv| position.validate(mv).is_ok())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{
        super::{Limits, Search, Settings, Stop},
        *,
    };

    #[test]
    fn built_in_books_survive_their_files() {
        for book in built_in_books() {
            assert!(book.positions() > 50, "{}", book.kind().name());
            let text = book.to_text();
            assert_eq!(text.parse::<Book>().unwrap(), book);
            let changed = text.replacen("| ", "|  ", 1);
            assert!(matches!(changed.parse::<Book>(), Err(BookFault::Damaged)));
            let cut = &text[..text.len() / 2];
            assert!(matches!(cut.parse::<Book>(), Err(BookFault::Damaged)));
        }
        assert!(matches!("adamant-book 2 diam 0\n".parse::<Book>(), Err(BookFault::Other)));
    }

    #[test]
    fn a_thought_takes_a_move_from_the_book_by_chance_where_it_may() {
        for book in built_in_books() {
            let think = |path: &[String], seed: u64, lines: usize| {
                let position = after(book.kind, path).unwrap();
                let settings = Settings { seed, lines, uses_book: true, ..Settings::default() };
                let limits = Limits { nodes: Some(100), ..Limits::default() };
                Search::new(&position, &[], limits)
                    .with(settings)
                    .run(&Stop::default(), &mut |_| {})
            };
            let Some(entry) = book.entries.iter().find(|entry| entry.moves.len() > 1) else {
                continue;
            };
            let played: HashSet<_> = (0..40)
                .map(|seed| {
                    let report = think(&entry.path, seed, 1);
                    assert_eq!(report.nodes, 0);
                    report.best.unwrap().to_string()
                })
                .collect();
            let known: HashSet<_> = entry.moves.iter().map(|valued| valued.mv.clone()).collect();
            assert_eq!(played, known);
            assert!(think(&entry.path, 0, 2).nodes > 0);
            let last = book.entries.last().unwrap();
            let beyond = [&last.path[..], &[last.moves[0].mv.clone()]].concat();
            assert!(think(&beyond, 0, 1).nodes > 0);
        }
    }
}
