//! What each kind of event carries of its own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ids::{OfferId, RulesName},
    reasons::{EndReason, LeaveReason},
    values::{Capture, Named, OptionValue, SeatUser, TimeControl, is_zero},
};

/// What was agreed before the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Created {
    /// The game, with the version of its rules.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// Who plays, in turn order.
    pub seats: Vec<SeatUser>,
    /// The time control.
    pub clock: TimeControl,
    /// Whether the result counts.
    pub rated: bool,
    /// How many moves spectators are behind while the game goes on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
}

/// Who opens the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Started {
    /// The seat to move.
    pub to_move: u8,
}

/// A move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// By whom.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The number of the move.
    pub ply: u32,
    /// The move in canonical notation.
    #[serde(rename = "move")]
    pub notation: Box<str>,
    /// What it captured.
    pub captures: Vec<Capture>,
    /// Whose turn it is after it.
    pub to_move: Option<u8>,
    /// Time used.
    pub spent_ms: u64,
    /// Time not charged because the network took it.
    pub lag_ms: u64,
    /// The clocks after it; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
}

/// Two players have changed seats; the pieces stay where they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Swapped {
    /// The seat whose player asked for it.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The number of the swap among moves and skips.
    pub ply: u32,
    /// Who sits where after it.
    pub seats: Vec<SeatUser>,
    /// Whose turn it is after it.
    pub to_move: Option<u8>,
    /// Time used.
    pub spent_ms: u64,
    /// Time not charged because the network took it; absent where it is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lag_ms: u64,
    /// The clocks after it, each with its player; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
}

/// A turn passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// Who could not move.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The number of the skip among moves and skips.
    pub ply: u32,
    /// Whose turn it is after it.
    pub to_move: Option<u8>,
}

/// A seat that left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Removed {
    /// Who.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// Why.
    pub reason: LeaveReason,
    /// Who claimed that the seat had been abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<u8>,
    /// Whose turn it is after it.
    pub to_move: Option<u8>,
}

/// What can be offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OfferKind {
    /// To end the game undecided.
    Draw,
    /// To go back to before the last move of the one who offers.
    Takeback,
    /// To call the game off.
    Abort,
}

/// An offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Offered {
    /// Its name in this game.
    pub offer: OfferId,
    /// What is offered.
    pub what: OfferKind,
    /// By whom.
    pub by: u8,
    /// Who has yet to answer.
    pub needs: Vec<u8>,
}

/// One more has agreed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Agreed {
    /// To which offer.
    pub offer: OfferId,
    /// Who.
    pub seat: u8,
    /// Who has yet to answer.
    pub needs: Vec<u8>,
}

/// How an offer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OfferOutcome {
    /// All agreed.
    Accepted,
    /// Somebody did not.
    Declined,
    /// It was taken back.
    Withdrawn,
    /// The game moved on instead.
    Moved,
}

/// An offer that is no longer open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OfferClosed {
    /// Which.
    pub offer: OfferId,
    /// How it ended.
    pub outcome: OfferOutcome,
    /// Who ended it.
    pub by: u8,
}

/// A move taken back, with all that was played after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TakenBack {
    /// The turn counter after it, which does not go back.
    pub turn: u32,
    /// The number of moves and skips that stand.
    pub ply: u32,
    /// The board that was gone back to: cell name to pieces, bottom piece first.
    pub position: Named<Box<str>>,
    /// The clocks after it; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
    /// Whose move was taken back, and whose turn it is again.
    pub to_move: u8,
}

/// Why a clock was adjusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AdjustReason {
    /// The server was away.
    Outage,
}

/// Time given back to the running clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockAdjusted {
    /// Whose clock.
    pub seat: u8,
    /// How much.
    pub by_ms: u64,
    /// Why.
    pub reason: AdjustReason,
}

/// Why a game was called off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AbortReason {
    /// A player called it off before each side had moved.
    ByPlayer,
    /// All who were left agreed to it.
    Agreed,
    /// A side let its first move wait for too long.
    NoShow,
}

/// A game called off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Aborted {
    /// Who called it off, offered to, or did not come.
    pub by: u8,
    /// Why.
    pub reason: AbortReason,
}

/// The end of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ended {
    /// One seat, or several for a draw.
    pub winners: Vec<u8>,
    /// Each seat's place, from 1; equal numbers are shared.
    pub places: Vec<u8>,
    /// How it came about.
    pub reason: EndReason,
    /// Who gave up, ran out of time or went away, where that ended the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<u8>,
    /// Who claimed that this seat had been abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<u8>,
}

/// Ratings before and after a game, by seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rated {
    /// What each seat's user was rated before.
    pub before: Vec<u16>,
    /// And after.
    pub after: Vec<u16>,
}
