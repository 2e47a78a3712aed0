//! The part of a table that changes, small enough to be copied for trying an act out.
//!
//! [`State::make`] is the only function that turns a cause into an event. Deciding calls it on a
//! copy, applying calls it on the table itself and compares what it made with the event at hand:
//! so a game that is replayed cannot differ from the game that was played. Which acts are allowed
//! is in `permission`.

use arrayvec::ArrayVec;

use super::{
    history::{History, Moves},
    length::DRAWN_AT,
    offer_limits::Offered,
    outcome::{Departure, Outcome, places},
    transition::Cause,
};
use crate::{
    clock::{Charge, GameClock},
    event::{AbortReason, Event, EventKind, OfferId, OfferKind, OfferOutcome, Player, Setup},
    game::{Consequence, EndReason, LeaveReason},
    games::{Move, Position},
    refusal::{IllegalMove, Refusal},
    seat::{BySeat, SEATS_MAX, Seat, SeatSet},
};

/// Offers open at once, at the most: one of each kind.
pub(super) const OFFERS_MAX: usize = 3;

/// An offer that waits for answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenOffer {
    /// Its number.
    pub offer: OfferId,
    /// What is offered.
    pub what: OfferKind,
    /// By whom.
    pub by: Seat,
    /// Who has yet to answer.
    pub needs: SeatSet,
}

/// What is not the state's to change, and yet decides what an event says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Past<'a> {
    pub(super) setup: &'a Setup,
    pub(super) history: &'a History,
    pub(super) moves: &'a Moves,
    /// Who sits where.
    pub(super) players: &'a BySeat<Player>,
}

/// All that an event may change, apart from what only grows. It owns no memory outside itself.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct State {
    pub(super) position: Position,
    pub(super) clock: GameClock,
    /// Rises with every move, skip, removal and takeback; never falls.
    pub(super) turn: u32,
    /// The number of moves and skips.
    pub(super) ply: u32,
    /// The number of events.
    pub(super) records: u32,
    /// When the last event happened.
    pub(super) last_at: u64,
    pub(super) offers: ArrayVec<OpenOffer, OFFERS_MAX>,
    /// The number of offers ever made, which numbers the next.
    pub(super) offers_made: u32,
    /// What each seat has offered. It bounds what is offered next, not what a record may hold.
    pub(super) offered: Offered,
    /// Who has made a move.
    pub(super) moved: SeatSet,
    /// Who has left, in the order of leaving.
    pub(super) departures: ArrayVec<Departure, SEATS_MAX>,
    pub(super) outcome: Option<Outcome>,
    /// Whether the result has been counted.
    pub(super) rated: bool,
    /// What must happen before anybody may act.
    pub(super) due: Option<Cause>,
}

impl State {
    /// A game that has been created and not begun. The options of the setup are complete.
    pub(super) fn new(setup: &Setup, at: u64) -> Self {
        let players = setup.seats.len();
        Self {
            position: setup.kind.start(&setup.options, players),
            clock: GameClock::new(setup.clock, players),
            turn: 0,
            ply: 0,
            records: 1,
            last_at: at,
            offers: ArrayVec::new(),
            offers_made: 0,
            offered: Offered::default(),
            moved: SeatSet::EMPTY,
            departures: ArrayVec::new(),
            outcome: None,
            rated: false,
            due: Some(Cause::Start),
        }
    }

    /// Makes happen what was found to be due or allowed, and says what it was. The state is
    /// unchanged if it was a move that breaks the rules: nothing else is refused here.
    pub(super) fn make(
        &mut self,
        cause: &Cause,
        at: u64,
        past: Past<'_>,
    ) -> Result<Event, Refusal> {
        // What was agreed on is forgotten by closing it.
        let agreed = self.agreed(cause);
        let kind = match *cause {
            Cause::Start => {
                self.clock.start(self.position.to_move(), at);
                EventKind::Started { to_move: self.position.to_move() }
            }
            Cause::Play { seat, ref play, lag_ms } => {
                self.play(seat, play, lag_ms, at, past.players)?
            }
            Cause::Skip { seat } => self.skip(seat, at),
            Cause::Leave { seat, reason, claimed_by } => self.remove(seat, reason, claimed_by, at),
            Cause::Offer { by, what } => self.offer(by, what),
            Cause::Agree { offer, seat } => self.agree(offer, seat),
            Cause::Close { offer, outcome, by } => {
                self.offers.retain(|open| open.offer != offer);
                EventKind::OfferClosed { offer, outcome, by }
            }
            Cause::TakeBack { by } => self.take_back(by, at, past)?,
            Cause::Adjust { seat, by_ms, reason } => {
                self.clock.excuse(by_ms);
                EventKind::ClockAdjusted { seat, by_ms, reason }
            }
            Cause::Abort { by, reason } => {
                self.finish(Outcome::Aborted { by, reason }, at);
                EventKind::Aborted { by, reason }
            }
            Cause::End { winners, reason, by, claimed_by } => {
                let places = places(self.position.players(), winners, &self.departures);
                self.finish(Outcome::Ended { winners, places: places.clone(), reason }, at);
                EventKind::Ended { winners, places, reason, by, claimed_by }
            }
            Cause::Rate { ref before, ref after } => {
                self.rated = true;
                EventKind::Rated { before: before.clone(), after: after.clone() }
            }
        };
        self.records = self.records.saturating_add(1);
        self.last_at = at;
        self.due = self.owed(cause, agreed, past.history);
        Ok(Event { at, kind, hash: self.position.hash() })
    }

    /// The offer that everybody has agreed to, if that is the cause.
    fn agreed(&self, cause: &Cause) -> Option<OpenOffer> {
        let Cause::Close { offer, outcome: OfferOutcome::Accepted, .. } = *cause else {
            return None;
        };
        self.offers.iter().find(|open| open.offer == offer).copied()
    }

    fn play(
        &mut self,
        seat: Seat,
        play: &Move,
        lag_ms: u64,
        at: u64,
        players: &BySeat<Player>,
    ) -> Result<EventKind, IllegalMove> {
        let captures = self.position.judge(play)?;
        let swaps = self.position.swaps_seats(play);
        self.position.play(play);
        self.moved = self.moved.with(seat);
        self.turn += 1;
        self.ply += 1;
        let Charge { spent_ms, lag_ms } = self.clock.press(at, lag_ms);
        let to_move = self.position.to_move();
        if swaps {
            self.clock.swap(seat, seat.next(players.len()));
        }
        self.clock.start(to_move, at);
        let left_ms = self.clock.left_ms().cloned();
        if swaps {
            let mut seats = Box::new(players.clone());
            seats.swap(seat, seat.next(players.len()));
            return Ok(EventKind::Swapped {
                seat,
                turn: self.turn,
                ply: self.ply,
                play: play.clone(),
                seats,
                to_move,
                spent_ms,
                lag_ms,
                left_ms,
            });
        }
        Ok(EventKind::Moved {
            seat,
            turn: self.turn,
            ply: self.ply,
            play: play.clone(),
            captures,
            to_move,
            spent_ms,
            lag_ms,
            left_ms,
        })
    }

    /// Goes back to the beginning of the turn in which a seat made its last move. The turn counter
    /// goes on, so that a move that is under way cannot land on the wrong position.
    fn take_back(&mut self, by: Seat, at: u64, past: Past<'_>) -> Result<EventKind, Refusal> {
        let ply = past.moves.last_of(by)?;
        self.turn += 1;
        self.ply = ply - 1;
        self.position = past.moves.position_after(past.setup, &self.departures, self.ply).0;
        self.moved = past.moves.movers_before(ply);
        if let Some(left_ms) = self.clock.left_ms() {
            let before = past.moves.left_before(ply, left_ms);
            self.clock.restore(before);
        }
        self.clock.start(by, at);
        Ok(EventKind::TakenBack {
            turn: self.turn,
            ply: self.ply,
            position: Box::new(self.position.clone()),
            left_ms: self.clock.left_ms().cloned(),
            to_move: by,
        })
    }

    fn skip(&mut self, seat: Seat, at: u64) -> EventKind {
        self.position.skip();
        self.turn += 1;
        self.ply += 1;
        let to_move = self.position.to_move();
        self.clock.start(to_move, at);
        EventKind::Skipped { seat, turn: self.turn, ply: self.ply, to_move }
    }

    fn remove(
        &mut self,
        seat: Seat,
        reason: LeaveReason,
        claimed_by: Option<Seat>,
        at: u64,
    ) -> EventKind {
        self.departures.push(Departure { seat, reason, ply: self.ply });
        self.position.remove(seat);
        self.turn += 1;
        let to_move = self.position.to_move();
        // A seat that leaves out of turn does not disturb the clock of the seat that thinks.
        if self.clock.running().is_none_or(|(running, _)| running != to_move) {
            self.clock.stop(at);
            self.clock.start(to_move, at);
        }
        EventKind::Removed { seat, turn: self.turn, reason, claimed_by, to_move }
    }

    fn offer(&mut self, by: Seat, what: OfferKind) -> EventKind {
        self.offers_made += 1;
        self.offered.note(by, what, self.turn);
        let offer = OfferId(self.offers_made);
        let needs = self.position.seats_in().without(by);
        self.offers.push(OpenOffer { offer, what, by, needs });
        EventKind::Offered { offer, what, by, needs }
    }

    fn agree(&mut self, offer: OfferId, seat: Seat) -> EventKind {
        let open = self.offers.iter_mut().find(|open| open.offer == offer);
        let open = open.expect("an offer is looked up before it is answered");
        open.needs = open.needs.without(seat);
        EventKind::Agreed { offer, seat, needs: open.needs }
    }

    /// The end closes open offers without a word: there is nothing left to agree on.
    fn finish(&mut self, outcome: Outcome, at: u64) {
        self.clock.stop(at);
        self.offers.clear();
        self.outcome = Some(outcome);
    }

    /// What must happen next because of what has just happened.
    fn owed(&self, made: &Cause, agreed: Option<OpenOffer>, history: &History) -> Option<Cause> {
        if self.outcome.is_some() {
            return None;
        }
        match *made {
            Cause::Close { outcome: OfferOutcome::Accepted, .. } => Some(self.as_agreed(agreed?)),
            Cause::Play { seat: by, .. }
            | Cause::Skip { seat: by }
            | Cause::Leave { seat: by, .. }
            | Cause::Close { outcome: OfferOutcome::Moved, by, .. } => {
                self.stale_offer(by).or_else(|| self.consequence(history))
            }
            // Somebody had to choose a move in the position that was gone back to, so it demands
            // nothing; but the other offers were not about it.
            Cause::TakeBack { by } => self.stale_offer(by),
            Cause::Start => self.consequence(history),
            Cause::Offer { .. }
            | Cause::Agree { .. }
            | Cause::Close { .. }
            | Cause::Adjust { .. }
            | Cause::Abort { .. }
            | Cause::End { .. }
            | Cause::Rate { .. } => None,
        }
    }

    /// What an offer comes to when everybody has agreed.
    fn as_agreed(&self, offer: OpenOffer) -> Cause {
        match offer.what {
            OfferKind::Draw => self.end(EndReason::Agreement),
            OfferKind::Takeback => Cause::TakeBack { by: offer.by },
            OfferKind::Abort => Cause::Abort { by: offer.by, reason: AbortReason::Agreed },
        }
    }

    /// A draw of all who are left.
    pub(super) fn end(&self, reason: EndReason) -> Cause {
        Cause::End { winners: self.position.seats_in(), reason, by: None, claimed_by: None }
    }

    /// Whether the game goes on although it has as many records as a game may have.
    pub(super) fn is_too_long(&self) -> bool {
        self.outcome.is_none() && self.records >= DRAWN_AT
    }

    /// An offer was about the position before the last change.
    fn stale_offer(&self, by: Seat) -> Option<Cause> {
        let open = self.offers.first()?;
        Some(Cause::Close { offer: open.offer, outcome: OfferOutcome::Moved, by })
    }

    /// What the rules of the game demand, or else those of the server.
    fn consequence(&self, history: &History) -> Option<Cause> {
        match self.position.pending() {
            Some(Consequence::Remove(seat, reason)) => {
                Some(Cause::Leave { seat, reason, claimed_by: None })
            }
            Some(Consequence::Skip(seat)) => Some(Cause::Skip { seat }),
            Some(Consequence::End { winners, reason }) => {
                let (reason, by) = self.told_by_departure(reason);
                Some(Cause::End { winners, reason, by, claimed_by: None })
            }
            None if history.is_repetition(self.position.hash()) => {
                Some(self.end(EndReason::Repetition))
            }
            None => None,
        }
    }

    /// To be the last player is a result of play, unless the last opponent left of their own.
    fn told_by_departure(&self, reason: EndReason) -> (EndReason, Option<Seat>) {
        match self.departures.last() {
            Some(last) if reason == EndReason::LastPlayer => match end_reason(last.reason) {
                Some(reason) => (reason, Some(last.seat)),
                None => (reason, None),
            },
            Some(_) | None => (reason, None),
        }
    }

    /// How a seat leaves: a game of two ends there and then, with all pieces standing.
    pub(super) fn leaving(
        &self,
        seat: Seat,
        reason: LeaveReason,
        claimed_by: Option<Seat>,
    ) -> Cause {
        match end_reason(reason) {
            Some(ending) if self.position.players() == 2 => Cause::End {
                winners: self.position.seats_in().without(seat),
                reason: ending,
                by: Some(seat),
                claimed_by,
            },
            Some(_) | None => Cause::Leave { seat, reason, claimed_by },
        }
    }
}

/// The end that a departure of the last opponent makes, where it is not one by the rules of play.
const fn end_reason(reason: LeaveReason) -> Option<EndReason> {
    match reason {
        LeaveReason::NoPieces | LeaveReason::NoMove => None,
        LeaveReason::Resigned => Some(EndReason::Resigned),
        LeaveReason::TimedOut => Some(EndReason::TimedOut),
        LeaveReason::Abandoned => Some(EndReason::Abandoned),
    }
}
