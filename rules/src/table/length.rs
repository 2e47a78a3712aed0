//! Limits on the length of a game's record. Without a bound, players could make it grow for ever.
//! No serious game comes near.

use crate::event::EVENTS_MAX;

/// Records of a game from which on nothing new is offered in it: ten times as many as a very long
/// game has. Moves, answers to what is open, resigning and claims go on.
pub const OFFERS_END_AT: u32 = 10_000;

/// Records of a game at which it is drawn between those left: two thousand moves further on.
pub const DRAWN_AT: u32 = 12_000;

/// Records that a game can ever have: what the act that reaches [`DRAWN_AT`] leads to, and the
/// rating of the result.
#[expect(clippy::cast_possible_truncation, reason = "an act leads to a handful of events")]
pub const RECORDS_MAX: u32 = DRAWN_AT + EVENTS_MAX as u32;
