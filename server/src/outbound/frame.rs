//! One message as it stands on the wire: a WebSocket frame, header included. A server's frames are
//! not masked, so the same bytes are right for everybody who gets them.

use std::{cell::RefCell, sync::Arc};

use adamant_protocol::{CloseCode, ToClient, codec};
use arrayvec::ArrayVec;

/// The longest header of a frame that is not masked.
const HEADER_BYTES_MAX: usize = 10;

/// The longest payload of a ping, a pong or a goodbye.
const CONTROL_BYTES_MAX: usize = 125;

/// What a thread keeps to write its next message in. Larger ones are rare.
const SCRATCH_BYTES_MAX: usize = 16 * 1024;

thread_local! {
    /// Where a message is written before it is known how long it is; ahead of it there is room for
    /// the header.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What a frame carries, with the bit that says that nothing of it follows.
#[derive(Debug, Clone, Copy)]
enum Opcode {
    Text = 0x81,
    Close = 0x88,
    Ping = 0x89,
}

/// An encoded frame. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    bytes: Arc<[u8]>,
    /// Where the payload begins.
    payload: u8,
}

impl Frame {
    /// A message's frame: encoded once, for all who get it.
    pub(crate) fn of(message: &ToClient) -> Self {
        Self::new(Opcode::Text, |bytes| codec::encode_into(bytes, message))
    }

    /// The frame of a message that is encoded already.
    pub(crate) fn text(message: &[u8]) -> Self {
        Self::new(Opcode::Text, |bytes| bytes.extend_from_slice(message))
    }

    /// A ping that carries a number.
    pub(crate) fn ping(number: u32) -> Self {
        Self::new(Opcode::Ping, |bytes| bytes.extend(number.to_be_bytes()))
    }

    /// A goodbye.
    pub(crate) fn close(code: CloseCode) -> Self {
        let reason = code.reason().as_bytes();
        let reason = &reason[..reason.len().min(CONTROL_BYTES_MAX - 2)];
        Self::new(Opcode::Close, |bytes| {
            bytes.extend(code.number().to_be_bytes());
            bytes.extend_from_slice(reason);
        })
    }

    /// Frames that something else has encoded.
    pub(crate) fn encoded(bytes: &[u8]) -> Self {
        Self { bytes: bytes.into(), payload: 0 }
    }

    /// The payload is what is written behind what is there.
    fn new(opcode: Opcode, write_payload: impl FnOnce(&mut Vec<u8>)) -> Self {
        SCRATCH.with_borrow_mut(|bytes| {
            bytes.clear();
            bytes.resize(HEADER_BYTES_MAX, 0);
            write_payload(bytes);
            let header = header(opcode, bytes.len() - HEADER_BYTES_MAX);
            let begin = HEADER_BYTES_MAX - header.len();
            bytes[begin..HEADER_BYTES_MAX].copy_from_slice(&header);
            let payload = u8::try_from(header.len()).expect("a header is short");
            let frame = Self { bytes: bytes[begin..].into(), payload };
            bytes.clear();
            bytes.shrink_to(SCRATCH_BYTES_MAX);
            frame
        })
    }

    /// All of it, as it is sent.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same, to keep.
    pub(crate) fn into_bytes(self) -> Arc<[u8]> {
        self.bytes
    }

    /// How long it is, as it is sent.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The message without the frame around it.
    pub(crate) fn payload(&self) -> &[u8] {
        &self.bytes[usize::from(self.payload)..]
    }
}

/// What stands before so long a payload.
fn header(opcode: Opcode, length: usize) -> ArrayVec<u8, HEADER_BYTES_MAX> {
    let mut header = ArrayVec::new();
    header.push(opcode as u8);
    if let Ok(short @ 0..=125) = u8::try_from(length) {
        header.push(short);
    } else if let Ok(medium) = u16::try_from(length) {
        header.push(126);
        header.extend(medium.to_be_bytes());
    } else {
        header.push(127);
        header.extend((length as u64).to_be_bytes());
    }
    header
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt as _, StreamExt as _};
    use tokio_tungstenite::{
        WebSocketStream,
        tungstenite::{Message, protocol::Role},
    };

    use super::*;

    /// What another implementation reads.
    fn read(frame: &Frame) -> Message {
        let sent = std::io::Cursor::new(frame.as_bytes().to_vec());
        let reading = async {
            let mut socket = WebSocketStream::from_raw_socket(sent, Role::Client, None).await;
            socket.next().await.expect("a frame").expect("a good one")
        };
        reading.now_or_never().expect("all of it is there")
    }

    #[test]
    fn others_read_what_is_written_at_every_length() {
        for length in [0, 1, 125, 126, 127, 65_535, 65_536, 70_000] {
            let text = "x".repeat(length);
            let frame = Frame::text(text.as_bytes());
            assert_eq!(read(&frame), Message::Text(text.as_str().into()), "{length}");
            assert_eq!(frame.payload(), text.as_bytes());
        }
        assert_eq!(read(&Frame::ping(7)), Message::Ping(7_u32.to_be_bytes().to_vec().into()));
        let Message::Close(Some(close)) = read(&Frame::close(CloseCode::Restart)) else { panic!() };
        assert_eq!(
            (u16::from(close.code), close.reason.as_str()),
            (1012, CloseCode::Restart.reason())
        );
    }
}
