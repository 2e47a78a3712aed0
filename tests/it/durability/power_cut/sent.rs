//! What left the server over its sockets, and when: the acknowledgements and events that somebody
//! may have seen.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::trace::{Call, Moment};

/// Something that somebody was told of a game.
#[derive(Debug)]
pub(super) struct Told {
    /// When the call began that sent the last of it: from then on somebody may know.
    pub(super) at: Moment,
    /// The record that must be there for it.
    pub(super) seq: u64,
    /// What was said.
    pub(super) what: What,
}

/// What was said of a record.
#[derive(Debug)]
pub(super) enum What {
    /// The record itself, as it stood on the wire.
    Event(String),
    /// That it is what became of this request.
    Carried(String),
    /// That there is one.
    Known,
}

/// What was told, by game, in the order in which it was.
pub(super) type Games = BTreeMap<String, Vec<Told>>;

/// What has been sent over one connection and not been read as a frame yet.
#[derive(Debug, Default)]
struct Stream {
    pending: Vec<u8>,
    /// Whether the answer to the upgrade has been read.
    upgraded: bool,
}

/// Reads every text frame of every WebSocket.
pub(super) fn read(calls: &[Call]) -> Games {
    let mut streams: HashMap<&str, Stream> = HashMap::new();
    let mut told = Games::new();
    for call in calls.iter().filter(|call| call.target.starts_with("socket:")) {
        let Some(sent) = call.result else { continue };
        let stream = streams.entry(&call.target).or_default();
        stream.pending.extend_from_slice(&call.bytes[..sent]);
        stream.read(call.begun, &mut told);
    }
    told
}

impl Stream {
    fn read(&mut self, at: Moment, told: &mut Games) {
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
                note(at, text, told);
            }
            self.pending.drain(..to);
        }
    }

    /// Whether the next frame is a text, and where its payload is; `None` if it is not all there.
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

fn note(at: Moment, text: String, told: &mut Games) {
    let frame: Value = serde_json::from_str(&text).expect("every frame is JSON");
    let (Some(game), Some(seq)) = (frame["game"].as_str(), frame["seq"].as_u64()) else { return };
    // Players give their requests names of their own, and other requests have short ones.
    let request = frame["re"].as_str().filter(|re| re.contains(':'));
    let what = match (frame["type"].as_str(), request) {
        (Some("event"), _) => What::Event(text),
        (Some("ok"), Some(request)) => What::Carried(request.to_owned()),
        _ => What::Known,
    };
    told.entry(game.to_owned()).or_default().push(Told { at, seq, what });
}
