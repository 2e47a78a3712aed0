//! Requests about who one is: accounts, their tokens and their programs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{RequestId, TokenId, UserName};

/// Makes an account, or turns the guest of this session into one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Signup {
    /// Names the request.
    pub id: RequestId,
    /// The name to have.
    pub user: UserName,
    /// The password to have.
    #[schemars(extend("maxLength" = 256))]
    pub password: Box<str>,
}

impl std::fmt::Debug for Signup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signup")
            .field("id", &self.id)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// Changes the password and ends what was opened with the old one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PasswordChange {
    /// Names the request.
    pub id: RequestId,
    /// The password so far.
    pub old: Box<str>,
    /// The password to have.
    #[schemars(extend("maxLength" = 256))]
    pub new: Box<str>,
    /// Whether the tokens of programs end, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revoke_all: bool,
}

impl std::fmt::Debug for PasswordChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PasswordChange")
            .field("id", &self.id)
            .field("revoke_all", &self.revoke_all)
            .finish_non_exhaustive()
    }
}

/// Makes a token; its secret is told once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenCreate {
    /// Names the request.
    pub id: RequestId,
    /// What the token is for, in the user's words.
    #[schemars(extend("minLength" = 1, "maxLength" = 64))]
    pub label: Box<str>,
    /// Whether sessions with this token are a program's.
    #[serde(default)]
    pub bot: bool,
    /// When it ends, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// One of one's own bots, if the token is for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
}

/// Lists tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenList {
    /// Names the request.
    pub id: RequestId,
    /// One of one's own bots, if the list is to be of its tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
}

/// Ends a token and the sessions that were opened with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenRevoke {
    /// Names the request.
    pub id: RequestId,
    /// One's own, or one of one's own bot's.
    pub token: TokenId,
}

/// Ends the token that this session was opened with, and the sessions that were opened with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Logout {
    /// Names the request.
    pub id: RequestId,
    /// Whether a guest, who has no other way back, gives up live games.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forget: bool,
}

/// Makes an account for a program, which then belongs to this session's user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotCreate {
    /// Names the request.
    pub id: RequestId,
    /// The name that the program plays under.
    pub name: UserName,
}

/// Lists one's own bots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotList {
    /// Names the request.
    pub id: RequestId,
}
