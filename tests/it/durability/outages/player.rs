//! A client that plays several games by the clock with one other: it moves in time, and comes back
//! within three seconds when it has lost its connection.

use std::{
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
    time::Duration,
};

use rand::{RngExt as _, rngs::SmallRng, seq::IndexedRandom as _};
use serde_json::{Value, json};
use tokio::{
    sync::watch,
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;

use crate::{
    durability::crash::player::{Connection, Disconnected},
    harness::now_ms,
};

/// The time for each move, in milliseconds.
const MOVE_MS: u64 = 3_000;

/// How long a player thinks: most often the first, and for every tenth move the second.
const THINKS_MS: u64 = 2_000;
const THINKS_LONG_MS: u64 = 2_600;

/// How long a player thinks who has just come back.
const THINKS_BACK_MS: u64 = 100;

/// How long a player waits before a return. With the handshake it is back within three seconds.
const RETURNS_MS: u64 = 2_000;

/// Small boards, so that moves are cheap to choose and games end.
const BOARDS: [(&str, &str); 2] =
    [("adamas", "-size=3 -pieces=8"), ("diam", "-board=8x4 -pieces=2x4")];

/// Errors that need no fault: the game has ended meanwhile, or a challenge from before is open.
const EXPECTED_ERRORS: [&str; 3] = ["game_over", "stale_turn", "not_your_turn"];

#[derive(Debug, Clone)]
pub(super) struct Shared {
    /// The server's address; none while it is away.
    pub(super) address: watch::Receiver<Option<SocketAddr>>,
    /// The number of acknowledged moves.
    pub(super) acked: watch::Sender<u64>,
    /// The number of live games.
    pub(super) live: watch::Sender<usize>,
    pub(super) stop: CancellationToken,
}

/// A move that the player thinks about.
struct Thought {
    ends: Instant,
    turn: u64,
    notation: String,
}

/// What a player has seen at the end.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Why games ended, with their number.
    pub(super) ends: BTreeMap<String, usize>,
    /// Games that this player has lost on time.
    pub(super) losses: Vec<Loss>,
    /// How often the server has closed a connection so that the player comes back.
    pub(super) sent_away: usize,
}

pub(super) struct Player {
    name: String,
    opponent: String,
    /// The games that the player keeps going; none if the opponent does.
    starts: usize,
    token: Value,
    shared: Shared,
    rng: SmallRng,
    /// The live games, with the last event of each.
    games: BTreeMap<String, Value>,
    turns: Turns,
    thoughts: BTreeMap<String, Thought>,
    /// The moves without a reply on this connection: the request's id with game and turn.
    asked: HashMap<String, (String, u64)>,
    last_id: u64,
    is_challenging: bool,
    back_at: Instant,
    seen: Seen,
}

impl Player {
    /// Enters as a guest.
    pub(super) async fn enter(
        [name, opponent]: [&str; 2],
        starts: usize,
        shared: Shared,
        rng: SmallRng,
    ) -> Self {
        let address = shared.address.borrow().expect("the server runs");
        let guest = json!({"guest": name});
        let opened = Connection::open(address, Some(&guest), &json!({})).await;
        let (_, welcome) = opened.expect("the server runs");
        Self {
            name: welcome["user"]["name"].as_str().expect("a guest has a name").to_owned(),
            opponent: opponent.to_owned(),
            starts,
            token: json!({"token": welcome["token"]}),
            shared,
            rng,
            games: BTreeMap::new(),
            turns: Turns::default(),
            thoughts: BTreeMap::new(),
            asked: HashMap::new(),
            last_id: 0,
            is_challenging: false,
            back_at: Instant::now(),
            seen: Seen::default(),
        }
    }

    /// Plays until `stop`, across all outages.
    pub(super) async fn run(mut self) -> Seen {
        let mut address = self.shared.address.clone();
        loop {
            let known = address.wait_for(Option::is_some).await;
            let here = known.expect("the test lives longer than its players").expect("waited for");
            match self.session(here).await {
                Ok(()) => return self.seen,
                Err(Disconnected::Broken) => {}
                // A session that a pause has held up for too long is closed so that it comes back.
                Err(Disconnected::Goodbye(why)) if why.contains("Restart") => {
                    self.seen.sent_away += 1;
                }
                Err(Disconnected::Goodbye(why)) => panic!("the server says goodbye: {why}"),
            }
            let known = address.wait_for(Option::is_some).await.map(drop);
            known.expect("the test lives longer than its players");
            sleep(Duration::from_millis(self.rng.random_range(0..RETURNS_MS))).await;
        }
    }

    /// Runs one connection until it breaks or the test ends.
    async fn session(&mut self, address: SocketAddr) -> Result<(), Disconnected> {
        let resume: serde_json::Map<String, Value> =
            self.games.iter().filter(|(_, last)| !last.is_null()).map(copied).collect();
        let hello = json!({"auth": self.token, "resume": resume, "caps": ["legal"]});
        let (link, welcome) = Connection::with_hello(address, hello).await?;
        let mut link = link.without_validation();
        (self.is_challenging, self.back_at) = (false, Instant::now());
        self.asked.clear();
        self.thoughts.clear();
        for game in welcome["games"].as_array().expect("a welcome has games") {
            self.begin(text(&game["game"]));
        }
        let stop = self.shared.stop.clone();
        loop {
            self.challenge(&mut link).await?;
            let next = self.thoughts.values().map(|thought| thought.ends).min();
            tokio::select! {
                frame = link.next() => self.receive(&mut link, &frame?).await?,
                () = reached(next) => self.play(&mut link).await?,
                () = stop.cancelled() => return Ok(()),
            }
        }
    }

    /// Starts a game if there are too few.
    async fn challenge(&mut self, link: &mut Connection) -> Result<(), Disconnected> {
        if self.games.len() >= self.starts || self.is_challenging {
            return Ok(());
        }
        self.is_challenging = true;
        let (rules, options) = BOARDS.choose(&mut self.rng).expect("there are boards");
        let challenge = json!({
            "type": "challenge", "id": "challenge", "rules": rules, "options": options,
            "seats": [self.name, self.opponent],
            "clock": {"mode": "per_move", "move_ms": MOVE_MS},
        });
        link.send(&challenge.to_string()).await
    }

    async fn receive(&mut self, link: &mut Connection, frame: &str) -> Result<(), Disconnected> {
        let frame: Value = serde_json::from_str(frame).expect("frames are JSON");
        match text(&frame["type"]) {
            "event" => self.on_event(&frame),
            "your_turn" => self.think(&frame),
            "ok" => self.on_ok(&frame),
            "error" => self.on_error(&frame),
            "challenged" if frame["by"] != self.name.as_str() => {
                let challenge = &frame["challenge"];
                let accept = json!({"type": "accept", "id": "accept", "challenge": challenge});
                link.send(&accept.to_string()).await?;
            }
            "challenge_closed" => {
                self.is_challenging = false;
                if let Some(game) = frame["game"].as_str() {
                    self.begin(game);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, game: &str) {
        if self.games.contains_key(game) {
            return;
        }
        self.games.insert(game.to_owned(), Value::Null);
        if self.starts > 0 {
            self.shared.live.send_modify(|live| *live += 1);
        }
    }

    fn on_event(&mut self, frame: &Value) {
        let (game, kind) = (text(&frame["game"]), text(&frame["kind"]));
        match kind {
            "created" => self.begin(game),
            "moved" if frame["seat"] == self.seat() => self.turns.answered(game),
            "ended" | "aborted" => return self.on_end(game, frame),
            _ => {}
        }
        if let Some(last) = self.games.get_mut(game) {
            *last = json!({"seq": frame["seq"], "chain": frame["chain"]});
        }
    }

    fn on_end(&mut self, game: &str, frame: &Value) {
        let reason = text(&frame["reason"]);
        self.thoughts.remove(game);
        if self.games.remove(game).is_none() {
            return;
        }
        if self.starts > 0 {
            self.shared.live.send_modify(|live| *live -= 1);
            *self.seen.ends.entry(reason.to_owned()).or_default() += 1;
        }
        if reason == "timed_out" && frame["by"] == self.seat() {
            let at = frame["at"].as_u64().expect("an event has a time");
            self.seen.losses.push(self.turns.lost(game, at));
        }
    }

    /// The player who starts a game has its first seat.
    fn seat(&self) -> u8 {
        u8::from(self.starts == 0)
    }

    /// Chooses a move, and when to make it.
    fn think(&mut self, frame: &Value) {
        let game = text(&frame["game"]);
        let number = |field: &str| frame[field].as_u64().expect("a turn by the clock has it");
        let (turn, deadline) = (number("turn"), number("deadline"));
        self.begin(game);
        let is_open = self.turns.told(game, turn, deadline);
        let is_asked = self.asked.values().any(|(of, asked)| of == game && *asked == turn);
        if !is_open || is_asked || self.thoughts.get(game).is_some_and(|it| it.turn == turn) {
            return;
        }
        let legal = frame["legal"].as_array().expect("the client asks for legal moves");
        let notation = text(legal.choose(&mut self.rng).expect("there is a move")).to_owned();
        let is_back = self.back_at.elapsed() < Duration::from_secs(1);
        let most = match self.rng.random_range(0..10) {
            _ if is_back => THINKS_BACK_MS,
            0 => THINKS_LONG_MS,
            _ => THINKS_MS,
        };
        let ends = Instant::now() + Duration::from_millis(self.rng.random_range(0..most));
        self.thoughts.insert(game.to_owned(), Thought { ends, turn, notation });
    }

    /// Makes the moves whose time has come.
    async fn play(&mut self, link: &mut Connection) -> Result<(), Disconnected> {
        let now = Instant::now();
        let ready = self.thoughts.extract_if(.., |_, thought| thought.ends <= now);
        for (game, Thought { turn, notation, .. }) in ready.collect::<Vec<_>>() {
            self.last_id += 1;
            let id = format!("{}:{}", self.name, self.last_id);
            let play =
                json!({"type": "move", "id": id, "game": game, "turn": turn, "move": notation});
            link.send(&play.to_string()).await?;
            self.turns.wrote(&game, turn, now_ms());
            self.asked.insert(id, (game, turn));
        }
        Ok(())
    }

    fn on_ok(&mut self, frame: &Value) {
        if let Some((game, _)) = self.asked.remove(text(&frame["re"])) {
            self.turns.answered(&game);
            self.shared.acked.send_modify(|acked| *acked += 1);
        }
    }

    fn on_error(&mut self, frame: &Value) {
        let is_expected = EXPECTED_ERRORS.contains(&text(&frame["code"]))
            || frame["limit"] == "challenges_per_pair"
            || frame["re"] == "accept";
        assert!(is_expected, "{}: {frame}", self.name);
        self.asked.remove(text(&frame["re"]));
    }
}

fn copied((game, last): (&String, &Value)) -> (String, Value) {
    (game.clone(), last.clone())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

async fn reached(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// The last turn in a game of which the client was told. Times are in epoch milliseconds.
#[derive(Debug, Clone)]
struct Turn {
    number: u64,
    /// The deadline in the last `your_turn`.
    deadline: u64,
    /// When the client last wrote its move to the socket.
    written_at: Option<u64>,
    /// Whether it wrote the move before the deadline that it knew.
    is_in_time: bool,
    /// Whether the server has acknowledged or shown the move.
    is_answered: bool,
}

/// A game lost on time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Loss {
    pub(super) game: String,
    pub(super) at: u64,
    /// Whether the move was written to the socket before the deadline of the turn.
    pub(super) is_in_time: bool,
    /// The rest of what the client knows, for people.
    known: String,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Turns(BTreeMap<String, Turn>);

impl Turns {
    /// Notes a `your_turn`. Returns whether the turn is still to be answered.
    pub(super) fn told(&mut self, game: &str, turn: u64, deadline: u64) -> bool {
        let new = Turn {
            number: turn,
            deadline,
            written_at: None,
            is_in_time: false,
            is_answered: false,
        };
        let known = self.0.entry(game.to_owned()).or_insert_with(|| new.clone());
        if known.number < turn {
            *known = new;
        }
        known.deadline = deadline;
        !known.is_answered && known.number == turn
    }

    /// Notes that the move of a turn was written to the socket.
    fn wrote(&mut self, game: &str, turn: u64, now: u64) {
        if let Some(known) = self.0.get_mut(game).filter(|known| known.number == turn) {
            known.written_at = Some(now);
            known.is_in_time |= now < known.deadline;
        }
    }

    /// Notes that the server has the move of the last turn.
    fn answered(&mut self, game: &str) {
        if let Some(known) = self.0.get_mut(game) {
            known.is_answered = true;
        }
    }

    /// Judges a game that the client has lost on time.
    pub(super) fn lost(&self, game: &str, at: u64) -> Loss {
        let last = self.0.get(game).filter(|turn| !turn.is_answered);
        Loss {
            game: game.to_owned(),
            at,
            is_in_time: last.is_some_and(|turn| turn.is_in_time),
            known: last.map_or("never told of the turn".to_owned(), |turn| format!("{turn:?}")),
        }
    }
}

#[test]
fn a_move_that_was_written_in_time_is_found_if_the_game_is_lost_all_the_same() {
    let mut turns = Turns::default();
    let is_found = |turns: &Turns| turns.lost("g", 4_100).is_in_time;
    assert!(turns.told("g", 2, 4_000));
    assert!(!is_found(&turns), "no move was written");
    turns.wrote("g", 2, 4_000);
    assert!(!is_found(&turns), "the move is late");
    assert!(turns.told("g", 2, 5_000), "the server has credited a second");
    turns.wrote("g", 2, 4_999);
    assert!(is_found(&turns));
    turns.answered("g");
    assert!(!is_found(&turns), "a later turn was lost, of which the client knows nothing");
    assert!(!turns.told("g", 2, 5_000), "the turn is over");
    assert!(turns.told("g", 4, 9_000));
    assert!(!is_found(&turns));
}
