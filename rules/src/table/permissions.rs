//! Permissions: which seat may act, and which events a table accepts.

use super::{
    error::ApplyError,
    history::MoveList,
    state::{Context, State},
    transition::{Outcome, Transition},
};
use crate::{
    event::{AbortReason, OfferId, OfferKind, OfferOutcome, Setup},
    game::{EndReason, LeaveReason},
    refusal::Refusal,
    seat::Seat,
};

impl State {
    /// Whether the seat may do anything at all.
    pub(super) fn may_act(&self, seat: Seat) -> Result<(), Refusal> {
        if self.outcome.is_some() {
            Err(Refusal::GameOver)
        } else if self.pending_transition.is_some() {
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

    /// Whether an offer can stand here at all. Limits on their number hold only for new offers:
    /// older records exceed them.
    pub(super) fn may_offer(
        &self,
        seat: Seat,
        what: OfferKind,
        moves: &MoveList,
    ) -> Result<(), Refusal> {
        self.may_act(seat)?;
        if self.offers.iter().any(|open| open.what == what) {
            return Err(Refusal::OfferStands);
        }
        match what {
            OfferKind::Draw | OfferKind::Abort => Ok(()),
            OfferKind::Takeback => moves.last_of(seat).map(drop),
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

    /// Whether one seat may claim that another has gone for good: it keeps the game waiting.
    /// Whether it has gone is not known here.
    pub(super) fn may_claim(&self, claimed_by: Seat, seat: Seat) -> Result<(), Refusal> {
        self.could_claim(claimed_by, seat)?;
        if seat == self.position.to_move() { Ok(()) } else { Err(Refusal::NotAwaited) }
    }

    /// The same for records: there are some of claims against a seat that was not to move.
    fn could_claim(&self, claimed_by: Seat, seat: Seat) -> Result<(), Refusal> {
        self.may_act(claimed_by)?;
        if seat == claimed_by || !self.position.seats_in().contains(seat) {
            return Err(Refusal::NothingToClaim);
        }
        Ok(())
    }

    /// Whether every seat has moved. If one has not, for example because it left before, there was
    /// no game that could be rated.
    pub(super) fn is_played(&self) -> bool {
        Seat::all(self.position.players()).all(|seat| self.moved.contains(seat))
    }

    /// Whether the result may be rated; `numbers` are the counts of the ratings before and after.
    pub(super) fn may_rate(&self, setup: &Setup, numbers: [usize; 2]) -> Result<(), Refusal> {
        let ended = matches!(self.outcome, Some(Outcome::Ended { .. }));
        let is_due = setup.rated && !self.rated && self.is_played();
        if ended && is_due && numbers == [setup.seats.len(); 2] {
            Ok(())
        } else {
            Err(Refusal::NotToBeRated)
        }
    }

    /// Whether a transition is the pending one, a timeout at `at`, or an allowed act.
    ///
    /// A no-show is allowed and not required: older records have games that were not aborted for
    /// it.
    pub(super) fn check_transition(
        &self,
        transition: &Transition,
        at: u64,
        context: Context<'_>,
    ) -> Result<(), ApplyError> {
        if let Some(pending_transition) = &self.pending_transition {
            return if pending_transition == transition {
                Ok(())
            } else {
                Err(ApplyError::OutOfOrder)
            };
        }
        if let Transition::Rate { before, after } = transition {
            return Ok(self.may_rate(context.setup, [before.len(), after.len()])?);
        }
        if self.outcome.is_some() {
            return Err(Refusal::GameOver.into());
        }
        if self.clock.is_fallen(at) && !settles_a_timeout(transition) {
            return Err(ApplyError::OutOfOrder);
        }
        match *transition {
            Transition::Play { seat, .. } => self.may_move(seat, self.turn)?,
            Transition::Leave { seat, reason, claimed_by } => {
                self.check_departure(transition, seat, reason, claimed_by, at)?;
            }
            Transition::End { by: Some(seat), reason: EndReason::Resigned, .. } => {
                self.check_departure(transition, seat, LeaveReason::Resigned, None, at)?;
            }
            Transition::End { by: Some(seat), reason: EndReason::TimedOut, .. } => {
                self.check_departure(transition, seat, LeaveReason::TimedOut, None, at)?;
            }
            Transition::End {
                by: Some(seat), reason: EndReason::Abandoned, claimed_by, ..
            } => {
                self.check_departure(transition, seat, LeaveReason::Abandoned, claimed_by, at)?;
            }
            Transition::End { reason: EndReason::TooLong, .. } => {
                ensure(self.is_too_long() && *transition == self.end(EndReason::TooLong))?;
            }
            Transition::Offer { by, what } => self.may_offer(by, what, context.moves)?,
            Transition::Agree { offer, seat } => {
                ensure(!self.may_answer(seat, offer)?)?;
            }
            Transition::Close { offer, outcome: OfferOutcome::Accepted, by } => {
                ensure(self.may_answer(by, offer)?)?;
            }
            Transition::Close { offer, outcome: OfferOutcome::Declined, by } => {
                self.may_answer(by, offer)?;
            }
            Transition::Close { offer, outcome: OfferOutcome::Withdrawn, by } => {
                self.may_withdraw(by, offer)?;
            }
            Transition::Adjust { seat, by_ms, reason: _ } => {
                ensure(self.can_credit(seat, by_ms, at))?;
            }
            Transition::Abort { by, reason: AbortReason::ByPlayer, claimed_by: None } => {
                self.may_abort(by)?;
            }
            Transition::Abort { by, reason: AbortReason::NoShow, claimed_by: None } => {
                ensure(self.no_show(at) == Some(by))?;
            }
            Transition::Abort { by, reason: AbortReason::NoShow, claimed_by: Some(claimed_by) } => {
                self.may_claim(claimed_by, by)?;
                ensure(*transition == self.abandonment(by, claimed_by))?;
            }
            // These come about only when they are due, or after the end.
            Transition::Start
            | Transition::Skip { .. }
            | Transition::Close { outcome: OfferOutcome::Moved, .. }
            | Transition::TakeBack { .. }
            | Transition::Abort { reason: AbortReason::ByPlayer | AbortReason::Agreed, .. }
            | Transition::End { .. }
            | Transition::Rate { .. } => return Err(ApplyError::Unexplained),
        }
        Ok(())
    }

    fn check_departure(
        &self,
        transition: &Transition,
        seat: Seat,
        reason: LeaveReason,
        claimed_by: Option<Seat>,
        at: u64,
    ) -> Result<(), ApplyError> {
        let allowed = match (reason, claimed_by) {
            (LeaveReason::Resigned, None) => {
                self.may_act(seat)?;
                true
            }
            (LeaveReason::TimedOut, None) => self.fallen_flag(at) == Some(seat),
            (LeaveReason::Abandoned, Some(claimed_by)) => {
                self.could_claim(claimed_by, seat)?;
                true
            }
            // The rules cause these, not a seat.
            (LeaveReason::NoPieces | LeaveReason::NoMove, _)
            | (LeaveReason::Resigned | LeaveReason::TimedOut, Some(_))
            | (LeaveReason::Abandoned, None) => false,
        };
        ensure(allowed && *transition == self.departure(seat, reason, claimed_by))
    }

    /// The seat whose flag has fallen by `at`.
    fn fallen_flag(&self, at: u64) -> Option<Seat> {
        let (seat, _) = self.clock.running()?;
        self.clock.is_fallen(at).then_some(seat)
    }

    /// When the side to move will not have come to the game, if it has yet to make its first move.
    fn no_show_deadline(&self) -> Option<u64> {
        let (seat, since) = self.clock.running()?;
        let within = self.clock.control().first_move_ms()?;
        (!self.moved.contains(seat)).then(|| since.saturating_add(within))
    }

    /// The side that has not come to the game by `at`, unless its flag fell before that.
    fn no_show(&self, at: u64) -> Option<Seat> {
        let (seat, _) = self.clock.running()?;
        let deadline = self.no_show_deadline().filter(|&deadline| deadline <= at)?;
        self.clock.deadline().is_none_or(|flag| deadline <= flag).then_some(seat)
    }

    /// Returns the transition that is overdue at `at` because the seat to move did not move.
    pub(super) fn timeout(&self, at: u64) -> Option<Transition> {
        if let Some(by) = self.no_show(at) {
            let reason = AbortReason::NoShow;
            return Some(Transition::Abort { by, reason, claimed_by: None });
        }
        let seat = self.fallen_flag(at)?;
        Some(self.departure(seat, LeaveReason::TimedOut, None))
    }

    /// Returns the time of the next timeout if no seat moves.
    pub(super) fn timeout_at(&self) -> Option<u64> {
        [self.clock.deadline(), self.no_show_deadline()].into_iter().flatten().min()
    }

    /// Whether so much of what the running clock has lost by `at` can be given back to it: no more
    /// than it has lost, and not to a flag that fell while there was nothing to excuse.
    fn can_credit(&self, seat: Seat, by_ms: u64, at: u64) -> bool {
        let Some((running, since)) = self.clock.running() else { return false };
        let lost = at.saturating_sub(since);
        let timeout_at = self.timeout_at();
        running == seat
            && (1..=lost).contains(&by_ms)
            && timeout_at.is_some_and(|timeout| timeout.saturating_add(by_ms) > at)
    }
}

/// Whether a transition may happen while a flag is down: it settles the timeout or credits time.
const fn settles_a_timeout(transition: &Transition) -> bool {
    matches!(
        transition,
        Transition::Leave { reason: LeaveReason::TimedOut, .. }
            | Transition::End { reason: EndReason::TimedOut, .. }
            | Transition::Abort { reason: AbortReason::NoShow, claimed_by: None, .. }
            | Transition::Adjust { .. }
    )
}

const fn ensure(condition: bool) -> Result<(), ApplyError> {
    if condition { Ok(()) } else { Err(ApplyError::Unexplained) }
}
