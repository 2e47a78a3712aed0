//! Static evaluation: the value of a position for a seat without trying moves.

use adamant_rules::{Cell, Position, Seat, seat::SEATS_MAX};

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

/// A stack: where, whose and how many pieces.
type Stack = (Cell, Seat, i64);

/// The moves of the seat to move by cell.
pub(crate) struct Mobility {
    /// For each cell with captures: its number of pieces and the stacks that they reach.
    captures: Vec<(i64, Vec<Stack>)>,
    /// Number of pairs of a source and a target.
    pub(crate) room: i64,
}

impl Mobility {
    pub(crate) fn of(position: &Position, pieces: &Pieces) -> Self {
        let mut mobility = Self { captures: Vec::new(), room: 0 };
        for from in position.sources() {
            let mut captures = Vec::new();
            for target in position.targets(from) {
                mobility.room += 1;
                if target.capture
                    && let Some((owner, count)) = pieces.at(target.cell)
                {
                    captures.push((target.cell, owner, count));
                }
            }
            if !captures.is_empty() {
                // The greatest first.
                captures.sort_unstable_by_key(|&(_, _, count)| -count);
                let most = pieces.at(from).map_or(0, |(_, count)| count);
                mobility.captures.push((most, captures));
            }
        }
        mobility
    }

    /// Returns the largest number of pieces of the matching seats that one cell can capture, at
    /// most one stack for each piece on it.
    pub(crate) fn best_capture(&self, matches: impl Fn(Seat) -> bool) -> i64 {
        let from_cell = |(most, captures): &(i64, Vec<Stack>)| -> i64 {
            let matches = captures.iter().filter(|&&(_, owner, _)| matches(owner));
            matches.zip(0..*most).map(|((_, _, count), _)| count).sum()
        };
        self.captures.iter().map(from_cell).max().unwrap_or(0)
    }

    /// Returns the number of all pieces of the matching seats that could be captured. Their owners
    /// can hardly save all of them at once.
    pub(crate) fn threats(&self, matches: impl Fn(Seat) -> bool) -> i64 {
        let all = self.captures.iter().flat_map(|(_, captures)| captures);
        let mut stacks: Vec<_> = all.filter(|&&(_, owner, _)| matches(owner)).collect();
        stacks.sort_unstable();
        stacks.dedup();
        stacks.into_iter().map(|(_, _, count)| count).sum()
    }
}

/// The owner and number of pieces of each cell, indexed by cell.
pub(crate) struct Pieces(Vec<Option<(Seat, i64)>>);

impl Pieces {
    pub(crate) fn of(position: &Position) -> Self {
        let seat_of =
            |letter| Seat::all(position.players()).find(|&s| position.letter(s) == letter);
        let mut pieces = Vec::new();
        for (cell, letters) in position.stacks() {
            let index = usize::from(cell.0);
            if pieces.len() <= index {
                pieces.resize(index + 1, None);
            }
            let owner = letters.chars().next_back().and_then(seat_of);
            pieces[index] = owner.zip(i64::try_from(letters.len()).ok());
        }
        Self(pieces)
    }

    /// Number of occupied cells.
    pub(crate) fn stacks(&self) -> usize {
        self.0.iter().flatten().count()
    }

    fn at(&self, cell: Cell) -> Option<(Seat, i64)> {
        self.0.get(usize::from(cell.0)).copied().flatten()
    }

    pub(crate) fn of_seat(&self, seat: Seat) -> i64 {
        self.0.iter().flatten().filter(|(owner, _)| *owner == seat).map(|(_, count)| count).sum()
    }

    /// Returns the lead of a seat in pieces over the strongest other seat.
    pub(crate) fn material_lead(&self, seat: Seat) -> i64 {
        let others = Seat::all(SEATS_MAX).filter(|&other| other != seat);
        self.of_seat(seat) - others.map(|other| self.of_seat(other)).max().unwrap_or(0)
    }
}
