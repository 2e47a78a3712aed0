//! One connection of the client under test: what comes before the session, and the frames of both
//! directions with their faults.
//! What a connection changes in frames so that the client's numbering of events and the server's
//! fit: see `records`.

use std::{
    collections::{HashMap, VecDeque},
    io,
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use adamant_protocol::{SUBPROTOCOL, WEBSOCKET_PATH, error::CloseCode};
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional},
    net::TcpStream,
    time::{Instant, sleep, sleep_until, timeout},
};
use tokio_tungstenite::{
    accept_hdr_async_with_config, client_async_with_config,
    tungstenite::{
        self, ClientRequestBuilder, Error, Message,
        handshake::server::{ErrorResponse, Request, Response},
        http::{HeaderValue, header::SEC_WEBSOCKET_PROTOCOL},
        protocol::{CloseFrame, WebSocketConfig},
    },
};

use crate::{
    ledger::Act,
    plan::{
        CLOSE_MAX, Ending, HANDSHAKE_MAX, HEAD, HOLD_MAX, OVERTAKING_MAX, READ_BYTES_MAX,
        REPLY_MAX, UpgradeRefusal,
    },
    records::{CursorCheck, RecordPlace},
    tormentor::{Socket, Tormentor},
};

/// The wait that a client is asked for while the inner server restarts, in milliseconds.
const RESTARTS_MS: u64 = 250;

/// The largest frame that the protocol lets a client send, in bytes.
const FRAME_BYTES_MAX: usize = 65_536;

struct Over;

impl From<Error> for Over {
    fn from(_: Error) -> Self {
        Self
    }
}

impl From<io::Error> for Over {
    fn from(_: io::Error) -> Self {
        Self
    }
}

/// Serves what the client has connected.
pub(crate) async fn serve(tormentor: Arc<Tormentor>, stream: TcpStream) {
    let Some(head) = peek_head(&stream).await else { return };
    let inner = *tormentor.inner.borrow();
    if !is_upgrade(&head) {
        if let Some(inner) = inner {
            pass_through(stream, inner).await;
        }
        return;
    }
    let attempt = tormentor.ledger().attempt(tormentor.now_ms());
    if tormentor.ended.is_cancelled() {
        return;
    }
    let refusal = tormentor.plan.refusal(attempt).or_else(|| {
        let restarts = inner.is_none() || tormentor.inner.borrow().is_none();
        restarts.then_some(UpgradeRefusal::Status(503, RESTARTS_MS))
    });
    match (refusal, inner) {
        (Some(UpgradeRefusal::Status(status, wait_ms)), _) => {
            // Not every WebSocket library shows a client the answer, so the wait is not judged.
            tormentor.ledger().fault("refused");
            refuse(stream, &head, status, wait_ms).await;
        }
        (Some(UpgradeRefusal::Silent), _) | (None, None) => tormentor.ledger().fault("refused"),
        (None, Some(inner)) => {
            let opening = async {
                let server = TcpStream::connect(inner).await?;
                let uri = format!("ws://{inner}{WEBSOCKET_PATH}");
                let uri = uri.parse().map_err(|_| Over)?;
                let request = ClientRequestBuilder::new(uri).with_sub_protocol(SUBPROTOCOL);
                let (server, _) = client_async_with_config(request, server, None).await?;
                let config = WebSocketConfig::default()
                    .max_message_size(Some(READ_BYTES_MAX))
                    .max_frame_size(Some(READ_BYTES_MAX));
                let client = accept_hdr_async_with_config(stream, agree, Some(config)).await?;
                Ok::<_, Over>((client, server))
            };
            if let Ok(Ok((client, server))) = timeout(HANDSHAKE_MAX, opening).await {
                let connection = Relay {
                    translation: Translation::new(Arc::clone(&tormentor)),
                    tormentor,
                    client,
                    server,
                    session: None,
                    frames: 0,
                    ending: None,
                    notice_ms: None,
                    held: Held::default(),
                };
                connection.run().await;
            }
        }
    }
}

/// Frames of one game that wait while others overtake them.
#[derive(Debug, Default)]
struct Held {
    game: Option<String>,
    frames: VecDeque<String>,
    overtaking: u32,
    until: Option<Instant>,
}

struct Relay {
    tormentor: Arc<Tormentor>,
    translation: Translation,
    client: Socket,
    server: Socket,
    /// The number of the session, from the `hello` on.
    session: Option<u64>,
    /// Frames that the client has received.
    frames: u64,
    /// How the session ends, and after how many frames.
    ending: Option<(Ending, u64)>,
    /// The time that a `notice` has named.
    notice_ms: Option<u64>,
    held: Held,
}

/// What a connection waits for.
enum RelayStep {
    Client(Option<Result<Message, Error>>),
    Server(Option<Result<Message, Error>>),
    Release,
    Ended,
}

impl Relay {
    async fn run(mut self) {
        let over = self.relay().await;
        if let Some(session) = self.session {
            self.tormentor.session_opened(false);
            self.tormentor.ledger().session_over(self.tormentor.now_ms(), session);
        }
        // Dropping both sockets breaks the connections without a close frame.
        drop(over);
    }

    async fn relay(&mut self) -> Result<(), Over> {
        let ended = self.tormentor.ended.clone();
        loop {
            let until = self.held.until;
            let step = tokio::select! {
                biased;
                () = ended.cancelled() => RelayStep::Ended,
                () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => RelayStep::Release,
                frame = self.client.next() => RelayStep::Client(frame),
                frame = self.server.next() => RelayStep::Server(frame),
            };
            match step {
                RelayStep::Ended => return self.end_for_good().await,
                RelayStep::Release => self.release().await?,
                RelayStep::Client(Some(Ok(frame))) => self.on_client_frame(frame).await?,
                RelayStep::Server(Some(Ok(frame))) => self.on_server_frame(frame).await?,
                RelayStep::Client(_) | RelayStep::Server(_) => return Err(Over),
            }
        }
    }

    async fn end_for_good(&mut self) -> Result<(), Over> {
        self.release().await?;
        let code = self.tormentor.plan.last_code();
        if self.session.is_some() {
            self.tormentor.ledger().fault("last_code");
            self.tormentor.ledger().closed_for_good(code.number());
        }
        self.close(code.number(), code.reason()).await
    }

    async fn close(&mut self, code: u16, reason: &str) -> Result<(), Over> {
        if let Some(wait_ms) = self.notice_ms {
            self.tormentor.ledger().asked_to_wait(self.tormentor.now_ms(), wait_ms);
        }
        let frame = CloseFrame { code: code.into(), reason: reason.to_owned().into() };
        let closing = async {
            self.client.close(Some(frame)).await?;
            while self.client.next().await.is_some_and(|frame| frame.is_ok()) {}
            Ok::<_, Error>(())
        };
        timeout(CLOSE_MAX, closing).await.ok();
        Err(Over)
    }

    async fn on_client_frame(&mut self, message: Message) -> Result<(), Over> {
        let text = match message {
            Message::Text(text) => text,
            Message::Binary(bytes) => {
                self.bad_frame("a binary frame");
                return Ok(self.server.send(Message::Binary(bytes)).await?);
            }
            Message::Close(frame) => {
                self.server.close(frame).await.ok();
                return Err(Over);
            }
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => return Ok(()),
        };
        self.tormentor.sign_of_life();
        if text.len() > FRAME_BYTES_MAX {
            self.bad_frame("a frame that is too large");
        }
        let frame = serde_json::from_str::<Value>(&text).unwrap_or_default();
        if frame["id"].as_str().is_none() || frame["type"].as_str().is_none() {
            self.bad_frame("a frame that is no request with an id");
            return Ok(self.server.send(Message::Text(text)).await?);
        }
        let now_ms = self.tormentor.now_ms();
        if frame["type"] == "hello" && self.session.is_none() {
            let translation = &self.translation;
            let is_right = |game: &str, cursor: &Value| translation.is_right(game, cursor);
            let session = self.tormentor.ledger().hello(now_ms, &frame, is_right);
            self.session = Some(session);
            self.ending = self.tormentor.plan.ending(session);
            self.tormentor.session_opened(true);
        } else if let Some(session) = self.session {
            self.tormentor.ledger().request(now_ms, session, &frame);
            if Act::is_act(&frame) && self.loses_act(&frame).await? {
                return Err(Over);
            }
            if frame["type"] == "move" && self.rejects(&frame).await? {
                return Ok(());
            }
        }
        let translated = self.translation.request(frame);
        Ok(self.server.send(Message::text(translated)).await?)
    }

    fn bad_frame(&self, why: &str) {
        self.tormentor.ledger().bad_frame(self.session.unwrap_or_default(), why);
    }

    /// Loses an act or its reply, if it is time for that. Returns whether the session is over.
    async fn loses_act(&mut self, act: &Value) -> Result<bool, Over> {
        let Some((ending, _)) = self.ending.filter(|(_, frames)| self.frames >= *frames) else {
            return Ok(false);
        };
        if ending != Ending::LoseAct && ending != Ending::LoseReply {
            return Ok(false);
        }
        self.tormentor.ledger().fault(ending.name());
        if ending == Ending::LoseReply {
            let id = act["id"].clone();
            let translated = self.translation.request(act.clone());
            self.server.send(Message::text(translated)).await?;
            let reply = async {
                while let Some(Ok(message)) = self.server.next().await {
                    let Message::Text(text) = message else { continue };
                    let frame = serde_json::from_str::<Value>(&text).unwrap_or_default();
                    if frame["type"] == "event" {
                        self.tormentor.keep_event(&text);
                    }
                    if frame["re"] == id {
                        return;
                    }
                }
            };
            timeout(REPLY_MAX, reply).await.ok();
        }
        Ok(true)
    }

    /// Rejects a move in the server's place, if it is time for that.
    async fn rejects(&mut self, act: &Value) -> Result<bool, Over> {
        let number = self.tormentor.count_move();
        let Some((code, retry, wait_ms)) = self.tormentor.plan.rejection(number) else {
            return Ok(false);
        };
        self.tormentor.ledger().fault("rejected");
        let mut error = json!({
            "type": "error", "re": act["id"], "code": code, "message": "the weather is bad",
            "retry": retry, "game": act["game"],
        });
        if retry == "after" {
            error["retry_after_ms"] = json!(wait_ms);
        }
        self.deliver(&error.to_string()).await?;
        Ok(true)
    }

    async fn on_server_frame(&mut self, message: Message) -> Result<(), Over> {
        let text = match message {
            Message::Text(text) => text.to_string(),
            Message::Close(frame) => {
                let frame = frame.unwrap_or(CloseFrame {
                    code: CloseCode::Restart.number().into(),
                    reason: tungstenite::Utf8Bytes::default(),
                });
                self.release().await?;
                return self.close(frame.code.into(), &frame.reason).await;
            }
            Message::Ping(payload) => return Ok(self.client.send(Message::Ping(payload)).await?),
            Message::Binary(_) | Message::Pong(_) | Message::Frame(_) => return Ok(()),
        };
        let frame = serde_json::from_str::<Value>(&text).unwrap_or_default();
        if frame["type"] == "notice" {
            self.notice_ms = frame["in_ms"].as_u64();
        }
        for text in self.translation.message(text, frame).await {
            self.torment(text).await?;
        }
        Ok(())
    }

    /// Sends a frame to the client with the faults that strike it.
    async fn torment(&mut self, text: String) -> Result<(), Over> {
        let (Some(session), true) = (self.session, self.frames > 0) else {
            // The `welcome`.
            return self.deliver(&text).await;
        };
        self.end_early(&text).await?;
        let plan = self.tormentor.plan.frame(session, self.frames);
        if plan.stall_ms > 0 {
            self.tormentor.ledger().fault("stalled");
            sleep(Duration::from_millis(plan.stall_ms)).await;
        }
        if plan.unknown_message {
            self.tormentor.ledger().fault("unknown_message");
            self.deliver(r#"{"type":"x_weather","wind":7,"re":null}"#).await?;
        }
        let frame: Value = serde_json::from_str(&text).unwrap_or_default();
        let kind = frame["type"].as_str().unwrap_or_default();
        let text = if plan.unknown_field && kind != "event" {
            self.tormentor.ledger().fault("unknown_field");
            text.replacen('{', r#"{"x_mood":{"is":["calm",null]},"#, 1)
        } else {
            text
        };
        if frame["kind"] == "x_sparkled" {
            self.tormentor.ledger().fault("unknown_event");
        }
        let may_double = matches!(kind, "event" | "your_turn" | "presence");
        let times = if plan.doubled && may_double { 2 } else { 1 };
        if times > 1 {
            self.tormentor.ledger().fault("doubled");
        }
        let game = frame["game"].as_str();
        if plan.held && self.held.game.is_none() && game.is_some() {
            self.held = Held {
                game: game.map(ToOwned::to_owned),
                until: Some(Instant::now() + HOLD_MAX),
                ..Held::default()
            };
        }
        for _ in 0..times {
            if game.is_some() && self.held.game.as_deref() == game {
                self.held.frames.push_back(text.clone());
            } else {
                self.deliver(&text).await?;
                self.held.overtaking += 1;
            }
        }
        if self.held.overtaking >= OVERTAKING_MAX {
            self.release().await?;
        }
        Ok(())
    }

    /// Sends the frames that others have overtaken.
    async fn release(&mut self) -> Result<(), Over> {
        let Held { frames, overtaking, .. } = std::mem::take(&mut self.held);
        if !frames.is_empty() && overtaking > 0 {
            self.tormentor.ledger().fault("overtaken");
        }
        for text in frames {
            self.deliver(&text).await?;
        }
        Ok(())
    }

    async fn deliver(&mut self, text: &str) -> Result<(), Over> {
        self.client.send(Message::text(text)).await?;
        let frame: Value = serde_json::from_str(text).unwrap_or_default();
        let session = self.session.unwrap_or_default();
        self.tormentor.ledger().delivered(self.tormentor.now_ms(), session, &frame);
        if frame["type"] == "welcome" || self.frames > 0 {
            self.frames += 1;
        }
        Ok(())
    }

    /// Ends the session early, if it is time for that.
    async fn end_early(&mut self, text: &str) -> Result<(), Over> {
        let Some((ending, frames)) = self.ending else { return Ok(()) };
        let waits_for_act = matches!(ending, Ending::LoseAct | Ending::LoseReply);
        if waits_for_act || self.frames < frames {
            return Ok(());
        }
        self.ending = None;
        self.tormentor.ledger().fault(ending.name());
        match ending {
            Ending::LoseAct | Ending::LoseReply => Ok(()),
            Ending::Cut => Err(Over),
            Ending::CutFrame => {
                // The header of a text frame with two bytes of length, and half of the text.
                let length = u16::try_from(text.len()).unwrap_or(u16::MAX).max(126);
                let [high, low] = length.to_be_bytes();
                let socket = self.client.get_mut();
                socket.write_all(&[0x81, 126, high, low]).await?;
                socket.write_all(&text.as_bytes()[..text.len().min(length.into()) / 2]).await?;
                socket.flush().await?;
                Err(Over)
            }
            Ending::Close(code) => {
                let reason = CloseCode::from_number(code).map_or("later", CloseCode::reason);
                self.close(code, reason).await
            }
            Ending::Notice(in_ms) => {
                self.notice_ms = Some(in_ms);
                let notice = json!({"type": "notice", "what": "restart", "in_ms": in_ms});
                self.deliver(&notice.to_string()).await?;
                self.close(CloseCode::Restart.number(), CloseCode::Restart.reason()).await
            }
            Ending::Restart => {
                // The server itself says so to the client, and closes.
                self.tormentor.restarts.send(()).await.map_err(|_| Over)
            }
            Ending::Crash => {
                self.tormentor.restarts.send(()).await.ok();
                Err(Over)
            }
        }
    }
}

/// Reads the head of a request without taking it; `None` if there is none in time.
pub(crate) async fn peek_head(stream: &TcpStream) -> Option<String> {
    let (patience, most) = HEAD;
    let mut bytes = vec![0; most];
    let reading = async {
        loop {
            let length = stream.peek(&mut bytes).await.ok()?;
            let head = String::from_utf8_lossy(&bytes[..length]).into_owned();
            if length == 0 || head.contains("\r\n\r\n") || length == most {
                return (length > 0).then_some(head);
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(patience, reading).await.ok().flatten()
}

/// Whether a request is the upgrade to a WebSocket.
pub(crate) fn is_upgrade(head: &str) -> bool {
    let path = head.split(' ').nth(1).unwrap_or_default();
    path == WEBSOCKET_PATH && head.to_ascii_lowercase().contains("upgrade: websocket")
}

/// Answers an upgrade with a status and the time to wait.
pub(crate) async fn refuse(mut stream: TcpStream, head: &str, status: u16, wait_ms: u64) {
    let (name, code) = match status {
        429 => ("Too Many Requests", "rate_limited"),
        _ => ("Service Unavailable", "busy"),
    };
    let body = json!({
        "type": "error", "code": code, "message": "come back later", "retry": "after",
        "retry_after_ms": wait_ms,
    });
    let body = body.to_string();
    let seconds = wait_ms.div_ceil(1_000);
    let answer = format!(
        "HTTP/1.1 {status} {name}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         retry-after: {seconds}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    // What is unread when a socket closes resets the connection, and the answer is lost.
    let mut taken = vec![0; head.len()];
    if stream.read_exact(&mut taken).await.is_ok()
        && stream.write_all(answer.as_bytes()).await.is_ok()
    {
        stream.shutdown().await.ok();
        // The client closes once it has read the answer.
        timeout(HEAD.0, stream.read(&mut taken)).await.ok();
    }
}

/// Passes a request by HTTP through.
pub(crate) async fn pass_through(mut stream: TcpStream, inner: SocketAddr) {
    if let Ok(mut server) = TcpStream::connect(inner).await {
        copy_bidirectional(&mut stream, &mut server).await.ok();
    }
}

/// Answers the handshake of a client: with the sub-protocol, if the client offers it.
#[expect(clippy::result_large_err, clippy::unnecessary_wraps, reason = "the library's signature")]
pub(crate) fn agree(request: &Request, mut response: Response) -> Result<Response, ErrorResponse> {
    if request.headers().contains_key(SEC_WEBSOCKET_PROTOCOL) {
        let name = HeaderValue::from_static(SUBPROTOCOL);
        response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, name);
    }
    Ok(response)
}

/// Requests whose reply names an event by its number.
const NUMBERED: [&str; 8] =
    ["move", "resign", "abort", "offer", "answer", "withdraw", "claim", "watch"];

#[derive(Debug)]
pub(crate) struct Translation {
    tormentor: Arc<Tormentor>,
    /// The last event of each game that the client has, by the client's numbers.
    cursors: HashMap<String, u64>,
    /// The games of requests whose reply names an event.
    requests: HashMap<String, String>,
}

impl Translation {
    /// Begins with a connection.
    pub(crate) fn new(tormentor: Arc<Tormentor>) -> Self {
        Self { tormentor, cursors: HashMap::new(), requests: HashMap::new() }
    }

    /// Whether a cursor of the client is right, as far as is known here.
    pub(crate) fn is_right(&self, game: &str, cursor: &Value) -> bool {
        let place = place(cursor);
        place
            .is_some_and(|place| self.tormentor.records().cursor(game, place) != CursorCheck::Wrong)
    }

    /// Returns a request of the client as the server is to get it.
    pub(crate) fn request(&mut self, mut frame: Value) -> String {
        let kind = frame["type"].as_str().unwrap_or_default().to_owned();
        if let (Some(id), Some(game)) = (frame["id"].as_str(), frame["game"].as_str())
            && NUMBERED.contains(&kind.as_str())
        {
            self.requests.insert(id.to_owned(), game.to_owned());
        }
        if kind == "hello" {
            let resume = frame.get_mut("resume").and_then(Value::as_object_mut);
            for (game, cursor) in resume.into_iter().flatten() {
                let Some(seen) = place(cursor) else { continue };
                let known = self.tormentor.records().cursor(game, seen);
                if let CursorCheck::Known(place) = known {
                    *cursor = json!({"seq": place.seq});
                    if let Some(chain) = place.chain {
                        cursor["chain"] = json!(chain);
                    }
                    self.cursors.insert(game.clone(), seen.seq);
                }
            }
        } else if kind == "watch"
            && let (Some(game), Some(from)) = (frame["game"].as_str(), frame["from"].as_u64())
        {
            let game = game.to_owned();
            let before = RecordPlace { seq: from.saturating_sub(1), chain: None };
            let known = self.tormentor.records().cursor(&game, before);
            if let CursorCheck::Known(place) = known {
                frame["from"] = json!(place.seq + 1);
                self.cursors.insert(game, before.seq);
            }
        }
        frame.to_string()
    }

    /// Returns what the client gets for a frame of the server: none, one or several.
    pub(crate) async fn message(&mut self, text: String, mut frame: Value) -> Vec<String> {
        let game = frame["game"].as_str().map(ToOwned::to_owned);
        match (frame["type"].as_str().unwrap_or_default(), game) {
            ("event", Some(game)) => {
                let Some(events) = self.tormentor.keep_event(&text) else { return vec![text] };
                let known = self.cursors.get(&game).copied().unwrap_or_default();
                let new = events.into_iter().filter(|(seq, _)| *seq > known);
                new.map(|(_, text)| text).collect()
            }
            ("snapshot", Some(game)) => {
                let seq = frame["seq"].as_u64().unwrap_or_default();
                self.tormentor.wait_for_records(&game, seq).await;
                let records = self.tormentor.records();
                let Some(chain) = records.seen_chain(&game, seq) else { return vec![text] };
                frame["seq"] = json!(records.seen_seq(&game, seq));
                frame["chain"] = json!(chain);
                // Events that the snapshot contains may be asked for again.
                self.cursors.remove(&game);
                vec![frame.to_string()]
            }
            ("ok", _) => {
                let game = frame["re"].as_str().and_then(|re| self.requests.remove(re));
                let (Some(game), Some(seq)) = (game, frame["seq"].as_u64()) else {
                    return vec![text];
                };
                frame["seq"] = json!(self.tormentor.records().seen_seq(&game, seq));
                vec![frame.to_string()]
            }
            ("welcome", _) => {
                let games = frame.get_mut("games").and_then(Value::as_array_mut);
                for game in games.into_iter().flatten() {
                    let cursor = game["game"].as_str().and_then(|game| self.cursors.get(game));
                    if let Some(cursor) = cursor.filter(|_| game["resume"] == "tail") {
                        game["from"] = json!(cursor + 1);
                    }
                }
                vec![frame.to_string()]
            }
            _ => vec![text],
        }
    }
}

fn place(cursor: &Value) -> Option<RecordPlace> {
    let chain = match cursor["chain"].as_str() {
        Some(chain) => Some(chain.parse().ok()?),
        None => None,
    };
    Some(RecordPlace { seq: cursor["seq"].as_u64()?, chain })
}
