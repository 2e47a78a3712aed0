//! Messages to a client: replies with `re`, events of games, and messages derived from them.

mod analysis;
mod game;
mod lobby;
mod people;
mod session;
mod watching;

use serde::{Deserialize, Serialize, Serializer};

use crate::{event::EventFrame, ids::RequestId};

pub use self::{
    analysis::{AnalysedMove, Analysis, AnalysisState, MoveVerdict, SeatAccuracy},
    game::{
        Algorithm, BoardLayout, ClockState, Explored, GameResult, HintList, HintTarget, LayoutCell,
        LayoutEdge, LegalMoves, LegalWriter, MoveList, NotationText, OfferedSubstitute, OpenOffer,
        Opinion, Oracle, OracleValue, Presence, SeatPresence, SignedHead, Snapshot, SnapshotReason,
        SnapshotSeat, YourTurn,
    },
    lobby::{
        ChallengeClosed, ChallengeList, Challenged, Direction, DirectoryEntry, DirectoryList,
        GameCatalogue, GameEntry, GameList, GameOption, GameOptionChoice, GameOptionKind,
        HouseLevel, HousePlayer, InviteEntry, InviteList, InviteState, LobbyChange, OpenChallenge,
        PlayableGame, SeekEntry, SubstitutedUser,
    },
    people::{
        BlockList, GameStats, HistoryList, LengthCounts, MuteList, OpeningCount, PoolRating,
        RatingRecord, ReasonCount, ResultCounts, Said, SettingsState, Standing, StandingList,
        TalkLine, TalkList, Unsaid, UserProfile,
    },
    session::{
        BotEntry, Bots, ClaimAfter, Done, Failed, Heartbeat, Limits, Mail, Me, Notice, NoticeKind,
        Pong, PushKey, PushSubscription, PushSubscriptions, ReportOutcome, ResumeDecision,
        ResumedGame, TokenEntry, Tokens, Webhook, Welcome,
    },
    watching::{Featured, LiveChange, LiveGame, PlyPosition, PositionList},
};
#[cfg(feature = "schema")]
use crate::schema::shape::Shape;
pub use crate::words::{ClosedReason, ResultReason, SeatState};
#[cfg(feature = "schema")]
use schemars::SchemaGenerator;

macro_rules! messages {
    ($($(#[$doc:meta])* $kind:literal => $name:ident($body:ty)),+ $(,)?) => {
        /// A message to a client, by its `type`.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
        pub enum ToClient {
            $($(#[$doc])* $name($body),)+
            /// A record of a game. A receiver who passes it on forwards the bytes that it has read.
            #[serde(serialize_with = "serialize_event")]
            Event(Box<EventFrame>),
        }

        impl ToClient {
            /// All types.
            pub const TYPES: &'static [&'static str] = &[$($kind,)+ "event"];

            /// Returns the shapes of all messages but events, which are described by kind.
            #[cfg(feature = "schema")]
            pub(crate) fn shapes(generator: &mut SchemaGenerator) -> Vec<Shape> {
                vec![$(Shape::of::<$body>($kind, generator)),+]
            }

            /// Returns the message's `type`.
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$name(_) => $kind,)+ Self::Event(_) => "event" }
            }

            /// Decodes a message; `None` if this version of the crate does not know its type.
            pub fn from_bytes(bytes: &[u8]) -> serde_json::Result<Option<Self>> {
                #[derive(Deserialize)]
                struct TypeField<'a> {
                    #[serde(rename = "type", borrow)]
                    kind: std::borrow::Cow<'a, str>,
                }
                let head: TypeField<'_> = serde_json::from_slice(bytes)?;
                match head.kind.as_ref() {
                    $($kind => serde_json::from_slice(bytes).map(|body| Some(Self::$name(body))),)+
                    "event" => EventFrame::from_bytes(bytes).map(|frame| Some(Self::Event(Box::new(frame)))),
                    _ => Ok(None),
                }
            }
        }

        $(impl From<$body> for ToClient {
            fn from(body: $body) -> Self { Self::$name(body) }
        })+
    };
}

messages! {
    /// The session is open.
    "welcome" => Welcome(Welcome),
    /// A request succeeded.
    "ok" => Ok(Done),
    /// A request failed.
    "error" => Error(Failed),
    /// The state of a game at one event.
    "snapshot" => Snapshot(Box<Snapshot>),
    /// The server's signature of a game's record.
    "signature" => Signature(SignedHead),
    /// A board to draw.
    "layout" => Layout(BoardLayout),
    /// The cells that a move can use.
    "hints" => Hints(HintList),
    /// Legal moves, a page of them.
    "moves" => Moves(MoveList),
    /// A list of games.
    "games" => Games(GameList),
    /// The games that can be played.
    "catalogue" => Catalogue(GameCatalogue),
    /// Players of a game by strength.
    "standings" => Standings(StandingList),
    /// The statistics of a game.
    "stats" => Stats(GameStats),
    /// A user's profile.
    "user" => User(UserProfile),
    /// A user's finished games.
    "history" => History(HistoryList),
    /// A user's tokens.
    "tokens" => Tokens(Tokens),
    /// A user's bots.
    "bots" => Bots(Bots),
    /// The bots that accept challenges.
    "directory" => Directory(DirectoryList),
    /// A user's push subscriptions.
    "push_subscriptions" => PushSubscriptions(PushSubscriptions),
    /// The mail address of an account.
    "mail" => Mail(Mail),
    /// A user's webhook.
    "webhook" => Webhook(Webhook),
    /// Answers a ping.
    "pong" => Pong(Pong),
    /// The client's user is to move.
    "your_turn" => YourTurn(YourTurn),
    /// The connected players and spectators of a game.
    "presence" => Presence(Presence),
    /// A challenge to the client's user.
    "challenged" => Challenged(Challenged),
    /// A challenge was closed.
    "challenge_closed" => ChallengeClosed(ChallengeClosed),
    /// Open challenges to and by the client's user.
    "challenges" => Challenges(ChallengeList),
    /// An invite, or its change.
    "invite" => Invite(InviteState),
    /// The user's open invites.
    "invites" => Invites(InviteList),
    /// The open seeks, or their changes.
    "lobby" => Lobby(LobbyChange),
    /// The positions of a game by ply.
    "positions" => Positions(PositionList),
    /// The position after tried moves.
    "explored" => Explored(Box<Explored>),
    /// The analysis of a finished game, or how far it is.
    "analysis" => Analysis(Box<Analysis>),
    /// The featured game of a kind, or its change.
    "tv" => Tv(Featured),
    /// The live games, or their changes.
    "live" => Live(LiveChange),
    /// A new line of talk.
    "said" => Said(Said),
    /// A line of talk was deleted.
    "unsaid" => Unsaid(Unsaid),
    /// Lines of talk.
    "talk" => Talk(TalkList),
    /// The users that the client's user has muted.
    "mutes" => Mutes(MuteList),
    /// The users that the client's user has blocked.
    "blocks" => Blocks(BlockList),
    /// The user's settings.
    "settings" => Settings(SettingsState),
    /// A notice of the server.
    "notice" => Notice(Notice),
}

fn serialize_event<S: Serializer>(frame: &EventFrame, serializer: S) -> Result<S::Ok, S::Error> {
    frame.fields().serialize(serializer)
}

impl ToClient {
    /// Returns the request that this answers, if it is a reply.
    pub const fn re(&self) -> Option<&RequestId> {
        match self {
            Self::Welcome(body) => Some(&body.re),
            Self::Ok(body) => Some(&body.re),
            Self::Error(body) => body.re.as_ref(),
            Self::Snapshot(body) => body.re.as_ref(),
            Self::Signature(body) => body.re.as_ref(),
            Self::Layout(body) => Some(&body.re),
            Self::Hints(body) => Some(&body.re),
            Self::Moves(body) => Some(&body.re),
            Self::Games(body) => body.re.as_ref(),
            Self::Catalogue(body) => Some(&body.re),
            Self::Standings(body) => body.re.as_ref(),
            Self::Stats(body) => body.re.as_ref(),
            Self::User(body) => body.re.as_ref(),
            Self::History(body) => body.re.as_ref(),
            Self::Tokens(body) => Some(&body.re),
            Self::Bots(body) => Some(&body.re),
            Self::Directory(body) => body.re.as_ref(),
            Self::PushSubscriptions(body) => Some(&body.re),
            Self::Webhook(body) => Some(&body.re),
            Self::Pong(body) => Some(&body.re),
            Self::Challenges(body) => Some(&body.re),
            Self::Invite(body) => body.re.as_ref(),
            Self::Invites(body) => Some(&body.re),
            Self::Lobby(body) => body.re.as_ref(),
            Self::Positions(body) => Some(&body.re),
            Self::Explored(body) => Some(&body.re),
            Self::Analysis(body) => Some(&body.re),
            Self::Tv(body) => body.re.as_ref(),
            Self::Live(body) => body.re.as_ref(),
            Self::Talk(body) => Some(&body.re),
            Self::Mutes(body) => Some(&body.re),
            Self::Blocks(body) => Some(&body.re),
            Self::Settings(body) => body.re.as_ref(),
            Self::Mail(body) => Some(&body.re),
            Self::Event(_)
            | Self::YourTurn(_)
            | Self::Presence(_)
            | Self::Challenged(_)
            | Self::ChallengeClosed(_)
            | Self::Said(_)
            | Self::Unsaid(_)
            | Self::Notice(_) => None,
        }
    }
}
