//! A client that speaks plain JSON over a pipe.

use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{
    io::DuplexStream,
    time::{Instant, timeout, timeout_at},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Message, protocol::Role},
};

const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct TestClient {
    socket: WebSocketStream<DuplexStream>,
    /// Frames that no test has wanted yet, in order.
    unread: Vec<Value>,
    last_id: u32,
}

impl TestClient {
    pub(super) async fn new(pipe: DuplexStream) -> Self {
        let socket = WebSocketStream::from_raw_socket(pipe, Role::Client, None).await;
        Self { socket, unread: Vec::new(), last_id: 0 }
    }

    /// Says hello. Returns the welcome.
    pub(super) async fn hello(&mut self, auth: Value) -> Value {
        self.ask(json!({"type": "hello", "proto": [1], "auth": auth})).await
    }

    /// Sends a request without waiting for the answer. Returns its id.
    pub(super) async fn send(&mut self, mut request: Value) -> String {
        self.last_id += 1;
        let id = format!("r{}", self.last_id);
        request["id"] = json!(id);
        self.socket.send(Message::text(request.to_string())).await.unwrap();
        id
    }

    /// Waits for the answer to a request.
    pub(super) async fn answer(&mut self, id: &str) -> Value {
        self.next(|frame| frame["re"] == id).await
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn ask(&mut self, request: Value) -> Value {
        let id = self.send(request).await;
        self.answer(&id).await
    }

    /// Waits for the next frame of a type.
    pub(super) async fn next_of(&mut self, kind: &str) -> Value {
        self.next(|frame| frame["type"] == kind).await
    }

    /// Waits for the next frame that a test wants. Frames before it stay for later.
    pub(super) async fn next(&mut self, wants: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.unread.iter().position(&wants) {
            return self.unread.remove(place);
        }
        // Pings do not extend the wait.
        let deadline = Instant::now() + PATIENCE;
        loop {
            let Ok(message) = timeout_at(deadline, self.socket.next()).await else {
                panic!("only these came: {:#?}", self.unread)
            };
            if let Message::Text(text) = message.unwrap().unwrap() {
                let frame: Value = serde_json::from_str(&text).unwrap();
                if wants(&frame) {
                    return frame;
                }
                self.unread.push(frame);
            }
        }
    }

    /// Waits until the server closes the connection. Returns the code.
    pub(super) async fn closed(&mut self) -> u16 {
        loop {
            let message = timeout(PATIENCE, self.socket.next()).await.unwrap().unwrap().unwrap();
            if let Message::Close(frame) = message {
                return frame.unwrap().code.into();
            }
        }
    }
}
