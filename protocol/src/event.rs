//! Events: the journal record and the frame that everyone is sent, which are the same bytes.
//!
//! A record is one JSON object. Head, body and tail are written one after the other, so that the
//! chain is always its last key: it seals the bytes before it.

use schemars::{JsonSchema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::{
    ids::{Chain, GameId, OfferId, PositionHash, RequestId, RulesName},
    schema::Shape,
    values::{Capture, Clock, Named, OptionValue, SeatUser, is_zero},
};

/// A whole event as it travels and rests.
#[derive(Debug, Clone, PartialEq)]
pub struct EventFrame {
    /// The game it belongs to.
    pub game: GameId,
    /// Its place in the game, from 1, without gaps.
    pub seq: u64,
    /// When, in epoch milliseconds.
    pub at: u64,
    /// What happened.
    pub body: EventBody,
    /// The request that caused it.
    pub req: Option<RequestId>,
    /// The position after it.
    pub hash: PositionHash,
    /// Seals this record and all before it.
    pub chain: Chain,
}

macro_rules! bodies {
    ($($(#[$doc:meta])* $kind:literal => $name:ident($body:ty)),+ $(,)?) => {
        /// What happened, by kind.
        #[derive(Debug, Clone, PartialEq)]
        pub enum EventBody {
            $($(#[$doc])* $name($body),)+
            /// A kind that this version of the crate does not know.
            Unknown(Box<str>),
        }

        impl EventBody {
            /// Every kind there is.
            pub const KINDS: &'static [&'static str] = &[$($kind),+];

            /// What each kind carries of its own.
            pub(crate) fn shapes(generator: &mut SchemaGenerator) -> Vec<Shape> {
                vec![$(Shape::of::<$body>($kind, generator)),+]
            }

            /// The kind's name on the wire.
            pub fn kind(&self) -> &str {
                match self { $(Self::$name(_) => $kind,)+ Self::Unknown(kind) => kind }
            }

            fn write(&self, out: &mut Vec<u8>) {
                match self { $(Self::$name(body) => splice(out, body),)+ Self::Unknown(_) => {} }
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
    /// The game exists.
    "created" => Created(Created),
    /// Everybody is there and the first clock runs.
    "started" => Started(Started),
    /// A move was made.
    "moved" => Moved(Moved),
    /// Two players changed seats.
    "swapped" => Swapped(Swapped),
    /// The seat to move could not.
    "skipped" => Skipped(Skipped),
    /// A seat left the game.
    "removed" => Removed(Removed),
    /// Something was offered.
    "offered" => Offered(Offered),
    /// One of several has agreed to an offer.
    "agreed" => Agreed(Agreed),
    /// An offer is no longer open.
    "offer_closed" => OfferClosed(OfferClosed),
    /// All agreed to go back to before a move.
    "taken_back" => TakenBack(TakenBack),
    /// A running clock got time back.
    "clock_adjusted" => ClockAdjusted(ClockAdjusted),
    /// The game was called off.
    "aborted" => Aborted(Aborted),
    /// The game is over.
    "ended" => Ended(Ended),
    /// The result has been counted.
    "rated" => Rated(Rated),
}

/// What was agreed before the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Created {
    /// The game, with the version of its rules.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// Who plays, in turn order.
    pub seats: Vec<SeatUser>,
    /// The time control.
    pub clock: Clock,
    /// Whether the result counts.
    pub rated: bool,
    /// How many moves spectators are behind while the game goes on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
}

/// Who opens the game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Started {
    /// The seat to move.
    pub to_move: u8,
}

/// A move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// By whom.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The number of the move.
    pub ply: u32,
    /// The move in canonical notation.
    #[serde(rename = "move")]
    pub notation: Box<str>,
    /// What it captured.
    pub captures: Vec<Capture>,
    /// Whose turn it is after it.
    pub to_move: Option<u8>,
    /// Time used.
    pub spent_ms: u64,
    /// Time not charged because the network took it.
    pub lag_ms: u64,
    /// The clocks after it; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
}

/// Two players have changed seats; the pieces stay where they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Swapped {
    /// The seat whose player asked for it.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The number of the swap among moves and skips.
    pub ply: u32,
    /// Who sits where after it.
    pub seats: Vec<SeatUser>,
    /// Whose turn it is after it.
    pub to_move: Option<u8>,
    /// Time used.
    pub spent_ms: u64,
    /// Time not charged because the network took it; absent where it is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lag_ms: u64,
    /// The clocks after it, each with its player; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
}

/// A turn passed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// Who could not move.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// The number of the skip among moves and skips.
    pub ply: u32,
    /// Whose turn it is after it.
    pub to_move: Option<u8>,
}

/// Why a seat left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RemovedReason {
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

/// A seat that left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Removed {
    /// Who.
    pub seat: u8,
    /// The turn counter after it.
    pub turn: u32,
    /// Why.
    pub reason: RemovedReason,
    /// Who claimed that the seat had been abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<u8>,
    /// Whose turn it is after it.
    pub to_move: Option<u8>,
}

/// What can be offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OfferWhat {
    /// To end the game undecided.
    Draw,
    /// To go back to before the last move of the one who offers.
    Takeback,
    /// To call the game off.
    Abort,
}

/// An offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Offered {
    /// Its name in this game.
    pub offer: OfferId,
    /// What is offered.
    pub what: OfferWhat,
    /// By whom.
    pub by: u8,
    /// Who has yet to answer.
    pub needs: Vec<u8>,
}

/// One more has agreed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Agreed {
    /// To which offer.
    pub offer: OfferId,
    /// Who.
    pub seat: u8,
    /// Who has yet to answer.
    pub needs: Vec<u8>,
}

/// How an offer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OfferOutcome {
    /// All agreed.
    Accepted,
    /// Somebody did not.
    Declined,
    /// It was taken back.
    Withdrawn,
    /// The game moved on instead.
    Moved,
}

/// An offer that is no longer open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OfferClosed {
    /// Which.
    pub offer: OfferId,
    /// How it ended.
    pub outcome: OfferOutcome,
    /// Who ended it.
    pub by: u8,
}

/// A move taken back, with all that was played after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TakenBack {
    /// The turn counter after it, which does not go back.
    pub turn: u32,
    /// The number of moves and skips that stand.
    pub ply: u32,
    /// The board that was gone back to: cell name to pieces, bottom piece first.
    pub position: Named<Box<str>>,
    /// The clocks after it; absent without clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<Vec<u64>>,
    /// Whose move was taken back, and whose turn it is again.
    pub to_move: u8,
}

/// Why a clock was adjusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AdjustReason {
    /// The server was away.
    Outage,
}

/// Time given back to the running clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockAdjusted {
    /// Whose clock.
    pub seat: u8,
    /// How much.
    pub by_ms: u64,
    /// Why.
    pub reason: AdjustReason,
}

/// Why a game was called off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AbortReason {
    /// A player called it off before each side had moved.
    ByPlayer,
    /// All who were left agreed to it.
    Agreed,
    /// A side let its first move wait for too long.
    NoShow,
}

/// A game called off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Aborted {
    /// Who called it off, offered to, or did not come.
    pub by: u8,
    /// Why.
    pub reason: AbortReason,
}

/// Why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
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
    /// The game had become longer than one may be.
    TooLong,
    /// Agreed.
    Agreement,
    /// The last opponent gave up.
    Resigned,
    /// The last opponent's clock ran out.
    TimedOut,
    /// The last opponent went away.
    Abandoned,
}

/// The end of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ended {
    /// One seat, or several for a draw.
    pub winners: Vec<u8>,
    /// Each seat's place, from 1; equal numbers are shared.
    pub places: Vec<u8>,
    /// How it came about.
    pub reason: EndReason,
    /// Who gave up, ran out of time or went away, where that ended the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<u8>,
    /// Who claimed that this seat had been abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<u8>,
}

/// Ratings before and after a game, by seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rated {
    /// What each seat's user was rated before.
    pub before: Vec<u16>,
    /// And after.
    pub after: Vec<u16>,
}

/// Writes `,"key":value` pairs of a struct behind an object that is open in `out`.
fn splice<T: Serialize>(out: &mut Vec<u8>, body: &T) {
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

#[derive(Serialize)]
struct Tail<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    req: Option<&'a RequestId>,
    hash: PositionHash,
}

#[derive(Deserialize)]
struct Outer<'a> {
    game: GameId,
    seq: u64,
    at: u64,
    #[serde(borrow)]
    kind: std::borrow::Cow<'a, str>,
    #[serde(default)]
    req: Option<RequestId>,
    hash: PositionHash,
    chain: Chain,
}

/// Bytes that close a sealed record: `,"chain":"<64 hex digits>"}`.
const SEAL_BYTES: usize = r#","chain":""#.len() + 64 + r#""}"#.len();

impl EventFrame {
    /// The bytes that the chain seals: the record without its chain, with the closing brace.
    pub fn unsealed_bytes(
        game: &GameId,
        seq: u64,
        at: u64,
        body: &EventBody,
        req: Option<&RequestId>,
        hash: PositionHash,
    ) -> Vec<u8> {
        use std::io::Write as _;
        let mut out = Vec::with_capacity(384);
        write!(out, r#"{{"type":"event","game":"{game}","seq":{seq},"at":{at},"kind":"#)
            .expect("writing to memory");
        // An unknown kind may be any text.
        serde_json::to_writer(&mut out, body.kind()).expect("a text is plain data");
        body.write(&mut out);
        splice(&mut out, &Tail { req, hash });
        out.push(b'}');
        out
    }

    /// Adds the chain as the last key.
    pub fn seal(mut unsealed: Vec<u8>, chain: Chain) -> Vec<u8> {
        use std::io::Write as _;
        debug_assert_eq!(unsealed.last(), Some(&b'}'), "a record is an object");
        unsealed.pop();
        write!(unsealed, r#","chain":"{chain}"}}"#).expect("writing to memory");
        unsealed
    }

    /// Takes the chain off a sealed record and gives back the bytes it sealed; `None` if the
    /// record does not end with a chain.
    pub fn unseal(record: &[u8]) -> Option<(Vec<u8>, Chain)> {
        let cut = record.len().checked_sub(SEAL_BYTES)?;
        let (body, seal) = record.split_at(cut);
        let digits = seal.strip_prefix(br#","chain":""#)?.strip_suffix(br#""}"#)?;
        let chain = std::str::from_utf8(digits).ok()?.parse().ok()?;
        let mut unsealed = body.to_vec();
        unsealed.push(b'}');
        Some((unsealed, chain))
    }

    /// Reads a sealed record.
    pub fn from_bytes(bytes: &[u8]) -> serde_json::Result<Self> {
        let outer: Outer<'_> = serde_json::from_slice(bytes)?;
        let body = EventBody::read(&outer.kind, bytes)?;
        Ok(Self {
            game: outer.game,
            seq: outer.seq,
            at: outer.at,
            body,
            req: outer.req,
            hash: outer.hash,
            chain: outer.chain,
        })
    }

    /// Writes the sealed record.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(body: EventBody, req: Option<&str>) -> EventFrame {
        EventFrame {
            game: "k7q2mx".parse().unwrap(),
            seq: 42,
            at: 1_790_000_000_000,
            body,
            req: req.map(|id| id.parse().unwrap()),
            hash: PositionHash(0x77de),
            chain: Chain([0xb0; 32]),
        }
    }

    #[test]
    fn a_move_is_written_as_documented_and_reads_back() {
        let moved = EventBody::Moved(Moved {
            seat: 1,
            turn: 34,
            ply: 28,
            notation: "c4-2xc3,d4".into(),
            captures: vec![Capture { cell: "c3".into(), seat: 0, pieces: "OOOO".into() }],
            to_move: Some(0),
            spent_ms: 5120,
            lag_ms: 84,
            left_ms: Some(vec![201_000, 187_964]),
        });
        let event = frame(moved, Some("k7q2mx:33"));
        let bytes = event.to_bytes();
        let expected = concat!(
            r#"{"type":"event","game":"k7q2mx","seq":42,"at":1790000000000,"kind":"moved","seat":1,"#,
            r#""turn":34,"ply":28,"move":"c4-2xc3,d4","captures":[{"cell":"c3","seat":0,"#,
            r#""pieces":"OOOO"}],"to_move":0,"spent_ms":5120,"lag_ms":84,"left_ms":[201000,187964],"#,
            r#""req":"k7q2mx:33","hash":"00000000000077de","chain":""#
        );
        assert!(bytes.starts_with(expected.as_bytes()), "{}", String::from_utf8_lossy(&bytes));
        assert_eq!(EventFrame::from_bytes(&bytes).unwrap(), event);
    }

    #[test]
    fn what_the_chain_seals_is_the_record_without_it() {
        let event = frame(EventBody::Started(Started { to_move: 0 }), None);
        let (unsealed, chain) = EventFrame::unseal(&event.to_bytes()).unwrap();
        assert_eq!(chain, event.chain);
        assert!(unsealed.ends_with(br#""hash":"00000000000077de"}"#));
        assert_eq!(EventFrame::seal(unsealed, chain), event.to_bytes());
        assert_eq!(EventFrame::unseal(b"{}"), None);
    }

    #[test]
    fn an_id_with_quotes_stays_inside_its_string() {
        let event = frame(EventBody::Started(Started { to_move: 0 }), Some(r#"a","seq":1,"\"#));
        assert_eq!(EventFrame::from_bytes(&event.to_bytes()).unwrap(), event);
    }

    #[test]
    fn an_unknown_kind_keeps_its_seq() {
        let bytes = br#"{"type":"event","game":"g","seq":7,"at":1,"kind":"sparkled","hash":"0","chain":"0000000000000000000000000000000000000000000000000000000000000000"}"#;
        let event = EventFrame::from_bytes(bytes).unwrap();
        assert_eq!((event.seq, event.body), (7, EventBody::Unknown("sparkled".into())));
    }
}
