//! How soon a position is decided: every move within a number of plies, with a table.
//!
//! What it says is exact, up to two positions with the same hash. Repetition plays no part: the
//! shortest win never needs it.

use super::native::End;

/// A position whose winning moves are seen without a search.
pub(super) trait Racer: Copy {
    /// The seat to move.
    fn seat(&self) -> usize;
    /// How the game has ended, if it has.
    fn outcome(&self) -> Option<End>;
    /// A number that another position has only by chance.
    fn key(&self) -> u64;
    /// Whether the seat to move wins with its next move.
    fn wins_at_once(&self) -> bool;
    /// The positions after all moves that do not let the other seat win at once, the most promising
    /// first. Moves that are never better than one of these may be missing. Adds to `made` how many
    /// positions it has made.
    fn answers(&self, made: &mut u64) -> Vec<Self>;

    /// Whether the other seat wins at once after every move: whether there are no answers.
    fn is_lost_in_two(&self, made: &mut u64) -> bool;
}

/// What the table knows of a position for one seat, in a number below its hash.
#[derive(Clone, Copy)]
struct Known {
    /// Plies in which the seat is known to win, and in which it is known not to.
    won: u8,
    open: u8,
    /// The place of the answer that decided it last.
    best: u8,
}

/// A search for how soon positions of one game are decided.
pub(super) struct Race {
    /// Hashes with what is known. A slot forgets a position for the next one.
    table: Vec<[u64; 2]>,
    /// Positions that may be made, and how many of them are left.
    allowed: u64,
    left: u64,
}

impl Race {
    /// A race with a table of 2 to the power `bits` positions, sixteen bytes each.
    pub(super) fn new(bits: u32) -> Self {
        Self { table: vec![[0; 2]; 1 << bits], allowed: u64::MAX, left: u64::MAX }
    }

    /// Allows so many positions from now on.
    pub(super) const fn allow(&mut self, positions: u64) {
        (self.allowed, self.left) = (positions, positions);
    }

    /// The positions that were made since then.
    pub(super) const fn positions(&self) -> u64 {
        self.allowed - self.left
    }

    /// The seat that can force a win within so many plies, and the fewest in which it can.
    pub(super) fn winner<P: Racer>(&mut self, position: &P, most: u8) -> Option<(usize, u8)> {
        let seat = position.seat();
        (1..=most).find_map(|plies| {
            // Where nobody is passed over, the seat to move wins after odd numbers of plies.
            let first = if plies % 2 == 1 { seat } else { 1 - seat };
            let is_won = |&seat: &usize| self.forces(position, seat, plies) == Some(true);
            [first, 1 - first].into_iter().find(is_won).map(|winner| (winner, plies))
        })
    }

    /// Whether a seat can force a win within so many plies; `None` if that takes more positions than
    /// it may. Where each move of the other seat makes this one win, that counts as two plies.
    pub(super) fn forces<P: Racer>(
        &mut self,
        position: &P,
        seat: usize,
        plies: u8,
    ) -> Option<bool> {
        if let Some(end) = position.outcome() {
            return Some(end == End::Won(seat));
        }
        let is_own_turn = position.seat() == seat;
        if plies == 0 || position.wins_at_once() {
            return Some(plies > 0 && is_own_turn);
        }
        let mut made = 0;
        match (is_own_turn, plies) {
            (_, 1) => return Some(false),
            (false, 2) => {
                let is_lost = position.is_lost_in_two(&mut made);
                self.left = self.left.checked_sub(made)?;
                return Some(is_lost);
            }
            _ => {}
        }
        // In another slot for the other seat.
        let hash = position.key() ^ (seat as u64) << 32;
        let known = self.known(hash);
        if known.won <= plies || known.open >= plies {
            return Some(known.won <= plies);
        }
        let mut answers = position.answers(&mut made);
        self.left = self.left.checked_sub(made)?;
        let first = usize::from(known.best).min(answers.len().saturating_sub(1));
        if first > 0 {
            answers[..=first].rotate_right(1);
        }
        let mut decisive = None;
        for (index, after) in answers.iter().enumerate() {
            if self.forces(after, seat, plies - 1)? == is_own_turn {
                decisive = Some(index);
                break;
            }
        }
        let wins = decisive.is_some() == is_own_turn;
        let best = match decisive {
            None => known.best,
            Some(0) => u8::try_from(first).unwrap_or(0),
            Some(index) => u8::try_from(index - usize::from(index <= first)).unwrap_or(0),
        };
        let (won, open) = if wins { (plies, known.open) } else { (known.won, plies) };
        self.keep(hash, Known { won, open, best });
        Some(wins)
    }

    fn slot(&self, hash: u64) -> usize {
        usize::try_from(hash >> 20).unwrap_or(0) & (self.table.len() - 1)
    }

    fn known(&self, hash: u64) -> Known {
        let [key, known] = self.table[self.slot(hash)];
        if key != hash {
            return Known { won: u8::MAX, open: 0, best: 0 };
        }
        let [won, open, best, ..] = known.to_le_bytes();
        Known { won, open, best }
    }

    fn keep(&mut self, hash: u64, Known { won, open, best }: Known) {
        let slot = self.slot(hash);
        self.table[slot] = [hash, u64::from_le_bytes([won, open, best, 0, 0, 0, 0, 0])];
    }
}
