//! How books are made and checked: by long thoughts about the positions at their ends.

use std::{collections::HashMap, slice};

use adamant_rules::{Kind, Position};

use super::{
    super::{Limits, Line, Progress, SCORE_MAX, Search, Settings, Stop, default_nodes},
    Book, Entry, Valued, after,
};

/// The moves of a position that a book looks at: the best of a thought.
const WIDTH: usize = 4;

/// How much less than the best a move may be worth to be played, as a score.
const MARGIN: i32 = 10;

/// How much less than the best it may be worth when another thought checks it.
const MARGIN_OF_CHECK: i32 = 60;

/// The thoughts of a book have so many times the nodes of one that has no other limit.
const EFFORT: u64 = 10;

/// The seeds of the thoughts that make a book, and of those that check it.
const SEED: u64 = 0;
const SEED_OF_CHECK: u64 = 1;

/// A book that is being made.
struct Maker<'a> {
    kind: Kind,
    plies: usize,
    entries: Vec<Entry>,
    /// By hash and ply: what positions are worth to the seat to move, as a score.
    worth: HashMap<(u64, usize), i32>,
    done: u64,
    on_progress: &'a mut dyn FnMut(Progress),
}

impl Book {
    /// Makes the book of a game for the first `plies` plies, without moves that its check finds bad.
    pub fn make(kind: Kind, plies: usize, on_progress: &mut dyn FnMut(Progress)) -> Self {
        let (entries, worth) = (Vec::new(), HashMap::new());
        let mut maker = Maker { kind, plies, entries, worth, done: 0, on_progress };
        let open = after(kind, &[]).expect("every game has two players");
        maker.worth(&open, &[]);
        maker.entries.sort_by_key(|entry| entry.path.len());
        let of = |entries| Self::of(kind, entries).expect("a search finds legal moves");
        let mut book = of(maker.entries);
        let bad = book.check(on_progress);
        for Entry { path, moves } in &mut book.entries {
            let is_bad = |mv: &String| bad.contains(&[&path[..], slice::from_ref(mv)].concat());
            moves.retain(|valued| !is_bad(&valued.mv));
        }
        book.entries.retain(|entry| !entry.moves.is_empty());
        of(book.entries)
    }

    /// Thinks about each position once more, and about those after the move that it finds best then and
    /// after those of the book. Returns the moves that seem to be worse, each after those that lead
    /// there.
    pub fn check(&self, on_progress: &mut dyn FnMut(Progress)) -> Vec<Vec<String>> {
        let mut bad = Vec::new();
        for (done, Entry { path, moves }) in self.entries.iter().enumerate() {
            on_progress(Progress { done: done as u64, all: self.entries.len() as u64 });
            let position = after(self.kind, path).expect("a book has legal moves");
            let Some(best) = think(&position, SEED_OF_CHECK, 1).into_iter().next() else {
                continue;
            };
            let best_value = self.value_after(path, &best.moves[0]);
            let is_bad = |valued: &&Valued| {
                valued.mv != best.moves[0]
                    && self.value_after(path, &valued.mv) < best_value - MARGIN_OF_CHECK
            };
            let bad_here = moves.iter().filter(is_bad);
            bad.extend(bad_here.map(|valued| [&path[..], slice::from_ref(&valued.mv)].concat()));
        }
        bad
    }

    /// What a move is worth by a thought about the position after it; the most, if it ends the game.
    fn value_after(&self, path: &[String], mv: &String) -> i32 {
        let after = after(self.kind, &[path, slice::from_ref(mv)].concat());
        let value =
            |position| think(&position, SEED_OF_CHECK, 1).first().map_or(0, |line| -line.value);
        after.map_or(SCORE_MAX, value)
    }
}

impl Maker<'_> {
    /// What a position is worth to the seat to move: what the best of its moves leads to, and at the end
    /// of the book what a thought says.
    fn worth(&mut self, position: &Position, path: &[String]) -> i32 {
        let key = (position.hash(), path.len());
        if let Some(&known) = self.worth.get(&key) {
            return known;
        }
        let is_end = path.len() == self.plies;
        let lines = think(position, SEED, if is_end { 1 } else { WIDTH });
        let worth = if is_end {
            self.done += 1;
            let all = (WIDTH as u64).pow(u32::try_from(self.plies).unwrap_or(u32::MAX));
            (self.on_progress)(Progress { done: self.done.min(all), all });
            lines.first().map_or(0, |line| line.value)
        } else {
            let mut moves: Vec<_> = lines.iter().map(|line| self.valued(path, line)).collect();
            moves.sort_by_key(|valued| -valued.value);
            let best = moves.first().map_or(0, |valued| valued.value);
            moves.retain(|valued| valued.value >= best - MARGIN);
            self.entries.push(Entry { path: path.to_vec(), moves });
            best
        };
        self.worth.insert(key, worth);
        worth
    }

    fn valued(&mut self, path: &[String], line: &Line) -> Valued {
        let mv = line.moves[0].clone();
        let path = [path, slice::from_ref(&mv)].concat();
        // A move that ends the game is worth what the thought says.
        let value = match after(self.kind, &path) {
            Some(position) => -self.worth(&position, &path),
            None => line.value,
        };
        Valued { mv, value }
    }
}

fn think(position: &Position, seed: u64, lines: usize) -> Vec<Line> {
    let limits = Limits { nodes: Some(EFFORT * default_nodes(position)), ..Limits::default() };
    let settings = Settings { seed, lines, ..Settings::default() };
    Search::new(position, &[], limits).with(settings).run(&Stop::default(), &mut |_| {}).lines
}
