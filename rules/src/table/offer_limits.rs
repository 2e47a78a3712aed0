//! Limits on offers. Without a bound one player could fill a record with offers.

use crate::{
    event::OfferKind,
    refusal::Refusal,
    seat::{SEATS_MAX, Seat},
};

/// Takebacks that one seat may offer in one game. Each leads back through some moves, and a game in
/// which every tenth move is taken back is a long lesson.
pub const TAKEBACKS_PER_SEAT_MAX: u16 = 100;

const KINDS: usize = 3;

/// What each seat has offered and when, as far as it bounds what the seat may still offer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct OfferLimits {
    /// For each kind and seat the turn of the last offer, plus one; 0 before the first.
    turns: [[u32; SEATS_MAX]; KINDS],
    /// Takebacks offered by each seat.
    takebacks: [u16; SEATS_MAX],
}

impl OfferLimits {
    /// Whether the seat may offer this once more: each kind once a turn, and takebacks only so
    /// often.
    pub(super) fn allows(&self, seat: Seat, what: OfferKind, turn: u32) -> Result<(), Refusal> {
        if self.turns[index(what)][seat.index()] == turn + 1 {
            return Err(Refusal::OfferedThisTurn);
        }
        if what == OfferKind::Takeback && self.takebacks[seat.index()] >= TAKEBACKS_PER_SEAT_MAX {
            return Err(Refusal::TakebacksSpent { max: TAKEBACKS_PER_SEAT_MAX });
        }
        Ok(())
    }

    /// Records an offer.
    pub(super) fn record(&mut self, seat: Seat, what: OfferKind, turn: u32) {
        self.turns[index(what)][seat.index()] = turn + 1;
        if what == OfferKind::Takeback {
            let takebacks = &mut self.takebacks[seat.index()];
            *takebacks = takebacks.saturating_add(1);
        }
    }
}

const fn index(what: OfferKind) -> usize {
    match what {
        OfferKind::Draw => 0,
        OfferKind::Takeback => 1,
        OfferKind::Abort => 2,
    }
}
