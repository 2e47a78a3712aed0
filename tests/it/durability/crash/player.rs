//! A simulated player that survives server crashes: plays random moves in many games at once,
//! resumes with its cursors after every crash, and repeats unanswered requests.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    sync::Arc,
};

use adamant_engine::choice::Level;
use adamant_record::Replay;
use adamant_rules::{Seat, Table};
use futures::{SinkExt as _, StreamExt as _};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng, seq::IndexedRandom as _};
use serde_json::{Value, json};
use tokio::{net::TcpStream, sync::watch, task::JoinSet};
use tokio_tungstenite::{WebSocketStream, client_async, tungstenite::Message};
use tokio_util::sync::CancellationToken;

use super::checker::{Ack, History, ReceivedEvent};
use crate::harness::{Variant, schema, with};

/// Games that each player starts and keeps going.
const OWN_GAMES: usize = 3;

/// Errors that need no fault: another player's request, or the player's own before the crash, came
/// first.
const EXPECTED_ERRORS: [&str; 6] =
    ["stale_turn", "not_your_turn", "game_over", "no_such_offer", "forbidden", "not_found"];

#[derive(Debug, Clone)]
pub(crate) struct SharedState {
    pub(crate) address: watch::Receiver<SocketAddr>,
    /// The number of acknowledged requests.
    pub(crate) acked: watch::Sender<u64>,
    /// Cancelled when players are to start nothing more and to return once all requests are
    /// answered.
    pub(crate) stop: CancellationToken,
    pub(crate) names: Vec<String>,
    pub(crate) variants: Vec<Variant>,
}

/// What a player waits for in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waiting {
    /// Nothing.
    No,
    /// The reply to a request.
    Answer,
    /// The event that the reply announced.
    Event(u64),
}

/// A game as the player knows it.
struct GameState {
    replay: Replay,
    waiting: Waiting,
    /// The event number at which the player last considered what to do.
    considered: u64,
    /// Whether a replay from the first event was requested, during which later events may arrive
    /// first.
    replaying: bool,
}

impl GameState {
    fn new() -> Self {
        Self { replay: Replay::new(), waiting: Waiting::No, considered: 0, replaying: false }
    }

    fn is_over(&self) -> bool {
        self.replay.table().is_some_and(|table| table.outcome().is_some())
    }
}

/// A request without a reply yet.
struct PendingRequest {
    game: String,
    frame: String,
}

pub(crate) struct Player {
    name: String,
    token: Value,
    shared: SharedState,
    rng: SmallRng,
    games: BTreeMap<String, GameState>,
    asked: BTreeMap<String, PendingRequest>,
    unanswered: BTreeSet<String>,
    last_id: u64,
    /// Whether a challenge by this player is open.
    is_challenging: bool,
    pub(crate) resent: u64,
    pub(crate) done_before: u64,
    pub(crate) history: History,
}

impl SharedState {
    /// The state shared by this number of players, none of them connected yet.
    pub(crate) fn new(players: usize, address: watch::Receiver<SocketAddr>) -> Self {
        Self {
            address,
            acked: watch::Sender::new(0),
            stop: CancellationToken::new(),
            names: (0..players).map(|number| format!("player{number}")).collect(),
            variants: Variant::all(),
        }
    }

    /// Signs up all players and starts them.
    pub(crate) async fn play(&self, rng: &mut SmallRng) -> JoinSet<Player> {
        let mut playing = JoinSet::new();
        for name in &self.names {
            let player = Player::join(name, self.clone(), rng.fork()).await;
            playing.spawn(player.run());
        }
        playing
    }
}

impl Player {
    /// Signs up a player.
    pub(crate) async fn join(name: &str, shared: SharedState, rng: SmallRng) -> Self {
        let address = *shared.address.borrow();
        let (mut link, _) =
            Connection::open(address, None, &json!({})).await.expect("the server runs");
        let signup =
            json!({"type": "signup", "id": "account", "user": name, "password": "open sesame"});
        link.send(&signup.to_string()).await.expect("the server runs");
        let made: Value = serde_json::from_str(&link.next().await.expect("a reply")).unwrap();
        assert_eq!(made["type"], "ok", "{made}");
        Self {
            name: name.to_owned(),
            token: json!({"token": made["token"]}),
            shared,
            rng,
            games: BTreeMap::new(),
            asked: BTreeMap::new(),
            unanswered: BTreeSet::new(),
            last_id: 0,
            is_challenging: false,
            resent: 0,
            done_before: 0,
            history: History::default(),
        }
    }

    /// Plays until `stop`, across any server crashes.
    pub(crate) async fn run(mut self) -> Self {
        let mut address = self.shared.address.clone();
        loop {
            let here = *address.borrow_and_update();
            match self.session(here).await {
                Ok(()) => return self,
                Err(Disconnected::Broken) => {}
                // A killed server says nothing, and no test here gives it another reason.
                Err(Disconnected::Goodbye(why)) => panic!("the server says goodbye: {why}"),
            }
            address.changed().await.expect("the test lives longer than its players");
        }
    }

    /// Runs one connection until it breaks or nothing is left to do.
    async fn session(&mut self, address: SocketAddr) -> Result<(), Disconnected> {
        let stop = self.shared.stop.clone();
        let (mut link, welcome) =
            Connection::open(address, Some(&self.token), &self.cursors()).await?;
        self.is_challenging = false;
        self.resume(&mut link, &welcome).await?;
        loop {
            if stop.is_cancelled() {
                if self.unanswered.is_empty() {
                    return Ok(());
                }
            } else {
                self.take_actions(&mut link).await?;
            }
            tokio::select! {
                frame = link.next() => self.receive(&mut link, frame?).await?,
                () = stop.cancelled(), if !stop.is_cancelled() => {}
            }
        }
    }

    fn cursors(&self) -> Value {
        let live = self.games.iter().filter(|(_, game)| !game.is_over() && game.replay.seq() > 0);
        let cursor = |game: &GameState| json!({"seq": game.replay.seq(), "chain": game.replay.chain().to_string()});
        live.map(|(id, game)| (id.clone(), cursor(game))).collect::<serde_json::Map<_, _>>().into()
    }

    /// The server must know every event that it has sent. Then unanswered requests are sent again.
    async fn resume(&mut self, link: &mut Connection, welcome: &Value) -> Result<(), Disconnected> {
        for told in welcome["games"].as_array().unwrap() {
            let id = told["game"].as_str().unwrap().to_owned();
            let game = self.games.entry(id.clone()).or_insert_with(GameState::new);
            if game.replay.seq() > 0 {
                assert_eq!(
                    told["resume"],
                    "tail",
                    "{} had {}: {told}",
                    self.name,
                    game.replay.seq()
                );
                assert_eq!(told["from"], game.replay.seq() + 1, "{told}");
            } else {
                assert_eq!(told["resume"], "snapshot", "{told}");
                game.replaying = true;
                let watch = json!({"type": "watch", "id": format!("w{id}"), "game": id, "from": 1});
                link.send(&watch.to_string()).await?;
            }
        }
        for id in &self.unanswered {
            self.resent += 1;
            link.send(&self.asked[id].frame).await?;
        }
        Ok(())
    }

    async fn receive(&mut self, link: &mut Connection, text: String) -> Result<(), Disconnected> {
        let frame: Value = serde_json::from_str(&text).unwrap();
        match frame["type"].as_str().unwrap() {
            "event" => self.on_event(&frame, text),
            "ok" => self.on_ok(&frame),
            "error" => self.on_error(&frame),
            "challenged" if frame["by"] != self.name.as_str() => {
                let accept =
                    json!({"type": "accept", "id": "accept", "challenge": frame["challenge"]});
                link.send(&accept.to_string()).await?;
            }
            "challenge_closed" => self.is_challenging = false,
            "challenged" | "your_turn" | "snapshot" => {}
            other => panic!("{other} was not expected: {text}"),
        }
        Ok(())
    }

    fn on_event(&mut self, frame: &Value, text: String) {
        let id = frame["game"].as_str().unwrap().to_owned();
        let seq = frame["seq"].as_u64().unwrap();
        let game = self.games.entry(id.clone()).or_insert_with(GameState::new);
        let next = game.replay.seq() + 1;
        if seq == next {
            game.replay.push(text.as_bytes()).unwrap();
            if matches!(game.waiting, Waiting::Event(until) if until <= seq) {
                game.waiting = Waiting::No;
            }
        } else {
            assert!(seq < next || game.replaying, "{next} was missed: {text}");
        }
        self.history.games.insert(id.clone());
        self.history.events.push(ReceivedEvent { game: id, seq, text });
    }

    fn on_ok(&mut self, frame: &Value) {
        let re = frame["re"].as_str().unwrap();
        let Some(asked) = self.asked.get(re) else {
            // For example the reply to an accepted challenge: from now on the game must exist.
            self.history.games.extend(frame["game"].as_str().map(str::to_owned));
            return;
        };
        let seq = frame["seq"].as_u64().unwrap();
        self.done_before += u64::from(frame["dup"] == true);
        self.history.acks.push(Ack {
            game: asked.game.clone(),
            user: self.name.clone(),
            req: re.to_owned(),
            seq,
            asked: serde_json::from_str(&asked.frame).unwrap(),
        });
        if self.unanswered.remove(re) {
            let game = self.games.get_mut(&asked.game).expect("it was played in");
            let is_known = game.replay.seq() >= seq;
            game.waiting = if is_known { Waiting::No } else { Waiting::Event(seq) };
            self.shared.acked.send_modify(|acked| *acked += 1);
        }
    }

    fn on_error(&mut self, frame: &Value) {
        let code = frame["code"].as_str().unwrap();
        // A player may make challenges faster than another takes them.
        let is_expected =
            EXPECTED_ERRORS.contains(&code) || frame["limit"] == "challenges_per_pair";
        assert!(is_expected, "{}: {frame}", self.name);
        let re = frame["re"].as_str().unwrap();
        let Some(asked) = self.asked.get(re) else { return };
        Arc::make_mut(&mut self.history.refused).insert(re.to_owned());
        if self.unanswered.remove(re) {
            let game = self.games.get_mut(&asked.game).expect("it was played in");
            game.waiting = Waiting::No;
            game.considered = 0;
        }
    }

    /// Acts in every game where an action is due, and starts games if there are too few.
    async fn take_actions(&mut self, link: &mut Connection) -> Result<(), Disconnected> {
        let ids: Vec<String> = self.games.keys().cloned().collect();
        for id in ids {
            if let Some(act) = self.choose_request(&id) {
                self.ask(link, &id, act).await?;
            }
        }
        let own =
            self.games.values().filter(|game| !game.is_over() && self.started_by_me(game)).count();
        if own < OWN_GAMES && !self.is_challenging {
            self.is_challenging = true;
            self.challenge(link).await?;
        }
        Ok(())
    }

    fn started_by_me(&self, game: &GameState) -> bool {
        // As agreed at the start: a swap of seats does not change who started the game.
        let setup = game.replay.table().map(Table::setup);
        setup.is_some_and(|setup| *setup.seats[Seat::FIRST].user == *self.name)
    }

    async fn challenge(&mut self, link: &mut Connection) -> Result<(), Disconnected> {
        let others: Vec<&String> =
            self.shared.names.iter().filter(|name| **name != self.name).collect();
        let variant = self.shared.variants.choose(&mut self.rng).expect("there are games");
        let mut seats = vec![&self.name];
        seats.extend(others.sample(&mut self.rng, variant.players - 1));
        let rated = self.rng.random_ratio(3, 4);
        let challenge =
            json!({"type": "challenge", "id": "challenge", "seats": seats, "rated": rated});
        link.send(&with(challenge, variant.terms()).to_string()).await
    }

    /// Returns the player's next request in a game, without its id.
    fn choose_request(&mut self, id: &str) -> Option<Value> {
        let game = self.games.get_mut(id)?;
        let table = game.replay.table()?;
        if game.waiting != Waiting::No || game.is_over() || game.considered == game.replay.seq() {
            return None;
        }
        let me = table.seat_of(&self.name)?;
        game.considered = game.replay.seq();
        if !table.seat_in(me) {
            return None;
        }
        let lot = self.rng.random_range(0..1000);
        let open = table.offers().first();
        if let Some(open) = open.filter(|open| open.needs.contains(me)) {
            let offer = format!("o_{}", open.offer.0);
            match lot {
                0..50 => return Some(json!({"type": "answer", "offer": offer, "accept": true})),
                50..400 => return Some(json!({"type": "answer", "offer": offer, "accept": false})),
                _ => {}
            }
        }
        if let Some(open) = open.filter(|open| open.by == me && lot < 300) {
            return Some(json!({"type": "withdraw", "offer": format!("o_{}", open.offer.0)}));
        }
        if table.to_move() != Some(me) {
            return None;
        }
        match lot {
            0..5 => Some(json!({"type": "resign"})),
            5..60 if open.is_none() => Some(json!({"type": "offer", "what": "draw"})),
            _ => {
                let play =
                    adamant_engine::choice::choose(table.position(), Level::Random, &mut self.rng)?;
                Some(json!({"type": "move", "turn": table.turn(), "move": play.to_string()}))
            }
        }
    }

    async fn ask(
        &mut self,
        link: &mut Connection,
        game: &str,
        mut act: Value,
    ) -> Result<(), Disconnected> {
        self.last_id += 1;
        let id = format!("{}:{}", self.name, self.last_id);
        act["id"] = json!(id);
        act["game"] = json!(game);
        let frame = act.to_string();
        // Some moves are sent twice, as an impatient client would.
        let twice = act["type"] == "move" && self.rng.random_ratio(1, 20);
        self.asked
            .insert(id.clone(), PendingRequest { game: game.to_owned(), frame: frame.clone() });
        self.unanswered.insert(id);
        self.games.get_mut(game).expect("it is played in").waiting = Waiting::Answer;
        link.send(&frame).await?;
        if twice {
            link.send(&frame).await?;
        }
        Ok(())
    }
}

/// Why a connection is no more.
#[derive(Debug)]
pub(crate) enum Disconnected {
    /// The connection broke.
    Broken,
    /// The server ended it with these words.
    Goodbye(String),
}

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
