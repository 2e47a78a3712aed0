//! The part of a table that changes, small enough to be copied for trying an act out.
//!
//! [`State::apply`] is the only function that turns a transition into an event. `decide` calls it
//! on a copy; `apply` calls it on the table and compares the result with the given event. So a
//! replayed game cannot differ from the game that was played. The table has the allowed acts.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::history::{Departure, MoveList, PositionHistory};
use crate::{
    clock::{Charge, ClockError, GameClock},
    event::{
        AbortReason, AdjustReason, DELAY_MAX, EVENTS_MAX, Event, EventKind, OfferId, OfferKind,
        OfferOutcome, Player, SeatOffer, Setup,
    },
    game::{Consequence, EndReason, LeaveReason},
    games::{Move, Position},
    options::OptionError,
    refusal::{IllegalMove, Refusal},
    seat::{BySeat, SEATS_MAX, Seat, SeatSet},
};

/// Offers open at once, at the most: one of each kind.
const OFFERS_MAX: usize = 4;

/// An offer that waits for answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenOffer {
    /// Its number.
    pub offer: OfferId,
    /// What is offered.
    pub what: OfferKind,
    /// The seat.
    pub by: Seat,
    /// The seats that have not answered.
    pub needs: SeatSet,
}

/// What is not the state's to change, and yet decides what an event says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a> {
    pub(super) setup: &'a Setup,
    pub(super) history: &'a PositionHistory,
    pub(super) moves: &'a MoveList,
    pub(super) players: &'a BySeat<Player>,
}

/// All that an event may change, apart from what only grows. It owns no memory outside itself but a
/// seat that is offered to a computer.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct State {
    pub(super) position: Position,
    pub(super) clock: GameClock,
    /// Rises with every move, skip, removal and takeback; never falls.
    pub(super) turn: u32,
    /// The number of moves and skips.
    pub(super) ply: u32,
    pub(super) records: u32,
    /// When the last event happened.
    pub(super) last_at: u64,
    pub(super) offers: ArrayVec<OpenOffer, OFFERS_MAX>,
    /// The seat that is offered to a computer, and until when. All clocks stand meanwhile.
    seat_offer: Option<Box<(SeatOffer, u64)>>,
    /// The number of offers ever made, which numbers the next.
    offers_made: u32,
    /// What each seat has offered. It bounds what is offered next, not what a record may hold.
    pub(super) offer_limits: OfferLimits,
    pub(super) moved: SeatSet,
    /// The departures in order.
    pub(super) departures: ArrayVec<Departure, SEATS_MAX>,
    pub(super) outcome: Option<Outcome>,
    /// Whether the result has been counted.
    pub(super) rated: bool,
    /// The transition that must happen before a seat may act.
    pub(super) pending_transition: Option<Transition<'static>>,
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
            seat_offer: None,
            offers_made: 0,
            offer_limits: OfferLimits::default(),
            moved: SeatSet::EMPTY,
            departures: ArrayVec::new(),
            outcome: None,
            rated: false,
            pending_transition: Some(Transition::Start),
        }
    }

    /// Applies a transition that is pending or allowed, and returns its event. Refuses only a move
    /// that breaks the rules; the state is unchanged then.
    pub(super) fn apply(
        &mut self,
        transition: &Transition<'_>,
        at: u64,
        context: Context<'_>,
    ) -> Result<Event, Refusal> {
        debug_assert!(self.pending_transition.as_ref().is_none_or(|pending| pending == transition));
        let turn = self.turn;
        // What was agreed on is forgotten by closing it.
        let agreed = self.agreed(transition);
        let kind = match *transition {
            Transition::Start => {
                self.clock.start(self.position.to_move(), at);
                EventKind::Started { to_move: self.position.to_move() }
            }
            Transition::Play { seat, mv, lag_ms } => {
                self.make_move(seat, mv, lag_ms, at, context.players)?
            }
            Transition::Skip { seat } => self.skip(seat, at),
            Transition::Leave { seat, reason, claimed_by } => {
                self.remove(seat, reason, claimed_by, at)
            }
            Transition::Offer { by, what } => self.offer(by, what),
            Transition::OfferSeat(ref leaving) => self.offer_seat(leaving, at),
            Transition::Substitute => self.substitute(at),
            Transition::Agree { offer, seat } => self.agree(offer, seat),
            Transition::Close { offer, outcome, by } => {
                self.offers.retain(|open| open.offer != offer);
                EventKind::OfferClosed { offer, outcome, by }
            }
            Transition::TakeBack { by } => self.take_back(by, at, context)?,
            Transition::Adjust { seat, by_ms, reason } => {
                self.clock.credit(by_ms);
                EventKind::ClockAdjusted { seat, by_ms, reason }
            }
            Transition::Abort { by, reason, claimed_by } => {
                self.end_game(Outcome::Aborted { by, reason }, at);
                EventKind::Aborted { by, reason, claimed_by }
            }
            Transition::End { winners, reason, by, claimed_by } => {
                let places = places(self.position.players(), winners, &self.departures);
                self.end_game(Outcome::Ended { winners, places: places.clone(), reason }, at);
                EventKind::Ended { winners, places, reason, by, claimed_by }
            }
            Transition::Rate { ref before, ref after } => {
                self.rated = true;
                EventKind::Rated { before: before.clone(), after: after.clone() }
            }
        };
        self.records = self.records.saturating_add(1);
        self.last_at = at;
        self.pending_transition = self.next_transition(transition, agreed, context.history);
        debug_assert!(self.turn >= turn, "the turn never falls");
        debug_assert!(self.outcome.is_none() || self.clock.running().is_none());
        Ok(Event { at, kind, hash: self.position.hash() })
    }

    /// The offer that everybody has agreed to, if that is the cause.
    fn agreed(&self, transition: &Transition<'_>) -> Option<OpenOffer> {
        let Transition::Close { offer, outcome: OfferOutcome::Accepted, .. } = *transition else {
            return None;
        };
        self.offers.iter().find(|open| open.offer == offer).copied()
    }

    fn make_move(
        &mut self,
        seat: Seat,
        mv: &Move,
        lag_ms: u64,
        at: u64,
        players: &BySeat<Player>,
    ) -> Result<EventKind, IllegalMove> {
        debug_assert_eq!(seat, self.position.to_move(), "the permission is checked before");
        let captures = self.position.validate(mv)?;
        let swaps = self.position.swaps_seats(mv);
        self.position.apply(mv);
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
                mv: mv.clone(),
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
            mv: mv.clone(),
            captures,
            to_move,
            spent_ms,
            lag_ms,
            left_ms,
        })
    }

    /// Goes back to the beginning of the turn in which a seat made its last move. The turn counter
    /// goes on, so that a move that is under way cannot land on the wrong position.
    fn take_back(&mut self, by: Seat, at: u64, context: Context<'_>) -> Result<EventKind, Refusal> {
        let ply = context.moves.last_of(by)?;
        self.turn += 1;
        self.ply = ply - 1;
        self.position = context.moves.position_after(context.setup, &self.departures, self.ply).0;
        self.moved = context.moves.movers_before(ply);
        if let Some(left_ms) = self.clock.left_ms() {
            let before = context.moves.left_before(ply, left_ms);
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
        self.close_seat_offer();
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
        self.offer_limits.record(by, what, self.turn);
        let offer = OfferId(self.offers_made);
        let needs = self.position.seats_in().without(by);
        self.offers.push(OpenOffer { offer, what, by, needs });
        EventKind::Offered { offer, what, by, needs }
    }

    /// Offers a seat to a computer. The clock that runs has its player's time until now.
    fn offer_seat(&mut self, leaving: &SeatOffer, at: u64) -> EventKind {
        self.clock.stop(at);
        self.offers_made += 1;
        let (offer, by) = (OfferId(self.offers_made), leaving.seat);
        let needs = self.position.seats_in().without(by);
        self.offers.push(OpenOffer { offer, what: OfferKind::Substitute, by, needs });
        let until = at.saturating_add(SEAT_OFFER_MS);
        self.seat_offer = Some(Box::new((leaving.clone(), until)));
        let leaving = Box::new(leaving.clone());
        let left_ms = self.clock.left_ms().cloned();
        EventKind::SeatOffered { offer, leaving, needs, until, left_ms }
    }

    /// Gives the seat that was offered to the computer. The time that its player has used up is not
    /// the computer's.
    fn substitute(&mut self, at: u64) -> EventKind {
        let agreed = self.seat_offer.take().expect("what is agreed on is open");
        let (SeatOffer { seat, computer, level, .. }, _) = *agreed;
        self.turn += 1;
        let to_move = self.position.to_move();
        self.clock.renew(seat);
        self.clock.start(to_move, at);
        let left_ms = self.clock.left_ms().cloned();
        EventKind::Substituted {
            seat,
            turn: self.turn,
            by: Box::new(computer),
            level,
            to_move,
            left_ms,
        }
    }

    fn close_seat_offer(&mut self) {
        if self.seat_offer.take().is_some() {
            self.offers.retain(|open| open.what != OfferKind::Substitute);
        }
    }

    /// The seat that is offered to a computer.
    pub(super) fn seat_offer(&self) -> Option<&SeatOffer> {
        self.seat_offer.as_deref().map(|(leaving, _)| leaving)
    }

    /// When the seat that is offered to a computer is removed.
    pub(super) fn seat_offer_ends(&self) -> Option<u64> {
        self.seat_offer.as_deref().map(|(_, until)| *until)
    }

    /// How the player leaves whose seat is offered to a computer, if none takes it.
    pub(super) fn vacated(&self) -> Option<Transition<'static>> {
        let SeatOffer { seat, reason, claimed_by, .. } = *self.seat_offer()?;
        Some(self.departure(seat, reason, claimed_by))
    }

    fn agree(&mut self, offer: OfferId, seat: Seat) -> EventKind {
        let open = self.offers.iter_mut().find(|open| open.offer == offer);
        let open = open.expect("an offer is looked up before it is answered");
        open.needs = open.needs.without(seat);
        EventKind::Agreed { offer, seat, needs: open.needs }
    }

    /// The end closes open offers without a word: there is nothing left to agree on.
    fn end_game(&mut self, outcome: Outcome, at: u64) {
        debug_assert_eq!(self.outcome, None, "a game ends once");
        self.clock.stop(at);
        self.offers.clear();
        self.seat_offer = None;
        self.outcome = Some(outcome);
    }

    /// What must happen next because of what has just happened.
    fn next_transition(
        &self,
        applied: &Transition<'_>,
        agreed: Option<OpenOffer>,
        history: &PositionHistory,
    ) -> Option<Transition<'static>> {
        if self.outcome.is_some() {
            return None;
        }
        match *applied {
            Transition::Close { outcome: OfferOutcome::Accepted, .. } => {
                Some(self.on_agreement(agreed?))
            }
            Transition::Close { outcome: OfferOutcome::Declined, .. } => self.vacated(),
            // Then the seat alone is offered.
            Transition::OfferSeat(ref leaving) => self.close_stale_offer(leaving.seat),
            Transition::Close { outcome: OfferOutcome::Moved, by, .. }
                if self.seat_offer.is_some() =>
            {
                self.close_stale_offer(by)
            }
            Transition::Play { seat: by, .. }
            | Transition::Skip { seat: by }
            | Transition::Leave { seat: by, .. }
            | Transition::Close { outcome: OfferOutcome::Moved, by, .. } => {
                self.close_stale_offer(by).or_else(|| self.consequence(history))
            }
            // A seat chose a move in the restored position before, so it demands nothing. The other
            // offers were not about it.
            Transition::TakeBack { by } => self.close_stale_offer(by),
            Transition::Start => self.consequence(history),
            _ => None,
        }
    }

    /// What an offer comes to when everybody has agreed.
    fn on_agreement(&self, offer: OpenOffer) -> Transition<'static> {
        match offer.what {
            OfferKind::Draw => self.end(EndReason::Agreement),
            OfferKind::Takeback => Transition::TakeBack { by: offer.by },
            OfferKind::Abort => {
                Transition::Abort { by: offer.by, reason: AbortReason::Agreed, claimed_by: None }
            }
            OfferKind::Substitute => Transition::Substitute,
        }
    }

    /// A draw of all who are left.
    pub(super) fn end(&self, reason: EndReason) -> Transition<'static> {
        Transition::End { winners: self.position.seats_in(), reason, by: None, claimed_by: None }
    }

    /// How an operator of the server ends the game.
    pub(super) fn ruling(&self, ruling: Ruling) -> Transition<'static> {
        let reason = EndReason::Ruling;
        match ruling {
            Ruling::Winner(winner) => Transition::End {
                winners: SeatSet::only(winner),
                reason,
                by: None,
                claimed_by: None,
            },
            Ruling::Draw => self.end(reason),
            Ruling::Abort => Transition::Abort {
                by: self.position.to_move(),
                reason: AbortReason::Ruling,
                claimed_by: None,
            },
        }
    }

    /// Whether the game goes on although it has as many records as a game may have.
    pub(super) fn is_too_long(&self) -> bool {
        self.outcome.is_none() && self.records >= DRAWN_AT
    }

    /// An offer was about the position before the last change.
    fn close_stale_offer(&self, by: Seat) -> Option<Transition<'static>> {
        let open = self.offers.iter().find(|open| open.what != OfferKind::Substitute)?;
        Some(Transition::Close { offer: open.offer, outcome: OfferOutcome::Moved, by })
    }

    /// What the rules of the game demand, or else those of the server.
    fn consequence(&self, history: &PositionHistory) -> Option<Transition<'static>> {
        match self.position.pending() {
            Some(Consequence::Remove(seat, reason)) => {
                Some(Transition::Leave { seat, reason, claimed_by: None })
            }
            Some(Consequence::Skip(seat)) => Some(Transition::Skip { seat }),
            Some(Consequence::End { winners, reason }) => {
                let (reason, by) = self.reason_by_departure(reason);
                Some(Transition::End { winners, reason, by, claimed_by: None })
            }
            None if history.is_repetition(self.position.hash()) => {
                Some(self.end(EndReason::Repetition))
            }
            None => None,
        }
    }

    /// To be the last player is a result of play, unless the last opponent left of their own.
    fn reason_by_departure(&self, reason: EndReason) -> (EndReason, Option<Seat>) {
        match self.departures.last() {
            Some(last) if reason == EndReason::LastPlayer => match end_reason(last.reason) {
                Some(reason) => (reason, Some(last.seat)),
                None => (reason, None),
            },
            Some(_) | None => (reason, None),
        }
    }

    /// What comes of a claim that a seat has gone: without its first move there was no game.
    pub(super) fn abandonment(&self, seat: Seat, claimed_by: Seat) -> Transition<'static> {
        let claimed_by = Some(claimed_by);
        if self.moved.contains(seat) {
            self.departure(seat, LeaveReason::Abandoned, claimed_by)
        } else {
            Transition::Abort { by: seat, reason: AbortReason::NoShow, claimed_by }
        }
    }

    /// How a seat leaves: a game of two ends there and then, with all pieces standing.
    pub(super) fn departure(
        &self,
        seat: Seat,
        reason: LeaveReason,
        claimed_by: Option<Seat>,
    ) -> Transition<'static> {
        match end_reason(reason) {
            Some(ending) if self.position.players() == 2 => Transition::End {
                winners: self.position.seats_in().without(seat),
                reason: ending,
                by: Some(seat),
                claimed_by,
            },
            Some(_) | None => Transition::Leave { seat, reason, claimed_by },
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

/// Records of a game from which on nothing new is offered in it: ten times as many as a very long
/// game has. Moves, answers to what is open, resigning and claims go on.
pub const OFFERS_END_AT: u32 = 10_000;

/// Records of a game at which it is drawn between those left: two thousand moves further on.
pub const DRAWN_AT: u32 = 12_000;

/// Records that a game can ever have: what the act that reaches [`DRAWN_AT`] leads to, and the
/// rating of the result.
#[expect(clippy::cast_possible_truncation, reason = "an act leads to a handful of events")]
pub const RECORDS_MAX: u32 = DRAWN_AT + EVENTS_MAX as u32;

/// How long the seat of a player who leaves a game of three is offered to a computer: enough for the
/// others to read and answer, and no long wait if one of them is away.
pub const SEAT_OFFER_MS: u64 = 20_000;

/// Takebacks that one seat may offer in one game. Each leads back through some moves, and a game in
/// which every tenth move is taken back is a long lesson.
pub const TAKEBACKS_PER_SEAT_MAX: u16 = 100;

const KINDS: usize = 4;

/// What each seat has offered and when, as far as it bounds what the seat may still offer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct OfferLimits {
    /// For each kind and seat the turn of the last offer, plus one; 0 before the first.
    turns: [[u32; SEATS_MAX]; KINDS],
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

    fn record(&mut self, seat: Seat, what: OfferKind, turn: u32) {
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
        OfferKind::Substitute => 3,
    }
}

/// The input that turns a state into the next. A move is borrowed: it is large, and a state keeps
/// only a transition that is pending, which is never a move.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Transition<'a> {
    /// The game starts.
    Start,
    /// A seat makes a move, of whose time so much is claimed for the network.
    Play { seat: Seat, mv: &'a Move, lag_ms: u64 },
    /// A seat cannot move and is passed over.
    Skip { seat: Seat },
    /// A seat leaves a game that can go on without it.
    Leave { seat: Seat, reason: LeaveReason, claimed_by: Option<Seat> },
    /// A seat makes an offer.
    Offer { by: Seat, what: OfferKind },
    /// The seat of a player who leaves is offered to a computer.
    OfferSeat(Box<SeatOffer>),
    /// The computer takes the seat that is offered.
    Substitute,
    /// A seat agrees, and others have yet to.
    Agree { offer: OfferId, seat: Seat },
    /// An offer is no longer open.
    Close { offer: OfferId, outcome: OfferOutcome, by: Seat },
    /// A seat's last move is taken back.
    TakeBack { by: Seat },
    /// A running clock gets time back.
    Adjust { seat: Seat, by_ms: u64, reason: AdjustReason },
    /// The game is called off.
    Abort { by: Seat, reason: AbortReason, claimed_by: Option<Seat> },
    /// The game is decided.
    End { winners: SeatSet, reason: EndReason, by: Option<Seat>, claimed_by: Option<Seat> },
    /// The result is counted.
    Rate { before: BySeat<u16>, after: BySeat<u16> },
}

impl<'a> Transition<'a> {
    /// Returns the transition of an event; `None` for a created event.
    pub(super) fn of(kind: &'a EventKind) -> Option<Self> {
        Some(match *kind {
            EventKind::Created(_) => return None,
            EventKind::Started { .. } => Self::Start,
            EventKind::Moved { seat, ref mv, lag_ms, .. }
            | EventKind::Swapped { seat, ref mv, lag_ms, .. } => Self::Play { seat, mv, lag_ms },
            EventKind::Skipped { seat, .. } => Self::Skip { seat },
            EventKind::Removed { seat, reason, claimed_by, .. } => {
                Self::Leave { seat, reason, claimed_by }
            }
            EventKind::Offered { by, what, .. } => Self::Offer { by, what },
            EventKind::SeatOffered { ref leaving, .. } => Self::OfferSeat(leaving.clone()),
            EventKind::Substituted { .. } => Self::Substitute,
            EventKind::Agreed { offer, seat, .. } => Self::Agree { offer, seat },
            EventKind::OfferClosed { offer, outcome, by } => Self::Close { offer, outcome, by },
            EventKind::TakenBack { to_move, .. } => Self::TakeBack { by: to_move },
            EventKind::ClockAdjusted { seat, by_ms, reason } => {
                Self::Adjust { seat, by_ms, reason }
            }
            EventKind::Aborted { by, reason, claimed_by } => Self::Abort { by, reason, claimed_by },
            EventKind::Ended { winners, reason, by, claimed_by, .. } => {
                Self::End { winners, reason, by, claimed_by }
            }
            EventKind::Rated { ref before, ref after } => {
                Self::Rate { before: before.clone(), after: after.clone() }
            }
        })
    }
}

/// How an operator of the server ends a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Ruling {
    /// This seat has won. It is still in the game.
    Winner(Seat),
    /// A draw of all who are left.
    Draw,
    /// The game has no result.
    Abort,
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// With a result.
    Ended {
        /// One seat, or several for a draw.
        winners: SeatSet,
        /// Each seat's place from 1; equal numbers are shared.
        places: BySeat<u8>,
        /// How it came about.
        reason: EndReason,
    },
    /// Without one.
    Aborted {
        /// The seat.
        by: Seat,
        /// Why.
        reason: AbortReason,
    },
}

/// Places in the order of merit: the winners, then those who stayed to the end, then those who
/// left, the latest first. Seats of equal merit share a place; the next place counts them all.
pub(super) fn places(players: usize, winners: SeatSet, departures: &[Departure]) -> BySeat<u8> {
    let merit = |seat: Seat| {
        let left = departures.iter().find(|departure| departure.seat == seat);
        match left {
            _ if winners.contains(seat) => (2, 0),
            None => (1, 0),
            Some(departure) => (0, departure.ply),
        }
    };
    BySeat::from_fn(players, |seat| {
        let better = Seat::all(players).filter(|&other| merit(other) > merit(seat)).count();
        u8::try_from(better + 1).expect("a table has few seats")
    })
}

/// Why a game cannot begin like this.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SetupError {
    /// The number of players or an option.
    #[error(transparent)]
    Options(#[from] OptionError),
    /// The time control.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// How far spectators are to be kept behind.
    #[error("spectators may be at most {DELAY_MAX} moves behind")]
    Delay,
    /// One user on two seats. Case makes no difference between names.
    #[error("{user} cannot play on two seats")]
    SameUser {
        /// The name that occurs twice.
        user: Arc<str>,
    },
}

/// Why an event cannot be applied to this table: its journal is damaged or follows other rules.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ApplyError {
    /// The first event is another one.
    #[error("a game begins with a created event")]
    NotCreated,
    /// The game exists already.
    #[error("a game is created only once")]
    CreatedTwice,
    /// The setup is not one that can be played.
    #[error("the game could not have been created: {0}")]
    Setup(#[from] SetupError),
    /// The options lack values or have them otherwise than the game completes them.
    #[error("the options of a created game must be complete")]
    Incomplete,
    /// It is earlier than the event before it.
    #[error("it happened at {at}, before the event that it follows, at {last}")]
    BackInTime {
        /// When it claims to have happened.
        at: u64,
        /// When the last one happened.
        last: u64,
    },
    /// Another event must come first.
    #[error("the rules demand another event here")]
    OutOfOrder,
    /// No rule and no act leads to it.
    #[error("nothing that happened before leads to it")]
    Unexplained,
    /// The table would not have allowed the act behind it.
    #[error("it was not allowed: {0}")]
    Refused(#[from] Refusal),
    /// It leads to another position than it says.
    #[error("the position after it has the hash {found:016x}, not {claimed:016x}")]
    Hash {
        /// The hash as the rules have it.
        found: u64,
        /// The hash in the event.
        claimed: u64,
    },
    /// Its fields differ from what the rules compute.
    #[error("the rules tell otherwise what happened")]
    Differs,
}

impl Setup {
    /// Completes the options and checks all else that must hold before a game can begin.
    pub fn complete(mut self) -> Result<Self, SetupError> {
        self.options = self.kind.complete(&self.options, self.seats.len())?;
        self.clock.check()?;
        if self.delay > DELAY_MAX {
            return Err(SetupError::Delay);
        }
        for (seat, player) in self.seats.entries() {
            let earlier = self.seats.iter().take(seat.index());
            if earlier.into_iter().any(|other| other.user.eq_ignore_ascii_case(&player.user)) {
                return Err(SetupError::SameUser { user: player.user.clone() });
            }
        }
        Ok(self)
    }

    /// Whether these are the same choices, in whatever order they are named.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        self.options.len() == other.options.len()
            && self.options.iter().all(|(name, value)| other.options.get(name) == Some(value))
    }
}
