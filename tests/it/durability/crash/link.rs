//! A connection that hands out frames as they came, byte for byte, and that may break at any time.

use std::net::SocketAddr;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{WebSocketStream, client_async, tungstenite::Message};

use crate::harness::schema;

/// The server is gone.
#[derive(Debug)]
pub(super) struct Lost;

/// An open connection.
pub(super) struct Link {
    socket: WebSocketStream<TcpStream>,
}

impl Link {
    /// Connects and says hello; the answer comes back read.
    pub(super) async fn open(
        address: SocketAddr,
        auth: Option<&Value>,
        resume: &Value,
    ) -> Result<(Self, Value), Lost> {
        let stream = TcpStream::connect(address).await.map_err(|_| Lost)?;
        stream.set_nodelay(true).map_err(|_| Lost)?;
        let url = format!("ws://{address}/v1/ws");
        let (socket, _) = client_async(url, stream).await.map_err(|_| Lost)?;
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

    /// Sends a frame. That it was sent does not mean that anybody has read it.
    pub(super) async fn send(&mut self, text: &str) -> Result<(), Lost> {
        let frame = serde_json::from_str(text).unwrap();
        assert_eq!(schema::fault_in_request(&frame), None, "{text}");
        self.socket.send(Message::text(text)).await.map_err(|_| Lost)
    }

    /// The next frame, but for who is there, which is told when it suits the server. A server that says goodbye was not killed, and nobody here gives it reason
    /// to.
    pub(super) async fn next(&mut self) -> Result<String, Lost> {
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
                Some(Err(_)) | None => return Err(Lost),
            }
        }
    }
}
