//! What left the server over its sockets, and when: the acknowledgements and events that a client
//! may have received.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::trace::{Call, Moment};

/// Something that the server sent about a game.
#[derive(Debug)]
pub(super) struct Sent {
    /// The moment at which the call with its last byte began: from then on a client may know it.
    pub(super) at: Moment,
    /// The record that must be stored for it.
    pub(super) seq: u64,
    /// What was sent.
    pub(super) what: SentKind,
}

/// What was sent about a record.
#[derive(Debug)]
pub(super) enum SentKind {
    /// The record itself, as it was on the wire.
    Event(String),
    /// The acknowledgement of this request.
    Acknowledged(String),
    /// The number of the last record.
    Announced,
}

/// What was sent, by game and in order.
pub(super) type SentByGame = BTreeMap<String, Vec<Sent>>;

/// The bytes sent over one connection and not parsed as frames yet.
#[derive(Debug, Default)]
struct ByteStream {
    pending: Vec<u8>,
    /// Whether the answer to the upgrade has been parsed.
    upgraded: bool,
}

/// Parses every text frame of every WebSocket.
pub(super) fn read(calls: &[Call]) -> SentByGame {
    let mut streams: HashMap<&str, ByteStream> = HashMap::new();
    let mut sent = SentByGame::new();
    for call in calls.iter().filter(|call| call.target.starts_with("socket:")) {
        let Some(length) = call.result else { continue };
        let stream = streams.entry(&call.target).or_default();
        stream.pending.extend_from_slice(&call.bytes[..length]);
        stream.read(call.begun, &mut sent);
    }
    sent
}

impl ByteStream {
    fn read(&mut self, at: Moment, sent: &mut SentByGame) {
        if !self.upgraded {
            let end = self.pending.windows(4).position(|four| four == b"\r\n\r\n");
            if !self.pending.starts_with(b"HTTP/1.1 101") {
                return;
            }
            let Some(end) = end else { return };
            self.pending.drain(..end + 4);
            self.upgraded = true;
        }
        while let Some((is_text, from, to)) = self.next_frame() {
            if is_text {
                let text = String::from_utf8(self.pending[from..to].to_vec()).expect("text");
                record(at, text, sent);
            }
            self.pending.drain(..to);
        }
    }

    /// Whether the next frame is text, and the range of its payload; `None` if it is incomplete.
    fn next_frame(&self) -> Option<(bool, usize, usize)> {
        let bytes = &self.pending;
        let is_text = *bytes.first()? == 0x81;
        let (length, from) = match *bytes.get(1)? {
            126 => (usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)), 4),
            127 => {
                (usize::try_from(u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?)).ok()?, 10)
            }
            short => (usize::from(short), 2),
        };
        (bytes.len() >= from + length).then_some((is_text, from, from + length))
    }
}

fn record(at: Moment, text: String, sent: &mut SentByGame) {
    let frame: Value = serde_json::from_str(&text).expect("every frame is JSON");
    let (Some(game), Some(seq)) = (frame["game"].as_str(), frame["seq"].as_u64()) else { return };
    // Ids of players' moves contain a colon; the ids of their other requests do not.
    let request = frame["re"].as_str().filter(|re| re.contains(':'));
    let what = match (frame["type"].as_str(), request) {
        (Some("event"), _) => SentKind::Event(text),
        (Some("ok"), Some(request)) => SentKind::Acknowledged(request.to_owned()),
        _ => SentKind::Announced,
    };
    sent.entry(game.to_owned()).or_default().push(Sent { at, seq, what });
}
