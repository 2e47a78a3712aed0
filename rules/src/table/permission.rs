//! Who may do what and when. Nothing here changes anything.

use super::{cause::Cause, state::State, unfit::Unfit};
use crate::{
    event::{OfferId, OfferKind, OfferOutcome},
    game::{EndReason, LeaveReason},
    refusal::Refusal,
    seat::Seat,
};

impl State {
    /// Whether the seat may do anything at all.
    pub(super) fn may_act(&self, seat: Seat) -> Result<(), Refusal> {
        if self.outcome.is_some() {
            Err(Refusal::GameOver)
        } else if self.due.is_some() {
            Err(Refusal::NotReady)
        } else if !self.position.seats_in().contains(seat) {
            Err(Refusal::LeftTheGame)
        } else {
            Ok(())
        }
    }

    /// Whether the seat may make a move on what it believes to be this turn.
    pub(super) fn may_move(&self, seat: Seat, turn: u32) -> Result<(), Refusal> {
        self.may_act(seat)?;
        if turn != self.turn {
            Err(Refusal::StaleTurn { given: turn, turn: self.turn })
        } else if seat != self.position.to_move() {
            Err(Refusal::NotYourTurn)
        } else {
            Ok(())
        }
    }

    pub(super) fn may_abort(&self, seat: Seat) -> Result<(), Refusal> {
        self.may_act(seat)?;
        if self.position.seats_in().iter().all(|side| self.moved.contains(side)) {
            return Err(Refusal::TooLateToAbort);
        }
        Ok(())
    }

    pub(super) fn may_offer(&self, seat: Seat, what: OfferKind) -> Result<(), Refusal> {
        self.may_act(seat)?;
        if self.offers.iter().any(|open| open.what == what) {
            Err(Refusal::OfferStands)
        } else {
            Ok(())
        }
    }

    /// Whether the seat may answer the offer, and whether its consent is the last one needed.
    pub(super) fn may_answer(&self, seat: Seat, offer: OfferId) -> Result<bool, Refusal> {
        self.may_act(seat)?;
        let open = self.offers.iter().find(|open| open.offer == offer);
        let needs = open.ok_or(Refusal::NoSuchOffer)?.needs;
        if !needs.contains(seat) {
            return Err(Refusal::NotYourOffer { what: "answer" });
        }
        Ok(needs.without(seat).is_empty())
    }

    pub(super) fn may_withdraw(&self, seat: Seat, offer: OfferId) -> Result<(), Refusal> {
        self.may_act(seat)?;
        let open = self.offers.iter().find(|open| open.offer == offer);
        if open.ok_or(Refusal::NoSuchOffer)?.by != seat {
            return Err(Refusal::NotYourOffer { what: "withdraw" });
        }
        Ok(())
    }

    /// Whether the cause of an event is what had to come at `at`, or an act that was allowed.
    pub(super) fn admits(&self, cause: &Cause, at: u64) -> Result<(), Unfit> {
        if let Some(due) = &self.due {
            return if due == cause { Ok(()) } else { Err(Unfit::OutOfOrder) };
        }
        if self.outcome.is_some() {
            return Err(Refusal::GameOver.into());
        }
        match *cause {
            Cause::Play { seat, .. } => self.may_move(seat, self.turn)?,
            Cause::Leave { seat, reason } => self.admits_leaving(cause, seat, reason, at)?,
            Cause::End { by: Some(seat), reason: EndReason::Resigned, .. } => {
                self.admits_leaving(cause, seat, LeaveReason::Resigned, at)?;
            }
            Cause::End { by: Some(seat), reason: EndReason::TimedOut, .. } => {
                self.admits_leaving(cause, seat, LeaveReason::TimedOut, at)?;
            }
            Cause::Offer { by, what } => self.may_offer(by, what)?,
            Cause::Agree { offer, seat } => {
                if self.may_answer(seat, offer)? {
                    return Err(Unfit::Unfounded);
                }
            }
            Cause::Close { offer, outcome: OfferOutcome::Accepted, by } => {
                if !self.may_answer(by, offer)? {
                    return Err(Unfit::Unfounded);
                }
            }
            Cause::Close { offer, outcome: OfferOutcome::Declined, by } => {
                self.may_answer(by, offer)?;
            }
            Cause::Close { offer, outcome: OfferOutcome::Withdrawn, by } => {
                self.may_withdraw(by, offer)?;
            }
            Cause::Abort { by } => self.may_abort(by)?,
            // These come about only when they are due.
            Cause::Start
            | Cause::Skip { .. }
            | Cause::Close { outcome: OfferOutcome::Moved, .. }
            | Cause::End { .. } => return Err(Unfit::Unfounded),
        }
        Ok(())
    }

    fn admits_leaving(
        &self,
        cause: &Cause,
        seat: Seat,
        reason: LeaveReason,
        at: u64,
    ) -> Result<(), Unfit> {
        let founded = match reason {
            LeaveReason::Resigned => {
                self.may_act(seat)?;
                true
            }
            LeaveReason::TimedOut => self.fallen_flag(at) == Some(seat),
            // The rules tell these, or nobody can: no act makes a seat abandon the game.
            LeaveReason::NoPieces | LeaveReason::NoMove | LeaveReason::Abandoned => false,
        };
        if founded && *cause == self.leaving(seat, reason) { Ok(()) } else { Err(Unfit::Unfounded) }
    }

    /// Whose time has run out at `at`.
    pub(super) fn fallen_flag(&self, at: u64) -> Option<Seat> {
        let deadline = self.clock.deadline()?;
        let (seat, _) = self.clock.running()?;
        (deadline <= at).then_some(seat)
    }
}
