//! What a position is worth to a seat without a move being tried. Which positions are looked at is
//! not known here.

use adamant_rules::{Position, Seat};

use crate::mobility::Sight;

pub(crate) use crate::mobility::Pieces;

/// What a piece that is taken, or can be lost before the next turn, is worth beside one that could
/// be taken if the others let it.
pub(crate) const PIECE: i64 = 4;

/// What the game is worth: more than all pieces together, and all progress.
pub(crate) const GAME: i64 = 1_000_000;

/// As many ways to go as are worth a piece that could be taken: who is short of room is caught.
const ROOM: i64 = 2;

/// How much nearer to its aim a seat is than the nearest other.
pub(crate) fn lead_in_progress(position: &Position, me: Seat) -> i64 {
    let others = position.seats_in().without(me).iter();
    let best = others.map(|other| position.progress(other)).max().unwrap_or(0);
    i64::from(position.progress(me)) - i64::from(best)
}

/// What can be lost until the turn of the seat that has just moved, and what could then be won if
/// nothing changed.
pub(crate) fn prospects(mut position: Position, pieces: &Pieces, me: Seat) -> i64 {
    let mut lost = 0;
    for _ in 1..position.players() {
        if position.to_move() == me {
            break;
        }
        lost += Sight::of(&position, pieces).best_capture(|seat| seat == me);
        position.skip();
    }
    // Who loses the last piece loses the game with it.
    let ruin = if lost > 0 && lost >= pieces.of_seat(me) { GAME / 2 } else { 0 };
    Sight::of(&position, pieces).threats(|_| true) - PIECE * lost - ruin
}

/// As many stacks as double the effort of looking at a position.
const STACKS: usize = 16;

/// How much effort it is to look at a position as this one, beside one without stacks that capture.
pub(crate) fn effort(position: &Position) -> u64 {
    let captures = position.kind().captures();
    let stacks = if captures { Pieces::of(position).stacks() } else { 0 };
    1 + (stacks / STACKS) as u64
}

/// What a position is worth to a seat, whoever is to move. The game goes on, and the seat is in it.
pub(crate) fn standing(position: &Position, me: Seat) -> i64 {
    let progress = lead_in_progress(position, me);
    if !position.kind().captures() {
        return progress;
    }
    let pieces = Pieces::of(position);
    let (captures, room) = completions(position.clone(), &pieces, me);
    ROOM * (PIECE * pieces.lead(me) + captures + progress) + room
}

/// What can be captured and lost by each seat's next move, and how much more room the seat has than
/// the others. What the seat to move can take it will have; the others may still save themselves.
fn completions(mut position: Position, pieces: &Pieces, me: Seat) -> (i64, i64) {
    let (mut captures, mut room) = (0, 0);
    let mut has_moved = false;
    for turn in 0..position.seats_in().len() {
        let sight = Sight::of(&position, pieces);
        if position.to_move() == me {
            room += sight.room;
            captures += if turn == 0 {
                PIECE * sight.best_capture(|_| true)
            } else {
                sight.threats(|_| true)
            };
            has_moved = true;
        } else {
            room -= sight.room;
            captures -= if has_moved {
                sight.threats(|seat| seat == me)
            } else {
                PIECE * sight.best_capture(|seat| seat == me)
            };
        }
        position.skip();
    }
    (captures, room)
}
