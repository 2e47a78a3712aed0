//! The table, played by script under explicit time and by chance.

mod clocks;
mod journal;
mod offers;
mod server_actions;
mod state_machine;
mod substitutes;
mod takebacks;

use adamant_rules::{
    Act, BySeat, EndReason, Event, EventKind, Events, Kind, Options, Player, Refusal, Seat,
    SeatSet, Setup, Table, TimeControl,
    event::OfferKind,
    table::{Outcome, ServerAction},
};

pub(crate) const O: Seat = Seat::FIRST;
pub(crate) const X: Seat = Seat::new(1).expect("a table has three seats");
pub(crate) const Y: Seat = Seat::new(2).expect("a table has three seats");

pub(crate) const NOON: u64 = 1_790_000_000_000;

pub(crate) fn set(seats: &[Seat]) -> SeatSet {
    seats.iter().copied().collect()
}

/// A game of Adamas between ann, bob and, if there are three, cy.
pub(crate) fn setup(players: usize, options: &str, clock: TimeControl) -> Setup {
    let mut setup = setup_of(Kind::Adamas, players, options, clock);
    setup.rated = players == 3;
    setup
}

fn setup_of(kind: Kind, players: usize, options: &str, clock: TimeControl) -> Setup {
    let player = |seat: Seat| Player::new(["ann", "bob", "cy"][seat.index()]);
    let mut setup = Setup::new(kind, BySeat::from_fn(players, player));
    setup.options =
        Options::parse(options, kind.option_specs()).expect("the test's options are right");
    setup.clock = clock;
    setup
}

/// Applies events to the table after the first of them.
pub(crate) fn follow<'a>(events: impl IntoIterator<Item = &'a Event>) -> Table {
    let mut events = events.into_iter();
    let created = events.next().expect("a game has events");
    let mut table = Table::new(created).expect("the first event creates the game");
    for event in events {
        table.apply(event).expect("a table applies what was decided");
    }
    table
}

#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) table: Table,
    pub(crate) now: u64,
    pub(crate) events: Vec<Event>,
}

impl Script {
    pub(crate) fn new(players: usize, options: &str, clock: TimeControl) -> Self {
        Self::of(setup(players, options, clock))
    }

    fn of(setup: Setup) -> Self {
        let events = Table::begin(setup, NOON).expect("it can be played");
        Self { table: follow(&events), now: NOON, events: events.into_iter().collect() }
    }

    pub(crate) fn without_clock(players: usize, options: &str) -> Self {
        Self::new(players, options, TimeControl::None)
    }

    /// Plays the moves in turn.
    pub(crate) fn after(mut self, moves: &[&str]) -> Self {
        for notation in moves {
            self.play(notation);
        }
        self
    }

    pub(crate) fn wait(&mut self, ms: u64) -> &mut Self {
        self.now += ms;
        self
    }

    pub(crate) fn decide(&self, act: &Act<'_>) -> Result<Events, Refusal> {
        self.table.decide(act, self.now)
    }

    pub(crate) fn refusal(&self, act: &Act<'_>) -> Refusal {
        self.decide(act).expect_err("the act is refused")
    }

    /// Makes an act happen and says what happened.
    pub(crate) fn act(&mut self, act: &Act<'_>) -> Vec<EventKind> {
        let events = self.decide(act).expect("the act is allowed");
        self.happen(events)
    }

    pub(crate) fn happen(&mut self, events: Events) -> Vec<EventKind> {
        for event in &events {
            self.table.apply(event).expect("a table applies what it has decided");
            assert_eq!(event.hash, self.table.hash(), "{event:?}");
        }
        let kinds = events.iter().map(|event| event.kind.clone()).collect();
        self.events.extend(events);
        kinds
    }

    /// What a move by the seat to move would be.
    pub(crate) fn move_act<'a>(&self, notation: &'a str) -> Act<'a> {
        self.lagging_move(notation, 0)
    }

    /// The same, on a way that takes so long.
    pub(crate) fn lagging_move<'a>(&self, notation: &'a str, lag_ms: u64) -> Act<'a> {
        let seat = self.table.to_move().expect("the game is on");
        Act::Move { seat, turn: self.table.turn(), notation, lag_ms }
    }

    /// Makes a ruling happen and says what happened.
    pub(crate) fn decide_server_action(&mut self, action: &ServerAction) -> Vec<EventKind> {
        let events =
            self.table.decide_server_action(action, self.now).expect("the ruling can be made");
        self.happen(events)
    }

    /// Makes an offer and lets all the others agree.
    pub(crate) fn agree(&mut self, seat: Seat, what: OfferKind) -> Vec<EventKind> {
        self.act(&Act::Offer { seat, what });
        let open = *self.table.offers().last().expect("it has just been made");
        let mut kinds = Vec::new();
        for seat in open.needs.iter() {
            kinds = self.act(&Act::Answer { seat, offer: open.offer, accept: true });
        }
        kinds
    }

    pub(crate) fn play(&mut self, notation: &str) -> Vec<EventKind> {
        self.act(&self.move_act(notation))
    }

    /// Lets the overdue happen, which there must be.
    pub(crate) fn overdue(&mut self) -> Vec<EventKind> {
        let events = self.table.overdue(self.now).expect("something is overdue");
        self.happen(events)
    }

    /// Winners, places and reason of the ended game.
    pub(crate) fn result(&self) -> (SeatSet, Vec<u8>, EndReason) {
        match self.table.outcome() {
            Some(Outcome::Ended { winners, places, reason }) => {
                (*winners, places.iter().copied().collect(), *reason)
            }
            other => panic!("the game has not ended: {other:?}"),
        }
    }
}

/// The names of what happened, for comparing sequences.
pub(crate) fn names(kinds: &[EventKind]) -> Vec<String> {
    kinds
        .iter()
        .map(|kind| match kind {
            EventKind::Created(_) => "created".to_owned(),
            EventKind::Started { .. } => "started".to_owned(),
            EventKind::Moved { seat, .. } => format!("moved {seat:?}"),
            EventKind::Swapped { seat, .. } => format!("swapped {seat:?}"),
            EventKind::Skipped { seat, .. } => format!("skipped {seat:?}"),
            EventKind::Removed { seat, reason, .. } => format!("removed {seat:?} {reason:?}"),
            EventKind::Offered { by, .. } => format!("offered {by:?}"),
            EventKind::SeatOffered { leaving, .. } => format!("seat offered {:?}", leaving.seat),
            EventKind::Substituted { seat, .. } => format!("substituted {seat:?}"),
            EventKind::Agreed { seat, .. } => format!("agreed {seat:?}"),
            EventKind::OfferClosed { outcome, by, .. } => format!("closed {outcome:?} {by:?}"),
            EventKind::TakenBack { to_move, .. } => format!("taken back {to_move:?}"),
            EventKind::ClockAdjusted { seat, by_ms, .. } => format!("adjusted {seat:?} {by_ms}"),
            EventKind::Aborted { by, reason, .. } => format!("aborted {reason:?} {by:?}"),
            EventKind::Rated { .. } => "rated".to_owned(),
            EventKind::Ended { reason, by, .. } => match by {
                Some(seat) => format!("ended {reason:?} {seat:?}"),
                None => format!("ended {reason:?}"),
            },
        })
        .collect()
}
