//! A connection that returns frames byte for byte and may break at any time.

use std::net::SocketAddr;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{WebSocketStream, client_async, tungstenite::Message};

use crate::harness::{schema, with};

/// Why a connection is no more.
#[derive(Debug)]
pub(crate) enum Disconnected {
    /// The connection broke.
    Broken,
    /// The server ended it with these words.
    Goodbye(String),
}

/// An open connection.
pub(crate) struct Connection {
    socket: WebSocketStream<TcpStream>,
    /// Whether each frame is validated, which costs more than the server's work on it.
    is_validated: bool,
}

impl Connection {
    /// Connects and sends `hello`; returns the parsed answer, too.
    pub(crate) async fn open(
        address: SocketAddr,
        auth: Option<&Value>,
        resume: &Value,
    ) -> Result<(Self, Value), Disconnected> {
        let mut fields = json!({"resume": resume});
        if let Some(auth) = auth {
            fields["auth"] = auth.clone();
        }
        Self::with_hello(address, fields).await
    }

    /// Connects and sends a `hello` with these fields; returns the parsed answer, too.
    pub(crate) async fn with_hello(
        address: SocketAddr,
        fields: Value,
    ) -> Result<(Self, Value), Disconnected> {
        let stream = TcpStream::connect(address).await.map_err(|_| Disconnected::Broken)?;
        stream.set_nodelay(true).map_err(|_| Disconnected::Broken)?;
        let url = format!("ws://{address}/v1/ws");
        let (socket, _) = client_async(url, stream).await.map_err(|_| Disconnected::Broken)?;
        let mut link = Self { socket, is_validated: true };
        let hello = with(json!({"type": "hello", "id": "hello", "proto": [1]}), fields);
        link.send(&hello.to_string()).await?;
        let welcome: Value = serde_json::from_str(&link.next().await?).unwrap();
        if welcome["type"] != "welcome" {
            return Err(Disconnected::Goodbye(welcome.to_string()));
        }
        Ok((link, welcome))
    }

    /// Takes further frames as they are.
    pub(crate) fn without_validation(self) -> Self {
        Self { is_validated: false, ..self }
    }

    /// Sends a frame. Success does not mean that the server has read it.
    pub(crate) async fn send(&mut self, text: &str) -> Result<(), Disconnected> {
        if self.is_validated {
            let frame = serde_json::from_str(text).unwrap();
            assert_eq!(schema::fault_in_request(&frame), None, "{text}");
        }
        self.socket.send(Message::text(text)).await.map_err(|_| Disconnected::Broken)
    }

    /// Returns the next frame except `presence`, which comes at any time.
    pub(crate) async fn next(&mut self) -> Result<String, Disconnected> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => {
                    if text.starts_with(r#"{"type":"presence""#) {
                        continue;
                    }
                    if self.is_validated {
                        let frame: Value = serde_json::from_str(&text).unwrap();
                        assert_eq!(schema::fault_in_message(&frame), None, "{text}");
                    }
                    return Ok(text.as_str().to_owned());
                }
                Some(Ok(Message::Close(frame))) => {
                    return Err(Disconnected::Goodbye(format!("{frame:?}")));
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(other)) => panic!("a frame that the protocol does not have: {other:?}"),
                Some(Err(_)) | None => return Err(Disconnected::Broken),
            }
        }
    }
}
