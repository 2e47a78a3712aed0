//! What a client may hear: replies with `re`, events of games, and messages derived from them.

use serde::{Deserialize, Serialize};

use crate::{
    error::{ErrorCode, Retry},
    event::{EndReason, EventFrame, OfferWhat},
    from_client::{Allow, DeclineReason, GameState, SeatWish},
    ids::{
        Chain, ChallengeId, GameId, OfferId, PositionHash, RequestId, RulesName, SeekId, UserName,
    },
    values::{Capture, Clock, Named, OptionValue, SeatUser},
};

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
            /// The message's `type`.
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$name(_) => $kind,)+ Self::Event(_) => "event" }
            }

            /// Reads a message; `None` if its type is not known to this version of the crate.
            pub fn from_bytes(bytes: &[u8]) -> serde_json::Result<Option<Self>> {
                #[derive(Deserialize)]
                struct Head<'a> {
                    #[serde(rename = "type", borrow)]
                    kind: std::borrow::Cow<'a, str>,
                }
                let head: Head<'_> = serde_json::from_slice(bytes)?;
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
    /// A board to draw.
    "layout" => Layout(BoardLayout),
    /// Where pieces may go.
    "hints" => Hints(HintList),
    /// A list of games.
    "games" => Games(GameList),
    /// Answers a ping.
    "pong" => Pong(Pong),
    /// The client's user is to move.
    "your_turn" => YourTurn(YourTurn),
    /// Somebody challenges the client's user.
    "challenged" => Challenged(Challenged),
    /// A challenge is no longer open.
    "challenge_closed" => ChallengeClosed(ChallengeClosed),
    /// The open seeks, or how they changed.
    "lobby" => Lobby(LobbyChange),
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
            Self::Layout(body) => Some(&body.re),
            Self::Hints(body) => Some(&body.re),
            Self::Games(body) => Some(&body.re),
            Self::Pong(body) => Some(&body.re),
            Self::Lobby(body) => body.re.as_ref(),
            Self::YourTurn(_)
            | Self::Challenged(_)
            | Self::ChallengeClosed(_)
            | Self::Notice(_)
            | Self::Event(_) => None,
        }
    }
}

/// The session is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    /// The `hello` it answers.
    pub re: RequestId,
    /// The version that is spoken from here on.
    pub proto: u32,
    /// The server program.
    pub server: crate::from_client::Software,
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
    /// What an acknowledgement is worth: `fsync` survives a power cut.
    pub durability: Box<str>,
    /// Every live game of the user.
    pub games: Vec<ResumedGame>,
    /// Open challenges to and by the user.
    pub challenges: Vec<OpenChallenge>,
}

/// Who the client is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Me {
    /// The name.
    pub name: UserName,
    /// Whether it is a program.
    pub bot: bool,
    /// Whether it has no account.
    pub guest: bool,
}

/// What the server puts up with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The largest frame.
    pub frame_bytes: u64,
    /// Messages that may come at once; 0 when there is no limit.
    pub burst: u32,
    /// Messages a second in the long run; 0 when there is no limit.
    pub per_s: u32,
}

/// The timing of a connection's own life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// How often the server sends a WebSocket ping.
    pub ping_every_ms: u64,
    /// After how long a silent connection is closed.
    pub idle_close_ms: u64,
}

/// How a game goes on after a (re)connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResumeVerdict {
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumedGame {
    /// Which.
    pub game: GameId,
    /// The user's seat; absent for a game that is only watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// What follows.
    pub resume: ResumeVerdict,
    /// The first event that follows a `tail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
}

/// An open challenge in the answer to `hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenChallenge {
    /// Which.
    pub challenge: ChallengeId,
    /// Who made it.
    pub by: UserName,
}

/// A request was carried out. Which facts stand here depends on the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// The request.
    pub re: RequestId,
    /// The game it was about, or that it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The event it became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The turn counter after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// Whether it had been carried out before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dup: bool,
    /// The seek it opened or joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seek: Option<SeekId>,
    /// The challenge it opened or joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ChallengeId>,
    /// The offer it made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<OfferId>,
    /// The user it made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
    /// A secret, told this once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Box<str>>,
    /// `true` for a tried move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<bool>,
    /// The tried move in canonical notation.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<Box<str>>,
    /// What the tried move would capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captures: Option<Vec<Capture>>,
    /// The position after the tried move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Named<Box<str>>>,
    /// Whose turn it would be after the tried move; absent if the game would be over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_move: Option<u8>,
    /// The result that the tried move would bring about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
}

impl Done {
    /// A bare yes.
    pub const fn new(re: RequestId) -> Self {
        Self {
            re,
            game: None,
            seq: None,
            turn: None,
            dup: false,
            seek: None,
            challenge: None,
            offer: None,
            user: None,
            token: None,
            legal: None,
            notation: None,
            captures: None,
            position: None,
            to_move: None,
            result: None,
        }
    }
}

/// A request was not carried out, or a frame was not a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// The request, where its id could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// What a program branches on.
    pub code: ErrorCode,
    /// What a person reads: one sentence.
    pub message: Box<str>,
    /// What to do about it.
    pub retry: Retry,
    /// When to send it again, for `retry` `after`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The game it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The rule that an illegal move breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Box<str>>,
    /// The present turn, for a stale one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The versions the server speaks, for an unknown one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proto: Option<Vec<u32>>,
    /// The limit that was met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Box<str>>,
}

/// Whether a seat still plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeatState {
    /// In the game.
    In,
    /// Its last piece was captured.
    NoPieces,
    /// It could not move.
    NoMove,
    /// It gave up.
    Resigned,
    /// Its clock ran out.
    TimedOut,
    /// It went away.
    Abandoned,
}

/// A seat in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotSeat {
    /// The user's name.
    pub user: UserName,
    /// Whether a program plays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// Whether the user has no account.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// The letter of the seat's pieces.
    pub letter: Box<str>,
    /// The rating at the start, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<u16>,
    /// Whether it still plays.
    pub state: SeatState,
}

/// The clocks of a game at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockState {
    /// The time control's name.
    pub mode: Box<str>,
    /// For the whole game, in `fischer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_ms: Option<u64>,
    /// Added after each move, in `fischer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inc_ms: Option<u64>,
    /// For each move, in `per_move`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_ms: Option<u64>,
    /// What the clocks showed when the running one was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
    /// Whose clock runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<u8>,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// An open offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenOffer {
    /// Its name in this game.
    pub offer: OfferId,
    /// What is offered.
    pub what: OfferWhat,
    /// By whom.
    pub by: u8,
    /// Who has yet to answer.
    pub needs: Vec<u8>,
}

/// Whether a player is connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatPresence {
    /// Which seat.
    pub seat: u8,
    /// Whether any session of its user is.
    pub online: bool,
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResult {
    /// One seat, several for a draw, none for a game called off.
    pub winners: Vec<u8>,
    /// Each seat's place, from 1; empty for a game called off.
    pub places: Vec<u8>,
    /// How it came about.
    pub reason: ResultReason,
}

/// How a game ended, the called-off ones included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultReason {
    /// Called off without a result.
    Aborted,
    /// One player was left.
    LastPlayer,
    /// Two pieces were left that do not see each other.
    TwoPieces,
    /// Two edges were connected.
    Connected,
    /// Two like pieces stood opposite each other.
    Aligned,
    /// Nobody could move.
    Stuck,
    /// The same position for the third time.
    Repetition,
    /// Agreed.
    Agreement,
    /// The last opponent gave up.
    Resigned,
    /// The last opponent's clock ran out.
    TimedOut,
    /// The last opponent went away.
    Abandoned,
}

impl From<EndReason> for ResultReason {
    fn from(reason: EndReason) -> Self {
        match reason {
            EndReason::LastPlayer => Self::LastPlayer,
            EndReason::TwoPieces => Self::TwoPieces,
            EndReason::Connected => Self::Connected,
            EndReason::Aligned => Self::Aligned,
            EndReason::Stuck => Self::Stuck,
            EndReason::Repetition => Self::Repetition,
            EndReason::Agreement => Self::Agreement,
            EndReason::Resigned => Self::Resigned,
            EndReason::TimedOut => Self::TimedOut,
            EndReason::Abandoned => Self::Abandoned,
        }
    }
}

/// Why a snapshot came unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SnapshotReason {
    /// The client reads too slowly to be sent every event.
    Lagged,
    /// It follows a `hello`.
    Resumed,
}

/// The state of a game at one event. The events after it follow without a gap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The request it answers, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// Why it came unasked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<SnapshotReason>,
    /// Which game.
    pub game: GameId,
    /// The last event it contains.
    pub seq: u64,
    /// That event's chain.
    pub chain: Chain,
    /// When that event was.
    pub at: u64,
    /// The game that is played.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// Who plays.
    pub seats: Vec<SnapshotSeat>,
    /// Moves and skips so far.
    pub ply: u32,
    /// The turn counter.
    pub turn: u32,
    /// Whose turn it is; `null` when the game is over.
    pub to_move: Option<u8>,
    /// The moves so far, canonical; a skip is `pass`.
    pub moves: Vec<Box<str>>,
    /// The board: cell name to pieces, bottom piece first.
    pub position: Named<Box<str>>,
    /// The position's hash.
    pub hash: PositionHash,
    /// The clocks.
    pub clock: ClockState,
    /// Whether the result counts.
    pub rated: bool,
    /// Open offers.
    pub offers: Vec<OpenOffer>,
    /// Who of the players is connected.
    pub presence: Vec<SeatPresence>,
    /// How many others listen.
    pub spectators: u32,
    /// The result; `null` while the game goes on.
    pub result: Option<GameResult>,
}

/// A cell to draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayoutCell {
    /// Its name.
    pub name: Box<str>,
    /// Its middle, to the right; neighbours are 1 apart.
    pub x: f64,
    /// Its middle, downwards.
    pub y: f64,
    /// `hex`, `point`, `octagon`, `square` or `sector`.
    pub shape: Box<str>,
}

/// An edge that means something to the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutEdge {
    /// Whose it is.
    pub seat: u8,
    /// What it is to them, such as `home`.
    pub name: Box<str>,
    /// The cells it consists of.
    pub cells: Vec<Box<str>>,
}

/// A board to draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoardLayout {
    /// The request it answers.
    pub re: RequestId,
    /// Which game.
    pub game: GameId,
    /// Every cell.
    pub cells: Vec<LayoutCell>,
    /// Its goals.
    pub edges: Vec<LayoutEdge>,
}

/// A place to go to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HintTarget {
    /// The cell.
    pub cell: Box<str>,
    /// Whether going there captures.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub capture: bool,
}

/// Where pieces may go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HintList {
    /// The request it answers.
    pub re: RequestId,
    /// Which game.
    pub game: GameId,
    /// The turn it is true for.
    pub turn: u32,
    /// The seat to move.
    pub to_move: u8,
    /// The cells it may act on.
    pub cells: Vec<Box<str>>,
    /// The cell that was asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Box<str>>,
    /// Where its pieces may go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Vec<HintTarget>>,
}

/// A game in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameEntry {
    /// Which.
    pub game: GameId,
    /// The game that is played.
    pub rules: RulesName,
    /// Its options.
    pub options: Named<OptionValue>,
    /// Who plays.
    pub seats: Vec<SeatUser>,
    /// The time control.
    pub clock: Clock,
    /// Whether the result counts.
    pub rated: bool,
    /// Live or finished.
    pub state: GameState,
    /// Moves and skips so far.
    pub ply: u32,
    /// Whose turn it is, in a live game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_move: Option<u8>,
    /// When it began.
    pub started_at: u64,
    /// When it last changed.
    pub last_at: u64,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
}

/// A list of games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameList {
    /// The request it answers.
    pub re: RequestId,
    /// The games, the newest first.
    pub games: Vec<GameEntry>,
    /// Whether there are more: ask again with `before` the last one.
    pub more: bool,
}

/// Answers a ping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// The client's user is to move. Sent when that becomes so and after every (re)connect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct YourTurn {
    /// In which game.
    pub game: GameId,
    /// In which seat.
    pub seat: u8,
    /// The turn to move with.
    pub turn: u32,
    /// Moves and skips so far.
    pub ply: u32,
    /// The clocks when this turn began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
    /// When the flag falls, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    /// The position.
    pub hash: PositionHash,
    /// Legal moves, for clients that asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<LegalMoves>,
    /// How many there are in all; `null` above 2^53 and where it cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "told")]
    pub legal_total: Option<Option<u64>>,
    /// Whether `legal` leaves some out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal_cut: Option<bool>,
}

/// Moves in canonical notation.
pub type LegalMoves = Vec<Box<str>>;

/// Keeps `null` apart from a field that is absent.
#[expect(clippy::option_option, reason = "absent and null differ on the wire")]
fn told<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<u64>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Somebody challenges the client's user, or one of those challenged has accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Challenged {
    /// Names the challenge.
    pub challenge: ChallengeId,
    /// Who made it.
    pub by: UserName,
    /// The game.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// Who would sit where.
    pub seats: Vec<UserName>,
    /// Whether the seats are drawn by lot.
    pub shuffle: bool,
    /// The time control.
    pub clock: Clock,
    /// Whether the result would count.
    pub rated: bool,
    /// Who has agreed so far.
    pub accepted: Vec<UserName>,
}

/// Why a challenge came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClosedReason {
    /// The challenger took it back.
    Cancelled,
    /// Nobody answered in time.
    Expired,
    /// Turned down: not now.
    Later,
    /// Turned down: the clock is too fast.
    TooFast,
    /// Turned down: the clock is too slow.
    TooSlow,
    /// Turned down: it should be rated.
    Rated,
    /// Turned down: it should be casual.
    Casual,
    /// Turned down: another game is preferred.
    Game,
    /// Turned down: other options are preferred.
    Options,
    /// Turned down: no programs.
    NoBot,
    /// Turned down: too many games already.
    Busy,
    /// Turned down.
    Generic,
}

impl From<DeclineReason> for ClosedReason {
    fn from(reason: DeclineReason) -> Self {
        match reason {
            DeclineReason::Later => Self::Later,
            DeclineReason::TooFast => Self::TooFast,
            DeclineReason::TooSlow => Self::TooSlow,
            DeclineReason::Rated => Self::Rated,
            DeclineReason::Casual => Self::Casual,
            DeclineReason::Game => Self::Game,
            DeclineReason::Options => Self::Options,
            DeclineReason::NoBot => Self::NoBot,
            DeclineReason::Busy => Self::Busy,
            DeclineReason::Generic => Self::Generic,
        }
    }
}

/// A challenge is no longer open: a game came of it, or it did not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChallengeClosed {
    /// Which.
    pub challenge: ChallengeId,
    /// The game that came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// Why none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ClosedReason>,
    /// Who turned it down or took it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<UserName>,
}

/// An open seek.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeekEntry {
    /// Names it.
    pub seek: SeekId,
    /// Who looks for opponents.
    pub by: UserName,
    /// Whether that is a program.
    pub bot: bool,
    /// Whether that is a guest.
    pub guest: bool,
    /// The game.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// How many are to play.
    pub players: u8,
    /// Where the seeker would like to sit.
    pub seat: SeatWish,
    /// The time control.
    pub clock: Clock,
    /// Whether the result shall count.
    pub rated: bool,
    /// Whom the seeker would play.
    pub allow: Allow,
    /// Who has joined so far, the seeker included.
    pub joined: Vec<UserName>,
}

/// The open seeks, or how they changed. A seek that is added again replaces itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LobbyChange {
    /// The request it answers; it then adds every open seek.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// Seeks that are open now.
    pub add: Vec<SeekEntry>,
    /// Seeks that are open no longer.
    pub remove: Vec<SeekId>,
}

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeWhat {
    /// The server restarts; connections close with 1012.
    Restart,
}

/// Something about the server itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// What.
    pub what: NoticeWhat,
    /// When to come back at the earliest: spread by the server so that not all come at once.
    pub in_ms: u64,
}
