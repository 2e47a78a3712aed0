//! What can be captured in a position, by one move of the seat to move.

use adamant_rules::{Cell, Position, Seat, seat::SEATS_MAX};

/// The most pieces of a seat that the seat to move can capture from one cell: as many stacks as it
/// has pieces there.
pub(super) fn worst_loss(position: &Position, pieces: &Pieces, victim: Seat) -> i64 {
    let from_cell = |from: Cell| {
        let mut losses: Vec<_> = captured(position, pieces, from)
            .filter(|&(_, owner, _)| owner == victim)
            .map(|(_, _, count)| count)
            .collect();
        losses.sort_unstable_by(|a, b| b.cmp(a));
        let most = pieces.at(from).map_or(0, |(_, count)| count);
        losses.iter().zip(0..most).map(|(loss, _)| loss).sum()
    };
    position.sources().into_iter().map(from_cell).max().unwrap_or(0)
}

/// All pieces that the seat to move could capture: the others can hardly save them all at once.
pub(super) fn threats(position: &Position, pieces: &Pieces) -> i64 {
    let sources = position.sources();
    let mut stacks: Vec<_> =
        sources.into_iter().flat_map(|from| captured(position, pieces, from)).collect();
    stacks.sort_unstable();
    stacks.dedup();
    stacks.into_iter().map(|(_, _, count)| count).sum()
}

/// The stacks that can be captured from a cell: where, whose and how many pieces.
fn captured(
    position: &Position,
    pieces: &Pieces,
    from: Cell,
) -> impl Iterator<Item = (Cell, Seat, i64)> {
    let targets = position.targets(from).into_iter().filter(|target| target.capture);
    targets.filter_map(|target| {
        let (owner, count) = pieces.at(target.cell)?;
        Some((target.cell, owner, count))
    })
}

/// Whose pieces stand where, by the number of the cell.
pub(super) struct Pieces(Vec<Option<(Seat, i64)>>);

impl Pieces {
    pub(super) fn of(position: &Position) -> Self {
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

    /// On how many cells there are any.
    pub(super) fn stacks(&self) -> usize {
        self.0.iter().flatten().count()
    }

    fn at(&self, cell: Cell) -> Option<(Seat, i64)> {
        self.0.get(usize::from(cell.0)).copied().flatten()
    }

    pub(super) fn of_seat(&self, seat: Seat) -> i64 {
        self.0.iter().flatten().filter(|(owner, _)| *owner == seat).map(|(_, count)| count).sum()
    }

    /// How many pieces a seat has more than the strongest other.
    pub(super) fn lead(&self, seat: Seat) -> i64 {
        let others = Seat::all(SEATS_MAX).filter(|&other| other != seat);
        self.of_seat(seat) - others.map(|other| self.of_seat(other)).max().unwrap_or(0)
    }
}
