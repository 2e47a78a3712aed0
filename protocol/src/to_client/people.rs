//! Messages about users, what they have played, and what they say.

use serde::{Deserialize, Serialize};

use super::lobby::GameEntry;
use crate::{
    from_client::Opponents,
    ids::{GameId, RequestId, RulesName, StandingsCursor, UserName},
    values::{TalkRoom, UserSettings},
    words::{ResultReason, constructor},
};

/// The players of a game, strongest first. Provisional ratings follow the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct StandingList {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The game.
    pub rules: RulesName,
    /// The number of players.
    pub players: u8,
    /// One page of them.
    pub standings: Vec<Standing>,
    /// Whether there are more: request them with `before` set to `next`.
    pub more: bool,
    /// The place at which the next page begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<StandingsCursor>,
}

constructor!(StandingList {
    rules: RulesName, players: u8, standings: Vec<Standing>, more: bool;
    re, next
});

/// A rating with the games behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RatingRecord {
    /// The rating.
    pub rating: u16,
    /// The deviation of the rating.
    pub deviation: u16,
    /// Whether the rating is provisional, for lack of games.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
    /// The number of rated games.
    pub games: u32,
    /// The games in which the user alone was first.
    pub wins: u32,
    /// The games in which the user shared the first place.
    pub draws: u32,
    /// The games in which another user was first.
    pub losses: u32,
}

constructor!(RatingRecord {
    rating: u16, deviation: u16, games: u32, wins: u32, draws: u32, losses: u32;
    provisional
});

/// A player in the standings of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Standing {
    /// The place from 1 among the users listed. Equal ratings share it.
    pub place: u32,
    /// The user.
    pub user: UserName,
    /// Whether the user is a bot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// The rating and the games behind it.
    #[serde(flatten)]
    pub record: RatingRecord,
}

constructor!(Standing { place: u32, user: UserName, record: RatingRecord; bot });

/// A user's profile. All of it is public.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct UserProfile {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The name, as its owner spells it.
    pub user: UserName,
    /// The time of creation in epoch milliseconds.
    pub since: u64,
    /// Whether the user is a bot.
    pub bot: bool,
    /// The owner, if the user is a bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<UserName>,
    /// Whether the user is a guest.
    pub guest: bool,
    /// Whether the user is connected.
    pub online: bool,
    /// The number of live games.
    pub live: u32,
    /// The number of finished games, aborted ones included.
    pub finished: u32,
    /// The user's rating in each pool.
    pub ratings: Vec<PoolRating>,
}

/// A user's rating in one pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PoolRating {
    /// The game.
    pub rules: RulesName,
    /// The number of players.
    pub players: u8,
    /// The place in the standings of the pool.
    pub place: u32,
    /// The rating and the games behind it.
    #[serde(flatten)]
    pub record: RatingRecord,
}

constructor!(PoolRating { rules: RulesName, players: u8, place: u32, record: RatingRecord });

/// A user's finished games, the one that ended last first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct HistoryList {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The user.
    pub user: UserName,
    /// One page of them.
    pub games: Vec<GameEntry>,
    /// Whether there are more: request them with `before` set to the last one.
    pub more: bool,
}

constructor!(HistoryList { user: UserName, games: Vec<GameEntry>, more: bool; re });

/// The user's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SettingsState {
    /// The request that this answers. Without it another session of the user has changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The settings.
    #[serde(flatten)]
    pub settings: UserSettings,
}

constructor!(SettingsState { settings: UserSettings; re });

/// The statistics of a game. A game is counted some seconds after its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GameStats {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The game.
    pub rules: RulesName,
    /// The number of players.
    pub players: u8,
    /// Who plays the games that are counted; everyone if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponents: Option<Opponents>,
    /// How the games with a result ended.
    #[serde(flatten)]
    pub results: ResultCounts,
    /// The number of aborted games. Nothing else counts them.
    pub aborted: u64,
    /// Why the games ended, the most frequent reason first.
    pub reasons: Vec<ReasonCount>,
    /// How long the games were; absent without games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<LengthCounts>,
    /// The most played openings of one, two and three moves; of each length the most played first.
    pub openings: Vec<OpeningCount>,
}

constructor!(GameStats {
    rules: RulesName, players: u8, results: ResultCounts, aborted: u64, reasons: Vec<ReasonCount>,
    openings: Vec<OpeningCount>;
    re, opponents, length
});

/// Numbers of games by their results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ResultCounts {
    /// All games.
    pub games: u64,
    /// Those that one seat won, by seat.
    pub wins: Vec<u64>,
    /// Those that several seats won.
    pub draws: u64,
}

constructor!(ResultCounts { games: u64, wins: Vec<u64>, draws: u64 });

/// The number of games that ended for a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ReasonCount {
    /// The reason.
    pub reason: ResultReason,
    /// The number of games.
    pub games: u64,
}

constructor!(ReasonCount { reason: ResultReason, games: u64 });

/// Lengths of games, in moves of all players.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct LengthCounts {
    /// The shortest game.
    pub shortest: u32,
    /// A quarter of the games are not longer.
    pub lower_quartile: u32,
    /// Half of the games are not longer.
    pub median: u32,
    /// Three quarters of the games are not longer.
    pub upper_quartile: u32,
    /// The longest game. Games of 1000 moves and more count as one of 1000.
    pub longest: u32,
    /// The number of lengths that each bar has.
    pub bar_width: u32,
    /// Numbers of games. The first bar begins at length 0, the next ones follow without a gap.
    pub bars: Vec<u64>,
}

constructor!(LengthCounts {
    shortest: u32, lower_quartile: u32, median: u32, upper_quartile: u32, longest: u32,
    bar_width: u32, bars: Vec<u64>
});

/// How the games with an opening ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct OpeningCount {
    /// The first moves.
    pub moves: Vec<Box<str>>,
    /// The games with it.
    #[serde(flatten)]
    pub results: ResultCounts,
}

constructor!(OpeningCount { moves: Vec<Box<str>>, results: ResultCounts });

/// A new line of talk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Said {
    /// The game.
    pub game: GameId,
    /// The room.
    pub room: TalkRoom,
    /// The line's number in that room, from 1.
    pub n: u64,
    /// The time in epoch milliseconds.
    pub at: u64,
    /// The user.
    pub by: UserName,
    /// The text.
    pub text: Box<str>,
}

constructor!(Said { game: GameId, room: TalkRoom, n: u64, at: u64, by: UserName, text: Box<str> });

/// A line of talk was deleted. Clients remove it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Unsaid {
    /// The game.
    pub game: GameId,
    /// The room.
    pub room: TalkRoom,
    /// The line's number.
    pub n: u64,
}

constructor!(Unsaid { game: GameId, room: TalkRoom, n: u64 });

/// A line of talk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TalkLine {
    /// Its number in its room.
    pub n: u64,
    /// The time in epoch milliseconds.
    pub at: u64,
    /// The speaker.
    pub by: UserName,
    /// Lines of talk.
    pub text: Box<str>,
}

constructor!(TalkLine { n: u64, at: u64, by: UserName, text: Box<str> });

/// Lines of talk of one room of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TalkList {
    /// The request that this answers.
    pub re: RequestId,
    /// The game.
    pub game: GameId,
    /// The room.
    pub room: TalkRoom,
    /// The lines, the oldest first.
    pub lines: Vec<TalkLine>,
    /// Whether there are earlier ones: request them with `before` set to the first one's number.
    pub more: bool,
}

constructor!(TalkList {
    re: RequestId, game: GameId, room: TalkRoom, lines: Vec<TalkLine>, more: bool
});

/// The users that the client's user has muted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct MuteList {
    /// The request that this answers.
    pub re: RequestId,
    /// The names of the users.
    pub users: Vec<UserName>,
}

constructor!(MuteList { re: RequestId, users: Vec<UserName> });

/// The users that the client's user has blocked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct BlockList {
    /// The request that this answers.
    pub re: RequestId,
    /// The names of the users.
    pub users: Vec<UserName>,
}

constructor!(BlockList { re: RequestId, users: Vec<UserName> });
