//! The client against a scripted server, over pipes and in paused time: no test waits for real.
#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "what a test spawns ends with its runtime")]

mod drops;
mod games;
#[cfg(feature = "tls")]
mod tls;

use std::{io, sync::Arc};

use adamant_client::{Address, Client, Config, Dial, DialFuture, Inbox, Incoming, Transport};
use adamant_protocol::{
    EventBody, EventFrame, SUBPROTOCOL,
    event::{EndReason, Ended, Started},
    from_client::Auth,
    ids::{Chain, PositionHash},
    to_client::Welcome,
};
use futures::{SinkExt as _, StreamExt as _};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex},
    sync::mpsc,
};
use tokio_tungstenite::{
    WebSocketStream, accept_hdr_async,
    tungstenite::{
        Message,
        handshake::server::{ErrorResponse, Request, Response},
        http::{HeaderValue, header::SEC_WEBSOCKET_PROTOCOL},
        protocol::CloseFrame,
    },
};

/// The capacity of a pipe, like a socket's buffer.
const PIPE_BYTES: usize = 64 * 1024;

/// The silence after which the scripted server counts as dead, as in its `welcome`.
pub(crate) const IDLE_CLOSE_MS: u64 = 30_000;

pub(crate) struct Peer {
    dialled: mpsc::Receiver<DuplexStream>,
    dialer: Arc<Dialer>,
}

struct Dialer {
    dialled: mpsc::Sender<DuplexStream>,
}

impl Dial for Dialer {
    fn dial(&self) -> DialFuture {
        let (near, far) = duplex(PIPE_BYTES);
        let dialled = self.dialled.clone();
        Box::pin(async move {
            // Once the test has dropped its peer, the server is down.
            match dialled.send(far).await {
                Ok(()) => Ok(Box::new(near) as Box<dyn Transport>),
                Err(_) => Err(io::ErrorKind::ConnectionRefused.into()),
            }
        })
    }
}

pub(crate) fn config() -> Config {
    let address: Address = "ws://server.test:7777".parse().unwrap();
    Config::new(address).with_auth(Auth::Token("at_ann".into()))
}

impl Peer {
    pub(crate) fn new() -> Self {
        let (sender, dialled) = mpsc::channel(8);
        Self { dialled, dialer: Arc::new(Dialer { dialled: sender }) }
    }

    pub(crate) fn dialer(&self) -> Arc<dyn Dial> {
        Arc::<Dialer>::clone(&self.dialer)
    }

    /// Accepts the next connection of the client.
    pub(crate) async fn accept(&mut self) -> Connection<DuplexStream> {
        Connection::accept(self.dialled.recv().await.unwrap()).await
    }

    /// Accepts the next connection and opens its session; returns the `hello` too.
    pub(crate) async fn welcome(&mut self, games: &str) -> (Connection<DuplexStream>, ClientFrame) {
        let mut call = self.accept().await;
        let hello = call.receive().await;
        call.send(&welcome(&hello, games)).await;
        (call, hello)
    }

    /// The same without games, by a server with these limits.
    pub(crate) async fn welcome_with(
        &mut self,
        limits: &str,
    ) -> (Connection<DuplexStream>, ClientFrame) {
        let mut call = self.accept().await;
        let hello = call.receive().await;
        let unlimited = r#""frame_bytes":16384,"burst":0,"per_s":0"#;
        call.send(&welcome(&hello, "[]").replace(unlimited, limits)).await;
        (call, hello)
    }

    /// Answers the next connection by HTTP.
    pub(crate) async fn refuse(&mut self, status: &str, body: &str) {
        let mut pipe = self.dialled.recv().await.unwrap();
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        pipe.write_all(answer.as_bytes()).await.unwrap();
        // The client closes once it has read the answer.
        pipe.read_to_end(&mut Vec::new()).await.unwrap();
    }

    /// A new server with a client.
    pub(crate) async fn connected(
        config: Config,
    ) -> (Self, Client, Inbox, Box<Welcome>, Connection<DuplexStream>) {
        let mut peer = Self::new();
        let (client, inbox, welcome, call) = peer.connect(config).await;
        (peer, client, inbox, welcome, call)
    }

    pub(crate) async fn connect(
        &mut self,
        config: Config,
    ) -> (Client, Inbox, Box<Welcome>, Connection<DuplexStream>) {
        let connecting = Client::connect_over(config, self.dialer());
        let (connected, (call, _)) = tokio::join!(connecting, self.welcome("[]"));
        let (client, inbox, welcome) = connected.unwrap();
        (client, inbox, welcome, call)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct ClientFrame(pub(crate) serde_json::Value);

impl ClientFrame {
    pub(crate) fn text(&self, field: &str) -> &str {
        self.0[field].as_str().unwrap_or_else(|| panic!("{field} is missing in {}", self.0))
    }

    pub(crate) fn kind(&self) -> &str {
        self.text("type")
    }

    pub(crate) fn id(&self) -> &str {
        self.text("id")
    }
}

pub(crate) fn welcome(hello: &ClientFrame, games: &str) -> String {
    format!(
        r#"{{"type":"welcome","re":"{}","proto":1,"server":{{"name":"adamant","version":"0"}},
        "user":{{"name":"ann","bot":false,"guest":true}},"session":"s_1","ts":1,"token":"at_new",
        "rules":{{"adamas":1}},"limits":{{"frame_bytes":16384,"burst":0,"per_s":0}},
        "heartbeat":{{"ping_every_ms":10000,"idle_close_ms":{IDLE_CLOSE_MS}}},
        "durability":"fsync","games":{games},"challenges":[]}}"#,
        hello.id()
    )
}

/// The server's end of one connection.
pub(crate) struct Connection<S>(WebSocketStream<S>);

impl<S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin> Connection<S> {
    #[expect(clippy::result_large_err, reason = "the signature is the library's")]
    pub(crate) async fn accept(stream: S) -> Self {
        let choose = |request: &Request, mut response: Response| {
            assert_eq!(request.headers()[SEC_WEBSOCKET_PROTOCOL], SUBPROTOCOL);
            assert_eq!(request.uri().path(), "/v1/ws");
            let chosen = HeaderValue::from_static(SUBPROTOCOL);
            response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, chosen);
            Ok::<_, ErrorResponse>(response)
        };
        Self(accept_hdr_async(stream, choose).await.unwrap())
    }

    pub(crate) async fn receive(&mut self) -> ClientFrame {
        loop {
            let frame = self.0.next().await.expect("the client is there").unwrap();
            if let Message::Text(text) = frame {
                return ClientFrame(serde_json::from_str(&text).unwrap());
            }
            assert!(matches!(frame, Message::Ping(_) | Message::Pong(_)), "{frame:?}");
        }
    }

    /// Returns the code of the client's close frame.
    pub(crate) async fn receive_close(&mut self) -> u16 {
        loop {
            if let Message::Close(frame) = self.0.next().await.unwrap().unwrap() {
                return frame.unwrap().code.into();
            }
        }
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.unwrap();
    }

    pub(crate) async fn send_event(&mut self, game: &str, seq: u64) {
        let bytes = event(game, seq).to_bytes();
        self.send(std::str::from_utf8(&bytes).unwrap()).await;
    }

    pub(crate) async fn ping(&mut self) {
        self.0.send(Message::Ping(bytes::Bytes::new())).await.unwrap();
    }

    pub(crate) async fn close(mut self, code: u16) {
        let frame = CloseFrame { code: code.into(), reason: "scripted".into() };
        self.0.close(Some(frame)).await.unwrap();
    }
}

/// Returns an event whose chain depends on its seq. The hundredth of `h` ends the game.
pub(crate) fn event(game: &str, seq: u64) -> EventFrame {
    let body = if (game, seq) == ("h", 100) {
        let reason = EndReason::LastPlayer;
        EventBody::Ended(Ended {
            winners: vec![0],
            places: vec![1, 2],
            reason,
            by: None,
            claimed_by: None,
        })
    } else {
        EventBody::Started(Started { to_move: 0 })
    };
    EventFrame {
        game: game.parse().unwrap(),
        seq,
        at: 1,
        body,
        req: None,
        hash: PositionHash(seq),
        chain: chain(seq),
    }
}

pub(crate) fn chain(seq: u64) -> Chain {
    Chain([u8::try_from(seq % 251).unwrap(); 32])
}

/// Receives an event and returns its seq.
pub(crate) async fn next_seq(inbox: &mut Inbox) -> u64 {
    match inbox.next().await {
        Some(Incoming::Event { frame, bytes }) => {
            assert_eq!(bytes, frame.to_bytes(), "the bytes are the ones that were sent");
            frame.seq
        }
        other => panic!("an event was expected, not {other:?}"),
    }
}
