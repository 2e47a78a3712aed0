//! A player who survives the server: plays random moves in many games at once, comes back after
//! every crash with its cursors, and sends again what was not answered.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
};

use adamant_bot::Level;
use adamant_record::Replay;
use adamant_rules::{Seat, Table};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng, seq::IndexedRandom as _};
use serde_json::{Value, json};
use tokio::{sync::watch, task::JoinSet};
use tokio_util::sync::CancellationToken;

use super::{
    checker::{Ack, Shown, Witness},
    link::{Link, Lost},
};
use crate::harness::{Variant, with};

/// Games that each player begins and keeps going.
const OWN_GAMES: usize = 3;

/// Errors that a player can run into without anybody being wrong: another player, or the player's
/// own request before the crash, was faster.
const FAIR_REFUSALS: [&str; 6] =
    ["stale_turn", "not_your_turn", "game_over", "no_such_offer", "forbidden", "not_found"];

/// What all players share.
#[derive(Debug, Clone)]
pub(crate) struct World {
    /// Where the server is now.
    pub(crate) address: watch::Receiver<SocketAddr>,
    /// How many requests have been acknowledged.
    pub(crate) acked: watch::Sender<u64>,
    /// Asks: begin nothing more, and come home once everything is answered.
    pub(crate) stop: CancellationToken,
    /// Everybody's name.
    pub(crate) names: Vec<String>,
    /// What is played.
    pub(crate) variants: Vec<Variant>,
}

/// What a player waits for in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waiting {
    /// Nothing.
    No,
    /// The answer to an act.
    Answer,
    /// The event that the answer has announced.
    Event(u64),
}

/// A game as the player knows it.
struct Game {
    replay: Replay,
    waiting: Waiting,
    /// As of which event the player has last thought about what to do.
    considered: u64,
    /// Whether the events from the first on have been asked for, so that later ones may overtake.
    replaying: bool,
}

impl Game {
    fn new() -> Self {
        Self { replay: Replay::new(), waiting: Waiting::No, considered: 0, replaying: false }
    }

    fn is_over(&self) -> bool {
        self.replay.table().is_some_and(|table| table.outcome().is_some())
    }
}

/// A request that was sent.
struct Asked {
    game: String,
    frame: String,
}

pub(crate) struct Player {
    name: String,
    token: Value,
    world: World,
    rng: SmallRng,
    games: BTreeMap<String, Game>,
    asked: BTreeMap<String, Asked>,
    unanswered: BTreeSet<String>,
    last_id: u64,
    /// Whether a challenge of one's own has been sent that nobody has closed yet.
    is_challenging: bool,
    pub(crate) resent: u64,
    pub(crate) done_before: u64,
    pub(crate) witness: Witness,
}

impl World {
    /// A world of so many players, none of whom is there yet.
    pub(crate) fn new(players: usize, address: watch::Receiver<SocketAddr>) -> Self {
        Self {
            address,
            acked: watch::Sender::new(0),
            stop: CancellationToken::new(),
            names: (0..players).map(|number| format!("player{number}")).collect(),
            variants: Variant::all(),
        }
    }

    /// Everybody makes an account, and plays.
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
    /// Makes an account.
    pub(crate) async fn join(name: &str, world: World, rng: SmallRng) -> Self {
        let address = *world.address.borrow();
        let (mut link, _) = Link::open(address, None, &json!({})).await.expect("the server runs");
        let signup =
            json!({"type": "signup", "id": "account", "user": name, "password": "open sesame"});
        link.send(&signup.to_string()).await.expect("the server runs");
        let made: Value = serde_json::from_str(&link.next().await.expect("a reply")).unwrap();
        assert_eq!(made["type"], "ok", "{made}");
        Self {
            name: name.to_owned(),
            token: json!({"token": made["token"]}),
            world,
            rng,
            games: BTreeMap::new(),
            asked: BTreeMap::new(),
            unanswered: BTreeSet::new(),
            last_id: 0,
            is_challenging: false,
            resent: 0,
            done_before: 0,
            witness: Witness::default(),
        }
    }

    /// Plays until asked to stop, whatever happens to the server meanwhile.
    pub(crate) async fn run(mut self) -> Self {
        let mut address = self.world.address.clone();
        loop {
            let here = *address.borrow_and_update();
            if self.session(here).await.is_ok() {
                return self;
            }
            address.changed().await.expect("the test lives longer than its players");
        }
    }

    /// One connection, until it breaks or there is nothing left to do.
    async fn session(&mut self, address: SocketAddr) -> Result<(), Lost> {
        let stop = self.world.stop.clone();
        let (mut link, welcome) = Link::open(address, Some(&self.token), &self.cursors()).await?;
        self.is_challenging = false;
        self.resume(&mut link, &welcome).await?;
        loop {
            if stop.is_cancelled() {
                if self.unanswered.is_empty() {
                    return Ok(());
                }
            } else {
                self.act(&mut link).await?;
            }
            tokio::select! {
                frame = link.next() => self.hear(&mut link, frame?).await?,
                () = stop.cancelled(), if !stop.is_cancelled() => {}
            }
        }
    }

    fn cursors(&self) -> Value {
        let live = self.games.iter().filter(|(_, game)| !game.is_over() && game.replay.seq() > 0);
        let cursor = |game: &Game| json!({"seq": game.replay.seq(), "chain": game.replay.chain().to_string()});
        live.map(|(id, game)| (id.clone(), cursor(game))).collect::<serde_json::Map<_, _>>().into()
    }

    /// The server must know every event that it has shown; then what was not answered goes out
    /// again.
    async fn resume(&mut self, link: &mut Link, welcome: &Value) -> Result<(), Lost> {
        for told in welcome["games"].as_array().unwrap() {
            let id = told["game"].as_str().unwrap().to_owned();
            let game = self.games.entry(id.clone()).or_insert_with(Game::new);
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

    async fn hear(&mut self, link: &mut Link, text: String) -> Result<(), Lost> {
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
        let game = self.games.entry(id.clone()).or_insert_with(Game::new);
        let next = game.replay.seq() + 1;
        if seq == next {
            game.replay.push(text.as_bytes()).unwrap();
            if matches!(game.waiting, Waiting::Event(until) if until <= seq) {
                game.waiting = Waiting::No;
            }
        } else {
            assert!(seq < next || game.replaying, "{next} was missed: {text}");
        }
        self.witness.games.insert(id.clone());
        self.witness.shown.push(Shown { game: id, seq, text });
    }

    fn on_ok(&mut self, frame: &Value) {
        let re = frame["re"].as_str().unwrap();
        let Some(asked) = self.asked.get(re) else {
            // Such as to an accepted challenge: the game that it names is to last from now on.
            self.witness.games.extend(frame["game"].as_str().map(str::to_owned));
            return;
        };
        let seq = frame["seq"].as_u64().unwrap();
        self.done_before += u64::from(frame["dup"] == true);
        self.witness.acks.push(Ack {
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
            self.world.acked.send_modify(|acked| *acked += 1);
        }
    }

    fn on_error(&mut self, frame: &Value) {
        let code = frame["code"].as_str().unwrap();
        assert!(FAIR_REFUSALS.contains(&code), "{}: {frame}", self.name);
        let re = frame["re"].as_str().unwrap();
        let Some(asked) = self.asked.get(re) else { return };
        self.witness.refused.insert(re.to_owned());
        if self.unanswered.remove(re) {
            let game = self.games.get_mut(&asked.game).expect("it was played in");
            game.waiting = Waiting::No;
            game.considered = 0;
        }
    }

    /// Does whatever there is to do in any game, and sees to it that there are games.
    async fn act(&mut self, link: &mut Link) -> Result<(), Lost> {
        let ids: Vec<String> = self.games.keys().cloned().collect();
        for id in ids {
            if let Some(act) = self.consider(&id) {
                self.ask(link, &id, act).await?;
            }
        }
        let own = self.games.values().filter(|game| !game.is_over() && self.began(game)).count();
        if own < OWN_GAMES && !self.is_challenging {
            self.is_challenging = true;
            self.challenge(link).await?;
        }
        Ok(())
    }

    fn began(&self, game: &Game) -> bool {
        // As agreed: whoever has changed seats since is the one who began it all the same.
        let setup = game.replay.table().map(Table::setup);
        setup.is_some_and(|setup| *setup.seats[Seat::FIRST].user == *self.name)
    }

    async fn challenge(&mut self, link: &mut Link) -> Result<(), Lost> {
        let others: Vec<&String> =
            self.world.names.iter().filter(|name| **name != self.name).collect();
        let variant = self.world.variants.choose(&mut self.rng).expect("there are games");
        let mut seats = vec![&self.name];
        seats.extend(others.sample(&mut self.rng, variant.players - 1));
        let rated = self.rng.random_ratio(3, 4);
        let challenge =
            json!({"type": "challenge", "id": "challenge", "seats": seats, "rated": rated});
        link.send(&with(challenge, variant.terms()).to_string()).await
    }

    /// What the player would like to do in a game now, without its id.
    fn consider(&mut self, id: &str) -> Option<Value> {
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
                let play = adamant_bot::choose(table.position(), Level::Random, &mut self.rng)?;
                Some(json!({"type": "move", "turn": table.turn(), "move": play.to_string()}))
            }
        }
    }

    async fn ask(&mut self, link: &mut Link, game: &str, mut act: Value) -> Result<(), Lost> {
        self.last_id += 1;
        let id = format!("{}:{}", self.name, self.last_id);
        act["id"] = json!(id);
        act["game"] = json!(game);
        let frame = act.to_string();
        // Now and then a move is sent twice, as an impatient client would.
        let twice = act["type"] == "move" && self.rng.random_ratio(1, 20);
        self.asked.insert(id.clone(), Asked { game: game.to_owned(), frame: frame.clone() });
        self.unanswered.insert(id);
        self.games.get_mut(game).expect("it is played in").waiting = Waiting::Answer;
        link.send(&frame).await?;
        if twice {
            link.send(&frame).await?;
        }
        Ok(())
    }
}
