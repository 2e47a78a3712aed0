//! A connection that returns frames byte for byte and may break at any time.

use std::net::SocketAddr;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{WebSocketStream, client_async, tungstenite::Message};

use crate::harness::schema;

/// The server is gone.
#[derive(Debug)]
pub(super) struct Disconnected;

/// An open connection.
pub(super) struct Connection {
    socket: WebSocketStream<TcpStream>,
}

impl Connection {
    /// Connects and sends `hello`; returns the parsed answer, too.
    pub(super) async fn open(
        address: SocketAddr,
        auth: Option<&Value>,
        resume: &Value,
    ) -> Result<(Self, Value), Disconnected> {
        let stream = TcpStream::connect(address).await.map_err(|_| Disconnected)?;
        stream.set_nodelay(true).map_err(|_| Disconnected)?;
        let url = format!("ws://{address}/v1/ws");
        let (socket, _) = client_async(url, stream).await.map_err(|_| Disconnected)?;
        let mut link = Self { socket };
        let mut hello = json!({"type": "hello", "id": "hello", "proto": [1], "resume": resume});
        if let Some(auth) = auth {
            hello["auth"] = auth.clone();
        }
        link.send(&hello.to_string()).await?;
        let welcome: Value = serde_json::from_str(&link.next().await?).unwrap();
        assert_eq!(welcome["type"], "welcome", "{welcome}");
        Ok((link, welcome))
    }

    /// Sends a frame. Success does not mean that the server has read it.
    pub(super) async fn send(&mut self, text: &str) -> Result<(), Disconnected> {
        let frame = serde_json::from_str(text).unwrap();
        assert_eq!(schema::fault_in_request(&frame), None, "{text}");
        self.socket.send(Message::text(text)).await.map_err(|_| Disconnected)
    }

    /// Returns the next frame except `presence`, which comes at any time. Panics on a close frame:
    /// a killed server sends none, and no test here gives another reason for one.
    pub(super) async fn next(&mut self) -> Result<String, Disconnected> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => {
                    let frame: Value = serde_json::from_str(&text).unwrap();
                    assert_eq!(schema::fault_in_message(&frame), None, "{text}");
                    if frame["type"] == "presence" {
                        continue;
                    }
                    return Ok(text.as_str().to_owned());
                }
                Some(Ok(Message::Close(why))) => panic!("the server says goodbye: {why:?}"),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(other)) => panic!("a frame that the protocol does not have: {other:?}"),
                Some(Err(_)) | None => return Err(Disconnected),
            }
        }
    }
}
