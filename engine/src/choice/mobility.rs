//! Mobility: what the seat to move can reach and capture with one move.

use adamant_rules::{Cell, Position, Seat, seat::SEATS_MAX};

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
