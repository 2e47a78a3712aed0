//! How near a seat is to a chain between its edges, for players that cannot look far ahead.

use super::{
    board::Board,
    game::Hexma,
    star_board::{CellSet, POINTS, Spot},
};
use crate::seat::Seat;

/// What an empty point of a chain counts beside a step: more than all steps together, so that no
/// piece leaves the chain to bring others nearer.
const GAP: i32 = 250;

/// How many empty points one counts for that another seat's piece stands on. The piece may go away,
/// so that a seat whose every chain is barred still has something to work for.
const BARRED: usize = 2;

impl Hexma {
    /// Counts what is missing in the chain that needs the least, and the steps from the pieces that
    /// are not in it to its nearest gaps: so that those come forward.
    pub(super) fn progress_of(&self, seat: Seat) -> i32 {
        let (home, away) = self.edges(seat);
        let (chain, missing) = easiest_chain(&self.board, seat, home, away);
        let gaps = chain & !self.board.occupied();
        let spare = self.board.pieces(seat) & !chain;
        let steps_to_gap = |from: Spot| gaps.iter().map(|gap| from.steps_to(gap)).min();
        let steps: i32 = spare.iter().filter_map(steps_to_gap).map(i32::from).sum();
        -GAP * missing - steps
    }
}

/// The points of the chain between two edges that a seat needs the least for, and how much that is,
/// in empty points.
fn easiest_chain(board: &Board, seat: Seat, one: CellSet, other: CellSet) -> (CellSet, i32) {
    let own = board.pieces(seat);
    let occupied = board.occupied();
    let mut before = [None; POINTS];
    // Points to go on from, by what is missing to get there beside what is missing already.
    let mut layers = [CellSet::EMPTY; BARRED + 1];
    let add = |layers: &mut [CellSet; BARRED + 1], spots: CellSet| {
        layers[0] = layers[0] | spots & own;
        layers[1] = layers[1] | spots & !occupied;
        layers[BARRED] = layers[BARRED] | spots & occupied & !own;
    };
    add(&mut layers, one);
    let mut seen = one;
    let mut missing = 0;
    loop {
        while let Some(spot) = layers[0].pop() {
            if other.contains(spot) {
                return (back_from(spot, &before), missing);
            }
            let fresh = spot.neighbours() & !seen;
            fresh.iter().for_each(|next| before[next.index()] = Some(spot));
            seen = seen | fresh;
            add(&mut layers, fresh);
        }
        layers.rotate_left(1);
        missing += 1;
    }
}

/// A point and all that led to it.
fn back_from(end: Spot, before: &[Option<Spot>; POINTS]) -> CellSet {
    std::iter::successors(Some(end), |spot| before[spot.index()])
        .fold(CellSet::EMPTY, CellSet::with)
}
