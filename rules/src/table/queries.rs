//! Queries of a table.

use super::{
    outcome::{Departure, Outcome, places},
    state::OpenOffer,
    table::Table,
    transition::Transition,
};
use crate::{
    clock::GameClock,
    event::{Player, Setup},
    game::{Capture, EndReason, LeaveReason},
    games::{Move, Position},
    seat::{BySeat, Seat, SeatSet},
};

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

    /// Returns the players by seat: as in the setup until two players swap seats.
    pub fn players(&self) -> &BySeat<Player> {
        &self.players
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

    /// The last move that was made and stands.
    pub fn last_move(&self) -> Option<&Move> {
        self.last_move.as_ref().map(|(mv, _)| mv)
    }

    /// What it captured.
    pub fn last_captures(&self) -> &[Capture] {
        self.last_move.as_ref().map_or(&[], |(_, captures)| captures)
    }

    /// The seat of a user. Case makes no difference between names.
    pub fn seat_of(&self, user: &str) -> Option<Seat> {
        let mut seats = self.players.entries();
        seats.find(|(_, player)| player.user.eq_ignore_ascii_case(user)).map(|(seat, _)| seat)
    }
}
