//! How a client plays: what can be done, moves, offers, and ways to leave.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::game_request::game_requests;
use crate::{
    event::OfferKind,
    ids::{GameId, OfferId, RequestId},
    sketch::Sketch,
};

/// Asks which cells can be acted on, where pieces of one may go, and what a sketch comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hints {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// The cell to start from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Box<str>>,
    /// A move in the making.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<Sketch>,
}

/// Asks for the legal moves of the side to move, page by page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moves {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// Only moves from this cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Box<str>>,
    /// Only moves behind this one in their order: what stood in `next`, or any legal move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Box<str>>,
    /// How many at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 512))]
    pub limit: Option<u32>,
}

macro_rules! move_requests {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub struct $name {
            /// Names the request.
            pub id: RequestId,
            /// Which game.
            pub game: GameId,
            /// The turn that the sender believes it to be.
            pub turn: u32,
            /// The move in the game's notation.
            #[serde(rename = "move")]
            pub notation: Box<str>,
        })+
    };
}

move_requests! {
    /// Asks whether a move would be legal, and what would follow. Records nothing.
    Try,
    /// Makes a move.
    Move,
}

game_requests! {
    /// Gives up.
    Resign,
    /// Calls the game off before each side has moved.
    Abort,
}

/// Offers something to the opponents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Offer {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// What.
    pub what: OfferKind,
}

/// Answers an offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// Which offer.
    pub offer: OfferId,
    /// Yes or no.
    pub accept: bool,
}

/// Takes one's own offer back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Withdraw {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// Which offer.
    pub offer: OfferId,
}

/// What can be claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// That a player has gone and does not come back.
    Abandoned,
}

/// Claims the consequence of a player's having gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// What.
    pub what: ClaimKind,
    /// Of which seat, where there is a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("maximum" = 2))]
    pub seat: Option<u8>,
}
