//! How near a seat is to a chain between its edges, for players that cannot look far ahead.

use super::{bitset::CellSet, game::Stymie};
use crate::seat::Seat;

impl Stymie {
    /// Counts the cells that the seat still needs: all of the board if the other's chain is in its
    /// way.
    pub(super) fn progress_of(&self, seat: Seat) -> i32 {
        let lines = i32::from(self.board.lattice().lines());
        -self.cells_needed(seat).unwrap_or(lines * lines)
    }

    /// How many empty cells the chain has that has the fewest.
    fn cells_needed(&self, seat: Seat) -> Option<i32> {
        let own = self.board.pieces_of(seat);
        let lattice = self.board.lattice();
        let mut unseen = *own | *self.board.free();
        // Cells to go on from: those with as many empty ones on the way, and those with one more.
        let (mut near, mut far) = (CellSet::EMPTY, CellSet::EMPTY);
        let add = |spot, near: &mut CellSet, far: &mut CellSet| {
            if own.contains(spot) { near.insert(spot) } else { far.insert(spot) }
        };
        for spot in lattice.first_line(seat).filter(|&spot| unseen.take(spot)) {
            add(spot, &mut near, &mut far);
        }
        let mut cells = 0;
        loop {
            while let Some(spot) = near.pop() {
                if spot.lines_from_edge(seat) == lattice.lines() - 1 {
                    return Some(cells);
                }
                for next in spot.neighbours().filter(|&next| unseen.take(next)) {
                    add(next, &mut near, &mut far);
                }
            }
            if far.is_empty() {
                return None;
            }
            near = std::mem::replace(&mut far, CellSet::EMPTY);
            cells += 1;
        }
    }
}
