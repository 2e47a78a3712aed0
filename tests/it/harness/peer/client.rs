//! Requests of a [`Peer`], the frames that it has received, and the records of its games.

use std::{
    collections::HashMap,
    fmt::Write as _,
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
};

use adamant_record::Replay;
use adamant_rules::Table;
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{sleep, timeout},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Error, Message},
};

use crate::harness::{schema, timeout::PATIENCE};

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
    pub(super) name: String,
    /// `None` once the peer has disconnected.
    pub(super) socket: Option<WebSocketStream<Box<dyn Stream>>>,
    /// Every received frame in order, and whether a test has consumed it.
    pub(super) frames: Vec<(Frame, bool)>,
    pub(super) known: HashMap<String, GameRecords>,
    pub(super) close: Option<u16>,
    /// The server's `welcome`; null before it.
    pub(crate) welcome: Frame,
    /// The token to reconnect with.
    pub(crate) token: Option<String>,
    /// The address of its node; `None` over a stream of the test's own.
    pub(super) address: Option<SocketAddr>,
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
