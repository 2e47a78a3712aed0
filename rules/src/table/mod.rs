//! A table: a position with its players, clocks and offers, and the events of its game.
//!
//! A table changes only by [`Table::apply`]. Everything else is a query: the events of an act,
//! overdue events, the state. Users, connections and storage are not its concern: the caller has
//! mapped the user to a seat.

mod history;
mod state;

use history::{MoveList, PositionHistory};
use state::{Context, State, Transition, places};

use crate::{
    clock::{GameClock, TimeControl},
    event::{
        AbortReason, AdjustReason, EVENTS_MAX, Event, EventKind, Events, OfferId, OfferKind,
        OfferOutcome, Player, SeatOffer, Setup,
    },
    game::{Capture, Captures, EndReason, LeaveReason},
    games::{Move, Position},
    refusal::Refusal,
    seat::{BySeat, Seat, SeatSet},
};

pub(crate) use self::history::Departure;
pub use self::state::{
    ApplyError, DRAWN_AT, OFFERS_END_AT, OpenOffer, Outcome, RECORDS_MAX, Ruling, SEAT_OFFER_MS,
    SetupError, TAKEBACKS_PER_SEAT_MAX,
};

/// What a player wants to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Act<'a> {
    /// To make a move.
    Move {
        /// The seat.
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
        /// The seat.
        seat: Seat,
    },
    /// To call the game off before it has properly begun.
    Abort {
        /// The seat.
        seat: Seat,
    },
    /// To offer something.
    Offer {
        /// The seat.
        seat: Seat,
        /// What.
        what: OfferKind,
    },
    /// To answer an offer.
    Answer {
        /// The seat.
        seat: Seat,
        /// The offer.
        offer: OfferId,
        /// Yes or no.
        accept: bool,
    },
    /// To take an offer back.
    Withdraw {
        /// The seat.
        seat: Seat,
        /// The offer.
        offer: OfferId,
    },
}

/// A game in play, or at its end.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    setup: Box<Setup>,
    /// The players by seat once two have swapped seats, or a computer has taken one.
    swapped: Option<Box<BySeat<Player>>>,
    state: State,
    history: PositionHistory,
    moves: MoveList,
    /// What the last move that stands captured.
    last_captures: Captures,
    /// Whether the game may become as long as it likes.
    endless: bool,
}

/// The events of an act, computed on a copy of the state.
struct Trial<'a> {
    state: State,
    context: Context<'a>,
    at: u64,
    events: Events,
    endless: bool,
}

impl Trial<'_> {
    fn is_full(&self) -> bool {
        self.events.len() >= EVENTS_MAX
    }

    fn try_apply(&mut self, transition: &Transition<'_>) -> Result<(), Refusal> {
        let event = self.state.apply(transition, self.at, self.context)?;
        self.events.push(event);
        Ok(())
    }

    /// Applies a transition that cannot be refused.
    fn apply(&mut self, transition: &Transition<'_>) {
        self.try_apply(transition).expect("only moves are refused, and this is not one");
    }

    /// Adds the consequences and returns the events. If a game ever required more events than fit,
    /// the rest would be overdue and come with the next call of [`Table::overdue`].
    ///
    /// A game that is too long ends with the next event. Older records may lack that end.
    fn finish(mut self) -> Events {
        self.apply_pending();
        let has_room = !self.events.is_empty() && !self.is_full();
        if has_room
            && !self.endless
            && self.state.pending_transition.is_none()
            && self.state.is_too_long()
        {
            self.apply(&self.state.end(EndReason::TooLong));
        }
        self.events
    }

    fn apply_pending(&mut self) {
        while !self.is_full()
            && let Some(pending_transition) = self.state.pending_transition.take()
        {
            self.apply(&pending_transition);
        }
    }
}

impl Table {
    /// Returns the first events of a game: it is created and starts. Missing options get their
    /// defaults.
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
    pub fn new(created: &Event) -> Result<Self, ApplyError> {
        let EventKind::Created(setup) = &created.kind else { return Err(ApplyError::NotCreated) };
        if !Setup::clone(setup).complete()?.agrees_with(setup) {
            return Err(ApplyError::Incomplete);
        }
        let state = State::new(setup, created.at);
        check_hash(state.position.hash(), created.hash)?;
        Ok(Self {
            setup: setup.clone(),
            swapped: None,
            state,
            history: PositionHistory::new(),
            moves: MoveList::default(),
            last_captures: Captures::new(),
            endless: false,
        })
    }

    /// Returns the events of an act in order, or why it is refused. Changes nothing.
    ///
    /// The caller asks [`Table::overdue`] for the same `now` first. A `now` before the last event
    /// counts as the time of that event.
    pub fn decide(&self, act: &Act<'_>, now: u64) -> Result<Events, Refusal> {
        let mut trial = self.trial(now);
        self.is_ready(trial.at)?;
        let mut mv = None;
        let transition = self.transition(act, &mut mv)?;
        trial.try_apply(&transition)?;
        Ok(trial.finish())
    }

    /// Returns the events that are due at `now` without an act: a fallen flag, a no-show, or the
    /// rest of an act in whose middle a journal ends. Changes nothing. One flag falls at a time;
    /// the next clock starts at that time.
    pub fn overdue(&self, now: u64) -> Option<Events> {
        let timeout = match self.state.pending_transition {
            Some(_) => None,
            None => Some(self.state.timeout(now.max(self.state.last_at))?),
        };
        // Rooms ask before each move: the state is copied for what is due alone.
        let mut trial = self.trial(now);
        if let Some(timeout) = &timeout {
            trial.apply(timeout);
        }
        let events = trial.finish();
        debug_assert!(!events.is_empty(), "something is due");
        Some(events)
    }

    /// Returns the next time at which [`Table::overdue`] has events if no seat acts.
    pub fn next_deadline(&self) -> Option<u64> {
        match self.state.pending_transition {
            Some(_) => Some(self.state.last_at),
            None => self.state.timeout_at(),
        }
    }

    /// Applies an event. It must be one that the table itself could have decided, equal in every
    /// field. Otherwise the table is unchanged.
    pub fn apply(&mut self, event: &Event) -> Result<(), ApplyError> {
        let transition = Transition::of(&event.kind).ok_or(ApplyError::CreatedTwice)?;
        if event.at < self.state.last_at {
            return Err(ApplyError::BackInTime { at: event.at, last: self.state.last_at });
        }
        self.state.check_transition(&transition, event.at, self.context())?;
        let before = self.state.clone();
        let Self { setup, swapped, state, history, moves, .. } = self;
        let players = swapped.as_deref().unwrap_or(&setup.seats);
        let context = Context { setup, history, moves, players };
        let made = state.apply(&transition, event.at, context);
        match made.map_err(ApplyError::from).and_then(|made| same(made, event)) {
            Ok(kind) => self.remember(kind, &before.clock),
            Err(error) => {
                self.state = before;
                return Err(error);
            }
        }
        debug_assert_eq!(self.moves.len(), self.state.ply, "each ply has its move or skip");
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

    /// Returns the events of a move and the table after it, or why it is refused. It binds no
    /// player, so a fallen flag is ignored.
    pub fn preview(
        &self,
        seat: Seat,
        turn: u32,
        notation: &str,
        now: u64,
    ) -> Result<(Events, Self), Refusal> {
        let now = if self.state.timeout(now).is_some() { self.state.last_at } else { now };
        let events = self.decide(&Act::Move { seat, turn, notation, lag_ms: 0 }, now)?;
        let mut table = self.clone();
        for event in &events {
            table.apply(event).expect("a table applies what it has decided");
        }
        Ok((events, table))
    }

    fn context(&self) -> Context<'_> {
        let Self { setup, history, moves, .. } = self;
        Context { setup, history, moves, players: self.players() }
    }

    /// Whether everything that must have happened by `at` has.
    fn is_ready(&self, at: u64) -> Result<(), Refusal> {
        match self.state.timeout(at) {
            Some(_) => Err(Refusal::NotReady),
            None => Ok(()),
        }
    }

    fn trial(&self, now: u64) -> Trial<'_> {
        Trial {
            state: self.state.clone(),
            context: self.context(),
            at: now.max(self.state.last_at),
            events: Events::new(),
            endless: self.endless,
        }
    }

    /// The cause that an allowed act is. A move is parsed into `mv`.
    fn transition<'a>(
        &self,
        act: &Act<'_>,
        mv: &'a mut Option<Move>,
    ) -> Result<Transition<'a>, Refusal> {
        let state = &self.state;
        Ok(match *act {
            Act::Move { seat, turn, notation, lag_ms } => {
                state.may_move(seat, turn)?;
                let mv = mv.insert(state.position.parse_move(notation)?);
                Transition::Play { seat, mv, lag_ms }
            }
            Act::Resign { seat } => {
                state.may_act(seat)?;
                state.departure(seat, LeaveReason::Resigned, None)
            }
            Act::Abort { seat } => {
                state.may_abort(seat)?;
                let reason = AbortReason::ByPlayer;
                Transition::Abort { by: seat, reason, claimed_by: None }
            }
            Act::Offer { seat, what } => {
                state.may_offer(seat, what, &self.moves)?;
                state.offer_limits.allows(seat, what, state.turn)?;
                if !self.endless && state.records >= OFFERS_END_AT {
                    return Err(Refusal::TooLongForOffers);
                }
                Transition::Offer { by: seat, what }
            }
            Act::Answer { seat, offer, accept } => {
                let last = state.may_answer(seat, offer)?;
                match (accept, last) {
                    (true, true) => close(offer, OfferOutcome::Accepted, seat),
                    (true, false) => Transition::Agree { offer, seat },
                    (false, _) => close(offer, OfferOutcome::Declined, seat),
                }
            }
            Act::Withdraw { seat, offer } => {
                state.may_withdraw(seat, offer)?;
                close(offer, OfferOutcome::Withdrawn, seat)
            }
        })
    }

    /// Records what the state does not hold: the moves and the hashes of positions. `clock` is as
    /// it was before the event.
    fn remember(&mut self, kind: EventKind, clock: &GameClock) {
        match kind {
            EventKind::Moved { seat, mv, captures, .. } => {
                self.moves.push(seat, &mv, clock, &self.state.position);
                self.last_captures = captures;
            }
            EventKind::Swapped { seat, mv, seats, .. } => {
                self.moves.push(seat, &mv, clock, &self.state.position);
                self.moves.forbid_takebacks();
                self.last_captures = Captures::new();
                self.swapped = Some(seats);
            }
            EventKind::Skipped { .. } => self.moves.push_skip(clock, &self.state.position),
            EventKind::Removed { .. } => self.moves.forbid_takebacks(),
            EventKind::Substituted { seat, turn, by, .. } => {
                self.moves.forbid_takebacks();
                let mut players = self.players().clone();
                players[seat] = *by;
                self.swapped = Some(Box::new(players));
                // The position stands on, and has not come up again.
                self.history.rewind(0, turn);
            }
            EventKind::TakenBack { turn, ply, .. } => {
                self.history.rewind(self.moves.choices_from(ply + 1), turn);
                self.moves.cut(ply + 1);
                let departures = self.departures();
                self.last_captures = self.moves.position_after(&self.setup, departures, ply).1;
            }
            _ => {}
        }
        if self.state.outcome.is_none() && self.state.pending_transition.is_none() {
            self.history.enter(self.state.turn, self.state.position.hash());
        }
    }
}

const fn close(offer: OfferId, outcome: OfferOutcome, by: Seat) -> Transition<'static> {
    Transition::Close { offer, outcome, by }
}

/// Returns what has happened, if the event says the same.
fn same(made: Event, event: &Event) -> Result<EventKind, ApplyError> {
    check_hash(made.hash, event.hash)?;
    if made.kind == event.kind { Ok(made.kind) } else { Err(ApplyError::Differs) }
}

const fn check_hash(found: u64, claimed: u64) -> Result<(), ApplyError> {
    if found == claimed { Ok(()) } else { Err(ApplyError::Hash { found, claimed }) }
}

/// An action of the server.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ServerAction {
    /// The player on the move could not move.
    Credit {
        /// Since when, in milliseconds of the Unix epoch.
        from: u64,
        /// Why.
        reason: AdjustReason,
    },
    /// A player has gone, and another claims the consequence.
    Abandoned {
        /// The seat that has left. If it has never moved, there is no game to win.
        seat: Seat,
        /// The seat that claims it.
        claimed_by: Seat,
    },
    /// The result of a rated game has been counted.
    Rated {
        /// What each seat's user was rated before.
        before: BySeat<u16>,
        /// And after.
        after: BySeat<u16>,
    },
    /// An operator of the server ends the game.
    Rule(Ruling),
}

impl ServerAction {
    /// The server was down since a time, in milliseconds of the Unix epoch. No player could move.
    pub const fn outage(from: u64) -> Self {
        Self::Credit { from, reason: AdjustReason::Outage }
    }
}

impl Table {
    /// Returns the events of a server action, or why it is refused. Changes nothing.
    ///
    /// A credit comes before any other question about the time since. It has no events if it cost
    /// no player time; a flag that was down before it falls. Before the other actions, the caller
    /// asks [`Table::overdue`] for the same `now`, as for acts.
    pub fn decide_server_action(&self, action: &ServerAction, now: u64) -> Result<Events, Refusal> {
        let mut trial = self.trial(now);
        match action {
            ServerAction::Credit { from, reason } => trial.credit(*from, *reason),
            ServerAction::Abandoned { seat, claimed_by } => {
                self.is_ready(trial.at)?;
                self.state.may_claim(*claimed_by, *seat)?;
                trial.apply(&self.state.abandonment(*seat, *claimed_by));
            }
            ServerAction::Rated { before, after } => {
                self.state.may_rate(&self.setup, [before.len(), after.len()])?;
                trial.apply(&Transition::Rate { before: before.clone(), after: after.clone() });
            }
            ServerAction::Rule(ruling) => {
                self.is_ready(trial.at)?;
                let transition = self.state.ruling(*ruling);
                self.state.may_rule(&transition)?;
                trial.apply(&transition);
            }
        }
        Ok(trial.finish())
    }
}

impl Table {
    /// Returns the events that offer a seat to a computer in place of its removal, which the table
    /// has decided; `None` if the seat cannot be offered.
    ///
    /// It can in a game of three in which all have moved and nobody has left, once, if the player
    /// leaves by resigning, by the clock or by a claim.
    pub fn offer_seat(&self, removal: &Event, computer: Player, level: u8) -> Option<Events> {
        let EventKind::Removed { seat, reason, claimed_by, .. } = removal.kind else { return None };
        let leaving = SeatOffer { seat, reason, claimed_by, computer, level };
        let transition = Transition::OfferSeat(Box::new(leaving));
        self.state.check_transition(&transition, removal.at, self.context()).ok()?;
        let mut trial = self.trial(removal.at);
        trial.apply(&transition);
        Some(trial.finish())
    }

    /// Returns the events that remove the seat that is offered to a computer before its time: an
    /// answer cannot come any more. `None` if no seat is offered.
    pub fn end_seat_offer(&self, now: u64) -> Option<Events> {
        let vacated = self.state.vacated().filter(|_| self.state.pending_transition.is_none())?;
        let mut trial = self.trial(now);
        trial.apply(&vacated);
        Some(trial.finish())
    }
}

impl Trial<'_> {
    /// Gives the running clock back what it has lost since `from`, unless it had run out by then.
    fn credit(&mut self, from: u64, reason: AdjustReason) {
        self.apply_pending();
        if self.is_full() {
            return;
        }
        if let Some(timeout) = self.state.timeout(from.min(self.at)) {
            return self.apply(&timeout);
        }
        let has_clock = self.state.clock.left_ms().is_some();
        let Some((seat, since)) = self.state.clock.running().filter(|_| has_clock) else { return };
        let by_ms = self.at.saturating_sub(from.max(since));
        if by_ms > 0 {
            self.apply(&Transition::Adjust { seat, by_ms, reason });
        }
    }
}

impl Table {
    /// All that was agreed before the game began.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The position.
    pub fn position(&self) -> &Position {
        &self.state.position
    }

    /// Returns the hashes of the positions in which a seat had to choose a move, including the
    /// present one. Empty for a table without the rule of repetition.
    pub fn positions_seen(&self) -> &[u64] {
        self.history.hashes()
    }

    /// The hash of the position.
    pub fn hash(&self) -> u64 {
        self.state.position.hash()
    }

    /// The clocks.
    pub fn clock(&self) -> &GameClock {
        &self.state.clock
    }

    /// The turn counter: it rises with every move, skip, removal and takeback, and never comes
    /// again.
    pub fn turn(&self) -> u32 {
        self.state.turn
    }

    /// The number of moves and skips that stand.
    pub fn ply(&self) -> u32 {
        self.state.ply
    }

    /// The number of events that have happened.
    pub fn records(&self) -> u32 {
        self.state.records
    }

    /// When the last event happened.
    pub fn last_at(&self) -> u64 {
        self.state.last_at
    }

    /// Returns the players by seat: as in the setup until two players swap seats, or a computer takes
    /// the seat of one who leaves.
    pub fn players(&self) -> &BySeat<Player> {
        self.swapped.as_deref().unwrap_or(&self.setup.seats)
    }

    /// Returns the seat that a computer has taken, and the player who left it.
    pub fn substituted(&self) -> Option<(Seat, &Player)> {
        let players = self.swapped.as_deref()?;
        let is_in = |player: &Player| players.iter().any(|other| other.user == player.user);
        self.setup.seats.entries().find(|(_, player)| !is_in(player))
    }

    /// The seat that is offered to a computer, if one is.
    pub fn seat_offer(&self) -> Option<&SeatOffer> {
        self.state.seat_offer()
    }

    /// When the seat that is offered to a computer is removed, in milliseconds of the Unix epoch.
    pub fn seat_offer_ends(&self) -> Option<u64> {
        self.state.seat_offer_ends()
    }

    /// Whose turn it is, while the game is on.
    pub fn to_move(&self) -> Option<Seat> {
        self.state.outcome.is_none().then(|| self.state.position.to_move())
    }

    /// The moves that stand in canonical notation; a skip is `pass`.
    pub fn moves(&self) -> impl Iterator<Item = &str> {
        self.moves.iter()
    }

    /// The move of a ply, which count from 1.
    pub fn move_at(&self, ply: u32) -> Option<&str> {
        self.moves.get(ply)
    }

    /// Whether the last event requires another that has not happened yet.
    pub fn has_pending_transition(&self) -> bool {
        self.state.pending_transition.is_some()
    }

    /// The offers that wait for answers.
    pub fn offers(&self) -> &[OpenOffer] {
        &self.state.offers
    }

    /// How the game ended, once it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.state.outcome.as_ref()
    }

    /// Returns the seats of the moves that stand. A game counts once all seats have moved.
    pub fn seats_moved(&self) -> SeatSet {
        self.state.moved
    }

    /// Returns the seats that have not left. The loser of a game of two stays to its end.
    pub fn seats_in(&self) -> SeatSet {
        self.state.position.seats_in()
    }

    /// Whether the seat has not left the game.
    pub fn seat_in(&self, seat: Seat) -> bool {
        self.seats_in().contains(seat)
    }

    /// Why a seat left the game, if it did.
    pub fn left_reason(&self, seat: Seat) -> Option<LeaveReason> {
        let departure = self.state.departures.iter().find(|departure| departure.seat == seat)?;
        Some(departure.reason)
    }

    /// Returns the seats that left the game after this many moves and skips, in order, with their
    /// reasons.
    pub fn departures_at(&self, ply: u32) -> impl Iterator<Item = (Seat, LeaveReason)> {
        let departures = self.departures().iter().filter(move |departure| departure.ply == ply);
        departures.map(|departure| (departure.seat, departure.reason))
    }

    /// Returns the departures in order.
    pub(crate) fn departures(&self) -> &[Departure] {
        &self.state.departures
    }

    /// The draw that would come about if all who are left agreed to it now.
    pub(crate) fn agreed_draw(&self) -> Outcome {
        let winners = self.seats_in();
        let departures = self.departures();
        let places = places(self.setup.seats.len(), winners, departures);
        Outcome::Ended { winners, places, reason: EndReason::Agreement }
    }

    /// Returns the position that a pending takeback restores: all seats have agreed, and its event
    /// comes next.
    pub fn taken_back_position(&self) -> Option<Position> {
        let Some(Transition::TakeBack { by }) = self.state.pending_transition else { return None };
        let ply = self.moves.last_of(by).ok()?;
        Some(self.moves.position_after(&self.setup, self.departures(), ply - 1).0)
    }

    /// The last move that was made and stands, in canonical notation.
    pub fn last_move(&self) -> Option<&str> {
        self.moves.last_made()
    }

    /// What it captured.
    pub fn last_captures(&self) -> &[Capture] {
        &self.last_captures
    }

    /// The seat of a user. Case makes no difference between names.
    pub fn seat_of(&self, user: &str) -> Option<Seat> {
        let mut seats = self.players().entries();
        seats.find(|(_, player)| player.user.eq_ignore_ascii_case(user)).map(|(seat, _)| seat)
    }

    /// Returns a table at which a game without clocks has just begun.
    pub fn for_analysis(setup: Setup) -> Result<Self, SetupError> {
        let setup = Setup { clock: TimeControl::None, rated: false, delay: 0, ..setup };
        let events = Self::begin(setup, 0)?;
        let (created, later) = events.split_first().expect("a game begins with an event");
        let mut table = Self::new(created).expect("a table applies what it has decided");
        for event in later {
            table.apply(event).expect("a table applies what it has decided");
        }
        Ok(table)
    }

    /// Returns a table at which the first `ply` moves and skips of this game have been made, and
    /// which goes on from there however this game did; `None` if it has not come as far. Seats that
    /// had left a game of three by then have left there, too.
    pub fn branch(&self, ply: u32) -> Option<Self> {
        if ply > self.ply() {
            return None;
        }
        let mut branch = Self::for_analysis(Setup::clone(&self.setup)).ok()?;
        loop {
            branch.leave_as_in(self);
            if branch.ply() >= ply {
                return Some(branch);
            }
            branch.play(self.move_at(branch.ply() + 1)?).ok()?;
        }
    }

    /// Makes a move of the seat to move, with all its consequences.
    pub fn play(&mut self, notation: &str) -> Result<(), Refusal> {
        let seat = self.to_move().ok_or(Refusal::GameOver)?;
        self.carry_out(&Act::Move { seat, turn: self.turn(), notation, lag_ms: 0 })
    }

    /// Removes the seats that left a game at this ply of their own, or by their clocks, unless that
    /// would end the game.
    fn leave_as_in(&mut self, game: &Self) {
        let ply = self.ply();
        let left = game.departures().iter().filter(|left| left.ply == ply);
        let seats: Vec<Seat> = left
            .filter(|left| match left.reason {
                LeaveReason::Resigned | LeaveReason::TimedOut | LeaveReason::Abandoned => true,
                // The rules demand it here, too.
                LeaveReason::NoPieces | LeaveReason::NoMove => false,
            })
            .map(|left| left.seat)
            .collect();
        for seat in seats {
            if self.seats_in().len() > 2 && self.seat_in(seat) {
                self.carry_out(&Act::Resign { seat }).expect("a seat that plays may give up");
            }
        }
    }

    fn carry_out(&mut self, act: &Act<'_>) -> Result<(), Refusal> {
        for event in &self.decide(act, self.last_at())? {
            self.apply(event).expect("a table applies what it has decided");
        }
        Ok(())
    }
}

impl State {
    /// Whether the seat may do anything but answer whether a computer takes the seat of another.
    fn may_act(&self, seat: Seat) -> Result<(), Refusal> {
        self.may_answer_at_all(seat)?;
        match self.seat_offer() {
            Some(leaving) if leaving.seat == seat => Err(Refusal::LeftTheGame),
            Some(_) => Err(Refusal::SeatIsOffered),
            None => Ok(()),
        }
    }

    /// Whether the seat may do anything at all.
    fn may_answer_at_all(&self, seat: Seat) -> Result<(), Refusal> {
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
    fn may_move(&self, seat: Seat, turn: u32) -> Result<(), Refusal> {
        self.may_act(seat)?;
        if turn != self.turn {
            Err(Refusal::StaleTurn { given: turn, turn: self.turn })
        } else if seat != self.position.to_move() {
            Err(Refusal::NotYourTurn)
        } else {
            Ok(())
        }
    }

    fn may_abort(&self, seat: Seat) -> Result<(), Refusal> {
        self.may_act(seat)?;
        if self.position.seats_in().iter().all(|side| self.moved.contains(side)) {
            return Err(Refusal::TooLateToAbort);
        }
        Ok(())
    }

    /// Whether an offer can stand here at all. Limits on their number hold only for new offers:
    /// older records exceed them.
    fn may_offer(&self, seat: Seat, what: OfferKind, moves: &MoveList) -> Result<(), Refusal> {
        self.may_act(seat)?;
        if self.offers.iter().any(|open| open.what == what) {
            return Err(Refusal::OfferStands);
        }
        match what {
            OfferKind::Draw | OfferKind::Abort => Ok(()),
            OfferKind::Substitute => Err(Refusal::NotYourOffer { what: "make" }),
            OfferKind::Takeback => moves.last_of(seat).map(drop),
        }
    }

    /// Whether the seat may answer the offer, and whether its consent is the last one needed.
    fn may_answer(&self, seat: Seat, offer: OfferId) -> Result<bool, Refusal> {
        let open = self.offers.iter().find(|open| open.offer == offer);
        if open.is_some_and(|open| open.what == OfferKind::Substitute) {
            self.may_answer_at_all(seat)?;
        } else {
            self.may_act(seat)?;
        }
        let needs = open.ok_or(Refusal::NoSuchOffer)?.needs;
        if !needs.contains(seat) {
            return Err(Refusal::NotYourOffer { what: "answer" });
        }
        Ok(needs.without(seat).is_empty())
    }

    fn may_withdraw(&self, seat: Seat, offer: OfferId) -> Result<(), Refusal> {
        self.may_act(seat)?;
        let open = self.offers.iter().find(|open| open.offer == offer);
        if open.ok_or(Refusal::NoSuchOffer)?.by != seat {
            return Err(Refusal::NotYourOffer { what: "withdraw" });
        }
        Ok(())
    }

    /// Whether one seat may claim that another has gone for good: it keeps the game waiting.
    /// Whether it has gone is not known here.
    fn may_claim(&self, claimed_by: Seat, seat: Seat) -> Result<(), Refusal> {
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

    /// Whether an operator may end the game so: whoever wins is still in it.
    fn may_rule(&self, transition: &Transition<'_>) -> Result<(), Refusal> {
        self.may_act(self.position.to_move())?;
        match *transition {
            Transition::End { winners, .. } => {
                let in_game = self.position.seats_in();
                let is_left = winners.single().is_some_and(|winner| in_game.contains(winner));
                if is_left || winners == in_game { Ok(()) } else { Err(Refusal::LeftTheGame) }
            }
            _ => Ok(()),
        }
    }

    /// Whether every seat has moved. If one has not, for example because it left before, there was
    /// no game that could be rated.
    fn is_played(&self) -> bool {
        Seat::all(self.position.players()).all(|seat| self.moved.contains(seat))
    }

    /// Whether the result may be rated; `numbers` are the counts of the ratings before and after.
    fn may_rate(&self, setup: &Setup, numbers: [usize; 2]) -> Result<(), Refusal> {
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
    fn check_transition(
        &self,
        transition: &Transition<'_>,
        at: u64,
        context: Context<'_>,
    ) -> Result<(), ApplyError> {
        // What is agreed in time happens in time.
        let is_late = self.seat_offer_ends().is_some_and(|ends| ends <= at);
        if let Some(pending_transition) = &self.pending_transition {
            let takes_seat = *transition == Transition::Substitute;
            return if pending_transition == transition && !(takes_seat && is_late) {
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
        if is_late && self.vacated().as_ref() != Some(transition) {
            return Err(ApplyError::OutOfOrder);
        }
        match *transition {
            Transition::Play { seat, .. } => self.may_move(seat, self.turn)?,
            // The server may stop waiting for answers that cannot come any more.
            Transition::Leave { .. } if self.seat_offer().is_some() => {
                ensure(self.vacated().as_ref() == Some(transition))?;
            }
            Transition::OfferSeat(ref leaving) => self.check_seat_offer(leaving, at, context)?,
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
            Transition::End { reason: EndReason::Ruling, by: None, claimed_by: None, .. } => {
                self.may_rule(transition)?;
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
            Transition::Abort { reason: AbortReason::Ruling, .. } => {
                ensure(*transition == self.ruling(Ruling::Abort))?;
                self.may_rule(transition)?;
            }
            // These come about only when they are due, or after the end.
            Transition::Start
            | Transition::Skip { .. }
            | Transition::Substitute
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
        transition: &Transition<'_>,
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

    /// Whether the seat may be offered to this computer.
    fn check_seat_offer(
        &self,
        leaving: &SeatOffer,
        at: u64,
        context: Context<'_>,
    ) -> Result<(), ApplyError> {
        let SeatOffer { seat, reason, claimed_by, ref computer, level: _ } = *leaving;
        let players = context.players;
        let everybody = SeatSet::all(players.len());
        let is_new = |player: &Player| !player.user.eq_ignore_ascii_case(&computer.user);
        ensure(
            players.len() > 2
                && self.moved == everybody
                && self.position.seats_in() == everybody
                && self.seat_offer().is_none()
                && *players == context.setup.seats
                && players.iter().all(is_new)
                && *computer == Player { bot: true, ..Player::new(&*computer.user) },
        )?;
        self.check_departure(
            &self.departure(seat, reason, claimed_by),
            seat,
            reason,
            claimed_by,
            at,
        )
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
    fn timeout(&self, at: u64) -> Option<Transition<'static>> {
        if let Some(by) = self.no_show(at) {
            let reason = AbortReason::NoShow;
            return Some(Transition::Abort { by, reason, claimed_by: None });
        }
        if let Some(ends) = self.seat_offer_ends() {
            return self.vacated().filter(|_| ends <= at);
        }
        let seat = self.fallen_flag(at)?;
        Some(self.departure(seat, LeaveReason::TimedOut, None))
    }

    /// Returns the time of the next timeout if no seat moves.
    fn timeout_at(&self) -> Option<u64> {
        let deadlines = [self.clock.deadline(), self.no_show_deadline(), self.seat_offer_ends()];
        deadlines.into_iter().flatten().min()
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
fn settles_a_timeout(transition: &Transition<'_>) -> bool {
    if let Transition::OfferSeat(leaving) = transition {
        return leaving.reason == LeaveReason::TimedOut;
    }
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
