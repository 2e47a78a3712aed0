//! Requests of a player: hints, moves, offers, ways to leave, and positions to try.

use serde::{Deserialize, Serialize};

use super::game_request::game_requests;
use crate::{
    event::OfferKind,
    ids::{GameId, OfferId, RequestId, RulesName},
    sketch::Sketch,
    to_client::HouseLevel,
    values::Options,
    words::{constructor, known, words},
};

/// Requests the cells that can be picked, the targets of one cell, and the completions of a sketch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Hints {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub game: GameId,
    /// The cell whose targets to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Box<str>>,
    /// The partial move to complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<Sketch>,
    /// Whether the answer has the board with the sketch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub board: bool,
}

constructor!(Hints { id: RequestId, game: GameId; from, sketch, board });

/// Requests the legal moves of the side to move, page by page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Moves {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub game: GameId,
    /// The cell that the moves start from; any if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Box<str>>,
    /// The move after which to continue: `next` of the page before, or any legal move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Box<str>>,
    /// The most entries to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = 512)))]
    pub limit: Option<u32>,
}

constructor!(Moves { id: RequestId, game: GameId; from, after, limit });

macro_rules! move_requests {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
        pub struct $name {
            /// The id of the request.
            pub id: RequestId,
            /// The game.
            pub game: GameId,
            /// The turn as the client knows it. The server rejects a stale one.
            pub turn: u32,
            /// The move in the game's notation.
            #[serde(rename = "move")]
            pub notation: Box<str>,
        }

        constructor!($name { id: RequestId, game: GameId, turn: u32, notation: Box<str> });)+
    };
}

move_requests! {
    /// Checks whether a move would be legal, and returns what would follow. It records nothing.
    Try,
    /// Makes a move.
    Move,
}

game_requests! {
    /// Resigns.
    Resign,
    /// Aborts the game before each side has moved.
    Abort,
}

/// Offers a draw, a takeback or an abort to the opponents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Offer {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub game: GameId,
    /// The kind.
    #[serde(deserialize_with = "known")]
    pub what: OfferKind,
}

constructor!(Offer { id: RequestId, game: GameId, what: OfferKind });

/// Accepts or declines an offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Answer {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub game: GameId,
    /// The offer.
    pub offer: OfferId,
    /// Whether to accept.
    pub accept: bool,
}

constructor!(Answer { id: RequestId, game: GameId, offer: OfferId, accept: bool });

/// Withdraws the user's own offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Withdraw {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub game: GameId,
    /// The offer.
    pub offer: OfferId,
}

constructor!(Withdraw { id: RequestId, game: GameId, offer: OfferId });

words! {
    /// The kinds of claims.
    pub enum ClaimKind {
        /// A player is away and does not come back.
        Abandoned = "abandoned",
    }
}

/// Claims the game from a player who is away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Claim {
    /// The id of the request.
    pub id: RequestId,
    /// The game.
    pub game: GameId,
    /// The kind.
    #[serde(deserialize_with = "known")]
    pub what: ClaimKind,
    /// The seat that is away, if it is ambiguous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("maximum" = 2)))]
    pub seat: Option<u8>,
}

constructor!(Claim { id: RequestId, game: GameId, what: ClaimKind; seat });

/// Requests the position after moves that are tried on a game, or on the beginning of a kind of
/// game. The server stores nothing of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Explore {
    /// The id of the request.
    pub id: RequestId,
    /// The game to begin from. Without it `rules` names the kind of game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The ply of that game to begin from; its last one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<u32>,
    /// The kind of game, without `game`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesName>,
    /// Its options.
    #[serde(default)]
    pub options: Options,
    /// How many play it.
    #[serde(default = "super::lobby::two")]
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 2, "maximum" = 3)))]
    pub players: u8,
    /// The moves to try, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("maxItems" = 512)))]
    pub moves: Vec<Box<str>>,
    /// A partial move to complete in the position after them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<Sketch>,
    /// Whether the answer has the first steps of the next move.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steps: bool,
    /// The level whose opinion of the position the answer has.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub opinion: Option<HouseLevel>,
    /// Whether the answer says what perfect play comes to, where that is known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub oracle: bool,
}

constructor!(Explore {
    id: RequestId;
    game, ply, rules, options, players = super::lobby::two(), moves, sketch, steps, opinion, oracle
});

impl Explore {
    /// Whether the answer judges the position, which nobody gets of a live game that they play.
    pub const fn judges(&self) -> bool {
        self.opinion.is_some() || self.oracle
    }
}
