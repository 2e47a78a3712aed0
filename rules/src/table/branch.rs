//! Tables for analysis: a game as it stood at an earlier ply, to try other moves from there. They
//! have no clocks, and nobody agrees to anything at them.

use super::{
    error::SetupError,
    table::{Act, Table},
};
use crate::{clock::TimeControl, event::Setup, game::LeaveReason, refusal::Refusal, seat::Seat};

impl Table {
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
