//! Static evaluation: the value of a position for a seat without trying moves.

use adamant_rules::{Position, Seat};

use crate::choice::mobility::Mobility;

pub(crate) use crate::choice::mobility::Pieces;

/// The value of a piece that is captured, or can be lost before the next turn, relative to one that
/// is only threatened.
pub(crate) const PIECE: i64 = 4;

/// The value of the game: more than all pieces and all progress together.
pub(crate) const GAME: i64 = 1_000_000;

/// The moves of room that are worth a piece that could be captured: a seat that is short of room is
/// caught.
const ROOM: i64 = 2;

/// Returns the lead of a seat in progress over the best other seat.
pub(crate) fn progress_lead(position: &Position, me: Seat) -> i64 {
    let others = position.seats_in().without(me).iter();
    let best = others.map(|other| position.progress(other)).max().unwrap_or(0);
    i64::from(position.progress(me)) - i64::from(best)
}

/// Returns what the seat that has just moved can lose before its next turn, and what it could then
/// capture if nothing changed.
pub(crate) fn potential(mut position: Position, pieces: &Pieces, me: Seat) -> i64 {
    let mut lost = 0;
    for _ in 1..position.players() {
        if position.to_move() == me {
            break;
        }
        lost += Mobility::of(&position, pieces).best_capture(|seat| seat == me);
        position.skip();
    }
    // A seat that loses its last piece loses the game.
    let ruin = if lost > 0 && lost >= pieces.of_seat(me) { GAME / 2 } else { 0 };
    Mobility::of(&position, pieces).threats(|_| true) - PIECE * lost - ruin
}

/// The number of stacks that doubles the cost of evaluating a position.
const STACKS: usize = 16;

/// Returns the cost of evaluating such a position, relative to one without stacks that capture.
pub(crate) fn cost(position: &Position) -> u64 {
    let captures = position.kind().captures();
    let stacks = if captures { Pieces::of(position).stacks() } else { 0 };
    1 + (stacks / STACKS) as u64
}

/// Returns a lead that is half of the way to winning the game, by the measure of [`evaluate`].
pub(crate) fn half_decided(position: &Position) -> i64 {
    if position.kind().captures() {
        let seats = position.seats_in().iter();
        let pieces = Pieces::of(position);
        return ROOM * PIECE * seats.map(|seat| pieces.of_seat(seat)).sum::<i64>() / 4;
    }
    i64::from(position.telling_lead())
}

/// Returns the value of a position for a seat, which need not be the seat to move. The game goes
/// on, and the seat is in it.
pub(crate) fn evaluate(position: &Position, me: Seat) -> i64 {
    let progress = progress_lead(position, me);
    if !position.kind().captures() {
        return progress;
    }
    let pieces = Pieces::of(position);
    let (captures, room) = completions(position.clone(), &pieces, me);
    ROOM * (PIECE * pieces.material_lead(me) + captures + progress) + room
}

/// Returns the balance of captures by each seat's next move, and the lead of the seat in room.
/// Captures of the seat to move count in full; threats by the others can still be parried.
fn completions(mut position: Position, pieces: &Pieces, me: Seat) -> (i64, i64) {
    let (mut captures, mut room) = (0, 0);
    let mut has_moved = false;
    for turn in 0..position.seats_in().len() {
        let mobility = Mobility::of(&position, pieces);
        if position.to_move() == me {
            room += mobility.room;
            captures += if turn == 0 {
                PIECE * mobility.best_capture(|_| true)
            } else {
                mobility.threats(|_| true)
            };
            has_moved = true;
        } else {
            room -= mobility.room;
            captures -= if has_moved {
                mobility.threats(|seat| seat == me)
            } else {
                PIECE * mobility.best_capture(|seat| seat == me)
            };
        }
        position.skip();
    }
    (captures, room)
}
