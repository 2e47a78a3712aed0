//! A client that knows nothing: it sends JSON and keeps what it is sent.

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

use super::{PATIENCE, Server, schema};

/// The sub-protocol that peers ask for.
const SUBPROTOCOL: &str = "adamant.v1.json";

/// How many of the last frames a failure shows.
const SHOWN_MAX: usize = 30;

/// Anything that bytes travel on.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// A frame as it stands on the wire, read.
pub(crate) type Frame = Value;

/// The records of one game as far as a peer has heard them.
#[derive(Debug, Clone, Default)]
struct Heard {
    records: Vec<String>,
    replay: Replay,
}

/// One connection, and all that has come over it.
pub(crate) struct Peer {
    name: String,
    /// Gone once the peer has disconnected.
    socket: Option<WebSocketStream<Box<dyn Stream>>>,
    /// Everything that has come, in order, and whether a test has taken it out yet.
    frames: Vec<(Frame, bool)>,
    heard: HashMap<String, Heard>,
    close: Option<u16>,
    /// The server's answer to `hello`; null before it.
    pub(crate) welcome: Frame,
    /// The secret to come back with.
    pub(crate) token: Option<String>,
}

impl Peer {
    /// Connects from another address of this machine, one of 127.0.0.0/8, and says nothing yet.
    pub(crate) async fn connect_from(here: [u8; 4], address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((Ipv4Addr::from(here), 0).into()).expect("an address of this machine");
        let stream = timeout(PATIENCE, socket.connect(address)).await;
        let stream = stream.expect("the server accepts in time").expect("the server accepts");
        stream.set_nodelay(true).expect("the connection is open");
        Self::over(Box::new(stream), &format!("ws://{address}/v1/ws")).await
    }

    /// Connects and says nothing yet.
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = timeout(PATIENCE, TcpStream::connect(address)).await;
        let stream = stream.expect("the server accepts in time").expect("the server accepts");
        stream.set_nodelay(true).expect("the connection is open");
        Self::over(Box::new(stream), &format!("ws://{address}/v1/ws")).await
    }

    /// Upgrades a connection that is there already, such as an encrypted one.
    pub(crate) async fn over(stream: Box<dyn Stream>, url: &str) -> Self {
        Self::over_with(stream, url, &[]).await
    }

    /// The same with further headers.
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
            name: "somebody".to_owned(),
            socket: Some(socket),
            frames: Vec::new(),
            heard: HashMap::new(),
            close: None,
            welcome: Value::Null,
            token: None,
        }
    }

    /// Connects as a guest of that name.
    pub(crate) async fn guest(server: &Server, name: &str) -> Self {
        let mut peer = Self::connect(server.address()).await;
        peer.hello_guest(name).await;
        peer
    }

    /// Connects with a secret.
    pub(crate) async fn with_token(server: &Server, token: &str) -> Self {
        let mut peer = Self::connect(server.address()).await;
        peer.hello(json!({"auth": {"token": token}})).await;
        peer
    }

    /// Connects as somebody who only looks.
    pub(crate) async fn nobody(server: &Server) -> Self {
        let mut peer = Self::connect(server.address()).await;
        peer.hello(json!({})).await;
        peer
    }

    /// Says `hello` as a guest.
    pub(crate) async fn hello_guest(&mut self, name: &str) -> Frame {
        self.hello(json!({"auth": {"guest": name}})).await
    }

    /// Says `hello` with these fields besides the protocol's version; must be welcome.
    pub(crate) async fn hello(&mut self, mut fields: Value) -> Frame {
        fields["type"] = json!("hello");
        if fields.get("proto").is_none() {
            fields["proto"] = json!([1]);
        }
        let welcome = self.request(fields).await;
        assert_eq!(welcome["type"], "welcome", "{}", self.story());
        welcome
    }

    /// Cuts the connection and comes back as the same user, who knows what this peer has heard.
    pub(crate) async fn reconnect(self, server: &Server) -> Self {
        let resume: serde_json::Map<String, Value> =
            self.heard.keys().map(|game| (game.clone(), self.cursor(game))).collect();
        let Self { socket, heard, token, .. } = self;
        drop(socket);
        let mut back = Self::connect(server.address()).await;
        back.heard = heard;
        back.token.clone_from(&token);
        back.hello(json!({"auth": {"token": token}, "resume": resume})).await;
        back
    }

    /// What a `hello` says about a game of which this peer knows the records.
    pub(crate) fn cursor(&self, game: &str) -> Value {
        let replay = self.replay(game);
        json!({"seq": replay.seq(), "chain": replay.chain().to_string()})
    }

    /// The user's name, as the server spells it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Everything that has come, in order.
    pub(crate) fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.frames.iter().map(|(frame, _)| frame)
    }

    /// The records of a game from its first event on, as they came, byte for byte.
    pub(crate) fn records(&self, game: &str) -> &[String] {
        self.heard.get(game).map_or(&[], |heard| &heard.records)
    }

    /// The records of a game, checked and replayed.
    pub(crate) fn replay(&self, game: &str) -> &Replay {
        match self.heard.get(game) {
            Some(heard) => &heard.replay,
            None => panic!("{} has no records of {game}\n{}", self.name, self.story()),
        }
    }

    /// The table of a game, as of the last record that has come.
    pub(crate) fn table(&self, game: &str) -> &Table {
        self.replay(game).table().expect("a game that has been heard of has a table")
    }

    /// Sends a frame of any kind.
    pub(crate) async fn send_raw(&mut self, message: Message) {
        let sent = timeout(PATIENCE, self.socket().send(message)).await;
        assert!(
            matches!(sent, Ok(Ok(()))),
            "{} cannot send: {sent:?}\n{}",
            self.name,
            self.story()
        );
    }

    /// Sends a request as the schema has it.
    pub(crate) async fn send(&mut self, frame: &Value) {
        if let Some(fault) = schema::fault_in_request(frame) {
            panic!("{} sends what the schema does not have: {frame}\n{fault}", self.name);
        }
        self.send_wrong(frame).await;
    }

    /// Sends any JSON as it is, what no client should send included.
    pub(crate) async fn send_wrong(&mut self, frame: &Value) {
        self.send_raw(Message::text(frame.to_string())).await;
    }

    /// Sends a request, with an id if it has none, and gives back its reply, whatever it says.
    /// Frames that come before it are kept.
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
        self.next_matching("a reply", |frame| frame.get("re") == Some(id)).await
    }

    /// Sends a request that must succeed.
    pub(crate) async fn ask(&mut self, request: Value) -> Frame {
        let reply = self.request(request).await;
        assert_ne!(reply["type"], "error", "{}", self.story());
        reply
    }

    /// Sends a request that must succeed, although the schema need not have it.
    pub(crate) async fn ask_anyway(&mut self, request: Value) -> Frame {
        let request = self.with_id(request);
        self.send_wrong(&request).await;
        let reply = self.reply_to(&request).await;
        assert_ne!(reply["type"], "error", "{}", self.story());
        reply
    }

    /// Sends a request that must be refused with this code, and gives back the refusal. It need not
    /// be one that the schema has.
    pub(crate) async fn refused(&mut self, request: Value, code: &str) -> Frame {
        let request = self.with_id(request);
        self.send_wrong(&request).await;
        let reply = self.reply_to(&request).await;
        assert_eq!(reply["type"], "error", "{}", self.story());
        assert_eq!(reply["code"], code, "{}", self.story());
        let message = reply["message"].as_str().unwrap_or_default();
        assert!(!message.is_empty(), "a refusal says why: {reply}");
        assert!(reply["retry"].is_string(), "a refusal says what to do: {reply}");
        reply
    }

    /// An id that nobody has used yet, this user's earlier connections included.
    pub(crate) fn next_id(&self) -> String {
        static USED: AtomicU64 = AtomicU64::new(0);
        format!("{}-{}", self.name, USED.fetch_add(1, Ordering::Relaxed))
    }

    /// The first frame not yet taken out for which this holds, waited for if need be.
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
            assert!(self.read().await, "{} waits for {what}\n{}", self.name, self.story());
        }
    }

    /// The frame at this place in the order of their coming, taken out or not, waited for if need
    /// be.
    pub(crate) async fn frame_at(&mut self, place: usize) -> &Frame {
        while self.frames.len() <= place {
            assert!(self.read().await, "{} waits for more\n{}", self.name, self.story());
        }
        &self.frames[place].0
    }

    /// The next frame of that type.
    pub(crate) async fn next_of(&mut self, kind: &str) -> Frame {
        self.next_matching(kind, |frame| frame["type"] == kind).await
    }

    /// The next event of that kind in a game.
    pub(crate) async fn next_event(&mut self, game: &str, kind: &str) -> Frame {
        self.next_matching(kind, |frame| {
            frame["type"] == "event" && frame["game"] == game && frame["kind"] == kind
        })
        .await
    }

    /// Reads on until the records of a game are known up to this event.
    pub(crate) async fn hear_up_to(&mut self, game: &str, seq: u64) {
        while self.heard.get(game).map_or(0, |heard| heard.replay.seq()) < seq {
            let read = self.read().await;
            assert!(read, "{} waits for event {seq} of {game}\n{}", self.name, self.story());
        }
    }

    /// Whether such a frame has come and was not taken out yet. Reads what comes before the
    /// answer to a `ping`, so that a frame that was on its way is not overlooked.
    pub(crate) async fn has_now(&mut self, wanted: impl FnMut(&Frame) -> bool) -> bool {
        self.ask(json!({"type": "ping"})).await;
        self.frames.iter().filter(|(_, taken)| !taken).map(|(frame, _)| frame).any(wanted)
    }

    /// Waits until the server closes the connection and gives back its code.
    pub(crate) async fn expect_close(&mut self) -> u16 {
        while self.read().await {}
        match self.close {
            Some(code) => code,
            None => panic!("{} was not told goodbye\n{}", self.name, self.story()),
        }
    }

    /// Cuts the connection without a goodbye; what has been heard stays known.
    pub(crate) fn disconnect(&mut self) {
        self.socket = None;
    }

    /// Says goodbye.
    pub(crate) async fn leave(mut self) {
        let closed = timeout(PATIENCE, self.socket().close(None)).await;
        assert!(closed.is_ok(), "{} cannot say goodbye\n{}", self.name, self.story());
    }

    const fn socket(&mut self) -> &mut WebSocketStream<Box<dyn Stream>> {
        self.socket.as_mut().expect("a peer that has disconnected is not spoken to")
    }

    /// Reads one frame; false if the server has closed the connection or it broke. That the server
    /// pings meanwhile is no answer.
    async fn read(&mut self) -> bool {
        let patience = sleep(PATIENCE);
        tokio::pin!(patience);
        loop {
            let next = tokio::select! {
                next = self.socket().next() => next,
                () = &mut patience => {
                    panic!("{} has heard nothing for {PATIENCE:?}\n{}", self.name, self.story())
                }
            };
            match next {
                Some(Ok(Message::Text(text))) => {
                    self.take_in(text.as_str());
                    return true;
                }
                Some(Ok(Message::Close(frame))) => {
                    self.close = Some(frame.map_or(1005, |frame| frame.code.into()));
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Binary(_) | Message::Frame(_))) => {
                    panic!("{} was sent something else than text\n{}", self.name, self.story())
                }
                None
                | Some(Err(
                    Error::ConnectionClosed
                    | Error::AlreadyClosed
                    | Error::Io(_)
                    | Error::Protocol(_),
                )) => return false,
                Some(Err(error)) => panic!("{}: {error}\n{}", self.name, self.story()),
            }
        }
    }

    fn take_in(&mut self, text: &str) {
        let frame: Frame = serde_json::from_str(text).expect("every frame is JSON");
        if let Some(fault) = schema::fault_in_message(&frame) {
            panic!("{} was sent what the schema does not have: {text}\n{fault}", self.name);
        }
        if frame["type"] == "event" {
            let game = frame["game"].as_str().expect("an event names its game");
            let heard = self.heard.entry(game.to_owned()).or_default();
            // A peer that did not hear a game from its start has no records to continue.
            if frame["seq"] == json!(heard.replay.seq() + 1) {
                if let Err(error) = heard.replay.push(text.as_bytes()) {
                    panic!("{} was sent a wrong record: {error}: {text}", self.name);
                }
                heard.records.push(text.to_owned());
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

    /// The last frames that came, for the message of a failure.
    pub(crate) fn story(&self) -> String {
        let mut story = format!("what {} has seen last:", self.name);
        let skipped = self.frames.len().saturating_sub(SHOWN_MAX);
        for (frame, taken) in self.frames.iter().skip(skipped) {
            let mark = if *taken { ' ' } else { '*' };
            write!(story, "\n {mark} {frame}").expect("writing to memory");
        }
        if let Some(code) = self.close {
            write!(story, "\n   closed with {code}").expect("writing to memory");
        }
        story
    }
}
