//! Lists of what belongs to a user: tokens and bots.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{RequestId, TokenId, UserName};

/// A user's tokens, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tokens {
    /// The request.
    pub re: RequestId,
    /// Those that are still good.
    pub tokens: Vec<TokenEntry>,
}

/// A token in a list; its secret is not known any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenEntry {
    /// Names it without telling its secret.
    pub token: TokenId,
    /// What it is for.
    pub label: Box<str>,
    /// Whether its sessions are a program's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// When it was made, in epoch milliseconds.
    pub created: u64,
    /// When it ends, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// When a session was last opened with it, give or take ten minutes, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used: Option<u64>,
    /// Whether this session was opened with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub current: bool,
}

/// A user's bots, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bots {
    /// The request.
    pub re: RequestId,
    /// All of them.
    pub bots: Vec<BotEntry>,
}

/// A program's account in the list of its owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotEntry {
    /// The name that it plays under.
    pub name: UserName,
    /// When it was made, in epoch milliseconds.
    pub created: u64,
    /// How many tokens open sessions as it.
    pub tokens: u32,
}
