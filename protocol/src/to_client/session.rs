//! Messages about the session, the account with its tokens and bots, and notifications; replies.

use serde::{Deserialize, Serialize};

use super::{game::GameResult, lobby::OpenChallenge};
use crate::{
    error::{ErrorCode, Retry},
    from_client::Software,
    ids::{
        ChallengeId, GameId, InviteId, OfferId, PublicKey, RequestId, SeekId, TokenId, UserName,
    },
    values::{Capture, Named, OptionValue, UserSettings},
    words::{constructor, words},
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
    /// Whether the server sends mail, so that an account can have an address.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mail: bool,
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

impl Welcome {
    /// Returns the `welcome` of a session without a user.
    #[expect(clippy::too_many_arguments, reason = "they are the fields of the message")]
    pub fn new(
        re: RequestId,
        proto: u32,
        server: Software,
        session: Box<str>,
        ts: u64,
        rules: Named<u16>,
        limits: Limits,
        heartbeat: Heartbeat,
        durability: Box<str>,
    ) -> Self {
        Self {
            re,
            proto,
            server,
            user: None,
            session,
            ts,
            token: None,
            rules,
            limits,
            heartbeat,
            claim_after: None,
            durability,
            keys: Vec::new(),
            push: None,
            mail: false,
            games: Vec::new(),
            challenges: Vec::new(),
            settings: None,
            challenges_total: None,
        }
    }
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
        /// An operator warns the user.
        Warning = "warning",
        /// An operator has silenced the user.
        Silenced = "silenced",
        /// A report of the user is closed.
        ReportClosed = "report_closed",
        /// An operator has annulled the result of a game of the user.
        GameAnnulled = "game_annulled",
        /// An operator has ended a game of the user by a ruling.
        GameRuled = "game_ruled",
    }
}

words! {
    /// What operators did about a report.
    pub enum ReportOutcome {
        /// They acted on it.
        Acted = "acted",
        /// They saw nothing to act on.
        Dismissed = "dismissed",
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
    /// The operator's text; of `report_closed` the answer, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Box<str>>,
    /// The number of a notice that each `hello` brings again until `notice_seen`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// For `silenced`, the end, in epoch milliseconds; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
    /// The report of `report_closed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<u64>,
    /// What was done about that report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ReportOutcome>,
    /// The game of `game_annulled` and `game_ruled`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
}

constructor!(Notice { what: NoticeKind, in_ms: u64; text, n, until, report, outcome, game });

/// A request succeeded. Which fields are present depends on the request.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Done {
    /// The request that this answers.
    pub re: RequestId,
    /// The game of the request, or the new game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The seq of the event that it caused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The turn counter after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// Whether the request was a repetition and had succeeded before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dup: bool,
    /// The seek that it opened or joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seek: Option<SeekId>,
    /// The challenge that it opened or accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ChallengeId>,
    /// The invite that it made or accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invite: Option<InviteId>,
    /// The time at which the new invite expires, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// The new offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferId>,
    /// The number of the new line of talk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// The number of the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<u64>,
    /// The new user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
    /// The secret of a token, sent only once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Box<str>>,
    /// The id of that token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_id: Option<TokenId>,
    /// The recovery code of the account, which sets a new password once. Sent only once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Box<str>>,
    /// The secret that signs the requests to the new webhook, sent only once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Box<str>>,
    /// `true` for a tried move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<bool>,
    /// The tried move in canonical notation.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<Box<str>>,
    /// The pieces that the tried move would capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captures: Option<Vec<Capture>>,
    /// The position after the tried move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Named<Box<str>>>,
    /// Cells with pieces that another seat could capture then, were it that seat's turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threatened: Option<Vec<Box<str>>>,
    /// The seat to move after the tried move; absent if the game would end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_move: Option<u8>,
    /// The result after the tried move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
}

impl std::fmt::Debug for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Keeps tokens and the secrets of webhooks out of logs.
        f.debug_struct("Done")
            .field("re", &self.re)
            .field("game", &self.game)
            .field("seq", &self.seq)
            .field("turn", &self.turn)
            .field("dup", &self.dup)
            .field("seek", &self.seek)
            .field("challenge", &self.challenge)
            .finish_non_exhaustive()
    }
}

impl Done {
    /// Returns an `ok` without further fields.
    pub const fn new(re: RequestId) -> Self {
        Self {
            re,
            game: None,
            seq: None,
            turn: None,
            dup: false,
            seek: None,
            challenge: None,
            invite: None,
            expires: None,
            offer: None,
            n: None,
            report: None,
            user: None,
            token: None,
            token_id: None,
            recovery: None,
            secret: None,
            legal: None,
            notation: None,
            captures: None,
            position: None,
            threatened: None,
            to_move: None,
            result: None,
        }
    }
}

/// A request failed, or a frame was not a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Failed {
    /// The request, if its id could be decoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The code for programs.
    pub code: ErrorCode,
    /// One sentence for people.
    pub message: Box<str>,
    /// What the client should do.
    pub retry: Retry,
    /// The wait before sending it again, for `retry` `after`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The game of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The rule that an illegal move violates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Box<str>>,
    /// The key of that rule, for translations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_key: Option<Box<str>>,
    /// What the sentence names, by the names in the key's sentence.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub why_args: Named<OptionValue>,
    /// Which of several tried moves failed, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// The present turn, after a stale one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The protocol versions of the server, after an unknown one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proto: Option<Vec<u32>>,
    /// The limit that was exceeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Box<str>>,
    /// When the ban ends, in epoch milliseconds; absent if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
}

impl Failed {
    /// Returns an error with what clients usually do after its code, and without further fields.
    pub fn new(re: Option<RequestId>, code: ErrorCode, message: impl Into<Box<str>>) -> Self {
        Self {
            re,
            code,
            message: message.into(),
            retry: code.retry(),
            retry_after_ms: None,
            game: None,
            why: None,
            why_key: None,
            why_args: Named::default(),
            index: None,
            turn: None,
            proto: None,
            limit: None,
            until: None,
        }
    }
}

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

/// What a browser needs to subscribe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PushKey {
    /// The server's public key in base64url, the `applicationServerKey` of a subscription.
    pub key: Box<str>,
}

constructor!(PushKey { key: Box<str> });

/// A user's push subscriptions, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PushSubscriptions {
    /// The request that this answers.
    pub re: RequestId,
    /// All of them.
    pub subscriptions: Vec<PushSubscription>,
}

constructor!(PushSubscriptions { re: RequestId, subscriptions: Vec<PushSubscription> });

/// A push subscription in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PushSubscription {
    /// The URL of the push service.
    pub endpoint: Box<str>,
    /// The time of creation in epoch milliseconds.
    pub created: u64,
    /// Notifications that have failed since one was delivered.
    pub failures: u32,
}

constructor!(PushSubscription { endpoint: Box<str>, created: u64, failures: u32 });

/// The mail address of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Mail {
    /// The request that this answers.
    pub re: RequestId,
    /// The confirmed address; absent if the account has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Box<str>>,
    /// The address that waits for its code, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Box<str>>,
}

constructor!(Mail { re: RequestId; address, waiting });

/// The webhook of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Webhook {
    /// The request that this answers.
    pub re: RequestId,
    /// The URL; absent if the user has no webhook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Box<str>>,
    /// The time at which it was set, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<u64>,
    /// Notifications that have failed since one was delivered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures: Option<u32>,
    /// Whether it has failed so often that the server no longer calls it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
}

constructor!(Webhook { re: RequestId; url, created, failures, disabled });
