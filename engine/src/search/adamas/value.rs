//! What a position of Adamas is worth to the seat to move, without trying moves.

use super::{
    geometry::{CELLS_MAX, Cells},
    position::Adamas,
};
use crate::search::{SCORE_MAX, native::Native as _};

/// The value of a won game, less one for each move to its end.
pub(super) const WIN: i32 = 1_000_000;

/// Values beyond are decided.
pub(super) const DECIDED: i32 = WIN - 10_000;

/// The value of a piece on a crowded board.
const PIECE: i32 = 100;

/// What a piece is worth more the fewer there are: this, divided by all of them.
const PIECE_OF_FEW: i32 = 600;

/// The value of a piece that the seat to move can capture.
const CAPTURED: i32 = 85;

/// The value of a piece that the other seat could capture, if nothing changed.
const THREATENED: i32 = 25;

/// What the threat to capture everything counts besides.
const RUIN: i32 = 150;

/// The value of a cell where pieces of a stack may go.
const ROOM: i32 = 3;

/// The value that is half of a certain win.
const HALF: i32 = 250;

/// What is found out about a position.
pub(super) struct Judgement {
    pub(super) value: i32,
    /// Whether the seat to move can capture all enemy pieces at once.
    pub(super) wins: bool,
}

/// Judges a position of a game that goes on.
pub(super) fn judge(position: &Adamas) -> Judgement {
    let board = position.board();
    let occupied = position.occupied();
    let mut first_seen = [0_u64; CELLS_MAX];
    let (mut threatened, mut room) = ([0_u64; 2], [0_i32; 2]);
    for seat in 0..2 {
        let others = position.stacks(1 - seat);
        for cell in Cells(position.stacks(seat)) {
            let (stacks, seen) = board.look(cell, occupied);
            first_seen[cell] = stacks;
            room[seat] += (seen & !others).count_ones().cast_signed();
            if position.enemies(stacks, seat) == u32::from(position.height(cell)) {
                threatened[seat] |= 1 << cell;
            }
        }
    }
    let most_of = |seat: usize| {
        if threatened[1 - seat] == 0 {
            return 0;
        }
        let of_stack =
            |cell: usize| best_capture(position, cell, first_seen[cell] & threatened[1 - seat]);
        Cells(position.stacks(seat)).map(of_stack).max().unwrap_or(0)
    };
    let me = position.to_move();
    let pieces = [me, 1 - me].map(|seat| i32::from(position.pieces(seat)));
    let (gains, losses) = (most_of(me), most_of(1 - me));
    let worth = PIECE + PIECE_OF_FEW / (pieces[0] + pieces[1]);
    let ruin = if losses >= pieces[0] { RUIN } else { 0 };
    let value = (pieces[0] - pieces[1]) * worth + gains * CAPTURED - losses * THREATENED - ruin
        + (room[me] - room[1 - me]) * ROOM;
    Judgement { value, wins: gains >= pieces[1] }
}

/// The most pieces that one stack can capture of those that it sees and may capture.
fn best_capture(position: &Adamas, cell: usize, targets: u64) -> i32 {
    let parts = if position.prog_cap() { 1 } else { u32::from(position.height(cell)) };
    let heights = Cells(targets).map(|target| i32::from(position.height(target)));
    if targets.count_ones() <= parts {
        return heights.sum();
    }
    // There are at most six.
    let mut sorted = [0; 6];
    for (place, height) in sorted.iter_mut().zip(heights) {
        *place = height;
    }
    sorted.sort_unstable_by_key(|&height| -height);
    sorted.iter().take(parts as usize).sum()
}

/// A value as a score. What is decided but not proven is next to certain.
pub(super) const fn score(value: i32, exact: bool) -> i32 {
    if value.abs() > DECIDED {
        let most = if exact { SCORE_MAX } else { SCORE_MAX - 1 };
        return most * value.signum();
    }
    (SCORE_MAX - 2) * value / (value.abs() + HALF)
}

/// The value of a score.
pub(super) fn of_score(score: i32) -> i32 {
    let bounded = score.clamp(-SCORE_MAX / 2, SCORE_MAX / 2);
    HALF * bounded / (SCORE_MAX - bounded.abs())
}
