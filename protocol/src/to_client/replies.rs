//! Yes and no: the replies that any request may get.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::game::GameResult;
use crate::{
    error::{ErrorCode, Retry},
    ids::{ChallengeId, GameId, OfferId, RequestId, SeekId, TokenId, UserName},
    values::{Capture, Named},
};

/// A request was carried out. Which facts stand here depends on the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Done {
    /// The request.
    pub re: RequestId,
    /// The game it was about, or that it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The event it became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The turn counter after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// Whether it had been carried out before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dup: bool,
    /// The seek it opened or joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seek: Option<SeekId>,
    /// The challenge it opened or joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ChallengeId>,
    /// The offer it made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferId>,
    /// The number of the line that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// The user it made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
    /// A secret, told this once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Box<str>>,
    /// Names the token whose secret is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_id: Option<TokenId>,
    /// `true` for a tried move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<bool>,
    /// The tried move in canonical notation.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<Box<str>>,
    /// What the tried move would capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captures: Option<Vec<Capture>>,
    /// The position after the tried move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Named<Box<str>>>,
    /// Cells with pieces that another seat could capture then, were it that seat's turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threatened: Option<Vec<Box<str>>>,
    /// Whose turn it would be after the tried move; absent if the game would be over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_move: Option<u8>,
    /// The result that the tried move would bring about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
}

impl Done {
    /// A bare yes.
    pub const fn new(re: RequestId) -> Self {
        Self {
            re,
            game: None,
            seq: None,
            turn: None,
            dup: false,
            seek: None,
            challenge: None,
            offer: None,
            n: None,
            user: None,
            token: None,
            token_id: None,
            legal: None,
            notation: None,
            captures: None,
            position: None,
            threatened: None,
            to_move: None,
            result: None,
        }
    }
}

/// A request was not carried out, or a frame was not a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failed {
    /// The request, where its id could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// What a program branches on.
    pub code: ErrorCode,
    /// What a person reads: one sentence.
    pub message: Box<str>,
    /// What to do about it.
    pub retry: Retry,
    /// When to send it again, for `retry` `after`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The game it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The rule that an illegal move breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Box<str>>,
    /// The present turn, for a stale one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The versions the server speaks, for an unknown one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proto: Option<Vec<u32>>,
    /// The limit that was met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Box<str>>,
}
