//! Claiming that a player has gone for good: who is meant, and whether they have been away for long
//! enough. What follows from it is the table's.

use adamant_record::wire::seat_number;
use adamant_rules::{Events, Refusal, Seat, table::Ruling};

use super::state::Room;
use crate::error::Denial;

impl Room {
    /// What a claim leads to that arrived at `at`, or why it is refused.
    pub(super) fn decide_claim(
        &mut self,
        claimed_by: Seat,
        named: Option<u8>,
        at: u64,
    ) -> Result<Events, Denial> {
        if self.table.outcome().is_some() {
            return Err(self.refused(Refusal::GameOver));
        }
        if !self.table.seat_in(claimed_by) {
            return Err(self.refused(Refusal::LeftTheGame));
        }
        self.look_who_is_there();
        let seat = match named {
            Some(number) => self.seat_numbered(number)?,
            None => self.longest_missed(claimed_by).ok_or_else(nobody_away)?,
        };
        if self.presence.away_since(&self.table, seat).is_some() {
            let claim_at = self.presence.claim_at(&self.table, seat);
            let claim_at = claim_at.ok_or_else(|| self.not_to_be_claimed(seat))?;
            if at < claim_at {
                let game = self.head.game.clone();
                return Err(Denial::TooSoon { game, retry_after_ms: claim_at - at });
            }
        } else if seat != claimed_by && self.table.seat_in(seat) {
            let message = format!("seat {} is here", seat_number(seat));
            return Err(Denial::Forbidden(message));
        }
        let ruling = Ruling::Abandoned { seat, claimed_by };
        self.table.rule(&ruling, at).map_err(|refusal| self.refused(refusal))
    }

    fn seat_numbered(&self, number: u8) -> Result<Seat, Denial> {
        Seat::all(self.table.players().len())
            .find(|&seat| seat_number(seat) == number)
            .ok_or_else(|| Denial::BadMessage(format!("there is no seat {number} in this game")))
    }

    /// The seat that the game waits for if it is away, else the one that has been away the longest.
    fn longest_missed(&self, claimed_by: Seat) -> Option<Seat> {
        let away = |seat: &Seat| self.presence.away_since(&self.table, *seat).is_some();
        let others = || self.table.seats_in().without(claimed_by).iter().filter(away);
        others()
            .find(|&seat| self.table.to_move() == Some(seat))
            .or_else(|| others().min_by_key(|&seat| self.presence.away_since(&self.table, seat)))
    }

    fn not_to_be_claimed(&self, seat: Seat) -> Denial {
        if self.table.seat_in(seat) {
            let message = "with days for each move the clock decides, and nobody may claim";
            return Denial::Forbidden(message.to_owned());
        }
        self.refused(Refusal::NothingToClaim)
    }
}

fn nobody_away() -> Denial {
    Denial::Forbidden("nobody is away".to_owned())
}
