//! The frames of a move without serde: the usual request, and its `ok`, its record and `your_turn`.
//!
//! They are nearly all that a server reads and writes. Tests hold each equal to its derived form.

use std::fmt;

use crate::{
    from_client::Move,
    ids::{GameId, PositionHash, RequestId},
    json_writer::{write_field, write_game, write_hash, write_id, write_left, write_tail},
    to_client::NotationText,
};

/// The longest number of a turn that is read here: no more digits fit into a `u32` for sure.
const TURN_DIGITS_MAX: usize = 9;

/// Decodes a move with its fields in the usual order, without spaces, escapes and other alphabets.
pub(crate) fn decode_move(bytes: &[u8]) -> Option<Move> {
    let bytes = bytes.strip_prefix(br#"{"type":"move","id":""#)?;
    let text = std::str::from_utf8(bytes).ok()?;
    // All bytes are looked at, since that is faster than to stop at the first.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'\\';
    let others = bytes.iter().fold(0, |others, &byte| others | u8::from(!is_plain(byte)));
    if others != 0 {
        return None;
    }
    let (id, rest) = text.split_once('"')?;
    let (game, rest) = rest.strip_prefix(r#","game":""#)?.split_once('"')?;
    let (number, rest) = rest.strip_prefix(r#","turn":"#)?.split_once(',')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit())
        && number.len() <= TURN_DIGITS_MAX
        && (number.len() == 1 || !number.starts_with('0'));
    let (notation, rest) = rest.strip_prefix(r#""move":""#)?.split_once('"')?;
    let (id, game, turn) = (id.parse().ok()?, game.parse().ok()?, number.parse().ok()?);
    (is_number && rest == "}").then(|| Move { id, game, turn, notation: notation.into() })
}

/// Appends the `ok` to a move ([`Done`](crate::to_client::Done)).
pub fn write_ok(out: &mut Vec<u8>, re: &RequestId, game: &GameId, seq: u64, turn: u32) {
    out.extend_from_slice(br#"{"type":"ok","re":"#);
    write_id(out, re);
    write_game(out, game);
    write_field(out, br#","seq":"#, seq);
    write_field(out, br#","turn":"#, turn.into());
    out.push(b'}');
}

/// A [`YourTurn`](crate::to_client::YourTurn) of a client that asked for nothing more.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "they are the fields of the message")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PlainTurn<'a> {
    pub game: &'a GameId,
    pub seat: u8,
    pub turn: u32,
    pub ply: u32,
    pub left_ms: Option<&'a [u64]>,
    pub deadline: Option<u64>,
    pub hash: PositionHash,
}

impl PlainTurn<'_> {
    /// Appends the message.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(br#"{"type":"your_turn""#);
        write_game(out, self.game);
        write_field(out, br#","seat":"#, self.seat.into());
        write_field(out, br#","turn":"#, self.turn.into());
        write_field(out, br#","ply":"#, self.ply.into());
        write_left(out, self.left_ms);
        if let Some(deadline) = self.deadline {
            write_field(out, br#","deadline":"#, deadline);
        }
        write_hash(out, self.hash);
        out.push(b'}');
    }
}

/// The record of a [`Moved`](crate::event::Moved).
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "they are the fields of the record")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct MovedRecord<'a> {
    pub game: &'a GameId,
    pub seq: u64,
    pub at: u64,
    pub seat: u8,
    pub turn: u32,
    pub ply: u32,
    pub to_move: u8,
    pub spent_ms: u64,
    pub lag_ms: u64,
    pub left_ms: Option<&'a [u64]>,
    pub req: Option<&'a RequestId>,
    pub hash: PositionHash,
}

impl<'a> MovedRecord<'a> {
    /// Returns the record of this event, whose other fields are 0 or absent until they are set.
    pub const fn new(game: &'a GameId, seq: u64, at: u64, hash: PositionHash) -> Self {
        let (seat, turn, ply, to_move) = (0, 0, 0, 0);
        let (spent_ms, lag_ms, left_ms, req) = (0, 0, None, None);
        Self { game, seq, at, seat, turn, ply, to_move, spent_ms, lag_ms, left_ms, req, hash }
    }

    /// Appends the bytes that the chain seals. `notation` and `captures` write what has no
    /// characters that JSON escapes.
    pub fn write_unsealed(
        &self,
        out: &mut Vec<u8>,
        notation: impl FnOnce(&mut NotationText<'_>) -> fmt::Result,
        captures: impl FnOnce(&mut CaptureWriter<'_>),
    ) {
        out.extend_from_slice(br#"{"type":"event""#);
        write_game(out, self.game);
        write_field(out, br#","seq":"#, self.seq);
        write_field(out, br#","at":"#, self.at);
        write_field(out, br#","kind":"moved","seat":"#, self.seat.into());
        write_field(out, br#","turn":"#, self.turn.into());
        write_field(out, br#","ply":"#, self.ply.into());
        out.extend_from_slice(br#","move":""#);
        notation(&mut NotationText::at_end(out)).expect("memory takes any text");
        out.extend_from_slice(br#"","captures":["#);
        captures(&mut CaptureWriter { is_first: true, out });
        write_field(out, br#"],"to_move":"#, self.to_move.into());
        write_field(out, br#","spent_ms":"#, self.spent_ms);
        write_field(out, br#","lag_ms":"#, self.lag_ms);
        write_left(out, self.left_ms);
        write_tail(out, self.req, self.hash);
    }
}

/// Writes the [captures](crate::values::Capture) of a move.
#[derive(Debug)]
pub struct CaptureWriter<'a> {
    out: &'a mut Vec<u8>,
    is_first: bool,
}

impl CaptureWriter<'_> {
    /// Adds the pieces of a seat in a cell, each with this letter.
    pub fn push(&mut self, cell: &str, seat: u8, letter: char, pieces: usize) {
        let begin: &[u8] =
            if std::mem::take(&mut self.is_first) { br#"{"cell":""# } else { br#",{"cell":""# };
        self.out.extend_from_slice(begin);
        self.out.extend_from_slice(cell.as_bytes());
        write_field(self.out, br#"","seat":"#, seat.into());
        self.out.extend_from_slice(br#","pieces":""#);
        for _ in 0..pieces {
            self.out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self.out.extend_from_slice(br#""}"#);
    }
}
