//! What a table remembers of its past: the moves as written, and the positions that could recur.

use std::fmt::{Display, Write as _};

/// How often a position may come up before the game is drawn.
const OCCURRENCES_MAX: usize = 3;

/// The positions in which somebody had to choose a move.
///
/// Positions that a consequence changes at once are not among them: nobody chose anything there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct History {
    counting: bool,
    /// The turn of the last position that was entered, so that none is entered twice.
    turn: Option<u32>,
    hashes: Vec<u64>,
}

impl History {
    pub(super) const fn new() -> Self {
        Self { counting: true, turn: None, hashes: Vec::new() }
    }

    /// No position ends the game by having come up before.
    pub(super) fn stop_counting(&mut self) {
        self.counting = false;
        self.hashes = Vec::new();
    }

    /// Whether a position that is not entered yet comes up for the last time.
    pub(super) fn is_repetition(&self, hash: u64) -> bool {
        self.hashes.iter().filter(|&&earlier| earlier == hash).count() + 1 >= OCCURRENCES_MAX
    }

    /// Enters the position in which the seat to move chooses its move.
    pub(super) fn enter(&mut self, turn: u32, hash: u64) {
        if self.counting && self.turn != Some(turn) {
            self.turn = Some(turn);
            self.hashes.push(hash);
        }
    }
}

/// The moves in canonical notation, in one piece of memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Moves {
    text: String,
    ends: Vec<u32>,
}

impl Moves {
    pub(super) fn push(&mut self, notation: impl Display) {
        write!(self.text, "{notation}").expect("writing to a string does not fail");
        let end = u32::try_from(self.text.len()).expect("a game's moves stay far below 4 GiB");
        self.ends.push(end);
    }

    /// The move of a ply, which count from 1.
    pub(super) fn get(&self, ply: u32) -> Option<&str> {
        let index = (ply as usize).checked_sub(1)?;
        let end = *self.ends.get(index)? as usize;
        let start = match index.checked_sub(1) {
            Some(before) => self.ends[before] as usize,
            None => 0,
        };
        self.text.get(start..end)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (1..).map_while(|ply| self.get(ply))
    }
}
