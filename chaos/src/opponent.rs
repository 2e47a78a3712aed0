//! The scripted opponent of the client under test. It challenges the client, moves at random by the
//! seed, offers a draw now and then, and resigns after a few moves. It speaks to the inner server
//! without faults, but lives through its restarts.

use std::{
    collections::{HashMap, HashSet},
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use adamant_protocol::{SUBPROTOCOL, WEBSOCKET_PATH};
use adamant_rules::Kind;
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{
    net::TcpStream,
    time::{Instant, sleep, sleep_until},
};
use tokio_tungstenite::{
    client_async_with_config,
    tungstenite::{ClientRequestBuilder, Message},
};

use crate::{
    plan::{DECLINES_MAX, Draw, GAMES_AT_ONCE},
    tormentor::{Socket, Tormentor},
};

/// The interval at which the opponent looks whether to challenge.
const TICK: Duration = Duration::from_millis(50);

/// The wait after a challenge that led to no game.
const CHALLENGE_AGAIN: Duration = Duration::from_millis(400);

/// How long the opponent thinks about each move. Three moves in a second, of all games together,
/// are well below the rate of a connection: so are the client's answers, and what it sends again.
const THOUGHT: Duration = Duration::from_millis(300);

/// The same with `--fast`. Fourteen moves in a second are more than this rate, but the burst of a
/// connection bears it until these shorter games end.
const FAST_THOUGHT: Duration = Duration::from_millis(70);

/// The wait before a request is sent again if the server names none.
const RETRY_AFTER: Duration = Duration::from_millis(100);

/// Opens a session as a new guest that is a program. Returns its token.
pub(crate) async fn new_guest(inner: SocketAddr, name: &str) -> anyhow::Result<String> {
    let mut socket = open(inner).await?;
    let hello = json!({
        "type": "hello", "id": "h", "proto": [1], "auth": {"guest": name, "bot": true},
    });
    socket.send(Message::text(hello.to_string())).await?;
    while let Some(message) = socket.next().await {
        let frame: Value = serde_json::from_str(message?.to_text()?)?;
        if let Some(token) = frame["token"].as_str() {
            let token = token.to_owned();
            socket.close(None).await?;
            return Ok(token);
        }
    }
    anyhow::bail!("the server does not let {name} in")
}

async fn open(inner: SocketAddr) -> anyhow::Result<Socket> {
    let stream = TcpStream::connect(inner).await?;
    let uri = format!("ws://{inner}{WEBSOCKET_PATH}").parse()?;
    let request = ClientRequestBuilder::new(uri).with_sub_protocol(SUBPROTOCOL);
    Ok(client_async_with_config(request, stream, None).await?.0)
}

#[derive(Debug)]
pub(crate) struct Opponent {
    tormentor: Arc<Tormentor>,
    name: String,
    token: String,
    wanted: u64,
    /// How many games have ended, for others to read.
    ended: Arc<AtomicU64>,
    games: HashSet<String>,
    over: HashSet<String>,
    /// Whether a challenge is under way.
    challenges: bool,
    challenge_at: Instant,
    declined: u32,
    made: u64,
    /// The last request under each id, to send it again.
    sent: HashMap<String, String>,
    draw: Draw,
}

impl Opponent {
    /// Prepares an opponent for a number of games.
    pub(crate) fn new(
        tormentor: Arc<Tormentor>,
        (name, token): (String, String),
        wanted: u64,
        ended: Arc<AtomicU64>,
    ) -> Self {
        let draw = tormentor.plan.draw.of("opponent");
        Self {
            tormentor,
            name,
            token,
            wanted,
            ended,
            games: HashSet::new(),
            over: HashSet::new(),
            challenges: false,
            challenge_at: Instant::now(),
            declined: 0,
            made: 0,
            sent: HashMap::new(),
            draw,
        }
    }

    /// Plays until all games have ended, or the client declines too often.
    pub(crate) async fn run(mut self) {
        let mut inner = self.tormentor.inner.subscribe();
        while !self.is_done() {
            let Ok(address) = inner.wait_for(Option::is_some).await.map(|address| *address) else {
                return;
            };
            if let Some(address) = address
                && let Ok(socket) = open(address).await
            {
                // It comes back after whatever has happened.
                self.play(socket).await.ok();
            }
            sleep(TICK).await;
        }
    }

    fn is_done(&self) -> bool {
        self.ended.load(Ordering::Relaxed) >= self.wanted || self.declined > DECLINES_MAX
    }

    async fn play(&mut self, mut socket: Socket) -> anyhow::Result<()> {
        let live = self.games.difference(&self.over);
        let resume: serde_json::Map<String, Value> = live
            .filter_map(|game| {
                let place = self.tormentor.records().known(game);
                let chain = place.chain?;
                Some((game.clone(), json!({"seq": place.seq, "chain": chain})))
            })
            .collect();
        let hello = json!({
            "type": "hello", "id": "hello", "proto": [1], "auth": {"token": self.token},
            "caps": ["legal"], "resume": resume,
        });
        socket.send(Message::text(hello.to_string())).await?;
        let mut tick = Instant::now() + TICK;
        while !self.is_done() {
            tokio::select! {
                biased;
                () = sleep_until(tick) => {
                    tick = Instant::now() + TICK;
                    if let Some(challenge) = self.next_challenge() {
                        socket.send(Message::text(challenge)).await?;
                    }
                }
                message = socket.next() => {
                    let Some(message) = message else { return Ok(()) };
                    if let Message::Text(text) = message? {
                        self.on_frame(&mut socket, &text).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the next challenge, if it is time for one.
    fn next_challenge(&mut self) -> Option<String> {
        let user = self.tormentor.ledger().user()?.to_owned();
        let begun = u64::try_from(self.games.len()).unwrap_or(u64::MAX);
        let live = self.games.difference(&self.over).count();
        if self.challenges
            || begun >= self.wanted
            || live >= GAMES_AT_ONCE
            || Instant::now() < self.challenge_at
        {
            return None;
        }
        self.challenges = true;
        self.made += 1;
        let draw = self.draw.of("game").at(begun);
        // All kinds of games, one after the other from a drawn place.
        let first = self.draw.of("first").below(64) + begun;
        let kind = Kind::ALL[usize::try_from(first).unwrap_or_default() % Kind::ALL.len()];
        let mut seats = [self.name.clone(), user];
        if draw.of("seats").chance(50) {
            seats.reverse();
        }
        let challenge = json!({
            "type": "challenge", "id": format!("c{}", self.made), "rules": kind.name(), "seats": seats,
            "clock": self.clock(draw.of("clock")),
        });
        Some(challenge.to_string())
    }

    /// A clock on which a client that thinks too long loses, and one that comes back from every
    /// fault in time does not.
    fn clock(&self, draw: Draw) -> Value {
        let hurry = if self.tormentor.plan.fast { 1 } else { 3 };
        draw.pick(&[
            json!({"mode": "fischer", "base_ms": 60_000 * hurry, "inc_ms": 2_000}),
            json!({"mode": "per_move", "move_ms": 30_000 * hurry}),
            json!({"mode": "byoyomi", "base_ms": 10_000, "periods": 4, "period_ms": 15_000 * hurry}),
            json!({"mode": "none"}),
        ])
    }

    async fn on_frame(&mut self, socket: &mut Socket, text: &str) -> anyhow::Result<()> {
        let frame: Value = serde_json::from_str(text)?;
        let game = frame["game"].as_str().map(ToOwned::to_owned);
        match (frame["type"].as_str().unwrap_or_default(), game) {
            ("welcome", _) => {
                let mut open = frame["challenges"].as_array().into_iter().flatten();
                self.challenges = open.any(|challenge| challenge["direction"] == "out");
                let live = frame["games"].as_array().into_iter().flatten();
                let live = live.filter(|game| game["resume"] != "gone");
                self.games.extend(live.filter_map(|game| game["game"].as_str().map(Into::into)));
            }
            ("challenge_closed", Some(game)) => {
                self.challenges = false;
                self.declined = 0;
                self.games.insert(game);
            }
            ("challenge_closed", None) => {
                let reason = frame["reason"].as_str().unwrap_or_default();
                self.try_again(reason);
            }
            ("event", Some(game)) => {
                self.tormentor.keep_event(text);
                self.games.insert(game.clone());
                if matches!(frame["kind"].as_str(), Some("ended" | "aborted"))
                    && self.over.insert(game)
                {
                    self.ended.fetch_add(1, Ordering::Relaxed);
                }
            }
            ("your_turn", Some(game)) => {
                sleep(if self.tormentor.plan.fast { FAST_THOUGHT } else { THOUGHT }).await;
                for request in self.answer_turn(&game, &frame) {
                    socket.send(Message::text(request)).await?;
                }
            }
            ("error", _) => {
                let re = frame["re"].as_str().unwrap_or_default();
                if re.starts_with('c') {
                    self.try_again(frame["code"].as_str().unwrap_or_default());
                } else if let Some(request) = self.sent.get(re)
                    && matches!(frame["retry"].as_str(), Some("after" | "same"))
                {
                    let wait = frame["retry_after_ms"].as_u64().map(Duration::from_millis);
                    sleep(wait.unwrap_or(RETRY_AFTER)).await;
                    socket.send(Message::text(request.clone())).await?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn try_again(&mut self, reason: &str) {
        self.challenges = false;
        self.challenge_at = Instant::now() + CHALLENGE_AGAIN;
        self.declined += 1;
        if self.declined > DECLINES_MAX {
            self.tormentor.ledger().declined(reason);
        }
    }

    /// Returns the requests of a turn. They are always the same for it, so that the opponent may be
    /// asked twice.
    fn answer_turn(&mut self, game: &str, frame: &Value) -> Vec<String> {
        let turn = frame["turn"].as_u64().unwrap_or_default();
        let legal = frame["legal"].as_array().filter(|legal| !legal.is_empty());
        let draw = self.draw.of(game);
        let (least, range) = if self.tormentor.plan.fast { (5, 4) } else { (15, 10) };
        let most = least + draw.of("length").below(range);
        let mut requests = Vec::new();
        if turn / 2 == 2 && draw.of("offer").chance(30) {
            let id = format!("o:{game}");
            requests.push(json!({"type": "offer", "id": id, "game": game, "what": "draw"}));
        }
        requests.push(match legal.filter(|_| turn / 2 < most) {
            Some(legal) => json!({
                "type": "move", "id": format!("{game}:{turn}"), "game": game, "turn": turn,
                "move": draw.of("move").at(turn).pick(legal),
            }),
            None => json!({"type": "resign", "id": format!("r:{game}"), "game": game}),
        });
        for request in &requests {
            let id = request["id"].as_str().unwrap_or_default().to_owned();
            self.sent.insert(id, request.to_string());
        }
        requests.iter().map(ToString::to_string).collect()
    }
}
