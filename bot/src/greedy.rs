//! The greedy choice: each of a bounded number of moves is made on a copy and the position that
//! follows is looked at, but no reply is tried.

use adamant_rules::{Cell, Consequence, Move, Position, Seat, SeatSet, seat::SEATS_MAX};

/// Moves tried for one choice, at the most.
const CANDIDATES_MAX: usize = 400;

/// Stacks looked at in one choice, at the most: where boards are crowded, fewer moves are tried, so
/// that a choice stays a matter of a few milliseconds.
const STACKS_MAX: usize = 8_000;

/// What a piece that is taken, or can be lost before the next turn, is worth beside one that could
/// be taken if the others let it.
const PIECE: i64 = 4;

/// What the game is worth: more than all pieces together.
const GAME: i64 = 1_000_000;

/// The best of some moves, any of several that are equally good.
pub(crate) fn choose(position: &Position, pick: &mut dyn FnMut(usize) -> usize) -> Option<Move> {
    let stacks = position.stacks().len().max(1);
    let most = (STACKS_MAX / stacks).min(CANDIDATES_MAX);
    let lead = Pieces::of(position).lead(position.to_move());
    let mut best: Option<(i64, Move)> = None;
    let mut equals = 0;
    for play in position.sample_moves(most, pick) {
        let value = value(position, &play, lead);
        let best_value = best.as_ref().map_or(i64::MIN, |(value, _)| *value);
        if value >= GAME {
            return Some(play);
        }
        if value > best_value {
            equals = 0;
        }
        if value >= best_value {
            equals += 1;
            // Each of so many equals is kept with the same chance.
            if pick(equals) == 0 {
                best = Some((value, play));
            }
        }
    }
    best.map(|(_, play)| play)
}

/// What a move is worth to the seat that makes it, which has so many pieces more than the others.
fn value(before: &Position, play: &Move, lead: i64) -> i64 {
    let me = before.to_move();
    let captures = before.judge(play).expect("sampled moves are legal");
    let mut gained: i64 = captures.iter().map(|capture| i64::from(capture.pieces)).sum();
    let mut after = before.clone();
    after.play(play);
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
    PIECE * gained + prospects(after, me)
}

/// What the end of the game is worth. A draw gives up a lead, or saves from being behind.
fn of_end(winners: SeatSet, me: Seat, lead: i64) -> i64 {
    match winners.single() {
        Some(winner) if winner == me => GAME,
        None if winners.contains(me) => -PIECE * lead,
        Some(_) | None => -GAME,
    }
}

/// What can be lost until the seat's next turn, and what could then be won if nothing changed.
fn prospects(mut position: Position, me: Seat) -> i64 {
    let pieces = Pieces::of(&position);
    let mut lost = 0;
    for _ in 1..position.players() {
        if position.to_move() == me {
            break;
        }
        lost += worst_loss(&position, &pieces, me);
        position.skip();
    }
    // Who loses the last piece loses the game with it.
    let ruin = if lost > 0 && lost >= pieces.of_seat(me) { GAME / 2 } else { 0 };
    threats(&position, &pieces) - PIECE * lost - ruin
}

/// The most pieces of a seat that the seat to move can capture from one cell: as many stacks as it
/// has pieces there.
fn worst_loss(position: &Position, pieces: &Pieces, victim: Seat) -> i64 {
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
fn threats(position: &Position, pieces: &Pieces) -> i64 {
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
struct Pieces(Vec<Option<(Seat, i64)>>);

impl Pieces {
    fn of(position: &Position) -> Self {
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

    fn at(&self, cell: Cell) -> Option<(Seat, i64)> {
        self.0.get(usize::from(cell.0)).copied().flatten()
    }

    fn of_seat(&self, seat: Seat) -> i64 {
        self.0.iter().flatten().filter(|(owner, _)| *owner == seat).map(|(_, count)| count).sum()
    }

    /// How many pieces a seat has more than the strongest other.
    fn lead(&self, seat: Seat) -> i64 {
        let others = Seat::all(SEATS_MAX).filter(|&other| other != seat);
        self.of_seat(seat) - others.map(|other| self.of_seat(other)).max().unwrap_or(0)
    }
}
