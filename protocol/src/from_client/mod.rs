//! Messages from a client. Each is a request with an id and gets exactly one reply.

mod account;
mod directory;
mod exploring;
mod game_request;
mod invites;
mod lobby;
mod message;
mod notifications;
mod people;
mod playing;
mod session;
mod stats;
mod talk;
mod watching;

pub use account::{
    BotCreate, BotList, Logout, PasswordChange, PasswordReset, Signup, TokenCreate, TokenList,
    TokenRevoke,
};
pub use directory::{Acceptance, AcceptedGame, BotStatus, ClockMode, Directory, PaceRange};
pub use exploring::Explore;
pub use invites::{Invite, InviteInfo, Invites};
pub use lobby::{
    Accept, Allow, Cancel, Catalogue, Challenge, Challenges, Decline, GameState, Games, Lobby,
    RatingRange, Rematch, SeatWish, Seek, SoughtResult, Unseek,
};
pub use message::FromClient;
pub use notifications::{
    PushList, PushSubscribe, PushUnsubscribe, WebhookDelete, WebhookGet, WebhookSet,
};
pub use people::{History, SettingsGet, SettingsSet, Standings, User};
pub use playing::{
    Abort, Answer, Claim, ClaimKind, Hints, Move, Moves, Offer, Resign, Try, Withdraw,
};
pub use session::{
    Auth, CAP_LEGAL, CAP_NAMED, CAP_POSITION, CAP_STEPS, Cursor, Hello, Ping, Software,
};
pub use stats::{Opponents, Stats};
pub use talk::{Block, Blocks, Mute, Mutes, Say, Talk, Unblock, Unmute, Unsay};
pub use watching::{Layout, Live, Positions, Signature, Tv, Unwatch, Watch};

pub use crate::reasons::DeclineReason;
