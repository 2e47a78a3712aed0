//! What the server sends to a user who is away, by Web Push and to a webhook.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{ChallengeId, GameId, RulesName, UserName},
    words::words,
};

words! {
    /// The reason of a notification.
    pub enum NotificationKind {
        /// It is the user's turn.
        YourTurn = "your_turn",
        /// The user is challenged.
        Challenged = "challenged",
        /// A game of the user is over.
        GameOver = "game_over",
        /// Another player has written in a game of the user.
        Message = "message",
    }
}

/// A notification: the payload of a push message, and the body of a webhook's request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Notification {
    /// The reason.
    #[serde(rename = "type")]
    pub kind: NotificationKind,
    /// The user who is notified.
    pub user: UserName,
    /// The game, unless this is a challenge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The challenge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ChallengeId>,
    /// The rules of the game.
    pub rules: RulesName,
    /// The other players; the challenger or the author is the first.
    pub others: Vec<UserName>,
    /// The time in epoch milliseconds.
    pub at: u64,
    /// A headline in English.
    pub title: Box<str>,
    /// A sentence in English.
    pub body: Box<str>,
    /// The page to open: a URL, or a path if the server does not know its own URL.
    pub url: Box<str>,
}
