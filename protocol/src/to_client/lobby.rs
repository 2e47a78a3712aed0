//! Lists of games, seeks and challenges.

use serde::{Deserialize, Serialize};

use super::game::GameResult;
use crate::{
    constructors::constructor,
    from_client::{Allow, GameState, RatingRange, SeatWish},
    ids::{ChallengeId, GameId, RequestId, RulesName, SeekId, UserName},
    reasons::ClosedReason,
    values::{Named, OptionValue, RatingChange, SeatUser, TimeControl, is_zero},
    words::words,
};

/// A game in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GameEntry {
    /// The game.
    pub game: GameId,
    /// The game that is played.
    pub rules: RulesName,
    /// Its options.
    pub options: Named<OptionValue>,
    /// The users by seat.
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
    /// Whether the game is live or finished.
    pub state: GameState,
    /// Moves and skips so far.
    pub ply: u32,
    /// The seat to move, in a live game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_move: Option<u8>,
    /// The start in epoch milliseconds.
    pub started_at: u64,
    /// The last change in epoch milliseconds.
    pub last_at: u64,
    /// The outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
    /// The change of the players' ratings, if the game was rated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratings: Option<RatingChange>,
}

/// A list of games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GameList {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The games, the newest first.
    pub games: Vec<GameEntry>,
    /// Whether there are more, or may be: request them with `before` set to `next`.
    pub more: bool,
    /// The game after which the list goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<GameId>,
}

constructor!(GameList { games: Vec<GameEntry>, more: bool; re, next });

/// A challenge to the client's user, or a further acceptance of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::struct_excessive_bools, reason = "they are fields of the message")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Challenged {
    /// The id of the challenge.
    pub challenge: ChallengeId,
    /// The challenger.
    pub by: UserName,
    /// Whether the user is a bot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// Whether the user is a guest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// The game.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// The users by seat.
    pub seats: Vec<UserName>,
    /// Whether the seats are shuffled.
    pub shuffle: bool,
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
    /// The users who have accepted so far.
    pub accepted: Vec<UserName>,
    /// The game of which this is a rematch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<GameId>,
    /// The time of creation in epoch milliseconds.
    #[serde(default)]
    pub created: u64,
    /// The time at which it expires, in epoch milliseconds.
    #[serde(default)]
    pub expires: u64,
}

words! {
    /// The direction of a challenge.
    #[derive(Default)]
    pub enum Direction {
        /// To the client's user.
        #[default]
        In = "in",
        /// By the client's user.
        Out = "out",
    }
}

/// An open challenge in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct OpenChallenge {
    /// The direction.
    #[serde(default)]
    pub direction: Direction,
    /// The challenge.
    #[serde(flatten)]
    pub challenged: Challenged,
}

constructor!(OpenChallenge { challenged: Challenged; direction });

/// Open challenges to and by the client's user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ChallengeList {
    /// The request that this answers.
    pub re: RequestId,
    /// The challenges, the newest first.
    pub challenges: Vec<OpenChallenge>,
    /// Whether there are more: request them with `before` set to the last one.
    pub more: bool,
}

constructor!(ChallengeList { re: RequestId, challenges: Vec<OpenChallenge>, more: bool });

/// A challenge was closed, with or without a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ChallengeClosed {
    /// The challenge.
    pub challenge: ChallengeId,
    /// The new game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The reason, if there is no game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ClosedReason>,
    /// The user who declined or cancelled it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<UserName>,
    /// The limit that is reached, if a house player declined it as `busy`:
    /// `house_games_per_user`, `house_games_per_network` or `house_games`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Box<str>>,
    /// The reason in words, if a house player declined it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Box<str>>,
    /// The game of which this was a rematch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<GameId>,
}

constructor!(ChallengeClosed {
    challenge: ChallengeId; game, reason, by, limit, message, rematch_of
});

/// An open seek.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::struct_excessive_bools, reason = "they are fields of the message")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SeekEntry {
    /// The id of the seek.
    pub seek: SeekId,
    /// The seeker.
    pub by: UserName,
    /// Whether the user is a bot.
    pub bot: bool,
    /// Whether the user is a guest.
    pub guest: bool,
    /// The game.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// The number of players.
    pub players: u8,
    /// The seat that the seeker prefers.
    pub seat: SeatWish,
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
    /// The opponents that the seeker accepts.
    pub allow: Allow,
    /// The ratings that the seeker accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingRange>,
    /// Whether the seek outlives the seeker's connection.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lasting: bool,
    /// The time at which a lasting seek expires, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// The users who have joined so far, the seeker included.
    pub joined: Vec<UserName>,
}

/// The open seeks, or their changes. A seek that is added again replaces the old entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct LobbyChange {
    /// The request that this answers. The answer adds every open seek.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The new or changed seeks.
    pub add: Vec<SeekEntry>,
    /// The closed seeks.
    pub remove: Vec<SeekId>,
    /// Whether an answer omits older seeks: request them with `before` set to the first one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

constructor!(LobbyChange { add: Vec<SeekEntry>, remove: Vec<SeekId>; re, more });
