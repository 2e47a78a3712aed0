//! The messages to a client by their `type`.

use schemars::SchemaGenerator;
use serde::{Deserialize, Serialize};

use super::{
    account::{Bots, Tokens},
    catalogue::GameCatalogue,
    game::{BoardLayout, HintList, MoveList, Presence, Snapshot, YourTurn},
    lobby::{ChallengeClosed, ChallengeList, Challenged, GameList, LobbyChange},
    people::{HistoryList, StandingList, UserProfile},
    record::SignedHead,
    replies::{Done, Failed},
    session::{Notice, Pong, Welcome},
    talk::{MuteList, Said, TalkList, Unsaid},
    watching::{Featured, LiveChange, PositionList},
};
use crate::{event::EventFrame, ids::RequestId, schema::shape::Shape};

macro_rules! messages {
    ($($(#[$doc:meta])* $kind:literal => $name:ident($body:ty)),+ $(,)?) => {
        /// A message to a client, by its `type`.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        pub enum ToClient {
            $($(#[$doc])* $name($body),)+
            /// A record of a game; written and read by [`EventFrame`], which keeps its bytes.
            #[serde(skip)]
            Event(Box<EventFrame>),
        }

        impl ToClient {
            /// Every `type` there is.
            pub const TYPES: &'static [&'static str] = &[$($kind,)+ "event"];

            /// What each message looks like; events are described by kind.
            pub(crate) fn shapes(generator: &mut SchemaGenerator) -> Vec<Shape> {
                vec![$(Shape::of::<$body>($kind, generator)),+]
            }

            /// The message's `type`.
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$name(_) => $kind,)+ Self::Event(_) => "event" }
            }

            /// Reads a message; `None` if its type is not known to this version of the crate.
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
    /// A request was carried out.
    "ok" => Ok(Done),
    /// A request was not carried out.
    "error" => Error(Failed),
    /// The state of a game at one event.
    "snapshot" => Snapshot(Box<Snapshot>),
    /// The server vouches for a game's record.
    "signature" => Signature(SignedHead),
    /// A board to draw.
    "layout" => Layout(BoardLayout),
    /// Where pieces may go.
    "hints" => Hints(HintList),
    /// Legal moves, a page of them.
    "moves" => Moves(MoveList),
    /// A list of games.
    "games" => Games(GameList),
    /// The games that can be played.
    "catalogue" => Catalogue(GameCatalogue),
    /// Players of a game by strength.
    "standings" => Standings(StandingList),
    /// Who somebody is.
    "user" => User(UserProfile),
    /// A user's finished games.
    "history" => History(HistoryList),
    /// A user's tokens.
    "tokens" => Tokens(Tokens),
    /// A user's bots.
    "bots" => Bots(Bots),
    /// Answers a ping.
    "pong" => Pong(Pong),
    /// The client's user is to move.
    "your_turn" => YourTurn(YourTurn),
    /// Who is at a game.
    "presence" => Presence(Presence),
    /// Somebody challenges the client's user.
    "challenged" => Challenged(Challenged),
    /// A challenge is no longer open.
    "challenge_closed" => ChallengeClosed(ChallengeClosed),
    /// Open challenges to and by the client's user.
    "challenges" => Challenges(ChallengeList),
    /// The open seeks, or how they changed.
    "lobby" => Lobby(LobbyChange),
    /// The boards that a game went through.
    "positions" => Positions(PositionList),
    /// The featured game of a kind, or that it changed.
    "tv" => Tv(Featured),
    /// The games that are being played, or how they changed.
    "live" => Live(LiveChange),
    /// Somebody has said something.
    "said" => Said(Said),
    /// Something that was said is taken back.
    "unsaid" => Unsaid(Unsaid),
    /// What was said.
    "talk" => Talk(TalkList),
    /// Whom the client's user has muted.
    "mutes" => Mutes(MuteList),
    /// Something about the server itself.
    "notice" => Notice(Notice),
}

impl ToClient {
    /// The request that this replies to, if it is a reply.
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
            Self::User(body) => body.re.as_ref(),
            Self::History(body) => body.re.as_ref(),
            Self::Tokens(body) => Some(&body.re),
            Self::Bots(body) => Some(&body.re),
            Self::Pong(body) => Some(&body.re),
            Self::Challenges(body) => Some(&body.re),
            Self::Lobby(body) => body.re.as_ref(),
            Self::Positions(body) => Some(&body.re),
            Self::Tv(body) => body.re.as_ref(),
            Self::Live(body) => body.re.as_ref(),
            Self::Talk(body) => Some(&body.re),
            Self::Mutes(body) => Some(&body.re),
            Self::YourTurn(_)
            | Self::Said(_)
            | Self::Unsaid(_)
            | Self::Presence(_)
            | Self::Challenged(_)
            | Self::ChallengeClosed(_)
            | Self::Notice(_)
            | Self::Event(_) => None,
        }
    }
}
