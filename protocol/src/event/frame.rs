//! Whole records: head, body and tail as bytes, and the chain that seals them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer};

use super::body::EventBody;
use crate::fast_path::{write_field, write_tail};
use crate::ids::{Chain, GameId, PositionHash, RequestId};

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
