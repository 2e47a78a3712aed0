//! How a game ended, who left it on the way, and which places that makes.

use crate::{
    event::AbortReason,
    game::{EndReason, LeaveReason},
    seat::{BySeat, Seat, SeatSet},
};

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

/// A seat that left before the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Departure {
    /// The seat.
    pub(crate) seat: Seat,
    /// Why.
    pub(crate) reason: LeaveReason,
    /// How many moves and skips had been made.
    pub(crate) ply: u32,
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
