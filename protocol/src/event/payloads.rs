//! What each kind of event carries of its own.

use serde::{Deserialize, Serialize};

use crate::{
    constructors::constructor,
    ids::{OfferId, RulesName},
    reasons::{EndReason, LeaveReason},
    values::{Capture, Named, OptionValue, SeatUser, TimeControl, is_zero},
    words::words,
};

/// The setup of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Created {
    /// The game, with the version of its rules.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// The users in turn order.
    pub seats: Vec<SeatUser>,
    /// The time control.
    pub clock: TimeControl,
    /// Whether the game is rated.
    pub rated: bool,
    /// The number of moves that spectators are behind while the game is live.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
    /// Whether no list shows the game to others than its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
}

constructor!(Created {
    rules: RulesName, options: Named<OptionValue>, seats: Vec<SeatUser>, clock: TimeControl,
    rated: bool;
    delay, unlisted
});

/// The start of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Started {
    /// The seat to move.
    pub to_move: u8,
}

constructor!(Started { to_move: u8 });

/// A move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Moved {
    /// The seat.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The number of the move among moves and skips.
    pub ply: u32,
    /// The move in canonical notation.
    #[serde(rename = "move")]
    pub notation: Box<str>,
    /// The captured pieces.
    pub captures: Vec<Capture>,
    /// The seat to move after it.
    pub to_move: Option<u8>,
    /// The time used, in milliseconds.
    pub spent_ms: u64,
    /// The network lag that was not charged, in milliseconds.
    pub lag_ms: u64,
    /// The clocks after it; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
}

impl Moved {
    /// Returns a move in a game without clocks.
    #[expect(clippy::too_many_arguments, reason = "they are the fields of the event")]
    pub const fn new(
        seat: u8,
        turn: u32,
        ply: u32,
        notation: Box<str>,
        captures: Vec<Capture>,
        to_move: Option<u8>,
        spent_ms: u64,
        lag_ms: u64,
    ) -> Self {
        Self { seat, turn, ply, notation, captures, to_move, spent_ms, lag_ms, left_ms: None }
    }
}

/// Two players have changed seats; the pieces stay where they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Swapped {
    /// The seat whose player swapped.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The number of the swap among moves and skips.
    pub ply: u32,
    /// The users by seat after it.
    pub seats: Vec<SeatUser>,
    /// The seat to move after it.
    pub to_move: Option<u8>,
    /// The time used, in milliseconds.
    pub spent_ms: u64,
    /// The network lag that was not charged, in milliseconds; absent if zero.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lag_ms: u64,
    /// The clocks after it, each with its player; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
}

constructor!(Swapped {
    seat: u8, turn: u32, ply: u32, seats: Vec<SeatUser>, to_move: Option<u8>, spent_ms: u64;
    lag_ms, left_ms
});

/// A skipped turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Skipped {
    /// The seat without a legal move.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The number of the skip among moves and skips.
    pub ply: u32,
    /// The seat to move after it.
    pub to_move: Option<u8>,
}

constructor!(Skipped { seat: u8, turn: u32, ply: u32, to_move: Option<u8> });

/// A seat that left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Removed {
    /// The seat.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The reason.
    pub reason: LeaveReason,
    /// The seat that claimed the abandonment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<u8>,
    /// The seat to move after it.
    pub to_move: Option<u8>,
}

constructor!(Removed { seat: u8, turn: u32, reason: LeaveReason, to_move: Option<u8>; claimed_by });

words! {
    /// The kinds of offers.
    pub enum OfferKind {
        /// A draw.
        Draw = "draw",
        /// Taking back the last move of the seat that offers.
        Takeback = "takeback",
        /// Aborting the game.
        Abort = "abort",
    }
}

/// An offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Offered {
    /// The id of the offer within this game.
    pub offer: OfferId,
    /// The kind of the offer.
    pub what: OfferKind,
    /// The seat that offers.
    pub by: u8,
    /// The seats that have not answered yet.
    pub needs: Vec<u8>,
}

constructor!(Offered { offer: OfferId, what: OfferKind, by: u8, needs: Vec<u8> });

/// An agreement to an offer by one of several seats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Agreed {
    /// The offer.
    pub offer: OfferId,
    /// The seat.
    pub seat: u8,
    /// The seats that have not answered yet.
    pub needs: Vec<u8>,
}

constructor!(Agreed { offer: OfferId, seat: u8, needs: Vec<u8> });

words! {
    /// How an offer ended.
    pub enum OfferOutcome {
        /// All seats agreed.
        Accepted = "accepted",
        /// A seat declined.
        Declined = "declined",
        /// The seat withdrew it.
        Withdrawn = "withdrawn",
        /// A move closed it.
        Moved = "moved",
    }
}

/// An offer that is no longer open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct OfferClosed {
    /// The offer.
    pub offer: OfferId,
    /// The outcome.
    pub outcome: OfferOutcome,
    /// The seat that closed it.
    pub by: u8,
}

constructor!(OfferClosed { offer: OfferId, outcome: OfferOutcome, by: u8 });

/// A takeback of a move and all later ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TakenBack {
    /// The turn counter after it. It never decreases.
    pub turn: u32,
    /// The number of remaining moves and skips.
    pub ply: u32,
    /// The restored board: cell name to pieces, bottom piece first.
    pub position: Named<Box<str>>,
    /// The clocks after it; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
    /// The seat whose move was taken back. It is to move again.
    pub to_move: u8,
}

constructor!(TakenBack { turn: u32, ply: u32, position: Named<Box<str>>, to_move: u8; left_ms });

words! {
    /// Why a clock was adjusted.
    pub enum AdjustReason {
        /// The server was down, or the player was not back after it.
        Outage = "outage",
        /// The player with the first turn had not been sent the game yet.
        Arrival = "arrival",
    }
}

/// A credit of time to the running clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ClockAdjusted {
    /// The seat of the clock.
    pub seat: u8,
    /// The credit in milliseconds.
    pub by_ms: u64,
    /// The reason.
    pub reason: AdjustReason,
}

constructor!(ClockAdjusted { seat: u8, by_ms: u64, reason: AdjustReason });

words! {
    /// Why a game was aborted.
    pub enum AbortReason {
        /// A player aborted it before each side had moved.
        ByPlayer = "by_player",
        /// All remaining seats agreed to it.
        Agreed = "agreed",
        /// A side made no first move: not in time, or it had gone and another claimed that.
        NoShow = "no_show",
    }
}

/// An aborted game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Aborted {
    /// The seat that aborted, offered to abort, or did not move.
    pub by: u8,
    /// The reason.
    pub reason: AbortReason,
    /// The seat that claimed that the other never came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<u8>,
}

constructor!(Aborted { by: u8, reason: AbortReason; claimed_by });

/// The end of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Ended {
    /// One seat, or several for a draw.
    pub winners: Vec<u8>,
    /// Each seat's place, from 1; equal numbers are shared.
    pub places: Vec<u8>,
    /// The reason.
    pub reason: EndReason,
    /// The seat that resigned, ran out of time or went away, if that ended the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<u8>,
    /// The seat that claimed the abandonment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<u8>,
}

constructor!(Ended { winners: Vec<u8>, places: Vec<u8>, reason: EndReason; by, claimed_by });

/// Ratings before and after a game, by seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Rated {
    /// The rating of each seat's user before the game.
    pub before: Vec<u16>,
    /// The rating of each seat's user after the game.
    pub after: Vec<u16>,
}

constructor!(Rated { before: Vec<u16>, after: Vec<u16> });
