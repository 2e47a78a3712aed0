//! What a position is worth at a glance: pieces, what each seat can capture, and room.

use super::{
    board::Board,
    hexagon::{AHEAD, Cells, DIRECTIONS},
    moves::Choice,
};

/// The value of a move that wins at once. One that wins later is worth less by its moves.
pub(super) const WIN: i32 = 1_000_000;

/// The least value of a win.
pub(super) const DECIDED: i32 = WIN - 1_000;

/// The value that a move has if the position after it has this value for the seat to move there.
pub(super) const fn a_move_later(value: i32) -> i32 {
    if value > DECIDED {
        1 - value
    } else if value < -DECIDED {
        -value - 1
    } else {
        -value
    }
}

/// What a piece is worth to a seat that has all of the others still.
pub(super) const PIECE: i32 = 100;

/// What pieces gain in worth while there are fewer: this, divided by their number.
const SCARCE: i32 = 800;

/// What a piece is worth that the seat to move can capture, and that the other one can.
const CAPTURE: i32 = 85;
const THREAT: i32 = 25;

/// What it is worth that the other seat can capture all pieces, if nothing is done.
const RUIN: i32 = 200;

/// What a cell is worth that a stack can go to.
const ROOM: i32 = 3;

/// What it is worth that the other seat has one piece left, and what each of its moves takes of
/// that after which the piece cannot be captured: in the next move, and in a later one.
const LAST: i32 = 1_500;
const ESCAPE: i32 = 50;
const LATER_ESCAPE: i32 = 20;

/// How many pieces hunt the last one of the other seat best, and what each further one takes of
/// that, and each that is missing. Where many stand, it often sees two, and then none captures it.
const HUNTERS: i32 = 3;
const IN_THE_WAY: i32 = 60;
const MISSING: i32 = 300;

/// What stacks see and can do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seat {
    /// Pieces that one stack can capture at once.
    pub(super) capture: u8,
    /// Cells that stacks can go to.
    pub(super) room: u32,
}

/// The value of a position for the seat to move. It is exact where it is decided.
pub(super) fn value<const W: usize>(board: &Board<W>) -> i32 {
    let me = board.seat();
    let seats = look(board, |_, _| true);
    let (mine, theirs) = (seats[me], seats[1 - me]);
    let (my_pieces, their_pieces) = (board.pieces(me), board.pieces(1 - me));
    // Where captures are progressive, those of one stack may not all be possible together.
    let can_win = mine.capture == their_pieces
        && (!board.progressive || Choice::new(board).capture_of_all().is_some());
    if can_win {
        return WIN;
    }
    let lead = i32::from(my_pieces) - i32::from(their_pieces);
    let mut value = PIECE * lead + SCARCE * lead / i32::from(my_pieces + their_pieces);
    value += CAPTURE * i32::from(mine.capture) - THREAT * i32::from(theirs.capture);
    if theirs.capture == my_pieces {
        value -= RUIN;
    }
    value += ROOM * (mine.room.cast_signed() - theirs.room.cast_signed());
    if my_pieces == 1 {
        let escapes = escapes(board, me);
        if escapes == 0 {
            return a_move_later(WIN);
        }
        if their_pieces > 1 {
            value = ESCAPE * escapes - hunters(their_pieces);
        }
    } else if their_pieces == 1 {
        value = hunters(my_pieces) - LATER_ESCAPE * escapes(board, 1 - me);
    }
    value
}

/// What pieces are worth that hunt a last one.
fn hunters(pieces: u8) -> i32 {
    let more = i32::from(pieces) - HUNTERS;
    LAST - if more > 0 { IN_THE_WAY * more } else { -MISSING * more }
}

/// Looks at all stacks. Captures count that a seat makes of another for which `counts` holds.
pub(super) fn look<const W: usize, const S: usize>(
    board: &Board<W, S>,
    counts: impl Fn(usize, usize) -> bool,
) -> [Seat; S] {
    let mut seats = [Seat::default(); S];
    let hexagon = board.hexagon;
    let occupied = board.occupied();
    let mut seen = [[0_u8; 64]; W];
    for cell in occupied {
        let seat = board.seat_at(cell);
        let height = board.height(cell);
        let mut room = 0;
        for direction in 0..AHEAD {
            let ray = hexagon.ray(cell, direction);
            let Some(other) = (ray & occupied).first() else {
                room += ray.len();
                continue;
            };
            let between = ray.without(hexagon.ray(other, direction)).len() - 1;
            room += between;
            let other_seat = board.seat_at(other);
            seats[other_seat].room += between;
            if seat == other_seat {
                room += 2;
            } else {
                seen[cell / 64][cell % 64] += board.height(other);
                seen[other / 64][other % 64] += height;
            }
        }
        for direction in AHEAD..DIRECTIONS {
            let ray = hexagon.ray(cell, direction);
            if (ray & occupied).is_empty() {
                room += ray.len();
            }
        }
        seats[seat].room += room;
    }
    let mut capturable = Cells::EMPTY;
    for cell in occupied {
        if seen[cell / 64][cell % 64] == board.height(cell) {
            capturable.insert(cell);
        }
    }
    if !capturable.is_empty() {
        look_at_captures(board, capturable, counts, &mut seats);
    }
    seats
}

/// Counts what stacks can capture that see these.
fn look_at_captures<const W: usize, const S: usize>(
    board: &Board<W, S>,
    capturable: Cells<W>,
    counts: impl Fn(usize, usize) -> bool,
    seats: &mut [Seat; S],
) {
    let occupied = board.occupied();
    let mut gains = [[(0, 0); 64]; W];
    for cell in capturable {
        let victim = board.seat_at(cell);
        for direction in 0..DIRECTIONS {
            let Some(from) = board.first_seen(occupied, cell, direction) else { continue };
            let captor = board.seat_at(from);
            if captor == victim || !counts(captor, victim) {
                continue;
            }
            let (pieces, stacks) = &mut gains[from / 64][from % 64];
            *stacks += 1;
            if board.progressive {
                // After one capture the others are rarely seen by as many as before.
                *pieces = board.height(cell).max(*pieces);
            } else if *stacks <= board.height(from) {
                // One piece goes to each, as long as there is one.
                *pieces += board.height(cell);
            }
            seats[captor].room += 1;
            seats[captor].capture = seats[captor].capture.max(*pieces);
        }
    }
}

/// The moves of a seat that has one piece after which it cannot be captured.
fn escapes<const W: usize>(board: &Board<W>, seat: usize) -> i32 {
    refuges(board, seat).len().cast_signed()
}

/// The cells to which a last piece can go so that it cannot be captured there. A piece is captured
/// if it sees a single one and nothing else.
pub(super) fn refuges<const W: usize>(board: &Board<W>, seat: usize) -> Cells<W> {
    let mut refuges = Cells::EMPTY;
    let Some(piece) = board.stacks(seat).first() else { return refuges };
    let mut others = board.occupied();
    others.remove(piece);
    let is_safe = |cell: usize| {
        let seen =
            (0..DIRECTIONS).filter_map(|direction| board.first_seen(others, cell, direction));
        seen.map(|seen| board.height(seen)).sum::<u8>() != 1
    };
    for direction in 0..DIRECTIONS {
        let ray = board.hexagon.ray::<W>(piece, direction);
        let mut free = ray;
        if let Some(seen) = board.first_seen(others, piece, direction) {
            free = ray.without(board.hexagon.ray(seen, direction));
            // It can capture what sees nothing but this piece and is no higher.
            if board.height(seen) != 1 {
                free.remove(seen);
            }
        }
        for cell in free.into_iter().filter(|&cell| is_safe(cell)) {
            refuges.insert(cell);
        }
    }
    refuges
}
