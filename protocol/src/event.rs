//! Events. The record in the journal and the frame that clients receive are the same bytes.
//!
//! A record is one JSON object. Head, body and tail are written one after the other, so that the
//! chain is always its last key: it seals the bytes before it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap as _};

use crate::{
    ids::{Chain, GameId, OfferId, PositionHash, RequestId, RulesName},
    json_writer::{write_field, write_tail},
    values::{Capture, Named, OptionValue, SeatUser, TimeControl, is_zero},
    words::{constructor, words},
};

#[cfg(feature = "schema")]
use crate::schema::shape::Shape;
pub use crate::words::{EndReason, LeaveReason};
#[cfg(feature = "schema")]
use schemars::SchemaGenerator;

/// A whole event, as it is sent and stored.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct EventFrame {
    /// The game it belongs to.
    pub game: GameId,
    /// The number within the game, from 1, without gaps.
    pub seq: u64,
    /// The time in epoch milliseconds.
    pub at: u64,
    /// The kind of event with its fields.
    pub body: EventBody,
    /// The request that caused it.
    pub req: Option<RequestId>,
    /// The hash of the position after it.
    pub hash: PositionHash,
    /// The chain value, which seals this record and all before it.
    pub chain: Chain,
}

#[derive(Serialize)]
struct Tail<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    req: Option<&'a RequestId>,
    hash: PositionHash,
}

/// The fields of a whole record but its type.
#[derive(Serialize)]
pub(crate) struct Fields<'a> {
    game: &'a GameId,
    seq: u64,
    at: u64,
    kind: Kind<'a>,
    #[serde(flatten)]
    body: BodyFields<'a>,
    #[serde(flatten)]
    tail: Tail<'a>,
    chain: Chain,
}

struct Kind<'a>(&'a EventBody);

impl Serialize for Kind<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.kind())
    }
}

struct BodyFields<'a>(&'a EventBody);

impl Serialize for BodyFields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize_fields(serializer)
    }
}

#[derive(Deserialize)]
struct FlatRecord<'a> {
    game: GameId,
    seq: u64,
    at: u64,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(default)]
    req: Option<RequestId>,
    hash: PositionHash,
    chain: Chain,
}

/// Room for the record of a move and its seal. Few records are longer.
const RECORD_BYTES: usize = 512;

/// The length of what closes a sealed record: `,"chain":"<64 hex digits>"}`.
const SEAL_BYTES: usize = r#","chain":""#.len() + 64 + r#""}"#.len();

impl EventFrame {
    /// Returns a record that no request caused.
    pub const fn new(
        game: GameId,
        seq: u64,
        at: u64,
        body: EventBody,
        hash: PositionHash,
        chain: Chain,
    ) -> Self {
        Self { game, seq, at, body, req: None, hash, chain }
    }

    /// Returns the bytes that the chain seals: the record without its chain, with the closing
    /// brace.
    pub fn unsealed_bytes(
        game: &GameId,
        seq: u64,
        at: u64,
        body: &EventBody,
        req: Option<&RequestId>,
        hash: PositionHash,
    ) -> Vec<u8> {
        let mut out = Vec::with_capacity(RECORD_BYTES);
        Self::write_unsealed(&mut out, game, seq, at, body, req, hash);
        out
    }

    /// Appends these bytes.
    pub fn write_unsealed(
        out: &mut Vec<u8>,
        game: &GameId,
        seq: u64,
        at: u64,
        body: &EventBody,
        req: Option<&RequestId>,
        hash: PositionHash,
    ) {
        out.extend_from_slice(br#"{"type":"event","game":""#);
        out.extend_from_slice(game.as_str().as_bytes());
        write_field(out, br#"","seq":"#, seq);
        write_field(out, br#","at":"#, at);
        out.extend_from_slice(br#","kind":"#);
        // An unknown kind may be any text.
        serde_json::to_writer(&mut *out, body.kind()).expect("a text is plain data");
        body.write(out);
        write_tail(out, req, hash);
    }

    /// Appends the chain as the last key.
    pub fn seal(mut unsealed: Vec<u8>, chain: Chain) -> Vec<u8> {
        Self::seal_in_place(&mut unsealed, chain);
        unsealed
    }

    /// Does the same to a record at the end of these bytes.
    pub fn seal_in_place(unsealed: &mut Vec<u8>, chain: Chain) {
        debug_assert_eq!(unsealed.last(), Some(&b'}'), "a record is an object");
        unsealed.pop();
        unsealed.extend_from_slice(br#","chain":""#);
        chain.append_to(unsealed);
        unsealed.extend_from_slice(br#""}"#);
    }

    /// Splits a sealed record into the bytes that its chain seals and the chain; `None` if the
    /// record does not end with a chain.
    pub fn unseal(record: &[u8]) -> Option<(Vec<u8>, Chain)> {
        let cut = record.len().checked_sub(SEAL_BYTES)?;
        let (body, seal) = record.split_at(cut);
        let digits = seal.strip_prefix(br#","chain":""#)?.strip_suffix(br#""}"#)?;
        let chain = std::str::from_utf8(digits).ok()?.parse().ok()?;
        let unsealed = [body, b"}"].concat();
        Some((unsealed, chain))
    }

    /// Decodes a sealed record.
    pub fn from_bytes(bytes: &[u8]) -> serde_json::Result<Self> {
        let flat: FlatRecord<'_> = serde_json::from_slice(bytes)?;
        let body = EventBody::read(&flat.kind, bytes)?;
        Ok(Self {
            game: flat.game,
            seq: flat.seq,
            at: flat.at,
            body,
            req: flat.req,
            hash: flat.hash,
            chain: flat.chain,
        })
    }

    /// Returns the fields of the message, in their order.
    pub(crate) const fn fields(&self) -> Fields<'_> {
        Fields {
            game: &self.game,
            seq: self.seq,
            at: self.at,
            kind: Kind(&self.body),
            body: BodyFields(&self.body),
            tail: Tail { req: self.req.as_ref(), hash: self.hash },
            chain: self.chain,
        }
    }

    /// Encodes the sealed record.
    pub fn to_bytes(&self) -> Vec<u8> {
        let unsealed = Self::unsealed_bytes(
            &self.game,
            self.seq,
            self.at,
            &self.body,
            self.req.as_ref(),
            self.hash,
        );
        Self::seal(unsealed, self.chain)
    }
}

macro_rules! bodies {
    ($($(#[$doc:meta])* $kind:literal => $name:ident($body:ty)),+ $(,)?) => {
        /// The events by kind.
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
        pub enum EventBody {
            $($(#[$doc])* $name($body),)+
            /// A kind that this version of the crate does not know.
            Unknown(Box<str>),
        }

        impl EventBody {
            /// All kinds.
            pub const KINDS: &'static [&'static str] = &[$($kind),+];

            /// Returns the shapes of all kinds.
            #[cfg(feature = "schema")]
            pub(crate) fn shapes(generator: &mut SchemaGenerator) -> Vec<Shape> {
                vec![$(Shape::of::<$body>($kind, generator)),+]
            }

            /// Returns the kind's name on the wire.
            pub fn kind(&self) -> &str {
                match self { $(Self::$name(_) => $kind,)+ Self::Unknown(kind) => kind }
            }

            /// Returns whether the event ends the game.
            pub const fn is_end(&self) -> bool {
                matches!(self, Self::Ended(_) | Self::Aborted(_))
            }

            fn write(&self, out: &mut Vec<u8>) {
                match self { $(Self::$name(body) => append_fields(out, body),)+ Self::Unknown(_) => {} }
            }

            /// Serializes the kind's own fields.
            fn serialize_fields<S: Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$name(body) => body.serialize(serializer),)+
                    Self::Unknown(_) => serializer.serialize_map(Some(0))?.end(),
                }
            }

            fn read(kind: &str, bytes: &[u8]) -> serde_json::Result<Self> {
                match kind {
                    $($kind => serde_json::from_slice(bytes).map(Self::$name),)+
                    other => Ok(Self::Unknown(other.into())),
                }
            }
        }
    };
}

bodies! {
    /// The game was created.
    "created" => Created(Created),
    /// The game started and the first clock runs.
    "started" => Started(Started),
    /// A seat moved.
    "moved" => Moved(Moved),
    /// Two players changed seats.
    "swapped" => Swapped(Swapped),
    /// The seat to move had no legal move.
    "skipped" => Skipped(Skipped),
    /// A seat left the game.
    "removed" => Removed(Removed),
    /// A seat made an offer.
    "offered" => Offered(Offered),
    /// A player left a game of three, and the seat is offered to a computer.
    "seat_offered" => SeatOffered(SeatOffered),
    /// A computer took the seat of a player who left.
    "substituted" => Substituted(Substituted),
    /// One of several seats agreed to an offer.
    "agreed" => Agreed(Agreed),
    /// An offer was closed.
    "offer_closed" => OfferClosed(OfferClosed),
    /// All seats agreed to take a move back.
    "taken_back" => TakenBack(TakenBack),
    /// A running clock was credited with time.
    "clock_adjusted" => ClockAdjusted(ClockAdjusted),
    /// The game was aborted.
    "aborted" => Aborted(Aborted),
    /// The game ended.
    "ended" => Ended(Ended),
    /// The ratings were updated.
    "rated" => Rated(Rated),
}

/// Appends the fields of a struct to the object that is open in `out`.
fn append_fields<T: Serialize>(out: &mut Vec<u8>, body: &T) {
    let start = out.len();
    serde_json::to_writer(&mut *out, body).expect("event bodies are plain data");
    debug_assert_eq!(out.get(start), Some(&b'{'), "a body is an object");
    out.pop();
    if out.len() == start + 1 {
        out.truncate(start);
    } else {
        out[start] = b',';
    }
}

/// The setup of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Created {
    /// The game, with the version of its rules.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// The users in turn order.
    pub seats: Vec<SeatUser>,
    /// The time control.
    pub clock: TimeControl,
    /// Whether the game is rated.
    pub rated: bool,
    /// The number of moves that spectators are behind while the game is live.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
    /// Whether no list shows the game to others than its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
}

constructor!(Created {
    rules: RulesName, options: Named<OptionValue>, seats: Vec<SeatUser>, clock: TimeControl,
    rated: bool;
    delay, unlisted
});

/// The start of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Started {
    /// The seat to move.
    pub to_move: u8,
}

constructor!(Started { to_move: u8 });

/// A move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Moved {
    /// The seat.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The number of the move among moves and skips.
    pub ply: u32,
    /// The move in canonical notation.
    #[serde(rename = "move")]
    pub notation: Box<str>,
    /// The captured pieces.
    pub captures: Vec<Capture>,
    /// The seat to move after it.
    pub to_move: Option<u8>,
    /// The time used, in milliseconds.
    pub spent_ms: u64,
    /// The network lag that was not charged, in milliseconds.
    pub lag_ms: u64,
    /// The clocks after it; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
}

impl Moved {
    /// Returns a move in a game without clocks.
    #[expect(clippy::too_many_arguments, reason = "they are the fields of the event")]
    pub const fn new(
        seat: u8,
        turn: u32,
        ply: u32,
        notation: Box<str>,
        captures: Vec<Capture>,
        to_move: Option<u8>,
        spent_ms: u64,
        lag_ms: u64,
    ) -> Self {
        Self { seat, turn, ply, notation, captures, to_move, spent_ms, lag_ms, left_ms: None }
    }
}

/// Two players have changed seats; the pieces stay where they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Swapped {
    /// The seat whose player swapped.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The number of the swap among moves and skips.
    pub ply: u32,
    /// The users by seat after it.
    pub seats: Vec<SeatUser>,
    /// The seat to move after it.
    pub to_move: Option<u8>,
    /// The time used, in milliseconds.
    pub spent_ms: u64,
    /// The network lag that was not charged, in milliseconds; absent if zero.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lag_ms: u64,
    /// The clocks after it, each with its player; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
}

constructor!(Swapped {
    seat: u8, turn: u32, ply: u32, seats: Vec<SeatUser>, to_move: Option<u8>, spent_ms: u64;
    lag_ms, left_ms
});

/// A skipped turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Skipped {
    /// The seat without a legal move.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The number of the skip among moves and skips.
    pub ply: u32,
    /// The seat to move after it.
    pub to_move: Option<u8>,
}

constructor!(Skipped { seat: u8, turn: u32, ply: u32, to_move: Option<u8> });

/// A seat that left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Removed {
    /// The seat.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The reason.
    pub reason: LeaveReason,
    /// The seat that claimed the abandonment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<u8>,
    /// The seat to move after it.
    pub to_move: Option<u8>,
}

constructor!(Removed { seat: u8, turn: u32, reason: LeaveReason, to_move: Option<u8>; claimed_by });

words! {
    /// The kinds of offers.
    pub enum OfferKind {
        /// A draw.
        Draw = "draw",
        /// Taking back the last move of the seat that offers.
        Takeback = "takeback",
        /// Aborting the game.
        Abort = "abort",
        /// A computer on the seat of a player who leaves. Only the server offers it.
        Substitute = "substitute",
    }
}

/// An offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Offered {
    /// The id of the offer within this game.
    pub offer: OfferId,
    /// The kind of the offer.
    pub what: OfferKind,
    /// The seat that offers.
    pub by: u8,
    /// The seats that have not answered yet.
    pub needs: Vec<u8>,
}

constructor!(Offered { offer: OfferId, what: OfferKind, by: u8, needs: Vec<u8> });

/// The seat of a player who leaves a game of three, offered to a computer. All clocks stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SeatOffered {
    /// The id of the offer within this game, for `answer`.
    pub offer: OfferId,
    /// The seat.
    pub seat: u8,
    /// Why its player leaves.
    pub reason: LeaveReason,
    /// The seat that claimed the abandonment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<u8>,
    /// The computer that would play.
    pub by: SeatUser,
    /// Its level.
    pub level: u8,
    /// The seats that have not answered yet.
    pub needs: Vec<u8>,
    /// The time in epoch milliseconds at which the seat is removed without their answers.
    pub until: u64,
    /// The clocks as they stand; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
}

constructor!(SeatOffered {
    offer: OfferId, seat: u8, reason: LeaveReason, by: SeatUser, level: u8, needs: Vec<u8>,
    until: u64;
    claimed_by, left_ms
});

/// A computer on the seat of a player who left. The clocks run again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Substituted {
    /// The seat.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The computer, whose seat it is from here on.
    pub by: SeatUser,
    /// Its level.
    pub level: u8,
    /// The seat to move after it.
    pub to_move: u8,
    /// The clocks after it: the seat has its first time again. Absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
}

constructor!(Substituted { seat: u8, turn: u32, by: SeatUser, level: u8, to_move: u8; left_ms });

/// An agreement to an offer by one of several seats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Agreed {
    /// The offer.
    pub offer: OfferId,
    /// The seat.
    pub seat: u8,
    /// The seats that have not answered yet.
    pub needs: Vec<u8>,
}

constructor!(Agreed { offer: OfferId, seat: u8, needs: Vec<u8> });

words! {
    /// How an offer ended.
    pub enum OfferOutcome {
        /// All seats agreed.
        Accepted = "accepted",
        /// A seat declined.
        Declined = "declined",
        /// The seat withdrew it.
        Withdrawn = "withdrawn",
        /// A move closed it.
        Moved = "moved",
    }
}

/// An offer that is no longer open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct OfferClosed {
    /// The offer.
    pub offer: OfferId,
    /// The outcome.
    pub outcome: OfferOutcome,
    /// The seat that closed it.
    pub by: u8,
}

constructor!(OfferClosed { offer: OfferId, outcome: OfferOutcome, by: u8 });

/// A takeback of a move and all later ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TakenBack {
    /// The turn counter after it. It never decreases.
    pub turn: u32,
    /// The number of remaining moves and skips.
    pub ply: u32,
    /// The restored board: cell name to pieces, bottom piece first.
    pub position: Named<Box<str>>,
    /// The clocks after it; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
    /// The seat whose move was taken back. It is to move again.
    pub to_move: u8,
}

constructor!(TakenBack { turn: u32, ply: u32, position: Named<Box<str>>, to_move: u8; left_ms });

words! {
    /// Why a clock was adjusted.
    pub enum AdjustReason {
        /// The server was down, or the player was not back after it.
        Outage = "outage",
        /// The player with the first turn had not been sent the game yet.
        Arrival = "arrival",
    }
}

/// A credit of time to the running clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ClockAdjusted {
    /// The seat of the clock.
    pub seat: u8,
    /// The credit in milliseconds.
    pub by_ms: u64,
    /// The reason.
    pub reason: AdjustReason,
}

constructor!(ClockAdjusted { seat: u8, by_ms: u64, reason: AdjustReason });

words! {
    /// Why a game was aborted.
    pub enum AbortReason {
        /// A player aborted it before each side had moved.
        ByPlayer = "by_player",
        /// All remaining seats agreed to it.
        Agreed = "agreed",
        /// A side made no first move: not in time, or it had gone and another claimed that.
        NoShow = "no_show",
        /// An operator of the server has decided.
        Ruling = "ruling",
    }
}

/// An aborted game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Aborted {
    /// The seat that aborted, offered to abort, or did not move; of a ruling the seat to move.
    pub by: u8,
    /// The reason.
    pub reason: AbortReason,
    /// The seat that claimed that the other never came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<u8>,
}

constructor!(Aborted { by: u8, reason: AbortReason; claimed_by });

/// The end of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Ended {
    /// One seat, or several for a draw.
    pub winners: Vec<u8>,
    /// Each seat's place, from 1; equal numbers are shared.
    pub places: Vec<u8>,
    /// The reason.
    pub reason: EndReason,
    /// The seat that resigned, ran out of time or went away, if that ended the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<u8>,
    /// The seat that claimed the abandonment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<u8>,
}

constructor!(Ended { winners: Vec<u8>, places: Vec<u8>, reason: EndReason; by, claimed_by });

/// Ratings before and after a game, by seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Rated {
    /// The rating of each seat's user before the game.
    pub before: Vec<u16>,
    /// The rating of each seat's user after the game.
    pub after: Vec<u16>,
}

constructor!(Rated { before: Vec<u16>, after: Vec<u16> });
