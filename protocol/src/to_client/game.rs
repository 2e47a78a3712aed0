//! The state of a game: snapshots, boards, hints, turns, explored positions, and its signed head.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    event::OfferKind,
    ids::{
        Chain, GameId, OfferId, PositionHash, PublicKey, RequestId, RulesName, SignatureBytes,
        UserName,
    },
    sketch::{FirstSteps, Outlook},
    values::{Capture, Named, OptionValue, is_zero},
    words::{LeaveReason, ResultReason, SeatState, constructor, words},
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
    /// The player who left the seat to this computer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<UserName>,
}

constructor!(SnapshotSeat {
    user: UserName, letter: Box<str>, state: SeatState;
    bot, guest, rating, reserve, instead_of
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
    /// Who would take the seat, with `substitute`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub substitute: Option<OfferedSubstitute>,
}

constructor!(OpenOffer { offer: OfferId, what: OfferKind, by: u8, needs: Vec<u8>; substitute });

/// The computer that can take the seat of a player who leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct OfferedSubstitute {
    /// The computer.
    pub user: UserName,
    /// Its level.
    pub level: u8,
    /// Why the player leaves.
    pub reason: LeaveReason,
    /// The time in epoch milliseconds at which the seat is removed without the answers.
    pub until: u64,
}

constructor!(OfferedSubstitute { user: UserName, level: u8, reason: LeaveReason, until: u64 });

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
    /// Whether an operator has annulled the result: it counts for nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub annulled: bool,
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

/// Appends legal moves to an encoded [`YourTurn`] that has none.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct LegalWriter<'a> {
    bytes: &'a mut Vec<u8>,
    /// Where the first move begins.
    begin: usize,
}

impl<'a> LegalWriter<'a> {
    /// Opens the list. The bytes end with the message.
    pub fn open(bytes: &'a mut Vec<u8>) -> Self {
        debug_assert_eq!(bytes.last(), Some(&b'}'), "a message is an object");
        bytes.pop();
        bytes.extend_from_slice(br#","legal":["#);
        Self { begin: bytes.len(), bytes }
    }

    /// Adds a move; `write` appends its notation, which has no characters that JSON escapes.
    #[inline]
    pub fn push(&mut self, write: impl FnOnce(&mut NotationText<'_>) -> fmt::Result) {
        if self.bytes.len() > self.begin {
            self.bytes.push(b',');
        }
        self.bytes.push(b'"');
        write(&mut NotationText(self.bytes)).expect("memory takes any text");
        self.bytes.push(b'"');
    }

    /// Removes all moves.
    pub fn clear(&mut self) {
        self.bytes.truncate(self.begin);
    }

    /// Closes the list, with the number of moves in all and whether some are left out.
    pub fn close(self, total: Option<u64>, is_cut: bool) {
        self.bytes.extend_from_slice(br#"],"legal_total":"#);
        serde_json::to_writer(&mut *self.bytes, &total).expect("a number is plain data");
        self.bytes.extend_from_slice(br#","legal_cut":"#);
        self.bytes.extend_from_slice(if is_cut { b"true}" } else { b"false}" });
    }
}

/// The text of a move between its quotes.
#[derive(Debug)]
pub struct NotationText<'a>(&'a mut Vec<u8>);

impl<'a> NotationText<'a> {
    /// Returns the writer of a text that is open at the end of these bytes.
    pub(crate) const fn at_end(bytes: &'a mut Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl fmt::Write for NotationText<'_> {
    #[inline]
    fn write_str(&mut self, text: &str) -> fmt::Result {
        debug_assert!(text.chars().all(is_plain), "{text:?}");
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }

    #[inline]
    fn write_char(&mut self, character: char) -> fmt::Result {
        debug_assert!(is_plain(character), "{character:?}");
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() => self.0.push(byte),
            _ => self.0.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        Ok(())
    }
}

/// Whether JSON has the character as it is.
fn is_plain(character: char) -> bool {
    !character.is_control() && !matches!(character, '"' | '\\')
}

/// The position after tried moves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Explored {
    /// The request that this answers.
    pub re: RequestId,
    /// The kind of game.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// How many play it.
    pub players: u8,
    /// The number of moves and skips before the position.
    pub ply: u32,
    /// The seat to move; `null` if the game would be over.
    pub to_move: Option<u8>,
    /// The tried moves, canonical.
    pub moves: Vec<Box<str>>,
    /// The board.
    pub position: Named<Box<str>>,
    /// Cells with pieces that another seat could capture, were it that seat's turn; absent in games
    /// without captures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threatened: Option<Vec<Box<str>>>,
    /// The pieces that the last move captured.
    pub captures: Vec<Capture>,
    /// For each seat, a letter for each piece that it has yet to bring onto the board; absent if no
    /// seat has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<Vec<Box<str>>>,
    /// The result; `null` if the game would go on.
    pub result: Option<GameResult>,
    /// The cells by which the game would be won.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub winning: Vec<Box<str>>,
    /// The first steps of the next move, if the request asks for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<FirstSteps>,
    /// The completions of the sketch with the board, if the request has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<Outlook>,
    /// The opinion of one of the server's bots, if the request asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opinion: Option<Opinion>,
    /// What perfect play comes to, if the request asks for it and it is known: in Adamas with few
    /// pieces on boards of size 2 and 3 without `prog_cap`, in Stymie on boards up to size 5, where no swap is due and a proof is short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<Oracle>,
}

/// What one of the server's bots thinks of a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Opinion {
    /// The move that it would make.
    pub best: Box<str>,
    /// Its value for the side to move: 1000 is a certain win, -1000 a certain loss, 0 is even.
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = -1000, "maximum" = 1000)))]
    pub score: i32,
    /// How many moves it has looked ahead.
    pub depth: u32,
}

constructor!(Opinion { best: Box<str>, score: i32, depth: u32 });

words! {
    /// What perfect play comes to for the side to move.
    pub enum OracleValue {
        /// It wins.
        Win = "win",
        /// Nobody can force a win.
        Draw = "draw",
        /// It loses.
        Loss = "loss",
    }
}

/// What is known of a position for certain, as if no position had occurred before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Oracle {
    /// What perfect play comes to for the side to move.
    pub value: OracleValue,
    /// The moves and skips to the end, if both sides play perfectly; absent for a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
    /// The best moves, at most 64. In Stymie moves are left out to which a piece can be added.
    #[cfg_attr(feature = "schema", schemars(length(max = 64)))]
    pub best: Vec<Box<str>>,
    /// How many moves are as good.
    pub moves: u32,
}

constructor!(Oracle { value: OracleValue, best: Vec<Box<str>>, moves: u32; distance });

words! {
    /// The algorithm of a signature.
    pub enum Algorithm {
        /// Ed25519, as in RFC 8032.
        Ed25519 = "ed25519",
    }
}

/// A server's signature of a game's record up to one event, and by its chain of all before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SignedHead {
    /// The request it answers; absent in a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The game.
    pub game: GameId,
    /// The seq of the last signed event.
    pub seq: u64,
    /// The chain of that event.
    pub chain: Chain,
    /// The algorithm.
    pub alg: Algorithm,
    /// The public half of the key that it is signed with.
    pub key: PublicKey,
    /// The signature.
    pub sig: SignatureBytes,
}

constructor!(SignedHead {
    game: GameId, seq: u64, chain: Chain, alg: Algorithm, key: PublicKey, sig: SignatureBytes;
    re
});
