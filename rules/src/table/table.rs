//! The table itself: what an act or a deadline leads to, and applying events.

use super::{
    error::{SetupError, Unfit},
    history::{History, Moves},
    length::OFFERS_END_AT,
    state::{Past, State},
    transition::Cause,
};
use crate::{
    clock::GameClock,
    event::{
        AbortReason, Event, EventKind, Events, OfferId, OfferKind, OfferOutcome, Player, Setup,
    },
    game::{Captures, EndReason, LeaveReason},
    games::Move,
    refusal::Refusal,
    seat::{BySeat, Seat},
};

/// What a player wants to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act<'a> {
    /// To make a move.
    Move {
        /// Who.
        seat: Seat,
        /// The turn counter as they know it.
        turn: u32,
        /// The move as they wrote it.
        notation: &'a str,
        /// How much of their time the network took, as the server has measured it. The table grants
        /// it within bounds, and never to a flag that is down.
        lag_ms: u64,
    },
    /// To give up.
    Resign {
        /// Who.
        seat: Seat,
    },
    /// To call the game off before it has properly begun.
    Abort {
        /// Who.
        seat: Seat,
    },
    /// To offer something.
    Offer {
        /// Who.
        seat: Seat,
        /// What.
        what: OfferKind,
    },
    /// To answer an offer.
    Answer {
        /// Who.
        seat: Seat,
        /// Which.
        offer: OfferId,
        /// Yes or no.
        accept: bool,
    },
    /// To take an offer back.
    Withdraw {
        /// Who.
        seat: Seat,
        /// Which.
        offer: OfferId,
    },
}

/// A game in play, or at its end.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    pub(super) setup: Box<Setup>,
    /// Who sits where now: as agreed, until two change seats.
    pub(super) players: BySeat<Player>,
    pub(super) state: State,
    pub(super) history: History,
    pub(super) moves: Moves,
    pub(super) last_play: Option<(Move, Captures)>,
    /// Whether the game may become as long as it likes.
    pub(super) endless: bool,
}

/// Events in the making, on a copy of the state.
pub(super) struct Draft<'a> {
    pub(super) state: State,
    pub(super) past: Past<'a>,
    pub(super) at: u64,
    pub(super) events: Events,
    pub(super) endless: bool,
}

impl Draft<'_> {
    fn make(&mut self, cause: &Cause) -> Result<(), Refusal> {
        let event = self.state.make(cause, self.at, self.past)?;
        self.events.push(event);
        Ok(())
    }

    /// Makes happen what nothing is wrong with.
    pub(super) fn happen(&mut self, cause: &Cause) {
        self.make(cause).expect("only moves are refused, and this is not one");
    }

    /// Adds what must follow. Should a game ever demand more at once than there is room for, the
    /// rest is overdue at once and comes with the next call of [`Table::overdue`].
    ///
    /// A game that has become too long ends by the next thing that happens in it, whatever that is, and
    /// unless it ends in another way. A record need not have it: there are some from before that.
    pub(super) fn settle(mut self) -> Events {
        self.settle_due();
        let has_room = !self.events.is_empty() && !self.events.is_full();
        if has_room && !self.endless && self.state.due.is_none() && self.state.is_too_long() {
            self.happen(&self.state.end(EndReason::TooLong));
        }
        self.events
    }

    pub(super) fn settle_due(&mut self) {
        while !self.events.is_full()
            && let Some(due) = self.state.due.take()
        {
            self.happen(&due);
        }
    }
}

impl Table {
    /// The first events of a game: it is created, and everybody being there, it starts. Options
    /// that were not chosen get their defaults.
    pub fn begin(setup: Setup, now: u64) -> Result<Events, SetupError> {
        let setup = setup.complete()?;
        let hash = State::new(&setup, now).position.hash();
        let created = Event { at: now, kind: EventKind::Created(Box::new(setup)), hash };
        let table = Self::new(&created).expect("the setup has just been completed");
        let mut events = Events::new();
        events.push(created);
        events.extend(table.overdue(now).into_iter().flatten());
        Ok(events)
    }

    /// The table after the first event of its game.
    pub fn new(created: &Event) -> Result<Self, Unfit> {
        let EventKind::Created(setup) = &created.kind else { return Err(Unfit::NotCreated) };
        if !Setup::clone(setup).complete()?.agrees_with(setup) {
            return Err(Unfit::Incomplete);
        }
        let state = State::new(setup, created.at);
        check_hash(state.position.hash(), created.hash)?;
        Ok(Self {
            setup: setup.clone(),
            players: setup.seats.clone(),
            state,
            history: History::new(),
            moves: Moves::default(),
            last_play: None,
            endless: false,
        })
    }

    /// What an act would lead to, in order, or why it is refused. Changes nothing.
    ///
    /// The caller asks [`Table::overdue`] for the same `now` first. A `now` before the last event
    /// counts as the time of that event.
    pub fn decide(&self, act: &Act<'_>, now: u64) -> Result<Events, Refusal> {
        let mut draft = self.draft(now);
        self.is_ready(draft.at)?;
        let cause = self.cause(act)?;
        draft.make(&cause)?;
        Ok(draft.settle())
    }

    /// What has to happen at `now` without anybody's doing: the flag that has fallen, the side that
    /// did not come, or what a journal that ends in the middle of an act still owes. Changes
    /// nothing. One flag falls at a time; the next clock starts at that very time.
    pub fn overdue(&self, now: u64) -> Option<Events> {
        let mut draft = self.draft(now);
        if self.state.due.is_none() {
            let lapse = self.state.lapse(draft.at)?;
            draft.happen(&lapse);
        }
        Some(draft.settle())
    }

    /// When [`Table::overdue`] will next have something to say if nobody acts.
    pub fn next_deadline(&self) -> Option<u64> {
        match self.state.due {
            Some(_) => Some(self.state.last_at),
            None => self.state.lapses_at(),
        }
    }

    /// Lets an event happen. It must be what the table itself would have said: what had to come or
    /// an act that was allowed, and told in every field as the rules tell it. Otherwise the table
    /// stays as it was.
    pub fn apply(&mut self, event: &Event) -> Result<(), Unfit> {
        let cause = Cause::of(&event.kind).ok_or(Unfit::CreatedTwice)?;
        if event.at < self.state.last_at {
            return Err(Unfit::BackInTime { at: event.at, last: self.state.last_at });
        }
        self.state.admits(&cause, event.at, self.past())?;
        let mut next = self.state.clone();
        let made = next.make(&cause, event.at, self.past())?;
        check_hash(made.hash, event.hash)?;
        if made.kind != event.kind {
            return Err(Unfit::Differs);
        }
        let before = std::mem::replace(&mut self.state, next);
        self.remember(&event.kind, &before.clock);
        Ok(())
    }

    /// The same table without the rule that the third occurrence of a position ends the game.
    #[must_use]
    pub fn without_repetition(mut self) -> Self {
        self.history.stop_counting();
        self
    }

    /// The same table without the rules that depend on how many records its game has: for reading
    /// games in other forms, and for games that are longer than any can be.
    #[must_use]
    pub fn without_end(mut self) -> Self {
        self.endless = true;
        self
    }

    /// What a move would lead to and how the table would then stand, or why it is refused. Nobody
    /// is held to it, so a flag that has fallen is left aside.
    pub fn preview(
        &self,
        seat: Seat,
        turn: u32,
        notation: &str,
        now: u64,
    ) -> Result<(Events, Self), Refusal> {
        let now = if self.state.lapse(now).is_some() { self.state.last_at } else { now };
        let events = self.decide(&Act::Move { seat, turn, notation, lag_ms: 0 }, now)?;
        let mut table = self.clone();
        for event in &events {
            table.apply(event).expect("a table applies what it has decided");
        }
        Ok((events, table))
    }

    fn past(&self) -> Past<'_> {
        let Self { setup, players, history, moves, .. } = self;
        Past { setup, history, moves, players }
    }

    /// Whether everything that must have happened by `at` has.
    pub(super) fn is_ready(&self, at: u64) -> Result<(), Refusal> {
        match self.state.lapse(at) {
            Some(_) => Err(Refusal::NotReady),
            None => Ok(()),
        }
    }

    pub(super) fn draft(&self, now: u64) -> Draft<'_> {
        Draft {
            state: self.state.clone(),
            past: self.past(),
            at: now.max(self.state.last_at),
            events: Events::new(),
            endless: self.endless,
        }
    }

    /// The cause that an allowed act is.
    fn cause(&self, act: &Act<'_>) -> Result<Cause, Refusal> {
        let state = &self.state;
        Ok(match *act {
            Act::Move { seat, turn, notation, lag_ms } => {
                state.may_move(seat, turn)?;
                Cause::Play { seat, play: state.position.read(notation)?, lag_ms }
            }
            Act::Resign { seat } => {
                state.may_act(seat)?;
                state.leaving(seat, LeaveReason::Resigned, None)
            }
            Act::Abort { seat } => {
                state.may_abort(seat)?;
                Cause::Abort { by: seat, reason: AbortReason::ByPlayer }
            }
            Act::Offer { seat, what } => {
                state.may_offer(seat, what, &self.moves)?;
                state.offered.allows(seat, what, state.turn)?;
                if !self.endless && state.records >= OFFERS_END_AT {
                    return Err(Refusal::TooLongForOffers);
                }
                Cause::Offer { by: seat, what }
            }
            Act::Answer { seat, offer, accept } => {
                let last = state.may_answer(seat, offer)?;
                match (accept, last) {
                    (true, true) => close(offer, OfferOutcome::Accepted, seat),
                    (true, false) => Cause::Agree { offer, seat },
                    (false, _) => close(offer, OfferOutcome::Declined, seat),
                }
            }
            Act::Withdraw { seat, offer } => {
                state.may_withdraw(seat, offer)?;
                close(offer, OfferOutcome::Withdrawn, seat)
            }
        })
    }

    /// Keeps what the state does not: the moves, and the positions that could come up again. `clock`
    /// is as it was before the event.
    fn remember(&mut self, kind: &EventKind, clock: &GameClock) {
        match kind {
            EventKind::Moved { seat, play, captures, .. } => {
                self.moves.push(*seat, play, clock, &self.state.position);
                self.last_play = Some((play.clone(), captures.clone()));
            }
            EventKind::Swapped { seat, play, seats, .. } => {
                self.moves.push(*seat, play, clock, &self.state.position);
                self.moves.fix();
                self.last_play = Some((play.clone(), Captures::new()));
                self.players.clone_from(seats);
            }
            EventKind::Skipped { .. } => self.moves.push_skip(clock, &self.state.position),
            EventKind::Removed { .. } => self.moves.fix(),
            EventKind::TakenBack { turn, ply, .. } => {
                self.history.rewind(self.moves.choices_from(*ply + 1), *turn);
                self.moves.cut(*ply + 1);
                self.last_play = self.moves.position_after(&self.setup, self.departures(), *ply).1;
            }
            EventKind::Created(_)
            | EventKind::Started { .. }
            | EventKind::Offered { .. }
            | EventKind::Agreed { .. }
            | EventKind::OfferClosed { .. }
            | EventKind::ClockAdjusted { .. }
            | EventKind::Aborted { .. }
            | EventKind::Ended { .. }
            | EventKind::Rated { .. } => {}
        }
        if self.state.outcome.is_none() && self.state.due.is_none() {
            self.history.enter(self.state.turn, self.state.position.hash());
        }
    }
}

const fn close(offer: OfferId, outcome: OfferOutcome, by: Seat) -> Cause {
    Cause::Close { offer, outcome, by }
}

const fn check_hash(found: u64, claimed: u64) -> Result<(), Unfit> {
    if found == claimed { Ok(()) } else { Err(Unfit::Hash { found, claimed }) }
}
