//! The history of a table: the moves with their seats and clocks, and the hashes of positions that
//! can recur.

use crate::{
    clock::GameClock,
    event::Setup,
    game::{Captures, LeaveReason},
    games::{Move, Position},
    notation::Notation as _,
    refusal::Refusal,
    seat::{BySeat, SEATS_MAX, Seat, SeatSet},
};

/// A seat that left before the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Departure {
    pub(crate) seat: Seat,
    pub(crate) reason: LeaveReason,
    /// How many moves and skips had been made.
    pub(crate) ply: u32,
}

/// Plies between two kept positions. A takeback replays at most this number of moves, however long
/// the game is. A kept position takes some hundred bytes, about as much as the moves between two of
/// them. A shorter game keeps none.
const KEPT_EVERY: u32 = 32;

/// Bytes of most moves, at the most. For a longer one the text may double its memory.
const SHORT_MOVE_BYTES: usize = 16;

/// Where the text of a ply ends, above two bits for its seat: all of them set for a skip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ply(u32);

impl Ply {
    const SEAT_BITS: u32 = 2;
    const SEAT: u32 = (1 << Self::SEAT_BITS) - 1;

    fn new(end: usize, mover: Option<Seat>) -> Self {
        let end = u32::try_from(end).ok().filter(|end| *end <= u32::MAX >> Self::SEAT_BITS);
        let end = end.expect("a game's moves stay far below 1 GiB");
        let seat = mover.map_or(Self::SEAT, |seat| u32::try_from(seat.index()).expect("small"));
        Self(end << Self::SEAT_BITS | seat)
    }

    const fn end(self) -> usize {
        (self.0 >> Self::SEAT_BITS) as usize
    }

    /// `None` for a skip.
    const fn mover(self) -> Option<Seat> {
        Seat::new((self.0 & Self::SEAT) as usize)
    }
}

const _: () = assert!(SEATS_MAX <= Ply::SEAT as usize, "a skip is none of the seats");

/// The moves in canonical notation, in one piece of memory, and what cannot be found again by
/// playing them: their seats, and the clocks before them.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct MoveList {
    text: String,
    plies: Vec<Ply>,
    /// What the mover's clock showed when its turn began, 0 for a skip; empty without clocks.
    left_ms: Vec<u64>,
    /// The moves up to this ply cannot be taken back.
    takebacks_from: u32,
    /// The positions after every [`KEPT_EVERY`] plies, before any seat left in them.
    #[expect(clippy::vec_box, reason = "a vector would take room for four where one is kept")]
    kept: Vec<Box<Position>>,
}

/// Makes room for one more value, and for few others: a server has many games, and doubling would
/// leave half of their memory empty.
fn make_room<T>(values: &mut Vec<T>) {
    if values.len() == values.capacity() {
        values.reserve_exact((values.len() / 4).max(8));
    }
}

impl MoveList {
    /// Adds a move that led to `position`; `clock` is as it stood when its turn began.
    pub(super) fn push(&mut self, seat: Seat, mv: &Move, clock: &GameClock, position: &Position) {
        if self.text.capacity() - self.text.len() < SHORT_MOVE_BYTES {
            self.text.reserve_exact((self.text.len() / 4).max(4 * SHORT_MOVE_BYTES));
        }
        mv.write_to(&mut self.text).expect("a string grows");
        self.end_ply(Some(seat));
        if let Some(left_ms) = clock.left_ms() {
            make_room(&mut self.left_ms);
            self.left_ms.push(left_ms[seat]);
        }
        self.keep(position);
    }

    /// Adds a turn that was passed over.
    pub(super) fn push_skip(&mut self, clock: &GameClock, position: &Position) {
        self.text.push_str("pass");
        self.end_ply(None);
        if clock.left_ms().is_some() {
            make_room(&mut self.left_ms);
            self.left_ms.push(0);
        }
        self.keep(position);
    }

    /// Keeps the position after the last ply, if it is one of those that are kept.
    fn keep(&mut self, position: &Position) {
        debug_assert!(self.left_ms.is_empty() || self.left_ms.len() == self.plies.len());
        if self.len().is_multiple_of(KEPT_EVERY) {
            self.kept.push(Box::new(position.clone()));
        }
    }

    /// The text so far ends with the ply's, which was this seat's move.
    fn end_ply(&mut self, mover: Option<Seat>) {
        make_room(&mut self.plies);
        self.plies.push(Ply::new(self.text.len(), mover));
    }

    /// From here on no move made so far can be taken back.
    pub(super) fn forbid_takebacks(&mut self) {
        self.takebacks_from = self.len();
    }

    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.plies.len()).expect("a game has far fewer moves")
    }

    /// The move of a ply, which count from 1.
    pub(super) fn get(&self, ply: u32) -> Option<&str> {
        let end = self.plies.get((ply as usize).checked_sub(1)?)?.end();
        self.text.get(self.start(ply)..end)
    }

    /// The last move that is not a skip.
    pub(super) fn last_made(&self) -> Option<&str> {
        let last = self.plies.iter().rposition(|ply| ply.mover().is_some())?;
        self.get(u32::try_from(last + 1).ok()?)
    }

    /// Where the text of a ply begins.
    fn start(&self, ply: u32) -> usize {
        (ply as usize).checked_sub(2).map_or(0, |before| self.plies[before].end())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (1..).map_while(|ply| self.get(ply))
    }

    /// The ply of the seat's last move, if it can be taken back.
    pub(super) fn last_of(&self, seat: Seat) -> Result<u32, Refusal> {
        let last = self.plies.iter().rposition(|ply| ply.mover() == Some(seat));
        let ply = last.and_then(|index| u32::try_from(index + 1).ok());
        match ply {
            None => Err(Refusal::NothingToTakeBack),
            Some(ply) if ply <= self.takebacks_from => Err(Refusal::TakebackBarred),
            Some(ply) => Ok(ply),
        }
    }

    /// What the clocks showed when the turn of a ply that can be taken back began, `left_ms` being
    /// what they show now. A clock changes by its own seat's moves alone as long as no seat leaves.
    pub(super) fn left_before(&self, ply: u32, left_ms: &BySeat<u64>) -> BySeat<u64> {
        debug_assert!(self.takebacks_from < ply && ply <= self.len());
        let mut before = left_ms.clone();
        let from = ply as usize - 1;
        for (made, &left) in self.plies[from..].iter().zip(&self.left_ms[from..]).rev() {
            if let Some(seat) = made.mover() {
                before[seat] = left;
            }
        }
        before
    }

    pub(super) fn movers_before(&self, ply: u32) -> SeatSet {
        self.plies[..ply as usize - 1].iter().filter_map(|made| made.mover()).collect()
    }

    /// How many moves were chosen from a ply on; skips are nobody's choice.
    pub(super) fn choices_from(&self, ply: u32) -> usize {
        self.plies[ply as usize - 1..].iter().filter(|made| made.mover().is_some()).count()
    }

    /// Forgets the moves from a ply on.
    pub(super) fn cut(&mut self, ply: u32) {
        self.text.truncate(self.start(ply));
        let kept = ply as usize - 1;
        self.plies.truncate(kept);
        self.left_ms.truncate(kept);
        self.kept.truncate(kept / KEPT_EVERY as usize);
    }

    /// The position after the ply `end`, departures after it included, and what the last move up to
    /// it captured. It is found from the last position that was kept before that move, by playing on.
    pub(super) fn position_after(
        &self,
        setup: &Setup,
        departures: &[Departure],
        end: u32,
    ) -> (Position, Captures) {
        let last_move = self.plies[..end as usize].iter().rposition(|made| made.mover().is_some());
        let before = last_move.unwrap_or(0) / KEPT_EVERY as usize;
        let kept = before.checked_sub(1).and_then(|index| self.kept.get(index));
        let (mut position, from) = match kept {
            Some(position) => (Position::clone(position), before * KEPT_EVERY as usize),
            None => (setup.kind.start(&setup.options, setup.seats.len()), 0),
        };
        debug_assert!(
            last_move.unwrap_or(0) < from + KEPT_EVERY as usize,
            "no position is kept within {KEPT_EVERY} plies of {end}"
        );
        let from = u32::try_from(from).expect("a game has far fewer moves");
        let mut last = Captures::new();
        for made in from..=end {
            if made > from {
                last = self.replay_ply(&mut position, made).unwrap_or(last);
            }
            for left in departures.iter().filter(|departure| departure.ply == made) {
                position.remove(left.seat);
            }
        }
        (position, last)
    }

    /// Makes the move of a ply once more and returns what it captures, or passes over the seat that
    /// was passed over.
    fn replay_ply(&self, position: &mut Position, ply: u32) -> Option<Captures> {
        let notation = self.get(ply).expect("the ply was made");
        if self.plies[ply as usize - 1].mover().is_none() {
            position.skip();
            return None;
        }
        let again = position.parse_move(notation).expect("canonical notation reads back");
        let captures = position.validate(&again).expect("the move was legal before");
        position.apply(&again);
        Some(captures)
    }
}

/// How often a position may come up before the game is drawn.
const OCCURRENCES_MAX: usize = 3;

/// The positions in which a seat had to choose a move.
///
/// Positions that a consequence changes at once do not count: no seat chose a move there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PositionHistory {
    counting: bool,
    /// The turn of the last position that was entered, so that none is entered twice.
    turn: Option<u32>,
    hashes: Vec<u64>,
}

impl PositionHistory {
    pub(super) const fn new() -> Self {
        Self { counting: true, turn: None, hashes: Vec::new() }
    }

    /// No position ends the game by having come up before.
    pub(super) fn stop_counting(&mut self) {
        self.counting = false;
        self.hashes = Vec::new();
    }

    /// The hashes of the positions that were entered, in order.
    pub(super) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Whether a position that is not entered yet comes up for the last time.
    pub(super) fn is_repetition(&self, hash: u64) -> bool {
        self.hashes.iter().filter(|&&earlier| earlier == hash).count() + 1 >= OCCURRENCES_MAX
    }

    /// Enters the position in which the seat to move chooses its move.
    pub(super) fn enter(&mut self, turn: u32, hash: u64) {
        if self.counting && self.turn != Some(turn) {
            self.turn = Some(turn);
            make_room(&mut self.hashes);
            self.hashes.push(hash);
        }
    }

    /// Removes the positions after the last `choices` chosen moves. The position before them stands
    /// again and does not count as another occurrence.
    pub(super) fn rewind(&mut self, choices: usize, turn: u32) {
        if self.counting {
            self.hashes.truncate(self.hashes.len().saturating_sub(choices));
            self.turn = Some(turn);
        }
    }
}
