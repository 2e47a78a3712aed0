//! A message as a WebSocket frame, header included. A server's frames are not masked, so all
//! recipients get the same bytes.

use std::{cell::Cell, sync::Arc};

use adamant_protocol::{CloseCode, ToClient, codec};
use arrayvec::ArrayVec;
use bytes::Bytes;
use smallvec::SmallVec;

/// Size of the longest header of an unmasked frame.
const HEADER_BYTES_MAX: usize = 10;

/// Size of the longest payload of a control frame (RFC 6455).
const CONTROL_BYTES_MAX: usize = 125;

/// Capacity that a thread's scratch buffer keeps. Larger messages are rare.
const SCRATCH_BYTES_MAX: usize = 16 * 1024;

thread_local! {
    /// Buffer that messages are encoded into, since their sizes are not known before. It is taken
    /// while a [`Burst`] has it.
    static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// The first byte of a frame: its opcode with the FIN bit.
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
    /// Offset of the payload.
    payload: u8,
}

impl Frame {
    /// Encodes a message, once for all its recipients.
    pub(crate) fn of(message: &ToClient) -> Self {
        Self::written(|bytes| codec::encode_into(bytes, message))
    }

    /// Frames a message that is already encoded.
    pub(crate) fn text(message: &[u8]) -> Self {
        Self::written(|bytes| bytes.extend_from_slice(message))
    }

    /// Frames a message that `write_message` appends to the buffer.
    pub(crate) fn written(write_message: impl FnOnce(&mut Vec<u8>)) -> Self {
        Self::new(Opcode::Text, write_message)
    }

    /// Returns a ping frame that carries a number.
    pub(crate) fn ping(number: u32) -> Self {
        Self::new(Opcode::Ping, |bytes| bytes.extend(number.to_be_bytes()))
    }

    pub(crate) fn close(code: CloseCode) -> Self {
        let reason = code.reason().as_bytes();
        let reason = &reason[..reason.len().min(CONTROL_BYTES_MAX - 2)];
        Self::new(Opcode::Close, |bytes| {
            bytes.extend(code.number().to_be_bytes());
            bytes.extend_from_slice(reason);
        })
    }

    /// Wraps bytes that already are one or more frames.
    pub(crate) fn encoded(bytes: &[u8]) -> Self {
        Self { bytes: bytes.into(), payload: 0 }
    }

    /// Builds a frame; `write_payload` appends its payload to the buffer.
    fn new(opcode: Opcode, write_payload: impl FnOnce(&mut Vec<u8>)) -> Self {
        let mut burst = Burst::new();
        let (begin, payload) = burst.write_frame(opcode, write_payload);
        Self { bytes: burst.bytes[begin..].into(), payload }
    }

    /// Returns the header and payload.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the header and payload as shared bytes.
    pub(crate) fn into_bytes(self) -> Arc<[u8]> {
        self.bytes
    }

    /// Size in bytes, header included.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns a copy of the message, without its header.
    pub(crate) fn message(&self) -> Bytes {
        Bytes::copy_from_slice(self.payload())
    }

    /// Returns the message without its header.
    pub(crate) fn payload(&self) -> &[u8] {
        &self.bytes[usize::from(self.payload)..]
    }
}

/// Frames for one client, one after the other: they leave in one write, and need no memory of their
/// own if the socket takes them.
#[derive(Debug)]
pub(crate) struct Burst {
    bytes: Vec<u8>,
    /// Where each frame ends, and the offset of its payload.
    frames: SmallVec<[(usize, u8); 4]>,
}

impl Burst {
    pub(crate) fn new() -> Self {
        Self { bytes: SCRATCH.take(), frames: SmallVec::new() }
    }

    pub(crate) fn push(&mut self, frame: &Frame) {
        self.bytes.extend_from_slice(frame.as_bytes());
        self.frames.push((self.bytes.len(), frame.payload));
    }

    /// Adds the frame of a message that `write_message` appends to the buffer.
    pub(crate) fn write(&mut self, write_message: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        let (begin, payload) = self.write_frame(Opcode::Text, write_message);
        self.bytes.drain(start..begin);
        self.frames.push((self.bytes.len(), payload));
    }

    /// Appends a frame behind what its header leaves free. Returns where it begins, and the offset
    /// of its payload.
    fn write_frame(
        &mut self,
        opcode: Opcode,
        write_payload: impl FnOnce(&mut Vec<u8>),
    ) -> (usize, u8) {
        let bytes = &mut self.bytes;
        let payload = bytes.len() + HEADER_BYTES_MAX;
        bytes.resize(payload, 0);
        write_payload(bytes);
        let length = bytes.len() - payload;
        debug_assert!(matches!(opcode, Opcode::Text) || length <= CONTROL_BYTES_MAX);
        let header = header(opcode, length);
        let begin = payload - header.len();
        bytes[begin..payload].copy_from_slice(&header);
        (begin, u8::try_from(header.len()).expect("a header is short"))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Number of frames.
    pub(crate) fn count(&self) -> usize {
        self.frames.len()
    }

    /// Returns the frames, each with memory of its own.
    pub(crate) fn frames(&self) -> impl Iterator<Item = Frame> {
        self.frames.iter().scan(0, |begin, &(end, payload)| {
            let begin = std::mem::replace(begin, end);
            Some(Frame { bytes: self.bytes[begin..end].into(), payload })
        })
    }
}

/// Gives the thread its buffer back.
impl Drop for Burst {
    fn drop(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(SCRATCH_BYTES_MAX);
        SCRATCH.set(std::mem::take(&mut self.bytes));
    }
}

/// Returns the header for a payload of this length.
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

    /// Decodes a frame with another implementation.
    fn read(frame: &Frame) -> Message {
        let sent = std::io::Cursor::new(frame.as_bytes().to_vec());
        let reading = async {
            let mut socket = WebSocketStream::from_raw_socket(sent, Role::Client, None).await;
            socket.next().await.expect("a frame").expect("a valid frame")
        };
        reading.now_or_never().expect("the frame is complete")
    }

    #[test]
    fn another_implementation_decodes_frames_of_every_length() {
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
