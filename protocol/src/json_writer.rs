//! Fields of frames, written without serde.

use crate::ids::{GameId, PositionHash, RequestId};

/// Closes an unsealed record.
pub(crate) fn write_tail(out: &mut Vec<u8>, req: Option<&RequestId>, hash: PositionHash) {
    if let Some(req) = req {
        out.extend_from_slice(br#","req":"#);
        write_id(out, req);
    }
    write_hash(out, hash);
    out.push(b'}');
}

/// Appends a field with its number.
pub(crate) fn write_field(out: &mut Vec<u8>, name: &[u8], number: u64) {
    out.extend_from_slice(name);
    serde_json::to_writer(out, &number).expect("a number is plain data");
}

pub(crate) fn write_game(out: &mut Vec<u8>, game: &GameId) {
    out.extend_from_slice(br#","game":""#);
    out.extend_from_slice(game.as_str().as_bytes());
    out.push(b'"');
}

pub(crate) fn write_id(out: &mut Vec<u8>, id: &RequestId) {
    let text = id.as_str();
    if text.bytes().any(|byte| matches!(byte, b'"' | b'\\')) {
        return serde_json::to_writer(out, text).expect("a text is plain data");
    }
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

pub(crate) fn write_left(out: &mut Vec<u8>, left_ms: Option<&[u64]>) {
    let Some(left_ms) = left_ms else { return };
    out.extend_from_slice(br#","left_ms":["#);
    for (place, left) in left_ms.iter().enumerate() {
        write_field(out, if place == 0 { b"" } else { b"," }, *left);
    }
    out.push(b']');
}

pub(crate) fn write_hash(out: &mut Vec<u8>, hash: PositionHash) {
    out.extend_from_slice(br#","hash":""#);
    hash.append_to(out);
    out.push(b'"');
}
