//! Messages about the session: `welcome`, `pong` and notices.

use serde::{Deserialize, Serialize};

use super::{lobby::OpenChallenge, notifications::PushKey};
use crate::{
    constructors::constructor,
    from_client::Software,
    ids::{GameId, PublicKey, RequestId, UserName},
    values::{Named, UserSettings},
    words::words,
};

/// The session is open.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Welcome {
    /// The `hello` it answers.
    pub re: RequestId,
    /// The version that is spoken from here on.
    pub proto: u32,
    /// The server program.
    pub server: Software,
    /// The user; `null` without credentials.
    pub user: Option<Me>,
    /// The id of the session in the server's logs.
    pub session: Box<str>,
    /// The server's time in epoch milliseconds.
    pub ts: u64,
    /// The secret to reconnect with, after a log-in by password or as a guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Box<str>>,
    /// The games that can be played, with the version of their rules.
    pub rules: Named<u16>,
    /// The limits of the server.
    pub limits: Limits,
    /// The heartbeat of the connection.
    pub heartbeat: Heartbeat,
    /// The absence of a player after which the others may claim the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_after: Option<ClaimAfter>,
    /// The durability of an acknowledged move: `fsync` survives a power cut.
    pub durability: Box<str>,
    /// The public keys that the server has signed records with, the present one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<PublicKey>,
    /// What a browser needs to subscribe; absent if the server sends no push messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push: Option<PushKey>,
    /// Every live game of the user.
    pub games: Vec<ResumedGame>,
    /// Open challenges to and by the user, the newest first.
    pub challenges: Vec<OpenChallenge>,
    /// The settings of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<UserSettings>,
    /// The number of all challenges, if `challenges` is incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenges_total: Option<u32>,
}

impl std::fmt::Debug for Welcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Keeps the token out of logs.
        f.debug_struct("Welcome")
            .field("user", &self.user)
            .field("session", &self.session)
            .field("games", &self.games)
            .field("challenges", &self.challenges)
            .finish_non_exhaustive()
    }
}

/// The user of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Me {
    /// The name.
    pub name: UserName,
    /// Whether the user is a bot.
    pub bot: bool,
    /// Whether the user is a guest.
    pub guest: bool,
    /// The owner, if the user is a bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<UserName>,
    /// The user's ratings, by game and number of players: `adamas/2`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub ratings: Named<u16>,
}

constructor!(Me { name: UserName, bot: bool, guest: bool; owner, ratings });

/// The limits of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Limits {
    /// The largest frame.
    pub frame_bytes: u64,
    /// The burst of messages; 0 for no limit.
    pub burst: u32,
    /// The sustained messages per second; 0 for no limit.
    pub per_s: u32,
    /// Seeks of one user per minute; 0 for no limit.
    #[serde(default)]
    pub seeks_per_min: u32,
    /// Challenges and rematches asked for, and seeks and challenges accepted, by one user a
    /// minute; 0 when there is no limit.
    #[serde(default)]
    pub games_per_min: u32,
    /// Open seeks of one session.
    #[serde(default)]
    pub open_seeks: u32,
    /// Open challenges made by one user.
    #[serde(default)]
    pub open_challenges: u32,
    /// Live games of one user.
    #[serde(default)]
    pub live_games: u32,
    /// Sessions of one user.
    #[serde(default)]
    pub sessions: u32,
    /// Games that one session may watch at the same time.
    #[serde(default)]
    pub watched_games: u32,
    /// Log-in tokens of one user. The same number applies to tokens for programs.
    #[serde(default)]
    pub tokens: u32,
    /// Bots of one owner.
    #[serde(default)]
    pub bots: u32,
}

constructor!(Limits {
    frame_bytes: u64, burst: u32, per_s: u32;
    seeks_per_min, games_per_min, open_seeks, open_challenges, live_games, sessions, watched_games,
    tokens, bots
});

/// The heartbeat of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Heartbeat {
    /// The interval of WebSocket pings, in milliseconds.
    pub ping_every_ms: u64,
    /// The silence after which the server closes a connection, in milliseconds.
    pub idle_close_ms: u64,
}

constructor!(Heartbeat { ping_every_ms: u64, idle_close_ms: u64 });

/// The absence on a player's turn after which the others may claim the game. Games with days for
/// each move allow no claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ClaimAfter {
    /// With clocks, in milliseconds.
    pub timed_ms: u64,
    /// Without clocks, in milliseconds.
    pub untimed_ms: u64,
}

constructor!(ClaimAfter { timed_ms: u64, untimed_ms: u64 });

words! {
    /// How the server resumes a game after a (re)connect.
    pub enum ResumeDecision {
        /// The missing events follow.
        Tail = "tail",
        /// A snapshot follows.
        Snapshot = "snapshot",
        /// The client's history differs from the server's. The client forgets it; a snapshot follows.
        Fork = "fork",
        /// The game does not exist.
        Gone = "gone",
    }
}

/// A game in the answer to `hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ResumedGame {
    /// The game.
    pub game: GameId,
    /// The user's seat; absent for a spectator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// What follows.
    pub resume: ResumeDecision,
    /// The first seq that follows a `tail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
}

constructor!(ResumedGame { game: GameId, resume: ResumeDecision; seat, from });

/// Answers a ping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Pong {
    /// The request that this answers.
    pub re: RequestId,
    /// The client's time, unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t0: Option<u64>,
    /// The arrival of the ping in epoch milliseconds.
    pub t1: u64,
    /// The departure of the answer in epoch milliseconds.
    pub t2: u64,
}

constructor!(Pong { re: RequestId, t1: u64, t2: u64; t0 });

words! {
    /// The kinds of notices.
    pub enum NoticeKind {
        /// The server restarts. Connections close with 1012.
        Restart = "restart",
        /// The operator has planned a restart. From then on no game begins.
        Maintenance = "maintenance",
        /// The planned restart is cancelled.
        MaintenanceCancelled = "maintenance_cancelled",
        /// A text of the operator.
        Message = "message",
    }
}

/// A notice of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Notice {
    /// The kind.
    pub what: NoticeKind,
    /// For `restart`, the wait before reconnecting, in milliseconds: the server spreads its clients
    /// over time. For `maintenance`, the time until it begins. Otherwise 0.
    pub in_ms: u64,
    /// The operator's text, for `maintenance` and `message`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Box<str>>,
}

constructor!(Notice { what: NoticeKind, in_ms: u64; text });
