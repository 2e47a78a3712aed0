//! What makes an event happen. An event says how things are afterwards; its cause is what is left
//! when all that follows from the state before it is taken away.

use crate::{
    event::{EventKind, OfferId, OfferKind, OfferOutcome},
    game::{EndReason, LeaveReason},
    games::Move,
    seat::{Seat, SeatSet},
};

/// What makes an event happen.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Cause {
    /// Everybody is there.
    Start,
    /// A seat makes a move.
    Play { seat: Seat, play: Move },
    /// A seat cannot move and is passed over.
    Skip { seat: Seat },
    /// A seat leaves a game that can go on without it.
    Leave { seat: Seat, reason: LeaveReason },
    /// A seat makes an offer.
    Offer { by: Seat, what: OfferKind },
    /// A seat agrees, and others have yet to.
    Agree { offer: OfferId, seat: Seat },
    /// An offer is no longer open.
    Close { offer: OfferId, outcome: OfferOutcome, by: Seat },
    /// A seat calls the game off.
    Abort { by: Seat },
    /// The game is decided.
    End { winners: SeatSet, reason: EndReason, by: Option<Seat> },
}

impl Cause {
    /// What must have made this event happen; nothing at a table does that to a created event.
    pub(super) fn of(kind: &EventKind) -> Option<Self> {
        Some(match *kind {
            EventKind::Created(_) => return None,
            EventKind::Started { .. } => Self::Start,
            EventKind::Moved { seat, ref play, .. } | EventKind::Swapped { seat, ref play, .. } => {
                Self::Play { seat, play: play.clone() }
            }
            EventKind::Skipped { seat, .. } => Self::Skip { seat },
            EventKind::Removed { seat, reason, .. } => Self::Leave { seat, reason },
            EventKind::Offered { by, what, .. } => Self::Offer { by, what },
            EventKind::Agreed { offer, seat, .. } => Self::Agree { offer, seat },
            EventKind::OfferClosed { offer, outcome, by } => Self::Close { offer, outcome, by },
            EventKind::Aborted { by, .. } => Self::Abort { by },
            EventKind::Ended { winners, reason, by, .. } => Self::End { winners, reason, by },
        })
    }
}
