//! Requests about accounts, tokens and bots.

use serde::{Deserialize, Serialize};

use crate::{
    constructors::constructor,
    ids::{RequestId, TokenId, UserName},
};

/// Creates an account, or turns the guest of this session into one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Signup {
    /// The id of the request.
    pub id: RequestId,
    /// The name of the account.
    pub user: UserName,
    /// The new password.
    #[cfg_attr(feature = "schema", schemars(extend("maxLength" = 256)))]
    pub password: Box<str>,
    /// The invitation, where the server asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("maxLength" = 64)))]
    pub invitation: Option<Box<str>>,
}

constructor!(Signup { id: RequestId, user: UserName, password: Box<str>; invitation });

impl std::fmt::Debug for Signup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signup")
            .field("id", &self.id)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// Changes the password and ends the sessions of the old one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PasswordChange {
    /// The id of the request.
    pub id: RequestId,
    /// The old password.
    pub old: Box<str>,
    /// The new password.
    #[cfg_attr(feature = "schema", schemars(extend("maxLength" = 256)))]
    pub new: Box<str>,
    /// Whether the tokens of programs end, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revoke_all: bool,
}

constructor!(PasswordChange { id: RequestId, old: Box<str>, new: Box<str>; revoke_all });

impl std::fmt::Debug for PasswordChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PasswordChange")
            .field("id", &self.id)
            .field("revoke_all", &self.revoke_all)
            .finish_non_exhaustive()
    }
}

/// Sets a new password with a code from the server's operator, and ends all sessions of the account
/// and its bots.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PasswordReset {
    /// The id of the request.
    pub id: RequestId,
    /// The name of the account.
    pub user: UserName,
    /// The code, which is valid once.
    #[cfg_attr(feature = "schema", schemars(extend("maxLength" = 64)))]
    pub code: Box<str>,
    /// The new password.
    #[cfg_attr(feature = "schema", schemars(extend("maxLength" = 256)))]
    pub new: Box<str>,
}

constructor!(PasswordReset { id: RequestId, user: UserName, code: Box<str>, new: Box<str> });

impl std::fmt::Debug for PasswordReset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PasswordReset")
            .field("id", &self.id)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// Creates a token. Its secret is sent only once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TokenCreate {
    /// The id of the request.
    pub id: RequestId,
    /// The purpose of the token, in the user's words.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 1, "maxLength" = 64)))]
    pub label: Box<str>,
    /// Whether sessions with this token are a bot's.
    #[serde(default)]
    pub bot: bool,
    /// The expiry in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// The user's bot that the token is for, if it is for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
}

constructor!(TokenCreate { id: RequestId, label: Box<str>; bot, expires, user });

/// Lists tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TokenList {
    /// The id of the request.
    pub id: RequestId,
    /// The user's bot whose tokens to list, if not the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
}

constructor!(TokenList { id: RequestId; user });

/// Ends a token and all sessions with that token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TokenRevoke {
    /// The id of the request.
    pub id: RequestId,
    /// A token of the user or of one of the user's bots.
    pub token: TokenId,
}

constructor!(TokenRevoke { id: RequestId, token: TokenId });

/// Ends the token of this session, and all sessions with that token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Logout {
    /// The id of the request.
    pub id: RequestId,
    /// Whether a guest, who cannot log in again, resigns from live games.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forget: bool,
}

constructor!(Logout { id: RequestId; forget });

/// Creates an account for a bot, which belongs to this session's user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct BotCreate {
    /// The id of the request.
    pub id: RequestId,
    /// The name of the bot.
    pub name: UserName,
}

constructor!(BotCreate { id: RequestId, name: UserName });

/// Lists the user's bots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct BotList {
    /// The id of the request.
    pub id: RequestId,
}

constructor!(BotList { id: RequestId });
