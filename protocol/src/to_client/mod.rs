//! Messages to a client: replies with `re`, events of games, and messages derived from them.

mod account;
mod catalogue;
mod directory;
mod exploring;
mod game;
mod invites;
mod legal_writer;
mod lobby;
mod message;
mod notifications;
mod people;
mod record;
mod replies;
mod session;
mod stats;
mod talk;
mod watching;

pub use account::{BotEntry, Bots, TokenEntry, Tokens};
pub use catalogue::{
    GameCatalogue, GameOption, GameOptionChoice, GameOptionKind, HouseLevel, HousePlayer,
    PlayableGame,
};
pub use directory::{DirectoryEntry, DirectoryList};
pub use exploring::{Explored, Opinion};
pub use game::{
    BoardLayout, ClockState, GameResult, HintList, HintTarget, LayoutCell, LayoutEdge, LegalMoves,
    MoveList, OpenOffer, Presence, SeatPresence, Snapshot, SnapshotReason, SnapshotSeat, YourTurn,
};
pub use invites::{InviteEntry, InviteList, InviteState};
pub use legal_writer::{LegalWriter, NotationText};
pub use lobby::{
    ChallengeClosed, ChallengeList, Challenged, Direction, GameEntry, GameList, LobbyChange,
    OpenChallenge, SeekEntry,
};
pub use message::ToClient;
pub use notifications::{PushKey, PushSubscription, PushSubscriptions, Webhook};
pub use people::{
    HistoryList, PoolRating, RatingRecord, SettingsState, Standing, StandingList, UserProfile,
};
pub use record::{Algorithm, SignedHead};
pub use replies::{Done, Failed};
pub use session::{
    ClaimAfter, Heartbeat, Limits, Me, Notice, NoticeKind, Pong, ResumeDecision, ResumedGame,
    Welcome,
};
pub use stats::{GameStats, LengthCounts, OpeningCount, ReasonCount, ResultCounts};
pub use talk::{BlockList, MuteList, Said, TalkLine, TalkList, Unsaid};
pub use watching::{Featured, LiveChange, LiveGame, PlyPosition, PositionList};

pub use crate::reasons::{ClosedReason, ResultReason, SeatState};
