//! What the rules demand after a move, carried out without a table: for boards that are only shown.

use crate::{
    game::{Consequence, EndReason},
    games::Position,
    seat::SeatSet,
};

impl Position {
    /// Removes and passes over seats as the rules demand, until a seat can move or the game is
    /// over. Returns who has won then, and how. Repetition is the table's.
    pub fn settle(&mut self) -> Option<(SeatSet, EndReason)> {
        while let Some(consequence) = self.pending() {
            match consequence {
                Consequence::Remove(seat, _) => self.remove(seat),
                Consequence::Skip(_) => self.skip(),
                Consequence::End { winners, reason } => return Some((winners, reason)),
            }
        }
        None
    }
}
