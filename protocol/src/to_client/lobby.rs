//! Finding games and opponents: lists, seeks and challenges.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::game::GameResult;
use crate::{
    from_client::{Allow, GameState, SeatWish},
    ids::{ChallengeId, GameId, RequestId, RulesName, SeekId, UserName},
    reasons::ClosedReason,
    values::{Named, OptionValue, RatingChange, SeatUser, TimeControl, is_zero},
};

/// A game in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GameEntry {
    /// Which.
    pub game: GameId,
    /// The game that is played.
    pub rules: RulesName,
    /// Its options.
    pub options: Named<OptionValue>,
    /// Who plays.
    pub seats: Vec<SeatUser>,
    /// The time control.
    pub clock: TimeControl,
    /// Whether the result counts.
    pub rated: bool,
    /// How many moves spectators are behind while the game goes on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
    /// Live or finished.
    pub state: GameState,
    /// Moves and skips so far.
    pub ply: u32,
    /// Whose turn it is, in a live game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_move: Option<u8>,
    /// When it began.
    pub started_at: u64,
    /// When it last changed.
    pub last_at: u64,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
    /// What it made of the players' ratings, if it counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratings: Option<RatingChange>,
}

/// A list of games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GameList {
    /// The request it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The games, the newest first.
    pub games: Vec<GameEntry>,
    /// Whether there are more: ask again with `before` the last one.
    pub more: bool,
}

/// Somebody challenges the client's user, or one of those challenged has accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "they are fields of the message")]
pub struct Challenged {
    /// Names the challenge.
    pub challenge: ChallengeId,
    /// Who made it.
    pub by: UserName,
    /// Whether that is a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// Whether that is a guest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// The game.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// Who would sit where.
    pub seats: Vec<UserName>,
    /// Whether the seats are drawn by lot.
    pub shuffle: bool,
    /// The time control.
    pub clock: TimeControl,
    /// Whether the result would count.
    pub rated: bool,
    /// How many moves spectators are behind while the game goes on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
    /// Who has agreed so far.
    pub accepted: Vec<UserName>,
    /// The game that is to be played once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<GameId>,
    /// When it was made, in epoch milliseconds.
    #[serde(default)]
    pub created: u64,
    /// When it closes unless all have answered, in epoch milliseconds.
    #[serde(default)]
    pub expires: u64,
}

/// Which way a challenge goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// To the client's user.
    #[default]
    In,
    /// By the client's user.
    Out,
}

/// An open challenge in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenChallenge {
    /// Which way it goes.
    #[serde(default)]
    pub direction: Direction,
    /// All that there is to say about it.
    #[serde(flatten)]
    pub challenged: Challenged,
}

/// Open challenges to and by the client's user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChallengeList {
    /// The request it answers.
    pub re: RequestId,
    /// The challenges, the newest first.
    pub challenges: Vec<OpenChallenge>,
    /// Whether there are more: ask again with `before` the last one.
    pub more: bool,
}

/// A challenge is no longer open: a game came of it, or it did not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChallengeClosed {
    /// Which.
    pub challenge: ChallengeId,
    /// The game that came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// Why none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ClosedReason>,
    /// Who turned it down or took it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<UserName>,
    /// The same in words, where a house player turned it down: why, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Box<str>>,
    /// The game that was to be played once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<GameId>,
}

/// An open seek.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeekEntry {
    /// Names it.
    pub seek: SeekId,
    /// Who looks for opponents.
    pub by: UserName,
    /// Whether that is a program.
    pub bot: bool,
    /// Whether that is a guest.
    pub guest: bool,
    /// The game.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// How many are to play.
    pub players: u8,
    /// Where the seeker would like to sit.
    pub seat: SeatWish,
    /// The time control.
    pub clock: TimeControl,
    /// Whether the result shall count.
    pub rated: bool,
    /// How many moves spectators are behind while the game goes on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
    /// Whom the seeker would play.
    pub allow: Allow,
    /// Who has joined so far, the seeker included.
    pub joined: Vec<UserName>,
}

/// The open seeks, or how they changed. A seek that is added again replaces itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LobbyChange {
    /// The request it answers; it then adds every open seek.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// Seeks that are open now.
    pub add: Vec<SeekEntry>,
    /// Seeks that are open no longer.
    pub remove: Vec<SeekId>,
    /// Whether an answer leaves out older seeks: ask again with `before` the first one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}
