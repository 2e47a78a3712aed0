//! The lean client: one socket with the minimum of WebSocket that load needs. It searches frames
//! for words instead of parsing them, so that it costs less than the server.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    ops::Range,
    time::Duration,
};

use adamant_rules::{Act, Event, EventKind, Kind, Table};
use anyhow::{Context as _, Result, bail, ensure};
use memchr::memmem::{self, Finder};
use nix::sys::socket::{setsockopt, sockopt::IpBindAddressNoPort};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

use crate::{
    baseline,
    target::{Host, Program},
};

/// Bytes read at once. A thousand sockets share one thread and its cache.
const READ_BYTES: usize = 4 * 1024;

/// Sockets from one source address: the system has about 28,000 ports for each.
const SOCKETS_PER_SOURCE: usize = 20_000;

/// The receive buffer of a socket that will not read; the system may round it up.
const NARROW_BYTES: u32 = 4 * 1024;

/// Builds a client's frame, masked with zeros, which leave the text as it is.
pub(crate) fn frame(text: &str) -> Vec<u8> {
    let mut frame = Vec::with_capacity(text.len() + 8);
    frame.push(0x81);
    match u16::try_from(text.len()) {
        Ok(length @ ..126) => frame.push(0x80 | u8::try_from(length).expect("it is below 126")),
        Ok(length) => {
            frame.push(0x80 | 0x7e);
            frame.extend(length.to_be_bytes());
        }
        Err(_) => unreachable!("a request is at most 16 KiB"),
    }
    frame.extend([0; 4]);
    frame.extend(text.as_bytes());
    frame
}

#[derive(Debug)]
pub(crate) struct Peer<Stream = TcpStream> {
    stream: Stream,
    buffer: Vec<u8>,
    /// Where the unparsed bytes begin.
    start: usize,
}

/// A socket on its way to the runtime of another thread.
pub(crate) type Detached = Peer<std::net::TcpStream>;

impl Detached {
    /// Attaches the socket to the runtime of this thread.
    pub(crate) fn attach(self) -> io::Result<Peer> {
        let Self { stream, buffer, start } = self;
        Ok(Peer { stream: TcpStream::from_std(stream)?, buffer, start })
    }
}

impl Peer {
    /// Detaches the socket from its runtime.
    pub(crate) fn detach(self) -> io::Result<Detached> {
        let Self { stream, buffer, start } = self;
        Ok(Detached { stream: stream.into_std()?, buffer, start })
    }

    /// Connects and upgrades. `number` selects the source address among 127.0.0.x.
    pub(crate) async fn connect(address: SocketAddr, number: usize) -> Result<Self> {
        Self::connect_by(TcpSocket::new_v4()?, address, number).await
    }

    /// The same with a small receive buffer.
    pub(crate) async fn connect_narrow(address: SocketAddr, number: usize) -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(NARROW_BYTES)?;
        Self::connect_by(socket, address, number).await
    }

    /// Connects from a loopback address, which the server counts as a client of its own.
    pub(crate) async fn connect_from(address: SocketAddr, source: Ipv4Addr) -> Result<Self> {
        Self::connect_with(TcpSocket::new_v4()?, address, source).await
    }

    async fn connect_by(socket: TcpSocket, address: SocketAddr, number: usize) -> Result<Self> {
        let source = u8::try_from(2 + number / SOCKETS_PER_SOURCE).context("too many sockets")?;
        Self::connect_with(socket, address, Ipv4Addr::new(127, 0, 0, source)).await
    }

    async fn connect_with(
        socket: TcpSocket,
        address: SocketAddr,
        source: Ipv4Addr,
    ) -> Result<Self> {
        // The system chooses the port with the connection: among thousands of others that costs far
        // less.
        setsockopt(&socket, IpBindAddressNoPort, &true)?;
        socket.bind(SocketAddr::from((source, 0)))?;
        let mut stream = socket.connect(address).await?;
        stream.set_nodelay(true)?;
        stream
            .write_all(
                b"GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n\
                  Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                  Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                  Sec-WebSocket-Protocol: adamant.v1.json\r\n\r\n",
            )
            .await?;
        let mut peer = Self { stream, buffer: Vec::new(), start: 0 };
        loop {
            ensure!(peer.fill().await? > 0, "closed during the upgrade");
            if let Some(end) = memmem::find(&peer.buffer, b"\r\n\r\n") {
                let head = &peer.buffer[..end];
                let status = String::from_utf8_lossy(head);
                ensure!(status.contains(" 101 "), "no upgrade: {status}");
                peer.start = end + 4;
                return Ok(peer);
            }
        }
    }

    /// Sends a prepared frame.
    pub(crate) async fn send_frame(&mut self, frame: &[u8]) -> Result<()> {
        Ok(self.stream.write_all(frame).await?)
    }

    pub(crate) async fn send(&mut self, text: &str) -> Result<()> {
        self.send_frame(&frame(text)).await
    }

    pub(crate) async fn text(&mut self) -> Result<&[u8]> {
        let range = self.next_text().await?;
        Ok(&self.buffer[range])
    }

    /// Waits for a text that contains these words, and skips all others.
    pub(crate) async fn text_with(&mut self, words: &Finder<'_>) -> Result<&[u8]> {
        loop {
            let range = self.next_text().await?;
            if words.find(&self.buffer[range.clone()]).is_some() {
                return Ok(&self.buffer[range]);
            }
        }
    }

    /// Sends a request and waits for its reply, which must not be an error.
    pub(crate) async fn ask(&mut self, request: &Value) -> Result<Value> {
        let answer = self.ask_any(request).await?;
        ensure!(answer["type"] != "error", "{request} was answered {answer}");
        Ok(answer)
    }

    /// Sends a request and waits for its reply, which may be an error.
    pub(crate) async fn ask_any(&mut self, request: &Value) -> Result<Value> {
        let id = request.get("id").and_then(Value::as_str).context("a request has an id")?;
        let re = format!(r#""re":"{id}""#);
        self.send(&request.to_string()).await?;
        Ok(serde_json::from_slice(self.text_with(&Finder::new(&re)).await?)?)
    }

    /// Discards everything received; returns whether the server closes the connection within
    /// `wait`.
    pub(crate) async fn closes_within(&mut self, wait: Duration) -> bool {
        let reading = async {
            while self.fill().await.is_ok_and(|read| read > 0) {
                self.buffer.clear();
                self.start = 0;
            }
        };
        timeout(wait, reading).await.is_ok()
    }

    async fn next_text(&mut self) -> Result<Range<usize>> {
        loop {
            if let Some((opcode, payload)) = self.parse() {
                self.start = payload.end;
                match opcode {
                    0x1 => return Ok(payload),
                    0x8 => bail!("closed: {}", close_code(&self.buffer[payload])),
                    0x9 => {
                        // An empty pong answers as well as one that repeats the ping.
                        self.stream.write_all(&[0x8a, 0x80, 0, 0, 0, 0]).await?;
                    }
                    _ => {}
                }
                continue;
            }
            self.buffer.drain(..self.start);
            self.start = 0;
            ensure!(self.fill().await? > 0, "the server has closed the connection");
        }
    }

    async fn fill(&mut self) -> Result<usize> {
        self.stream.readable().await?;
        self.buffer.reserve(READ_BYTES);
        Ok(self.stream.read_buf(&mut self.buffer).await?)
    }

    /// Returns the opcode of the next complete frame and the range of its payload.
    fn parse(&self) -> Option<(u8, Range<usize>)> {
        let bytes = &self.buffer[self.start..];
        let (&first, &second) = (bytes.first()?, bytes.get(1)?);
        let (length, head) = match second & 0x7f {
            126 => (usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)), 4),
            127 => {
                let length = u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?);
                (usize::try_from(length).ok()?, 10)
            }
            length => (usize::from(length), 2),
        };
        let payload = self.start + head..self.start + head + length;
        (payload.end <= self.buffer.len()).then_some((first & 0x0f, payload))
    }
}

fn close_code(payload: &[u8]) -> u16 {
    payload.first_chunk().map_or(1005, |code| u16::from_be_bytes(*code))
}

/// Two sockets with a game between them.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) peers: [Peer; 2],
    /// The game's id on the real server.
    pub(crate) game: String,
    /// The moves with their movers, as prepared frames: building them is not measured.
    pub(crate) frames: Vec<(usize, Vec<u8>)>,
    /// How many of them have been sent.
    pub(crate) sent: usize,
}

/// Connects a guest; on a baseline a socket without a name.
pub(crate) async fn guest(host: &impl Host, number: usize) -> Result<Peer> {
    greeted(host, Peer::connect(host.address_of(number), number).await?, number).await
}

/// The same over an open connection.
pub(crate) async fn greeted(host: &impl Host, mut peer: Peer, number: usize) -> Result<Peer> {
    if host.program() == Program::Adamant {
        hello(&mut peer, &json!({"guest": format!("g{number}")})).await?;
    }
    Ok(peer)
}

/// Sends `hello` and returns the welcome.
pub(crate) async fn hello(peer: &mut Peer, auth: &Value) -> Result<Value> {
    peer.ask(&json!({"type":"hello","id":"h","proto":[1],"auth":auth})).await
}

/// Connects two new guests and starts a game between them. Their numbers are `2 * number` and the
/// next.
pub(crate) async fn pair(host: &impl Host, number: usize, script: &Script) -> Result<Pair> {
    let one = guest(host, 2 * number).await?;
    let other = guest(host, 2 * number + 1).await?;
    seat(host, [one, other], number, script).await
}

/// Starts a game between two sockets.
pub(crate) async fn seat(
    host: &impl Host,
    mut peers: [Peer; 2],
    number: usize,
    script: &Script,
) -> Result<Pair> {
    if host.program() != Program::Adamant {
        for peer in &mut peers {
            peer.send(&format!("room {number}")).await?;
            peer.text().await?;
        }
        let text = frame(&baseline::message());
        let frames = script.moves.iter().map(|&(mover, _)| (mover, text.clone())).collect();
        return Ok(Pair { peers, game: String::new(), frames, sent: 0 });
    }
    let [one, other] = &mut peers;
    let game = begin_game(one, other, (script.kind.name(), script.options), None).await?;
    let frames = (0..).zip(&script.moves).map(|(turn, (mover, notation))| {
        let text = format!(
            r#"{{"type":"move","id":"{game}:{turn}","game":"{game}","turn":{turn},"move":"{notation}"}}"#
        );
        (*mover, frame(&text))
    });
    Ok(Pair { frames: frames.collect(), peers, game, sent: 0 })
}

/// Starts a game with options between two guests, of whom the first moves first. Returns its id.
pub(crate) async fn begin_game(
    one: &mut Peer,
    other: &mut Peer,
    (rules, options): (&str, &str),
    clock: Option<&Value>,
) -> Result<String> {
    let mut seek = json!({"type":"seek","id":"s","rules":rules,"options":options,"seat":0});
    if let Some(clock) = clock {
        seek["clock"] = clock.clone();
    }
    let sought = one.ask(&seek).await?;
    let begun = match sought.get("game") {
        Some(_) => sought,
        None => other.ask(&json!({"type":"accept","id":"a","seek":sought["seek"]})).await?,
    };
    let game = begun["game"].as_str().context("the game begins")?.to_owned();
    // Both have received the start before anything is measured.
    one.text_with(&Finder::new(r#""kind":"started""#)).await?;
    other.text_with(&Finder::new(r#""kind":"started""#)).await?;
    Ok(game)
}

const SCRIPTS_PER_KIND: u64 = 4;

/// Random games to try until one is long enough.
const ATTEMPTS_MAX: u64 = 1_000;

/// Legal moves from which a script chooses each of its own.
const SAMPLED: usize = 8;

/// A game's moves.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) kind: Kind,
    pub(crate) options: &'static str,
    /// The mover, as 0 or 1, and the move.
    pub(crate) moves: Vec<(usize, String)>,
}

/// Returns scripts of all games with this many plies.
pub(crate) fn scripts(plies: usize) -> Vec<Script> {
    let mut scripts = Vec::new();
    for number in 0..SCRIPTS_PER_KIND {
        for &kind in Kind::ALL {
            scripts.push(script(kind, "", plies, number));
        }
    }
    scripts
}

/// Returns a script with this many plies, of any game that lasts that long.
pub(crate) fn longest(plies: usize) -> Script {
    let attempts =
        (0..ATTEMPTS_MAX).flat_map(|seed| Kind::ALL.iter().map(move |&kind| (kind, seed)));
    let mut scripts = attempts.map(|(kind, seed)| Script {
        kind,
        options: "",
        moves: random_game(kind, "", plies, seed),
    });
    scripts.find(|script| script.moves.len() == plies).expect("some game is long enough")
}

/// Returns the script of this number for a game with options.
pub(crate) fn script(kind: Kind, options: &'static str, plies: usize, number: u64) -> Script {
    let script = (0..ATTEMPTS_MAX)
        .map(|attempt| random_game(kind, options, plies, number * ATTEMPTS_MAX + attempt))
        .find(|moves| moves.len() == plies);
    Script { kind, options, moves: script.expect("some game is long enough") }
}

/// Returns a script with thousands of plies, whose players avoid captures and the end.
pub(crate) fn endless(plies: usize) -> Script {
    let is_quiet = |event: &Event| matches!(&event.kind, EventKind::Moved { captures, .. } if captures.is_empty());
    let (kind, options) = (Kind::Adamas, "");
    let moves = game_of(kind, options, plies, 0, (SAMPLED, is_quiet));
    assert_eq!(moves.len(), plies, "the game has ended");
    Script { kind, options, moves }
}

fn random_game(kind: Kind, options: &str, plies: usize, seed: u64) -> Vec<(usize, String)> {
    game_of(kind, options, plies, seed, (1, |_| true))
}

/// Plays random moves. Tries this many of the sampled moves until one is wanted.
fn game_of(
    kind: Kind,
    options: &str,
    plies: usize,
    seed: u64,
    (tries, is_wanted): (usize, fn(&Event) -> bool),
) -> Vec<(usize, String)> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let begun =
        Table::begin(adamant_bench::setup(kind, 2, options), 0).expect("the setup can be played");
    let mut table = Table::new(&begun[0]).expect("it is the first event");
    for event in &begun[1..] {
        table.apply(event).expect("it follows the first");
    }
    let mut moves = Vec::new();
    while moves.len() < plies
        && let Some(seat) = table.to_move()
    {
        let mut pick = |below: usize| rng.random_range(0..below);
        let sample = table.position().sample_moves(SAMPLED, &mut pick);
        let first = pick(sample.len());
        let turn = table.turn();
        let found = sample.iter().cycle().skip(first).take(tries).find_map(|sampled| {
            let notation = sampled.to_string();
            let act = Act::Move { seat, turn, notation: &notation, lag_ms: 0 };
            let events = table.decide(&act, 0).expect("the move is legal");
            // After two events the game has ended, or a turn was skipped, so that turns cannot
            // simply be counted.
            let [event] = &events[..] else { return None };
            is_wanted(event).then(|| (notation, event.clone()))
        });
        let Some((notation, event)) = found else { break };
        table.apply(&event).expect("a table applies what it has decided");
        moves.push((seat.index(), notation));
    }
    moves
}
