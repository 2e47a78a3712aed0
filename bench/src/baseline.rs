//! The baselines: the cost of moving the same messages without rules, records or a journal.
//!
//! Both speak a minimal protocol: the first text of a socket is the name of its room. Each later
//! text is sent back and to the other sockets of the room.

use std::{cell::RefCell, collections::HashMap, net::SocketAddr, rc::Rc};

use anyhow::{Context as _, Result};
use futures::{SinkExt as _, StreamExt as _};
use memchr::memmem;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::LocalSet,
};
use tokio_tungstenite::{
    accept_async_with_config,
    tungstenite::{Message, Utf8Bytes, protocol::WebSocketConfig},
};

use crate::target::Program;

/// The size of a baseline's messages: about that of a move.
pub(crate) const MESSAGE_BYTES: usize = 200;

/// The buffer of a baseline's socket; the default of tungstenite costs 128 KiB a socket.
const BUFFER_BYTES: usize = 4 * 1024;

/// Messages that may wait for one socket of the relay.
const QUEUE_MAX: usize = 256;

/// Returns a message of a baseline: JSON of the usual size.
pub(crate) fn message() -> String {
    let frame = r#"{"type":"move","pad":""}"#;
    let pad = "x".repeat(MESSAGE_BYTES - frame.len());
    frame.replace(r#""pad":"""#, &format!(r#""pad":"{pad}""#))
}

/// Serves a baseline and prints its address.
pub(crate) async fn serve(program: Program) -> Result<()> {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    #[expect(clippy::print_stdout, reason = "the process that started this one reads it")]
    {
        println!("listening url=ws://{}", listener.local_addr()?);
    }
    let local = LocalSet::new();
    local
        .run_until(async move {
            match program {
                Program::Relay => relay(listener).await,
                Program::Raw => raw(listener).await,
                Program::Adamant => anyhow::bail!("the server has a binary of its own"),
            }
        })
        .await
}

type Queues = Rc<RefCell<HashMap<String, Vec<(u64, mpsc::Sender<Utf8Bytes>)>>>>;

async fn relay(listener: TcpListener) -> Result<()> {
    let rooms = Queues::default();
    for number in 0.. {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::task::spawn_local(relay_one(stream, number, Rc::clone(&rooms)));
    }
    Ok(())
}

async fn relay_one(stream: TcpStream, number: u64, rooms: Queues) -> Option<()> {
    let config =
        WebSocketConfig::default().read_buffer_size(BUFFER_BYTES).write_buffer_size(BUFFER_BYTES);
    let socket = accept_async_with_config(stream, Some(config)).await.ok()?;
    let (mut sink, mut source) = socket.split();
    let Message::Text(room) = source.next().await?.ok()? else { return None };
    let (queue, mut waiting) = mpsc::channel::<Utf8Bytes>(QUEUE_MAX);
    let joined = queue.clone();
    rooms.borrow_mut().entry(room.to_string()).or_default().push((number, joined));
    tokio::task::spawn_local(async move {
        while let Some(text) = waiting.recv().await {
            if sink.send(Message::Text(text)).await.is_err() {
                break;
            }
        }
    });
    queue.try_send(room.clone()).ok()?;
    while let Some(Ok(message)) = source.next().await {
        let Message::Text(text) = message else { continue };
        queue.try_send(text.clone()).ok()?;
        for (other, queue) in rooms.borrow().get(room.as_str())? {
            if *other != number {
                // A full queue is the load's own fault and shows as a missing message.
                drop(queue.try_send(text.clone()));
            }
        }
    }
    rooms.borrow_mut().get_mut(room.as_str())?.retain(|(other, _)| *other != number);
    Some(())
}

type Sockets = Rc<RefCell<HashMap<Vec<u8>, Vec<(u64, Rc<TcpStream>)>>>>;

async fn raw(listener: TcpListener) -> Result<()> {
    let rooms = Sockets::default();
    let text = message();
    let length = u16::try_from(text.len()).context("a short message")?;
    let mut frame = vec![0x81, 126];
    frame.extend(length.to_be_bytes());
    frame.extend(text.as_bytes());
    let frame: Rc<[u8]> = frame.into();
    for number in 0.. {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::task::spawn_local(raw_one(stream, number, Rc::clone(&rooms), Rc::clone(&frame)));
    }
    Ok(())
}

async fn raw_one(
    mut stream: TcpStream,
    number: u64,
    rooms: Sockets,
    frame: Rc<[u8]>,
) -> Option<()> {
    let mut buffer = Vec::with_capacity(BUFFER_BYTES);
    while memmem::find(&buffer, b"\r\n\r\n").is_none() {
        stream.read_buf(&mut buffer).await.ok().filter(|&read| read > 0)?;
    }
    buffer.clear();
    stream.write_all(b"HTTP/1.1 101 Switching Protocols\r\n\r\n").await.ok()?;
    let room = raw_frame(&stream, &mut buffer).await?;
    let stream = Rc::new(stream);
    rooms.borrow_mut().entry(room.clone()).or_default().push((number, Rc::clone(&stream)));
    stream.try_write(&frame).ok()?;
    while raw_frame(&stream, &mut buffer).await.is_some() {
        stream.try_write(&frame).ok()?;
        for (other, socket) in rooms.borrow().get(&room)? {
            if *other != number {
                // As above.
                drop(socket.try_write(&frame));
            }
        }
    }
    rooms.borrow_mut().get_mut(&room)?.retain(|(other, _)| *other != number);
    Some(())
}

/// Returns the next short frame's payload, still masked: the load client masks with zeros.
async fn raw_frame(stream: &TcpStream, buffer: &mut Vec<u8>) -> Option<Vec<u8>> {
    loop {
        if let Some(&second) = buffer.get(1) {
            let short = usize::from(second & 0x7f);
            let long =
                buffer.get(2..4).map(|two| usize::from(u16::from_be_bytes([two[0], two[1]])));
            let found =
                if short == 126 { long.map(|length| (length, 8)) } else { Some((short, 6)) };
            if let Some((length, head)) = found
                && buffer.len() >= head + length
            {
                let payload = buffer[head..head + length].to_vec();
                buffer.drain(..head + length);
                return Some(payload);
            }
        }
        stream.readable().await.ok()?;
        match stream.try_read_buf(buffer) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return None,
        }
    }
}
