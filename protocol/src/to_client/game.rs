//! The state of a game: snapshots, boards, hints and turns.

use serde::{Deserialize, Serialize};

use crate::{
    constructors::constructor,
    event::OfferKind,
    ids::{Chain, GameId, OfferId, PositionHash, RequestId, RulesName, UserName},
    reasons::{ResultReason, SeatState},
    sketch::{FirstSteps, Outlook},
    values::{Named, OptionValue, is_zero},
    words::words,
};

/// A seat in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SnapshotSeat {
    /// The user's name.
    pub user: UserName,
    /// Whether the user is a bot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// Whether the user is a guest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// The letter of the seat's pieces.
    pub letter: Box<str>,
    /// The rating at the start, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<u16>,
    /// Whether it still plays, or why not.
    pub state: SeatState,
    /// A letter for each piece that it has yet to bring onto the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<Box<str>>,
}

constructor!(SnapshotSeat {
    user: UserName, letter: Box<str>, state: SeatState;
    bot, guest, rating, reserve
});

/// The clocks of a game at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ClockState {
    /// The time control's name.
    pub mode: Box<str>,
    /// For the whole game in `fischer`, before the periods in `byoyomi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_ms: Option<u64>,
    /// Added after each move, in `fischer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inc_ms: Option<u64>,
    /// For each move, in `per_move`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_ms: Option<u64>,
    /// How many periods follow the main time, in `byoyomi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub periods: Option<u32>,
    /// The length of one, in `byoyomi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period_ms: Option<u64>,
    /// For each move, in `days`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_move_days: Option<u32>,
    /// The remaining times, without what the running clock has lost since `since`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
    /// The seat whose clock runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<u8>,
    /// The start of the running clock, later by the credited time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

constructor!(ClockState {
    mode: Box<str>;
    base_ms, inc_ms, move_ms, periods, period_ms, per_move_days, left_ms, running, since
});

/// An open offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct OpenOffer {
    /// The id of the offer within this game.
    pub offer: OfferId,
    /// The kind of the offer.
    pub what: OfferKind,
    /// The seat that offers.
    pub by: u8,
    /// The seats that have not answered yet.
    pub needs: Vec<u8>,
}

constructor!(OpenOffer { offer: OfferId, what: OfferKind, by: u8, needs: Vec<u8> });

/// Whether a player is connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SeatPresence {
    /// The seat.
    pub seat: u8,
    /// Whether a session of its user watches the game.
    pub online: bool,
    /// The start of the absence in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// The time from which the others may claim, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_at: Option<u64>,
}

constructor!(SeatPresence { seat: u8, online: bool; since, claim_at });

/// The connected players and spectators, sent after changes. Several changes may share one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Presence {
    /// The game.
    pub game: GameId,
    /// Each player.
    pub seats: Vec<SeatPresence>,
    /// The number of spectators.
    pub spectators: u32,
    /// The names of spectators who want to be named, up to a limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spectator_names: Vec<UserName>,
}

constructor!(Presence { game: GameId, seats: Vec<SeatPresence>, spectators: u32; spectator_names });

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GameResult {
    /// One seat, several for a draw, none for an aborted game.
    pub winners: Vec<u8>,
    /// Each seat's place, from 1; empty for an aborted game.
    pub places: Vec<u8>,
    /// The reason.
    pub reason: ResultReason,
}

constructor!(GameResult { winners: Vec<u8>, places: Vec<u8>, reason: ResultReason });

words! {
    /// Why a snapshot came without a request.
    pub enum SnapshotReason {
        /// The client read too slowly for every event.
        Lagged = "lagged",
        /// It follows a `hello`.
        Resumed = "resumed",
    }
}

/// The state of a game at one event. The events after it follow without a gap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Snapshot {
    /// The request it answers, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// Why it came without a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<SnapshotReason>,
    /// The game.
    pub game: GameId,
    /// The seq of the last event that this contains.
    pub seq: u64,
    /// The chain of that event.
    pub chain: Chain,
    /// The time of that event in epoch milliseconds.
    pub at: u64,
    /// The game that is played.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// The users by seat.
    pub seats: Vec<SnapshotSeat>,
    /// Moves and skips so far.
    pub ply: u32,
    /// The turn counter.
    pub turn: u32,
    /// The seat to move; `null` after the end.
    pub to_move: Option<u8>,
    /// The moves so far, canonical; a skip is `pass`.
    pub moves: Vec<Box<str>>,
    /// The board: cell name to pieces, bottom piece first.
    pub position: Named<Box<str>>,
    /// Cells with pieces that another seat could capture, were it that seat's turn; absent in games
    /// without captures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threatened: Option<Vec<Box<str>>>,
    /// The position's hash.
    pub hash: PositionHash,
    /// The clocks.
    pub clock: ClockState,
    /// Whether the game is rated.
    pub rated: bool,
    /// The number of moves that spectators are behind while the game is live.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
    /// Whether no list shows the game to others than its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
    /// Open offers.
    pub offers: Vec<OpenOffer>,
    /// The connected players.
    pub presence: Vec<SeatPresence>,
    /// The number of spectators.
    pub spectators: u32,
    /// The names of spectators who want to be named, up to a limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spectator_names: Vec<UserName>,
    /// The result; `null` in a live game.
    pub result: Option<GameResult>,
    /// The cells by which the game was won on the board.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub winning: Vec<Box<str>>,
}

/// A cell to draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
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

constructor!(LayoutCell { name: Box<str>, x: f64, y: f64, shape: Box<str> });

/// An edge that means something to the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct LayoutEdge {
    /// The seat that it belongs to.
    pub seat: u8,
    /// Its meaning for that seat, such as `home`.
    pub name: Box<str>,
    /// Its cells.
    pub cells: Vec<Box<str>>,
}

constructor!(LayoutEdge { seat: u8, name: Box<str>, cells: Vec<Box<str>> });

/// A board to draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct BoardLayout {
    /// The request that this answers.
    pub re: RequestId,
    /// The game, if the request names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// Every cell.
    pub cells: Vec<LayoutCell>,
    /// Its goals.
    pub edges: Vec<LayoutEdge>,
    /// For each seat, the letters of its pieces.
    #[serde(default)]
    pub letters: Vec<Box<str>>,
    /// How many pieces a cell holds, where the height of each one matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<u8>,
}

constructor!(BoardLayout {
    re: RequestId, cells: Vec<LayoutCell>, edges: Vec<LayoutEdge>;
    game, letters, levels
});

/// A target cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct HintTarget {
    /// The cell.
    pub cell: Box<str>,
    /// Whether moving there captures.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub capture: bool,
}

constructor!(HintTarget { cell: Box<str>; capture });

/// The cells that a move can use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct HintList {
    /// The request that this answers.
    pub re: RequestId,
    /// The game.
    pub game: GameId,
    /// The turn that this is valid for.
    pub turn: u32,
    /// The seat to move.
    pub to_move: u8,
    /// The cells that it may pick.
    pub cells: Vec<Box<str>>,
    /// The cell of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Box<str>>,
    /// The targets of that cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Vec<HintTarget>>,
    /// Legal moves that have no cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Box<str>>,
    /// The completions of the sketch, if the request had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<Outlook>,
}

constructor!(HintList {
    re: RequestId, game: GameId, turn: u32, to_move: u8, cells: Vec<Box<str>>;
    from, to, words, sketch
});

/// Legal moves of the side to move, a page of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct MoveList {
    /// The request that this answers.
    pub re: RequestId,
    /// The game.
    pub game: GameId,
    /// The turn that this is valid for.
    pub turn: u32,
    /// Moves and skips so far.
    pub ply: u32,
    /// The seat to move.
    pub to_move: u8,
    /// The moves, canonical.
    pub moves: Vec<Box<str>>,
    /// How many the position has in all, from whatever cell; `null` above 2^53 and where it cannot
    /// be told.
    pub total: Option<u64>,
    /// What to ask with as `after` for the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Box<str>>,
}

constructor!(MoveList {
    re: RequestId, game: GameId, turn: u32, ply: u32, to_move: u8, moves: Vec<Box<str>>,
    total: Option<u64>;
    next
});

/// The client's user is to move. Sent at the start of the turn and after every (re)connect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct YourTurn {
    /// The game.
    pub game: GameId,
    /// The user's seat.
    pub seat: u8,
    /// The turn to move with.
    pub turn: u32,
    /// Moves and skips so far.
    pub ply: u32,
    /// The clocks when this turn began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
    /// The time at which the flag falls or the server aborts the game, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    /// The position.
    pub hash: PositionHash,
    /// The board, for clients that asked for it: cell name to pieces, bottom piece first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Named<Box<str>>>,
    /// With the board: cells with pieces that another seat could capture, were it that seat's turn;
    /// absent in games without captures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threatened: Option<Vec<Box<str>>>,
    /// The first steps of a move, for clients that asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<FirstSteps>,
    /// Legal moves, for clients that asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<LegalMoves>,
    /// How many there are in all; `null` above 2^53 and where it cannot be told.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "deserialize_nullable"
    )]
    #[cfg_attr(feature = "schema", schemars(extend("nullable" = true)))]
    pub legal_total: Option<Option<u64>>,
    /// Whether `legal` leaves some out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal_cut: Option<bool>,
}

constructor!(YourTurn {
    game: GameId, seat: u8, turn: u32, ply: u32, hash: PositionHash;
    left_ms, deadline, position, threatened, steps, legal, legal_total, legal_cut
});

/// Moves in canonical notation.
pub type LegalMoves = Vec<Box<str>>;

/// Tells `null` apart from a field that is absent.
#[expect(clippy::option_option, reason = "absent and null differ on the wire")]
fn deserialize_nullable<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<u64>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}
