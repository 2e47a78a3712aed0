//! The statistics of a game.

use serde::{Deserialize, Serialize};

use crate::{
    constructors::constructor,
    from_client::Opponents,
    ids::{RequestId, RulesName},
    reasons::ResultReason,
};

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
