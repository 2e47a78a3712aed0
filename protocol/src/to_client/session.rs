//! Opening a session, and the messages about the session itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lobby::OpenChallenge;
use crate::{
    from_client::Software,
    ids::{GameId, PublicKey, RequestId, UserName},
    values::Named,
};

/// The session is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Welcome {
    /// The `hello` it answers.
    pub re: RequestId,
    /// The version that is spoken from here on.
    pub proto: u32,
    /// The server program.
    pub server: Software,
    /// Who the client is; `null` for one that only looks.
    pub user: Option<Me>,
    /// Names the session in the server's logs.
    pub session: Box<str>,
    /// The server's time in epoch milliseconds.
    pub ts: u64,
    /// A secret to come back with, after a log-in by password or as a guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Box<str>>,
    /// The games that can be played, with the version of their rules.
    pub rules: Named<u16>,
    /// What the server puts up with.
    pub limits: Limits,
    /// The timing of the connection's own life.
    pub heartbeat: Heartbeat,
    /// How long a game waits for a player who is away before the others may claim it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_after: Option<ClaimAfter>,
    /// What an acknowledgement is worth: `fsync` survives a power cut.
    pub durability: Box<str>,
    /// The public keys that the server has signed records with, the present one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<PublicKey>,
    /// Every live game of the user.
    pub games: Vec<ResumedGame>,
    /// Open challenges to and by the user, the newest first.
    pub challenges: Vec<OpenChallenge>,
    /// How many there are in all, where these are not all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenges_total: Option<u32>,
}

/// Who the client is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Me {
    /// The name.
    pub name: UserName,
    /// Whether it is a program.
    pub bot: bool,
    /// Whether it has no account.
    pub guest: bool,
    /// Whose bot it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<UserName>,
    /// The user's ratings, by game and number of players: `adamas/2`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub ratings: Named<u16>,
}

/// What the server puts up with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// The largest frame.
    pub frame_bytes: u64,
    /// Messages that may come at once; 0 when there is no limit.
    pub burst: u32,
    /// Messages a second in the long run; 0 when there is no limit.
    pub per_s: u32,
    /// Seeks of one user a minute; 0 when there is no limit.
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
    /// Tokens of one user for log-ins, and as many again for programs.
    #[serde(default)]
    pub tokens: u32,
    /// Bots of one owner.
    #[serde(default)]
    pub bots: u32,
}

/// The timing of a connection's own life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Heartbeat {
    /// How often the server sends a WebSocket ping.
    pub ping_every_ms: u64,
    /// After how long a silent connection is closed.
    pub idle_close_ms: u64,
}

/// How long a game waits for a player who is away on their turn before the others may claim it. With
/// days for each move no player may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimAfter {
    /// With clocks.
    pub timed_ms: u64,
    /// Without.
    pub untimed_ms: u64,
}

/// How a game goes on after a (re)connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResumeDecision {
    /// The missing events follow.
    Tail,
    /// A snapshot follows.
    Snapshot,
    /// The client's past is not the server's: forget it; a snapshot follows.
    Fork,
    /// There is no such game any more.
    Gone,
}

/// A game in the answer to `hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResumedGame {
    /// Which.
    pub game: GameId,
    /// The user's seat; absent for a game that is only watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// What follows.
    pub resume: ResumeDecision,
    /// The first event that follows a `tail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
}

/// Answers a ping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pong {
    /// The ping.
    pub re: RequestId,
    /// The client's time, as it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t0: Option<u64>,
    /// When the ping arrived, in epoch milliseconds.
    pub t1: u64,
    /// When the answer left.
    pub t2: u64,
}

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// The server restarts; connections close with 1012.
    Restart,
}

/// Something about the server itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// What.
    pub what: NoticeKind,
    /// When to come back at the earliest: spread by the server so that not all come at once.
    pub in_ms: u64,
}
