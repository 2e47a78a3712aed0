//! Claims that a player has abandoned the game: finds the claimed seat and checks the time that the
//! game has waited. The table checks the rest and decides the result.

use adamant_record::wire::seat_number;
use adamant_rules::{Events, Refusal, Seat, table::ServerAction};

use super::state::Room;
use crate::error::Denial;

impl Room {
    /// Decides a claim that arrived at `at`, by the presence at `now`.
    pub(super) fn decide_claim(
        &mut self,
        claimed_by: Seat,
        named: Option<u8>,
        at: u64,
        now: u64,
    ) -> Result<Events, Denial> {
        if self.table.outcome().is_some() {
            return Err(self.refused(Refusal::GameOver));
        }
        if !self.table.seat_in(claimed_by) {
            return Err(self.refused(Refusal::LeftTheGame));
        }
        self.update_presence(now);
        let awaited = self.table.to_move().ok_or_else(|| self.refused(Refusal::GameOver))?;
        let seat = match named {
            Some(number) => self.seat_numbered(number)?,
            None if awaited == claimed_by => return Err(self.refused(Refusal::NotAwaited)),
            None => awaited,
        };
        let action = ServerAction::Abandoned { seat, claimed_by };
        let events = self
            .table
            .decide_server_action(&action, at)
            .map_err(|refusal| self.refused(refusal))?;
        if self.presence.away_since(&self.table, seat).is_none() {
            return Err(Denial::Forbidden(format!("seat {} is here", seat_number(seat))));
        }
        let Some(claim_at) = self.presence.claim_at(&self.table, seat) else {
            let message = "with days for each move the clock decides, and no player may claim";
            return Err(Denial::Forbidden(message.to_owned()));
        };
        if at < claim_at {
            let game = self.head.game.clone();
            return Err(Denial::TooSoon { game, retry_after_ms: claim_at - at });
        }
        Ok(events)
    }

    fn seat_numbered(&self, number: u8) -> Result<Seat, Denial> {
        Seat::all(self.table.players().len())
            .find(|&seat| seat_number(seat) == number)
            .ok_or_else(|| Denial::BadMessage(format!("there is no seat {number} in this game")))
    }
}
