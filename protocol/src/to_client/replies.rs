//! The replies that any request may get: `ok` and `error`.

use serde::{Deserialize, Serialize};

use super::game::GameResult;
use crate::{
    error::{ErrorCode, Retry},
    ids::{ChallengeId, GameId, InviteId, OfferId, RequestId, SeekId, TokenId, UserName},
    values::{Capture, Named, OptionValue},
};

/// A request succeeded. Which fields are present depends on the request.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Done {
    /// The request that this answers.
    pub re: RequestId,
    /// The game of the request, or the new game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The seq of the event that it caused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The turn counter after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// Whether the request was a repetition and had succeeded before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dup: bool,
    /// The seek that it opened or joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seek: Option<SeekId>,
    /// The challenge that it opened or accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ChallengeId>,
    /// The invite that it made or accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invite: Option<InviteId>,
    /// The time at which the new invite expires, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// The new offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferId>,
    /// The number of the new line of talk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// The new user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
    /// The secret of a token, sent only once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Box<str>>,
    /// The id of that token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_id: Option<TokenId>,
    /// The secret that signs the requests to the new webhook, sent only once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Box<str>>,
    /// `true` for a tried move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<bool>,
    /// The tried move in canonical notation.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<Box<str>>,
    /// The pieces that the tried move would capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captures: Option<Vec<Capture>>,
    /// The position after the tried move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Named<Box<str>>>,
    /// Cells with pieces that another seat could capture then, were it that seat's turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threatened: Option<Vec<Box<str>>>,
    /// The seat to move after the tried move; absent if the game would end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_move: Option<u8>,
    /// The result after the tried move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
}

impl std::fmt::Debug for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Keeps tokens and the secrets of webhooks out of logs.
        f.debug_struct("Done")
            .field("re", &self.re)
            .field("game", &self.game)
            .field("seq", &self.seq)
            .field("turn", &self.turn)
            .field("dup", &self.dup)
            .field("seek", &self.seek)
            .field("challenge", &self.challenge)
            .finish_non_exhaustive()
    }
}

impl Done {
    /// Returns an `ok` without further fields.
    pub const fn new(re: RequestId) -> Self {
        Self {
            re,
            game: None,
            seq: None,
            turn: None,
            dup: false,
            seek: None,
            challenge: None,
            invite: None,
            expires: None,
            offer: None,
            n: None,
            user: None,
            token: None,
            token_id: None,
            secret: None,
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

/// A request failed, or a frame was not a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Failed {
    /// The request, if its id could be decoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The code for programs.
    pub code: ErrorCode,
    /// One sentence for people.
    pub message: Box<str>,
    /// What the client should do.
    pub retry: Retry,
    /// The wait before sending it again, for `retry` `after`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The game of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The rule that an illegal move violates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Box<str>>,
    /// The key of that rule, for translations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_key: Option<Box<str>>,
    /// What the sentence names, by the names in the key's sentence.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub why_args: Named<OptionValue>,
    /// Which of several tried moves failed, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// The present turn, after a stale one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The protocol versions of the server, after an unknown one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proto: Option<Vec<u32>>,
    /// The limit that was exceeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Box<str>>,
    /// When the ban ends, in epoch milliseconds; absent if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
}

impl Failed {
    /// Returns an error with what clients usually do after its code, and without further fields.
    pub fn new(re: Option<RequestId>, code: ErrorCode, message: impl Into<Box<str>>) -> Self {
        Self {
            re,
            code,
            message: message.into(),
            retry: code.retry(),
            retry_after_ms: None,
            game: None,
            why: None,
            why_key: None,
            why_args: Named::default(),
            index: None,
            turn: None,
            proto: None,
            limit: None,
            until: None,
        }
    }
}
