//! The catalogue: the games that can be played, their options and rules, and the server's own bots.

use serde::{Deserialize, Serialize};

use crate::{
    constructors::constructor,
    ids::{RequestId, RulesName, UserName},
    values::OptionValue,
    words::words,
};

/// The games that can be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GameCatalogue {
    /// The request that this answers.
    pub re: RequestId,
    /// Every game.
    pub games: Vec<PlayableGame>,
    /// The server's own bots, weakest first; empty if there are none.
    #[serde(default)]
    pub house: Vec<HousePlayer>,
}

constructor!(GameCatalogue { re: RequestId, games: Vec<PlayableGame>; house });

/// One of the server's own bots, which accepts every challenge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct HousePlayer {
    /// Its name, which challenges go to.
    pub user: UserName,
    /// Its level.
    pub level: HouseLevel,
}

constructor!(HousePlayer { user: UserName, level: HouseLevel });

words! {
    /// The level of one of the server's own bots.
    pub enum HouseLevel {
        /// It plays random legal moves.
        Easy = "easy",
        /// It looks one move ahead.
        Medium = "medium",
        /// It looks some moves ahead.
        Hard = "hard",
    }
}

/// A game that can be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PlayableGame {
    /// Its name, with the version of its rules.
    pub rules: RulesName,
    /// Its name for people.
    #[serde(default)]
    pub title: Box<str>,
    /// What it is about, in one sentence.
    #[serde(default)]
    pub goal: Box<str>,
    /// The possible numbers of players.
    pub players: Vec<u8>,
    /// The options.
    pub options: Vec<GameOption>,
    /// A summary of the rules and the notation, in lines of text.
    pub page: Box<str>,
}

constructor!(PlayableGame {
    rules: RulesName, players: Vec<u8>, options: Vec<GameOption>, page: Box<str>;
    title, goal
});

/// An option of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GameOption {
    /// Its name in `options`.
    pub name: Box<str>,
    /// Its name for people.
    #[serde(default)]
    pub title: Box<str>,
    /// The kind of its values.
    pub kind: GameOptionKind,
    /// The least number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<u32>,
    /// The greatest number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// Its effect and default, in one line.
    pub about: Box<str>,
    /// The values that there are, where they are few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<GameOptionChoice>,
}

constructor!(GameOption {
    name: Box<str>, kind: GameOptionKind, about: Box<str>;
    title, least, most, choices
});

/// A value of an option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GameOptionChoice {
    /// The value, as in `options`.
    pub value: OptionValue,
    /// What it means, for people.
    pub title: Box<str>,
}

constructor!(GameOptionChoice { value: OptionValue, title: Box<str> });

words! {
    /// The kinds of option values.
    pub enum GameOptionKind {
        /// True or false; false by default.
        Flag = "flag",
        /// A whole number.
        Number = "number",
        /// A word.
        Word = "word",
    }
}
