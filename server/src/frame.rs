//! One message as it stands on the wire: a WebSocket frame, header included. A server's frames are
//! not masked, so the same bytes are right for everybody who gets them.

use adamant_protocol::{CloseCode, ToClient};
use bytes::Bytes;

/// The longest header of a frame that is not masked.
const HEADER_BYTES_MAX: usize = 10;

/// The longest payload of a ping, a pong or a goodbye.
const CONTROL_BYTES_MAX: usize = 125;

/// What a frame carries, with the bit that says that nothing of it follows.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Text = 0x81,
    Close = 0x88,
    Ping = 0x89,
}

/// An encoded frame. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    bytes: Bytes,
    /// Where the payload begins.
    payload: u8,
}

impl Frame {
    /// A message's frame: encoded once, for all who get it.
    pub(crate) fn of(message: &ToClient) -> Self {
        Self::text(adamant_protocol::encode(message).as_bytes())
    }

    /// The frame of a message that is encoded already.
    pub(crate) fn text(message: &[u8]) -> Self {
        Self::new(Kind::Text, message)
    }

    /// A ping that carries a number.
    pub(crate) fn ping(number: u32) -> Self {
        Self::new(Kind::Ping, &number.to_be_bytes())
    }

    /// A goodbye.
    pub(crate) fn close(code: CloseCode) -> Self {
        let reason = code.reason().as_bytes();
        let reason = &reason[..reason.len().min(CONTROL_BYTES_MAX - 2)];
        Self::new(Kind::Close, &[&code.number().to_be_bytes(), reason].concat())
    }

    /// Frames that something else has encoded.
    pub(crate) fn encoded(bytes: &[u8]) -> Self {
        Self { bytes: Bytes::copy_from_slice(bytes), payload: 0 }
    }

    fn new(kind: Kind, payload: &[u8]) -> Self {
        let length = payload.len();
        let mut bytes = Vec::with_capacity(HEADER_BYTES_MAX + length);
        bytes.push(kind as u8);
        if let Ok(short @ 0..=125) = u8::try_from(length) {
            bytes.push(short);
        } else if let Ok(medium) = u16::try_from(length) {
            bytes.push(126);
            bytes.extend(medium.to_be_bytes());
        } else {
            bytes.push(127);
            bytes.extend((length as u64).to_be_bytes());
        }
        let begin = u8::try_from(bytes.len()).expect("a header is short");
        bytes.extend_from_slice(payload);
        Self { bytes: bytes.into(), payload: begin }
    }

    /// All of it, as it is sent.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same, to keep.
    pub(crate) fn into_bytes(self) -> Bytes {
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
