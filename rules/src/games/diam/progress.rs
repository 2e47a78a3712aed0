//! How near a seat is to two like pieces opposite each other, for players that cannot look far
//! ahead.

use super::{game::Diam, stack::Stack};
use crate::seat::Seat;

/// What it counts to have a win at hand and the turn too: more than all that can be prepared.
const WIN: i32 = 10_000;

/// What each winning move counts that a seat would have if it were its turn.
const THREAT: i32 = 10;

impl Diam {
    /// A lead that half decides the game: one move parries a few winning moves, but not this many.
    pub(super) const TELLING_LEAD: i32 = 4 * THREAT;

    /// Counts winning moves, and pieces that a like one can still come to be opposite of.
    pub(super) fn progress_of(&self, seat: Seat) -> i32 {
        let wins = Self { to_move: seat, ..self.clone() }.winning_moves();
        let at_hand = if wins > 0 && self.to_move == seat { WIN } else { 0 };
        let ring = self.variant.ring;
        let both = ring.pairs().flat_map(|(one, other)| [(one, other), (other, one)]);
        let open = both.map(|(at, across)| open_pieces(self.board[at], self.board[across], seat));
        at_hand + THREAT * wins + open.sum::<i32>()
    }

    /// How many moves the seat to move can win by at once.
    fn winning_moves(&self) -> i32 {
        let wins = |kind| {
            let mut after = self.clone();
            after.carry_out(kind);
            after.board.aligned(self.variant.ring).contains(self.to_move)
        };
        self.placements_and_movements().map(|mv| i32::from(wins(mv.0))).sum()
    }
}

/// How many pieces of a seat are above the first level of a stack and above all of the opposite
/// one.
fn open_pieces(stack: Stack, opposite: Stack, seat: Seat) -> i32 {
    let levels = 2.max(opposite.height() + 1)..=stack.height();
    let own = |level| stack.piece(level).is_some_and(|colour| colour.owner() == seat);
    levels.map(|level| i32::from(own(level))).sum()
}
