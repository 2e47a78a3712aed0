//! Which games can be played: what a form for a new game needs to know, and a page of rules; and
//! whom the server itself plays as.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{RequestId, RulesName, UserName};

/// The games that can be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GameCatalogue {
    /// The request it answers.
    pub re: RequestId,
    /// Every game.
    pub games: Vec<PlayableGame>,
    /// The server's own players, the weakest first; none where the house does not play.
    #[serde(default)]
    pub house: Vec<HousePlayer>,
}

/// A player of the server's own, who accepts every challenge at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HousePlayer {
    /// Its name, which challenges go to.
    pub user: UserName,
    /// How well it plays.
    pub level: HouseLevel,
}

/// How well a player of the server's own plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HouseLevel {
    /// By the rules, and no more.
    Easy,
    /// One move ahead.
    Medium,
    /// Some moves ahead.
    Hard,
}

/// A game that can be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlayableGame {
    /// Its name, with the version of its rules.
    pub rules: RulesName,
    /// How many may play.
    pub players: Vec<u8>,
    /// What can be chosen.
    pub options: Vec<GameOption>,
    /// What it is about and how moves are written, in lines of text.
    pub page: Box<str>,
}

/// Something that can be chosen for a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GameOption {
    /// Its name in `options`.
    pub name: Box<str>,
    /// What its values are.
    pub kind: GameOptionKind,
    /// The least number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<u32>,
    /// The greatest number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// What it does and what its default is, in one line.
    pub about: Box<str>,
}

/// What the values of an option are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GameOptionKind {
    /// True or false; false by default.
    Flag,
    /// A whole number.
    Number,
    /// A word.
    Word,
}
