//! The greedy level: makes each of a bounded number of moves on a copy and evaluates the position
//! after it, without trying a reply.

use adamant_rules::{Consequence, Move, Position, Seat, SeatSet};

use crate::choice::eval::{GAME, PIECE, Pieces, potential, progress_lead};

/// Maximum number of moves that one choice tries.
const CANDIDATES_MAX: usize = 400;

/// Maximum number of stacks that one choice evaluates. On crowded boards fewer moves are tried, so
/// that a choice takes only a few milliseconds.
const STACKS_MAX: usize = 8_000;

/// Returns the best of the sampled moves, a random one of equals.
pub(crate) fn choose(position: &Position, pick: &mut dyn FnMut(usize) -> usize) -> Option<Move> {
    let me = position.to_move();
    let pieces = Pieces::of(position);
    let most = if position.kind().captures() {
        (STACKS_MAX / pieces.stacks().max(1)).min(CANDIDATES_MAX)
    } else {
        CANDIDATES_MAX
    };
    let material = pieces.material_lead(me);
    let mut best: Option<(i64, Move)> = None;
    let mut equals = 0;
    for mv in position.sample_moves(most, pick) {
        let value = value(position, &mv, material);
        let best_value = best.as_ref().map_or(i64::MIN, |(value, _)| *value);
        if value >= GAME {
            return Some(mv);
        }
        if value > best_value {
            equals = 0;
        }
        if value >= best_value {
            equals += 1;
            // Each of the equal moves is kept with the same probability.
            if pick(equals) == 0 {
                best = Some((value, mv));
            }
        }
    }
    best.map(|(_, mv)| mv)
}

/// Returns the value of a move for the seat that makes it. `material` is its lead in pieces before
/// the move.
fn value(before: &Position, mv: &Move, material: i64) -> i64 {
    let me = before.to_move();
    let captures = before.validate(mv).expect("sampled moves are legal");
    let mut gained: i64 = captures.iter().map(|capture| i64::from(capture.pieces)).sum();
    let mut after = before.clone();
    after.apply(mv);
    while let Some(consequence) = after.pending() {
        match consequence {
            Consequence::End { winners, .. } => return of_end(winners, me, material),
            Consequence::Skip(_) => after.skip(),
            Consequence::Remove(seat, _) => {
                gained += Pieces::of(&after).of_seat(seat);
                after.remove(seat);
            }
        }
    }
    let progress = progress_lead(&after, me);
    let potential = if after.kind().captures() {
        let pieces = Pieces::of(&after);
        potential(after, &pieces, me)
    } else {
        0
    };
    PIECE * gained + potential + progress
}

/// Returns the value of an end of the game. A draw gives up a lead, or saves a seat that is behind.
fn of_end(winners: SeatSet, me: Seat, material: i64) -> i64 {
    match winners.single() {
        Some(winner) if winner == me => GAME,
        None if winners.contains(me) => -PIECE * material,
        Some(_) | None => -GAME,
    }
}
