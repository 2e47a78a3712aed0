//! The greedy choice: each of a bounded number of moves is made on a copy and the position that
//! follows is looked at, but no reply is tried.

use adamant_rules::{Consequence, Move, Position, Seat, SeatSet};

use crate::eval::{GAME, PIECE, Pieces, lead_in_progress, prospects};

/// Moves tried for one choice, at the most.
const CANDIDATES_MAX: usize = 400;

/// Stacks looked at in one choice, at the most: where boards of stacks that capture are crowded,
/// fewer moves are tried, so that a choice stays a matter of a few milliseconds.
const STACKS_MAX: usize = 8_000;

/// The best of some moves, any of several that are equally good.
pub(crate) fn choose(position: &Position, pick: &mut dyn FnMut(usize) -> usize) -> Option<Move> {
    let me = position.to_move();
    let pieces = Pieces::of(position);
    let most = if position.kind().captures() {
        (STACKS_MAX / pieces.stacks().max(1)).min(CANDIDATES_MAX)
    } else {
        CANDIDATES_MAX
    };
    let lead = pieces.lead(me);
    let mut best: Option<(i64, Move)> = None;
    let mut equals = 0;
    for mv in position.sample_moves(most, pick) {
        let value = value(position, &mv, lead);
        let best_value = best.as_ref().map_or(i64::MIN, |(value, _)| *value);
        if value >= GAME {
            return Some(mv);
        }
        if value > best_value {
            equals = 0;
        }
        if value >= best_value {
            equals += 1;
            // Each of so many equals is kept with the same chance.
            if pick(equals) == 0 {
                best = Some((value, mv));
            }
        }
    }
    best.map(|(_, mv)| mv)
}

/// What a move is worth to the seat that makes it, which has so many pieces more than the others.
fn value(before: &Position, mv: &Move, lead: i64) -> i64 {
    let me = before.to_move();
    let captures = before.validate(mv).expect("sampled moves are legal");
    let mut gained: i64 = captures.iter().map(|capture| i64::from(capture.pieces)).sum();
    let mut after = before.clone();
    after.apply(mv);
    while let Some(consequence) = after.pending() {
        match consequence {
            Consequence::End { winners, .. } => return of_end(winners, me, lead),
            Consequence::Skip(_) => after.skip(),
            Consequence::Remove(seat, _) => {
                gained += Pieces::of(&after).of_seat(seat);
                after.remove(seat);
            }
        }
    }
    let progress = lead_in_progress(&after, me);
    let prospects = if after.kind().captures() {
        let pieces = Pieces::of(&after);
        prospects(after, &pieces, me)
    } else {
        0
    };
    PIECE * gained + prospects + progress
}

/// What the end of the game is worth. A draw gives up a lead, or saves from being behind.
fn of_end(winners: SeatSet, me: Seat, lead: i64) -> i64 {
    match winners.single() {
        Some(winner) if winner == me => GAME,
        None if winners.contains(me) => -PIECE * lead,
        Some(_) | None => -GAME,
    }
}
