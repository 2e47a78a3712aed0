//! What happens at a table. A game is the list of these; everything else is derived from it.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::{
    clock::TimeControl,
    game::{Captures, EndReason, LeaveReason},
    games::{Kind, Move, Position},
    options::Options,
    seat::{BySeat, Seat, SeatSet},
};

/// A player as the game's record names them.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Player {
    /// The user's name, which a table keeps in several places.
    pub user: Arc<str>,
    /// Whether a program plays.
    pub bot: bool,
    /// Whether the user has no account.
    pub guest: bool,
    /// The rating at the start, where there is one.
    pub rating: Option<u16>,
}

impl Player {
    /// Returns a person with an account and without a rating.
    pub fn new(user: impl Into<Arc<str>>) -> Self {
        Self { user: user.into(), bot: false, guest: false, rating: None }
    }
}

/// All that is agreed before a game begins.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Setup {
    /// The game.
    pub kind: Kind,
    /// Its options, complete.
    pub options: Options,
    /// The players, in turn order.
    pub seats: BySeat<Player>,
    /// The time control.
    pub clock: TimeControl,
    /// Whether the result counts.
    pub rated: bool,
    /// How many moves spectators are behind while the game goes on, at most [`DELAY_MAX`].
    pub delay: u8,
    /// Whether no list shows the game to others than its players.
    pub unlisted: bool,
}

impl Setup {
    /// Returns a casual game without options and clocks, which everybody may watch.
    pub const fn new(kind: Kind, seats: BySeat<Player>) -> Self {
        Self {
            kind,
            options: Options::new(),
            seats,
            clock: TimeControl::None,
            rated: false,
            delay: 0,
            unlisted: false,
        }
    }
}

/// How many moves spectators may be kept behind.
pub const DELAY_MAX: u8 = 10;

/// Number of an offer within its game, from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OfferId(pub u32);

/// What is offered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum OfferKind {
    /// To end the game undecided.
    Draw,
    /// To go back to before the last move of the one who offers.
    Takeback,
    /// To call the game off.
    Abort,
    /// To let a computer take the seat of a player who leaves a game of three.
    Substitute,
}

/// The seat of a player who leaves a game of three, as it is offered to a computer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeatOffer {
    /// The seat.
    pub seat: Seat,
    /// Why the player leaves.
    pub reason: LeaveReason,
    /// The seat that claimed the abandonment.
    pub claimed_by: Option<Seat>,
    /// The computer, as a player.
    pub computer: Player,
    /// Its level.
    pub level: u8,
}

/// How an offer ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum OfferOutcome {
    /// All seats agreed.
    Accepted,
    /// A seat declined.
    Declined,
    /// The one who made it took it back.
    Withdrawn,
    /// A move was made instead, or the game changed otherwise.
    Moved,
}

/// Why a game was called off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum AbortReason {
    /// A player called it off before each side had moved.
    ByPlayer,
    /// All who were left agreed to it.
    Agreed,
    /// A side let its first move wait for too long.
    NoShow,
    /// An operator of the server has decided.
    Ruling,
}

/// Why a clock was adjusted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum AdjustReason {
    /// The server was down, and no player could move; or the player was not back after it.
    Outage,
    /// The player with the first turn had not been sent the game yet.
    Arrival,
}

/// Something that happened, with the state it led to.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Time in milliseconds of the Unix epoch; never decreasing within a game.
    pub at: u64,
    /// What.
    pub kind: EventKind,
    /// The position's hash after it.
    pub hash: u64,
}

/// What happened.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum EventKind {
    /// The game exists.
    Created(Box<Setup>),
    /// The game has started and the first clock runs.
    Started {
        /// The seat that opens.
        to_move: Seat,
    },
    /// A move was made.
    Moved {
        /// The seat.
        seat: Seat,
        /// The turn counter after it.
        turn: u32,
        /// The number of this move; skips count too.
        ply: u32,
        /// The move, canonical.
        mv: Move,
        /// What it captured.
        captures: Captures,
        /// Whose turn it is after it.
        to_move: Seat,
        /// Time between the turn's beginning and the move's arrival.
        spent_ms: u64,
        /// How much of that was not charged because the network took it.
        lag_ms: u64,
        /// What the clocks show after it; absent without clocks.
        left_ms: Option<BySeat<u64>>,
    },
    /// The two players changed seats; the pieces stay where they are.
    Swapped {
        /// The seat whose player swaps and takes the other seat.
        seat: Seat,
        /// The turn counter after it.
        turn: u32,
        /// The number of this swap among moves and skips.
        ply: u32,
        /// The swap as a move.
        mv: Move,
        /// The players by seat after it.
        seats: Box<BySeat<Player>>,
        /// Whose turn it is after it.
        to_move: Seat,
        /// Time between the turn's beginning and the swap's arrival.
        spent_ms: u64,
        /// How much of that was not charged because the network took it.
        lag_ms: u64,
        /// What the clocks show after it, each with its player; absent without clocks.
        left_ms: Option<BySeat<u64>>,
    },
    /// The seat to move could not and was passed over.
    Skipped {
        /// The seat.
        seat: Seat,
        /// The turn counter after it.
        turn: u32,
        /// The number of this skip among moves and skips.
        ply: u32,
        /// Whose turn it is after it.
        to_move: Seat,
    },
    /// A seat left the game.
    Removed {
        /// The seat.
        seat: Seat,
        /// The turn counter after it.
        turn: u32,
        /// Why.
        reason: LeaveReason,
        /// The seat that claimed the abandonment.
        claimed_by: Option<Seat>,
        /// Whose turn it is after it.
        to_move: Seat,
    },
    /// An offer was made.
    Offered {
        /// Its number.
        offer: OfferId,
        /// What is offered.
        what: OfferKind,
        /// The seat.
        by: Seat,
        /// The seats that have not answered.
        needs: SeatSet,
    },
    /// A player leaves a game of three, and the seat is offered to a computer. All clocks stand.
    SeatOffered {
        /// Its number.
        offer: OfferId,
        /// The seat, why its player leaves, and who may take it.
        leaving: Box<SeatOffer>,
        /// The seats that have not answered.
        needs: SeatSet,
        /// Without the answers by this time, in milliseconds of the Unix epoch, the seat is removed.
        until: u64,
        /// What the clocks show while they stand; absent without clocks.
        left_ms: Option<BySeat<u64>>,
    },
    /// A computer has taken the seat of a player who left, and the clocks run again.
    Substituted {
        /// The seat.
        seat: Seat,
        /// The turn counter after it.
        turn: u32,
        /// The computer, as a player.
        by: Box<Player>,
        /// Its level.
        level: u8,
        /// Whose turn it is after it.
        to_move: Seat,
        /// What the clocks show after it: the seat has its first time again. Absent without clocks.
        left_ms: Option<BySeat<u64>>,
    },
    /// One of several whose agreement an offer needs has agreed.
    Agreed {
        /// The offer.
        offer: OfferId,
        /// The seat that agreed.
        seat: Seat,
        /// The seats that have not answered.
        needs: SeatSet,
    },
    /// An offer is no longer open.
    OfferClosed {
        /// The offer.
        offer: OfferId,
        /// How it ended.
        outcome: OfferOutcome,
        /// The seat that ended it.
        by: Seat,
    },
    /// All agreed to go back to before a move.
    TakenBack {
        /// The turn counter after it, which does not go back.
        turn: u32,
        /// The number of moves and skips that stand.
        ply: u32,
        /// The position that was gone back to.
        position: Box<Position>,
        /// What the clocks show after it; absent without clocks.
        left_ms: Option<BySeat<u64>>,
        /// Whose move was taken back, and whose turn it is again.
        to_move: Seat,
    },
    /// A running clock got time back.
    ClockAdjusted {
        /// Whose.
        seat: Seat,
        /// How much.
        by_ms: u64,
        /// Why.
        reason: AdjustReason,
    },
    /// The game was called off and has no result.
    Aborted {
        /// The seat that aborted, offered to abort, or did not show up; with a ruling the seat to
        /// move.
        by: Seat,
        /// Why.
        reason: AbortReason,
        /// The seat that claimed that the other never came.
        claimed_by: Option<Seat>,
    },
    /// The game is over.
    Ended {
        /// One seat, or several for a draw.
        winners: SeatSet,
        /// Each seat's place from 1; equal numbers are shared.
        places: BySeat<u8>,
        /// How it came about.
        reason: EndReason,
        /// The seat that gave up, ran out of time or went away, where that ended the game.
        by: Option<Seat>,
        /// The seat that claimed the abandonment.
        claimed_by: Option<Seat>,
    },
    /// The result has been counted. The only thing that follows an end.
    Rated {
        /// What each seat's user was rated before.
        before: BySeat<u16>,
        /// And after.
        after: BySeat<u16>,
    },
}

/// Maximum number of events of one act. The longest is a move or a removal, the closing of an offer
/// of each kind, then one skip or removal of each of three seats before the game ends or a seat can
/// move. With the end that makes eight.
pub const EVENTS_MAX: usize = 9;

/// What one act led to, in order. Nearly always one event, or two: more have memory of their own.
pub type Events = SmallVec<[Event; 2]>;
