//! The positions that could recur.

/// How often a position may come up before the game is drawn.
const OCCURRENCES_MAX: usize = 3;

/// The positions in which a seat had to choose a move.
///
/// Positions that a consequence changes at once do not count: no seat chose a move there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::table) struct PositionHistory {
    counting: bool,
    /// The turn of the last position that was entered, so that none is entered twice.
    turn: Option<u32>,
    hashes: Vec<u64>,
}

impl PositionHistory {
    pub(in crate::table) const fn new() -> Self {
        Self { counting: true, turn: None, hashes: Vec::new() }
    }

    /// No position ends the game by having come up before.
    pub(in crate::table) fn stop_counting(&mut self) {
        self.counting = false;
        self.hashes = Vec::new();
    }

    /// The hashes of the positions that were entered, in order.
    pub(in crate::table) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Whether a position that is not entered yet comes up for the last time.
    pub(in crate::table) fn is_repetition(&self, hash: u64) -> bool {
        self.hashes.iter().filter(|&&earlier| earlier == hash).count() + 1 >= OCCURRENCES_MAX
    }

    /// Enters the position in which the seat to move chooses its move.
    pub(in crate::table) fn enter(&mut self, turn: u32, hash: u64) {
        if self.counting && self.turn != Some(turn) {
            self.turn = Some(turn);
            self.hashes.push(hash);
        }
    }

    /// Removes the positions after the last `choices` chosen moves. The position before them stands
    /// again and does not count as another occurrence.
    pub(in crate::table) fn rewind(&mut self, choices: usize, turn: u32) {
        if self.counting {
            self.hashes.truncate(self.hashes.len().saturating_sub(choices));
            self.turn = Some(turn);
        }
    }
}
