//! The outbox, with and without a socket.

use std::sync::Arc;

use adamant_protocol::CloseCode;
use futures::FutureExt as _;
use tokio::{
    io::AsyncReadExt as _,
    net::{TcpListener, TcpStream},
};

use super::{
    closed::{ClosedSession, ClosedSessions},
    frame::Frame,
    outbox::{Outbox, OutboxReader, outbox},
    outcome::{SendOutcome, SessionEnd},
    session_id::SessionId,
};
use crate::limits::{OUTBOX_BYTES_MAX, OUTBOX_FRAMES_MAX};

fn pipe() -> (Outbox, OutboxReader) {
    outbox(SessionId(1), None)
}

fn x() -> Frame {
    Frame::text(b"x")
}

/// Returns an outbox with a shared socket, and the client's end of it.
async fn socket() -> (Outbox, OutboxReader, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (client, server) =
        tokio::join!(TcpStream::connect(listener.local_addr().unwrap()), listener.accept());
    let (_, writes) = server.unwrap().0.into_split();
    writes.writable().await.unwrap();
    let (outbox, queue) = outbox(SessionId(1), Some(writes));
    (outbox, queue, client.unwrap())
}

async fn read(client: &mut TcpStream, frames: &[&Frame]) {
    let sent: Vec<u8> = frames.iter().flat_map(|frame| frame.as_bytes()).copied().collect();
    let mut got = vec![0; sent.len()];
    client.read_exact(&mut got).await.unwrap();
    assert_eq!(got, sent);
}

#[tokio::test]
async fn overflow_evicts_the_client_and_keeps_earlier_frames() {
    let (outbox, mut reader) = pipe();
    for _ in 0..OUTBOX_FRAMES_MAX {
        assert_eq!(outbox.try_send(&x()), SendOutcome::Queued);
    }
    assert_eq!(outbox.try_send(&x()), SendOutcome::Full);
    assert!(!outbox.is_closed());
    assert_eq!(outbox.send_or_evict(&x()), SendOutcome::Full);
    assert_eq!(outbox.ended().await, SessionEnd::Close(CloseCode::SlowConsumer));
    assert_eq!(outbox.try_send(&x()), SendOutcome::Closed);
    let queued = std::iter::from_fn(|| reader.pop()).count();
    assert_eq!(queued, OUTBOX_FRAMES_MAX);
}

#[tokio::test]
async fn queue_is_bounded_in_bytes() {
    let (outbox, mut reader) = pipe();
    let large = Frame::text(&vec![b'x'; OUTBOX_BYTES_MAX / 2 + 1]);
    assert_eq!(outbox.try_send(&large), SendOutcome::Queued);
    assert_eq!(outbox.try_send(&large), SendOutcome::Full);
    assert!(reader.pop().is_some());
    assert_eq!(outbox.try_send(&large), SendOutcome::Queued);
}

#[tokio::test]
async fn session_reader_waits_for_room() {
    let (outbox, mut reader) = pipe();
    while outbox.try_send(&x()) == SendOutcome::Queued {}
    let sender = outbox.clone();
    let frame = x();
    let mut waiting = std::pin::pin!(sender.send_frame_waiting(&frame));
    assert_eq!(waiting.as_mut().now_or_never(), None);
    assert!(reader.pop().is_some());
    assert_eq!(waiting.await, SendOutcome::Queued);

    let mut waiting = std::pin::pin!(outbox.send_frame_waiting(&frame));
    assert_eq!(waiting.as_mut().now_or_never(), None);
    drop(reader);
    assert_eq!(waiting.await, SendOutcome::Closed);
}

#[tokio::test]
async fn close_listeners_are_notified_even_after_the_end() {
    let (first, second) =
        (Arc::new(ClosedSessions::default()), Arc::new(ClosedSessions::default()));
    let (outbox, reader) = pipe();
    outbox.notify_on_close(&first.listener(3));
    outbox.notify_on_close(&first.listener(3));
    assert_eq!(outbox.close_listener_count(), 1, "a listener is registered once");
    drop(reader);
    first.changed().await;
    assert_eq!(first.drain(), [ClosedSession { session: SessionId(1), listener: 3 }]);
    outbox.notify_on_close(&second.listener(4));
    second.changed().await;
    assert_eq!(second.drain(), [ClosedSession { session: SessionId(1), listener: 4 }]);
}

#[tokio::test]
async fn first_end_reason_counts() {
    let (outbox, reader) = pipe();
    outbox.end(CloseCode::Replaced);
    outbox.end(CloseCode::SlowConsumer);
    drop(reader);
    assert_eq!(outbox.ended().await, SessionEnd::Close(CloseCode::Replaced));
    assert!(outbox.is_closed());
}

#[tokio::test]
async fn frames_are_written_to_the_socket_without_the_writer() {
    let (outbox, reader, mut client) = socket().await;
    let (one, other) = (Frame::text(b"one"), Frame::text(b"other"));
    assert_eq!(outbox.try_send(&one), SendOutcome::Queued);
    assert_eq!(outbox.try_send(&other), SendOutcome::Queued);
    assert!(!reader.is_waiting());
    read(&mut client, &[&one, &other]).await;
}

#[tokio::test]
async fn corked_frames_are_written_when_the_last_cork_is_dropped() {
    let (outbox, mut reader, mut client) = socket().await;
    let frames: Vec<Frame> = (0..40_u8).map(|number| Frame::text(&[number])).collect();
    let (first, second) = (outbox.cork(), outbox.cork());
    for frame in &frames {
        assert_eq!(outbox.try_send(frame), SendOutcome::Queued);
    }
    drop(first);
    assert!(!reader.is_waiting(), "the writer does not write corked frames");
    assert!(reader.pop().is_none());
    assert!(!outbox.is_empty());
    drop(second);
    assert!(outbox.is_empty());
    read(&mut client, &frames.iter().collect::<Vec<_>>()).await;
}

#[tokio::test]
async fn frames_that_a_full_socket_rejects_wait_in_order() {
    let (outbox, mut reader, mut client) = socket().await;
    let frame = |number: u8| Frame::text(&vec![number; 30_000]);
    let mut sent = Vec::new();
    // Until the socket's buffers are full and a few frames wait.
    while outbox.is_empty() || sent.len() % 7 != 0 {
        let frame = frame(u8::try_from(sent.len() % 251).unwrap());
        assert_eq!(outbox.try_send(&frame), SendOutcome::Queued);
        sent.push(frame);
    }
    assert!(reader.is_waiting());
    reader.woken().await;
    let writing = async {
        while reader.is_waiting() {
            reader.writable().await.unwrap();
            reader.write().unwrap();
        }
    };
    let sent: Vec<&Frame> = sent.iter().collect();
    tokio::join!(writing, read(&mut client, &sent));
    assert_eq!(outbox.try_send(&x()), SendOutcome::Queued);
    read(&mut client, &[&x()]).await;
}

#[tokio::test]
async fn partly_written_frame_is_completed_before_the_close_frame() {
    let (outbox, mut reader, mut client) = socket().await;
    let large = Frame::text(&vec![b'x'; 900_000]);
    let mut begun = 0;
    while outbox.is_empty() {
        assert_eq!(outbox.try_send(&large), SendOutcome::Queued);
        begun += 1;
    }
    assert_eq!(outbox.try_send(&x()), SendOutcome::Queued);
    outbox.end(CloseCode::SlowConsumer);
    let close = Frame::close(CloseCode::SlowConsumer);
    reader.drop_waiting();
    reader.push_last(&close);
    let writing = async {
        while reader.is_waiting() {
            reader.writable().await.unwrap();
            reader.write().unwrap();
        }
    };
    let all: Vec<&Frame> = std::iter::repeat_n(&large, begun).chain([&close]).collect();
    tokio::join!(writing, read(&mut client, &all));
}

#[tokio::test]
async fn broken_socket_ends_the_session() {
    let (outbox, _reader, client) = socket().await;
    client.set_zero_linger().unwrap();
    drop(client);
    while outbox.try_send(&x()) == SendOutcome::Queued {
        tokio::task::yield_now().await;
    }
    assert_eq!(outbox.ended().await, SessionEnd::Disconnected);
}

#[tokio::test]
async fn session_may_end_while_its_outbox_is_corked() {
    let (outbox, reader) = pipe();
    let corked = outbox.cork();
    assert_eq!(outbox.try_send(&x()), SendOutcome::Queued);
    drop(reader);
    drop(corked);
    assert_eq!(outbox.try_send(&x()), SendOutcome::Closed);
}
