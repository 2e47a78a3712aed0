//! Transitions: the input of an event. An event has the state after it; its transition is the part
//! that does not follow from the state before it.

use crate::{
    event::{AbortReason, AdjustReason, EventKind, OfferId, OfferKind, OfferOutcome},
    game::{EndReason, LeaveReason},
    games::Move,
    seat::{BySeat, Seat, SeatSet},
};

/// The input that turns a state into the next.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Transition {
    /// The game starts.
    Start,
    /// A seat makes a move, of whose time so much is claimed for the network.
    Play { seat: Seat, mv: Move, lag_ms: u64 },
    /// A seat cannot move and is passed over.
    Skip { seat: Seat },
    /// A seat leaves a game that can go on without it.
    Leave { seat: Seat, reason: LeaveReason, claimed_by: Option<Seat> },
    /// A seat makes an offer.
    Offer { by: Seat, what: OfferKind },
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

impl Transition {
    /// Returns the transition of an event; `None` for a created event.
    pub(super) fn of(kind: &EventKind) -> Option<Self> {
        Some(match *kind {
            EventKind::Created(_) => return None,
            EventKind::Started { .. } => Self::Start,
            EventKind::Moved { seat, ref mv, lag_ms, .. }
            | EventKind::Swapped { seat, ref mv, lag_ms, .. } => {
                Self::Play { seat, mv: mv.clone(), lag_ms }
            }
            EventKind::Skipped { seat, .. } => Self::Skip { seat },
            EventKind::Removed { seat, reason, claimed_by, .. } => {
                Self::Leave { seat, reason, claimed_by }
            }
            EventKind::Offered { by, what, .. } => Self::Offer { by, what },
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
