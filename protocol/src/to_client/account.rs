//! Lists of a user's tokens and bots.

use serde::{Deserialize, Serialize};

use crate::{
    constructors::constructor,
    ids::{RequestId, TokenId, UserName},
};

/// A user's tokens, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Tokens {
    /// The request that this answers.
    pub re: RequestId,
    /// The valid tokens.
    pub tokens: Vec<TokenEntry>,
}

constructor!(Tokens { re: RequestId, tokens: Vec<TokenEntry> });

/// A token in a list, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TokenEntry {
    /// The id of the token.
    pub token: TokenId,
    /// The purpose.
    pub label: Box<str>,
    /// Whether its sessions are a bot's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// The time of creation in epoch milliseconds.
    pub created: u64,
    /// The expiry in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// The last use in epoch milliseconds, accurate to ten minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used: Option<u64>,
    /// Whether this session was opened with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub current: bool,
}

constructor!(TokenEntry {
    token: TokenId, label: Box<str>, created: u64;
    bot, expires, last_used, current
});

/// A user's bots, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Bots {
    /// The request that this answers.
    pub re: RequestId,
    /// All of them.
    pub bots: Vec<BotEntry>,
}

constructor!(Bots { re: RequestId, bots: Vec<BotEntry> });

/// A bot in the list of its owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct BotEntry {
    /// The name that it plays under.
    pub name: UserName,
    /// The time of creation in epoch milliseconds.
    pub created: u64,
    /// The number of its tokens.
    pub tokens: u32,
}

constructor!(BotEntry { name: UserName, created: u64, tokens: u32 });
