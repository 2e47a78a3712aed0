//! A test client: it sends JSON and keeps every frame that it receives.
//!
//! It validates each frame against the published schema, and replays the records of each game.
//! [`Peer::next_matching`] and the methods built on it return each frame once, in any order, and
//! wait for it if need be. A failing test prints the last frames.

use std::{
    collections::HashMap,
    fmt::Write as _,
    net::{Ipv4Addr, SocketAddr},
    sync::atomic::{AtomicU64, Ordering},
};

use adamant_record::Replay;
use adamant_rules::Table;
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpSocket, TcpStream},
    time::{sleep, timeout},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Error, Message, client::IntoClientRequest as _, http::HeaderValue},
};

use super::{
    PATIENCE, schema,
    server::{Node, Server},
};

/// How many of the last frames a failure shows.
const SHOWN_MAX: usize = 30;

/// Any byte stream.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// A parsed frame.
pub(crate) type Frame = Value;

/// The records of one game, as far as a peer has received them.
#[derive(Debug, Clone, Default)]
pub(super) struct GameRecords {
    records: Vec<String>,
    replay: Replay,
}

/// One connection, and every frame received over it.
pub(crate) struct Peer {
    name: String,
    /// `None` once the peer has disconnected.
    socket: Option<WebSocketStream<Box<dyn Stream>>>,
    /// Every received frame in order, and whether a test has consumed it.
    frames: Vec<(Frame, bool)>,
    known: HashMap<String, GameRecords>,
    close: Option<u16>,
    /// The server's `welcome`; null before it.
    pub(crate) welcome: Frame,
    /// The token to reconnect with.
    pub(crate) token: Option<String>,
    /// The address of its node; `None` over a stream of the test's own.
    address: Option<SocketAddr>,
}

impl Peer {
    /// Returns the cursor of a game for a `hello`.
    pub(crate) fn cursor(&self, game: &str) -> Value {
        let replay = self.replay(game);
        json!({"seq": replay.seq(), "chain": replay.chain().to_string()})
    }

    /// The user's name, as the server spells it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Every received frame, in order.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.frames.iter().map(|(frame, _)| frame)
    }

    /// The records of a game from its first event on, byte for byte.
    pub(crate) fn records(&self, game: &str) -> &[String] {
        self.known.get(game).map_or(&[], |known| &known.records)
    }

    /// The records of a game, verified and replayed.
    pub(crate) fn replay(&self, game: &str) -> &Replay {
        match self.known.get(game) {
            Some(known) => &known.replay,
            None => panic!("{} has no records of {game}\n{}", self.name, self.recent_frames()),
        }
    }

    /// The table of a game after the last received record.
    pub(crate) fn table(&self, game: &str) -> &Table {
        self.replay(game).table().expect("a game with records has a table")
    }

    /// Sends a WebSocket message of any kind.
    pub(crate) async fn send_raw(&mut self, message: Message) {
        let sent = timeout(PATIENCE, self.socket().send(message)).await;
        assert!(
            matches!(sent, Ok(Ok(()))),
            "{} cannot send: {sent:?}\n{}",
            self.name,
            self.recent_frames()
        );
    }

    /// Sends a request. Panics if it is not in the schema.
    pub(crate) async fn send(&mut self, frame: &Value) {
        if let Some(fault) = schema::fault_in_request(frame) {
            panic!("{} sends a frame that is not in the schema: {frame}\n{fault}", self.name);
        }
        self.send_unchecked(frame).await;
    }

    /// Sends any JSON, without validation.
    pub(crate) async fn send_unchecked(&mut self, frame: &Value) {
        self.send_raw(Message::text(frame.to_string())).await;
    }

    /// Sends a request, with an id if it has none, and returns its reply, also an error. Frames
    /// that come before the reply are kept.
    pub(crate) async fn request(&mut self, request: Value) -> Frame {
        let request = self.with_id(request);
        self.send(&request).await;
        self.reply_to(&request).await
    }

    fn with_id(&self, mut request: Value) -> Value {
        if request.get("id").is_none() {
            request["id"] = json!(self.next_id());
        }
        request
    }

    async fn reply_to(&mut self, request: &Value) -> Frame {
        let id = &request["id"];
        let reply = self.next_matching("a reply", |frame| frame.get("re") == Some(id)).await;
        assert!(
            schema::is_reply(request, &reply),
            "{request} has a reply that is not its: {reply}"
        );
        reply
    }

    /// Sends a request that must succeed, and returns the reply.
    pub(crate) async fn ask(&mut self, request: Value) -> Frame {
        let reply = self.request(request).await;
        assert_ne!(reply["type"], "error", "{}", self.recent_frames());
        reply
    }

    /// Sends a request that must succeed, without validation.
    pub(crate) async fn ask_unchecked(&mut self, request: Value) -> Frame {
        let request = self.with_id(request);
        self.send_unchecked(&request).await;
        let reply = self.reply_to(&request).await;
        assert_ne!(reply["type"], "error", "{}", self.recent_frames());
        reply
    }

    /// Sends a request that must be rejected with this code, without validation, and returns the
    /// error.
    pub(crate) async fn refused(&mut self, request: Value, code: &str) -> Frame {
        let request = self.with_id(request);
        self.send_unchecked(&request).await;
        let reply = self.reply_to(&request).await;
        assert_eq!(reply["type"], "error", "{}", self.recent_frames());
        assert_eq!(reply["code"], code, "{}", self.recent_frames());
        let message = reply["message"].as_str().unwrap_or_default();
        assert!(!message.is_empty(), "a refusal says why: {reply}");
        assert!(reply["retry"].is_string(), "a refusal says what to do: {reply}");
        reply
    }

    /// Returns a request id that no connection of the user has used.
    pub(crate) fn next_id(&self) -> String {
        static USED: AtomicU64 = AtomicU64::new(0);
        format!("{}-{}", self.name, USED.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the first frame not consumed yet for which `wanted` holds; waits for it if need be.
    pub(crate) async fn next_matching(
        &mut self,
        what: &str,
        mut wanted: impl FnMut(&Frame) -> bool,
    ) -> Frame {
        let mut looked_at = 0;
        loop {
            while let Some((frame, taken)) = self.frames.get_mut(looked_at) {
                if !*taken && wanted(frame) {
                    *taken = true;
                    return frame.clone();
                }
                looked_at += 1;
            }
            assert!(self.read().await, "{} waits for {what}\n{}", self.name, self.recent_frames());
        }
    }

    /// Returns the frame at an index of all frames, consumed or not; waits for it if need be.
    pub(crate) async fn frame_at(&mut self, place: usize) -> &Frame {
        while self.frames.len() <= place {
            assert!(self.read().await, "{} waits for more\n{}", self.name, self.recent_frames());
        }
        &self.frames[place].0
    }

    /// Returns the next frame of a type.
    pub(crate) async fn next_of(&mut self, kind: &str) -> Frame {
        self.next_matching(kind, |frame| frame["type"] == kind).await
    }

    /// Returns the next event of a kind in a game.
    pub(crate) async fn next_event(&mut self, game: &str, kind: &str) -> Frame {
        self.next_matching(kind, |frame| {
            frame["type"] == "event" && frame["game"] == game && frame["kind"] == kind
        })
        .await
    }

    /// Reads on until the records of a game are known up to this event.
    pub(crate) async fn read_up_to(&mut self, game: &str, seq: u64) {
        while self.known.get(game).map_or(0, |known| known.replay.seq()) < seq {
            let read = self.read().await;
            assert!(
                read,
                "{} waits for event {seq} of {game}\n{}",
                self.name,
                self.recent_frames()
            );
        }
    }

    /// Waits until the server's page of a user says whether the user is connected.
    pub(crate) async fn wait_for_online(&mut self, user: &str, expected: bool) {
        let page = json!({"type": "user", "name": user});
        let known = async { while self.ask(page.clone()).await["online"] != expected {} };
        timeout(PATIENCE, known).await.unwrap_or_else(|_| panic!("{user} is online: {expected}"));
    }

    /// Whether such a frame was received and not consumed. Sends a `ping` and reads up to its
    /// reply, so that frames on their way are not missed.
    pub(crate) async fn has_received(&mut self, wanted: impl FnMut(&Frame) -> bool) -> bool {
        self.ask(json!({"type": "ping"})).await;
        self.frames.iter().filter(|(_, taken)| !taken).map(|(frame, _)| frame).any(wanted)
    }

    /// Waits until the server closes the connection, and returns the close code.
    pub(crate) async fn expect_close(&mut self) -> u16 {
        while self.read().await {}
        match self.close {
            Some(code) => code,
            None => panic!("{} received no close frame\n{}", self.name, self.recent_frames()),
        }
    }

    /// Waits until the connection ends without a close frame.
    pub(crate) async fn expect_cut(&mut self) {
        while self.read().await {}
        assert_eq!(self.close, None, "{}", self.recent_frames());
    }

    /// Cuts the connection without a close frame; the received frames stay.
    pub(crate) fn disconnect(&mut self) {
        self.socket = None;
    }

    /// Closes the connection with a close frame.
    pub(crate) async fn close(mut self) {
        let closed = timeout(PATIENCE, self.socket().close(None)).await;
        assert!(
            closed.is_ok(),
            "{} cannot send a close frame\n{}",
            self.name,
            self.recent_frames()
        );
    }

    const fn socket(&mut self) -> &mut WebSocketStream<Box<dyn Stream>> {
        self.socket.as_mut().expect("the peer is connected")
    }

    /// Reads one frame; false if the connection is closed or broken. Skips pings and pongs.
    async fn read(&mut self) -> bool {
        let patience = sleep(PATIENCE);
        tokio::pin!(patience);
        loop {
            let next = tokio::select! {
                next = self.socket().next() => next,
                () = &mut patience => {
                    panic!("{} received nothing for {PATIENCE:?}\n{}", self.name, self.recent_frames())
                }
            };
            match next {
                Some(Ok(Message::Text(text))) => {
                    self.receive(text.as_str());
                    return true;
                }
                Some(Ok(Message::Close(frame))) => {
                    self.close = Some(frame.map_or(1005, |frame| frame.code.into()));
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Binary(_) | Message::Frame(_))) => {
                    panic!(
                        "{} received a frame that is not text\n{}",
                        self.name,
                        self.recent_frames()
                    )
                }
                None
                | Some(Err(
                    Error::ConnectionClosed
                    | Error::AlreadyClosed
                    | Error::Io(_)
                    | Error::Protocol(_),
                )) => return false,
                Some(Err(error)) => panic!("{}: {error}\n{}", self.name, self.recent_frames()),
            }
        }
    }

    fn receive(&mut self, text: &str) {
        let frame: Frame = serde_json::from_str(text).expect("every frame is JSON");
        if let Some(fault) = schema::fault_in_message(&frame) {
            panic!("{} received a frame that is not in the schema: {text}\n{fault}", self.name);
        }
        if frame["type"] == "event" {
            let game = frame["game"].as_str().expect("an event names its game");
            let known = self.known.entry(game.to_owned()).or_default();
            // A peer that did not receive a game from its start has no records to continue.
            if frame["seq"] == json!(known.replay.seq() + 1) {
                if let Err(error) = known.replay.push(text.as_bytes()) {
                    panic!("{} received a wrong record: {error}: {text}", self.name);
                }
                known.records.push(text.to_owned());
            }
        }
        if frame["type"] == "welcome" {
            if let Some(name) = frame["user"]["name"].as_str() {
                self.name = name.to_owned();
            }
            if let Some(token) = frame["token"].as_str() {
                self.token = Some(token.to_owned());
            }
            self.welcome = frame.clone();
        }
        self.frames.push((frame, false));
    }

    /// Formats the last frames for the message of a failure.
    pub(crate) fn recent_frames(&self) -> String {
        let mut recent_frames = format!("the last frames of {}:", self.name);
        let skipped = self.frames.len().saturating_sub(SHOWN_MAX);
        for (frame, taken) in self.frames.iter().skip(skipped) {
            let mark = if *taken { ' ' } else { '*' };
            write!(recent_frames, "\n {mark} {frame}").expect("writing to memory");
        }
        if let Some(code) = self.close {
            write!(recent_frames, "\n   closed with {code}").expect("writing to memory");
        }
        recent_frames
    }
}

/// The sub-protocol that peers request.
const SUBPROTOCOL: &str = "adamant.v1.json";

/// The password of accounts.
pub(crate) const PASSWORD: &str = "open sesame";

impl Peer {
    /// Connects from a loopback address (127.0.0.0/8) without sending `hello`.
    pub(crate) async fn connect_from(here: [u8; 4], address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((Ipv4Addr::from(here), 0).into()).expect("an address of this machine");
        let stream = timeout(PATIENCE, socket.connect(address)).await;
        let stream = stream.expect("the server accepts in time").expect("the server accepts");
        stream.set_nodelay(true).expect("the connection is open");
        let peer = Self::over(Box::new(stream), &format!("ws://{address}/v1/ws")).await;
        Self { address: Some(address), ..peer }
    }

    /// Connects without sending `hello`.
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = timeout(PATIENCE, TcpStream::connect(address)).await;
        let stream = stream.expect("the server accepts in time").expect("the server accepts");
        stream.set_nodelay(true).expect("the connection is open");
        let peer = Self::over(Box::new(stream), &format!("ws://{address}/v1/ws")).await;
        Self { address: Some(address), ..peer }
    }

    /// Upgrades an open connection, such as a TLS one.
    pub(crate) async fn over(stream: Box<dyn Stream>, url: &str) -> Self {
        Self::over_with(stream, url, &[]).await
    }

    /// Upgrades an open connection with further headers.
    pub(crate) async fn over_with(
        stream: Box<dyn Stream>,
        url: &str,
        headers: &[(&'static str, &str)],
    ) -> Self {
        let mut request = url.into_client_request().expect("the address is a URL");
        for (name, value) in headers {
            request.headers_mut().append(*name, value.parse().expect("a header's value"));
        }
        let subprotocol = HeaderValue::from_static(SUBPROTOCOL);
        request.headers_mut().insert("Sec-WebSocket-Protocol", subprotocol);
        let upgraded = timeout(PATIENCE, tokio_tungstenite::client_async(request, stream)).await;
        let (socket, _) = upgraded.expect("an upgrade in time").expect("an upgrade");
        Self {
            name: "anonymous".to_owned(),
            socket: Some(socket),
            frames: Vec::new(),
            known: HashMap::new(),
            close: None,
            welcome: Value::Null,
            token: None,
            address: None,
        }
    }

    /// Connects as a guest of that name.
    pub(crate) async fn guest(server: &Server, name: &str) -> Self {
        let mut peer = Self::connect(server.address()).await;
        peer.hello_guest(name).await;
        peer
    }

    /// Connects guests, one after the other.
    pub(crate) async fn guests<const N: usize>(server: &Server, names: [&str; N]) -> [Self; N] {
        let mut guests = Vec::new();
        for name in names {
            guests.push(Self::guest(server, name).await);
        }
        guests.try_into().ok().expect("as many as names")
    }

    /// Starts a server and connects guests to it.
    pub(crate) async fn start_with_guests<const N: usize>(names: [&str; N]) -> (Server, [Self; N]) {
        let server = Server::start().await;
        let guests = Self::guests(&server, names).await;
        (server, guests)
    }

    /// Connects to a node as a guest of that name.
    pub(crate) async fn guest_at(node: &Node, name: &str) -> Self {
        let mut peer = Self::connect(node.address()).await;
        peer.hello_guest(name).await;
        peer
    }

    /// Connects to a node with a token.
    pub(crate) async fn with_token_at(node: &Node, token: &str) -> Self {
        let mut peer = Self::connect(node.address()).await;
        peer.hello(json!({"auth": {"token": token}})).await;
        peer
    }

    /// Connects with another peer's token to this peer's node. What that user is sent on this node
    /// has then reached the node.
    pub(crate) async fn beside(&self, user: &Self) -> Self {
        let address = self.address.expect("the peer has connected by itself");
        let mut peer = Self::connect(address).await;
        peer.hello(json!({"auth": {"token": user.token}})).await;
        peer
    }

    /// Connects and signs up with [`PASSWORD`].
    pub(crate) async fn account(server: &Server, name: &str) -> Self {
        let mut peer = Self::anonymous(server).await;
        let ok = peer.ask(json!({"type": "signup", "user": name, "password": PASSWORD})).await;
        peer.name = ok["user"].as_str().expect("an account has a name").to_owned();
        peer.token = ok["token"].as_str().map(str::to_owned);
        peer
    }

    /// Starts a server, connects users to it, and signs them up.
    pub(crate) async fn start_with_accounts<const N: usize>(
        names: [&str; N],
    ) -> (Server, [Self; N]) {
        let server = Server::start().await;
        let mut users = Vec::new();
        for name in names {
            users.push(Self::account(&server, name).await);
        }
        (server, users.try_into().ok().expect("as many as names"))
    }

    /// Connects with a token.
    pub(crate) async fn with_token(server: &Server, token: &str) -> Self {
        let mut peer = Self::connect(server.address()).await;
        peer.hello(json!({"auth": {"token": token}})).await;
        peer
    }

    /// Connects anonymously, without a user.
    pub(crate) async fn anonymous(server: &Server) -> Self {
        let mut peer = Self::connect(server.address()).await;
        peer.hello(json!({})).await;
        peer
    }

    /// Sends `hello` as a guest.
    pub(crate) async fn hello_guest(&mut self, name: &str) -> Frame {
        self.hello(json!({"auth": {"guest": name}})).await
    }

    /// Sends `hello` with these fields besides the protocol's version. The server must welcome it.
    pub(crate) async fn hello(&mut self, mut fields: Value) -> Frame {
        fields["type"] = json!("hello");
        if fields.get("proto").is_none() {
            fields["proto"] = json!([1]);
        }
        let welcome = self.request(fields).await;
        assert_eq!(welcome["type"], "welcome", "{}", self.recent_frames());
        welcome
    }

    /// Cuts the connection and connects again as the same user, with cursors for all known games.
    pub(crate) async fn reconnect(self, server: &Server) -> Self {
        self.reconnect_to(server.address()).await
    }

    /// Reconnects peers, one after the other.
    pub(crate) async fn reconnect_all<const N: usize>(
        peers: [Self; N],
        server: &Server,
    ) -> [Self; N] {
        let mut back = Vec::new();
        for peer in peers {
            back.push(peer.reconnect(server).await);
        }
        back.try_into().ok().expect("as many as before")
    }

    /// The same at another address.
    pub(crate) async fn reconnect_to(self, address: SocketAddr) -> Self {
        let resume: serde_json::Map<String, Value> =
            self.known.keys().map(|game| (game.clone(), self.cursor(game))).collect();
        let Self { socket, known, token, .. } = self;
        drop(socket);
        let mut back = Self::connect(address).await;
        back.known = known;
        back.token.clone_from(&token);
        back.hello(json!({"auth": {"token": token}, "resume": resume})).await;
        back
    }
}
