//! What the clients do: random actions, based on what they and the disk know.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use adamant_rules::{Seat, Table};
use adamant_server::simulation::SimulatedServer;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use serde_json::{Value, json};

use super::{
    accounts::LogIn,
    clients::{SimUser, is_idempotent},
    history::Fault,
    network::Link,
    oracle::Oracle,
};

/// The users: players and spectators.
const NAMES: [&str; 5] = ["ann", "bob", "cyd", "dee", "eve"];

/// The server's own bots that the users play with. The third one searches, which takes long.
const HOUSE: [&str; 2] = ["house-easy", "house"];

/// The most live games at once.
const LIVE_MAX: usize = 5;

/// Every game, small enough to come to an end.
const GAMES: [(&str, usize, &str); 6] = [
    ("adamas", 2, "-size=2 -pieces=3"),
    ("adamas", 3, "-size=3 -pieces=3"),
    ("hexma", 2, ""),
    ("hexma", 3, ""),
    ("stymie", 2, "-size=3 -swap"),
    ("diam", 2, "-board=8x3 -pieces=2x3"),
];

/// All clients.
pub(super) struct Workload {
    pub(super) chance: StdRng,
    pub(super) oracle: Arc<Mutex<Oracle>>,
    fault: Fault,
    pub(super) links: Vec<Link>,
    /// The latency of each user.
    latency: Vec<Duration>,
    last_id: u64,
}

impl Workload {
    pub(super) fn new(seed: u64, oracle: Arc<Mutex<Oracle>>, fault: Fault) -> Self {
        let mut chance = StdRng::seed_from_u64(seed);
        let mut latency = Vec::new();
        for name in NAMES {
            oracle
                .lock()
                .unwrap()
                .users
                .push(SimUser { name: name.to_owned(), ..SimUser::default() });
            let ms = [0, 0, 5, 60, 700][chance.random_range(0..5)];
            latency.push(Duration::from_millis(ms));
        }
        Self { chance, oracle, fault, links: Vec::new(), latency, last_id: 0 }
    }

    /// One client does one thing.
    pub(super) fn step(&mut self, servers: &[SimulatedServer]) {
        self.forget_lost();
        let user = self.chance.random_range(0..NAMES.len());
        let mine: Vec<usize> =
            (0..self.links.len()).filter(|&link| self.links[link].user == user).collect();
        let Some(&link) = self.pick(&mine) else {
            self.connect(servers, user, false, false);
            return;
        };
        if self.links[link].stalled {
            match self.chance.random_range(0..4) {
                0 => self.links[link].stall(false),
                1 => self.cut(link),
                _ => {}
            }
            return;
        }
        match self.chance.random_range(0..100) {
            0..3 => self.cut(link),
            3 => {
                self.links[link].stall(true);
                let number = self.links[link].number;
                self.oracle.lock().unwrap().links[number].was_stalled = true;
            }
            4..6 if mine.len() < 3 => self.connect(servers, user, false, false),
            6..9 => self.repeat_over(link),
            9..11 => self.change_account(link),
            11..20 => self.find_game(link),
            20..32 => self.accept(link),
            32..40 => self.spectate(link),
            _ => self.act(link),
        }
    }

    /// Reconnects every user over one connection each; with `anew` they resume without cursors.
    pub(super) fn reconnect_all(&mut self, servers: &[SimulatedServer], anew: bool) {
        self.disconnect();
        for user in 0..NAMES.len() {
            self.connect(servers, user, anew, true);
        }
    }

    /// Reconnects the users whose log-in was refused, since a sign-up had ended their token.
    pub(super) fn reconnect_refused(&mut self, servers: &[SimulatedServer], anew: bool) {
        self.forget_lost();
        for user in 0..NAMES.len() {
            if self.links.iter().all(|link| link.user != user) {
                self.connect(servers, user, anew, true);
            }
        }
    }

    /// Repeats every unanswered request.
    pub(super) fn repeat_all(&mut self) {
        for link in 0..self.links.len() {
            self.repeat_over(link);
        }
    }

    /// Loses all connections.
    pub(super) fn disconnect(&mut self) {
        while !self.links.is_empty() {
            self.cut(0);
        }
    }

    /// Cuts a connection without a close frame.
    fn cut(&mut self, link: usize) {
        let link = self.links.swap_remove(link);
        self.oracle.lock().unwrap().lose(link.number);
    }

    /// Loses all connections to a node.
    pub(super) fn cut_node(&mut self, node: usize) {
        while let Some(link) = self.links.iter().position(|link| link.node == node) {
            self.cut(link);
        }
    }

    fn forget_lost(&mut self) {
        let oracle = self.oracle.lock().unwrap();
        self.links.retain(|link| oracle.links[link.number].open);
    }

    fn pick<'a, T>(&mut self, among: &'a [T]) -> Option<&'a T> {
        if among.is_empty() {
            return None;
        }
        among.get(self.chance.random_range(0..among.len()))
    }

    fn id(&mut self) -> String {
        self.last_id += 1;
        format!("r{}", self.last_id)
    }

    fn connect(
        &mut self,
        servers: &[SimulatedServer],
        user: usize,
        anew: bool,
        must_succeed: bool,
    ) {
        // A server that is alone leaves the chances as they are.
        let alone = servers.len() == 1;
        let node = if alone { 0 } else { self.chance.random_range(0..servers.len()) };
        let pipe_bytes = [1_024, 8 * 1_024, 64 * 1_024][self.chance.random_range(0..3)];
        let resumes = anew || self.chance.random_bool(0.8);
        let log_in = self.choose_log_in(user, must_succeed);
        let auth = self.auth(user, &log_in);
        let id = self.id();
        let mut oracle = self.oracle.lock().unwrap();
        let mut cursors = BTreeMap::new();
        let mut resume = json!({});
        if resumes {
            let known: Vec<String> = if anew {
                oracle.journal.order.clone()
            } else {
                oracle.users[user].known.keys().cloned().collect()
            };
            for game in known {
                let seq = if anew { 0 } else { oracle.users[user].known[&game] };
                let record = oracle.journal.games.get(&game).and_then(|game| game.at(seq));
                let chain = record.map(|(_, frame)| frame["chain"].clone());
                resume[&game] = match chain {
                    Some(chain) => json!({"seq": seq, "chain": chain}),
                    None => json!({"seq": seq}),
                };
                cursors.insert(game, seq);
            }
        }
        let number = oracle.connect(user, log_in, cursors);
        drop(oracle);
        let stream = servers[node].connect(pipe_bytes);
        let link =
            Link::new((number, user, node), stream, self.latency[user], Arc::clone(&self.oracle));
        self.links.push(link);
        let hello =
            json!({"type": "hello", "id": id, "proto": [1], "auth": auth, "resume": resume});
        self.send(self.links.len() - 1, hello);
        self.repeat_over(self.links.len() - 1);
    }

    /// Sends a request, sometimes twice, and the second time sometimes over another connection.
    fn send(&mut self, link: usize, frame: Value) {
        let number = self.links[link].number;
        let again = {
            let mut oracle = self.oracle.lock().unwrap();
            oracle.ask(number, &frame);
            let id = frame["id"].as_str().unwrap_or_default();
            oracle.users[self.links[link].user].requests[id].sends > 1
        };
        let mut sent = frame.clone();
        if again && self.fault == Fault::ForgottenRequests {
            let id = format!("{}~{}", frame["id"].as_str().unwrap_or_default(), self.id());
            sent["id"] = json!(id);
        }
        self.links[link].send(sent.to_string());
        if is_idempotent(&frame) && self.chance.random_bool(0.08) {
            let user = self.links[link].user;
            let mine: Vec<usize> =
                (0..self.links.len()).filter(|&link| self.links[link].user == user).collect();
            let other = *self.pick(&mine).expect("this one is there");
            self.send(other, frame);
        }
    }

    fn repeat_over(&mut self, link: usize) {
        let waiting = self.oracle.lock().unwrap().unanswered(self.links[link].user);
        for frame in waiting {
            self.send(link, frame);
        }
    }

    pub(super) fn request(&mut self, link: usize, mut frame: Value) {
        frame["id"] = json!(self.id());
        self.send(link, frame);
    }

    fn me(&self, link: usize) -> String {
        self.oracle.lock().unwrap().users[self.links[link].user].name.clone()
    }

    fn clock(&mut self) -> Value {
        match self.chance.random_range(0..6) {
            0 => json!({"mode": "none"}),
            1 => json!({"mode": "per_move", "move_ms": self.chance.random_range(1_000..40_000)}),
            2 => json!({"mode": "byoyomi", "base_ms": self.chance.random_range(0..8_000),
                "periods": self.chance.random_range(1..4),
                "period_ms": self.chance.random_range(1_000..6_000)}),
            3 => json!({"mode": "days", "per_move_days": 1}),
            _ => json!({"mode": "fischer", "base_ms": self.chance.random_range(1_000..90_000),
                "inc_ms": self.chance.random_range(0..5_000)}),
        }
    }

    fn find_game(&mut self, link: usize) {
        let me = self.me(link);
        let (over, names) = {
            let oracle = self.oracle.lock().unwrap();
            let journal = &oracle.journal;
            if journal.live().len() >= LIVE_MAX {
                return;
            }
            let live = journal.live();
            let over = journal
                .order
                .iter()
                .filter(|game| !live.contains(game) && journal.plays(game, &me));
            let names = oracle.users.iter().map(|user| user.name.clone());
            let names: Vec<String> = names.chain(HOUSE.map(str::to_owned)).collect();
            (over.cloned().collect::<Vec<_>>(), names)
        };
        if self.chance.random_bool(0.2)
            && let Some(game) = self.pick(&over).cloned()
        {
            self.request(link, json!({"type": "rematch", "game": game}));
            return;
        }
        let (rules, players, options) = GAMES[self.chance.random_range(0..GAMES.len())];
        let delay = [0, 0, 0, 1, 3][self.chance.random_range(0..5)];
        let clock = self.clock();
        let rated = self.chance.random_bool(0.4);
        let terms = json!({
            "rules": rules, "options": options, "clock": clock, "delay": delay, "rated": rated,
            "unlisted": self.chance.random_bool(0.1),
        });
        let is_slow = ["none", "days"].iter().any(|mode| terms["clock"]["mode"] == *mode);
        let (first, kind) = if self.chance.random_bool(0.2) {
            let lasting = is_slow && self.chance.random_bool(0.5);
            (json!({"players": players, "lasting": lasting}), "seek")
        } else if self.chance.random_bool(0.15) {
            (json!({"players": players}), "invite")
        } else {
            let mut seats = vec![me];
            while seats.len() < players {
                let other = names[self.chance.random_range(0..names.len())].clone();
                if !seats.contains(&other) {
                    seats.push(other);
                }
            }
            (json!({"seats": seats, "shuffle": self.chance.random_bool(0.3)}), "challenge")
        };
        let mut request = crate::harness::with(terms, first);
        request["type"] = json!(kind);
        self.request(link, request);
    }

    /// Answers a challenge, or accepts an invite, perhaps one that is taken.
    fn accept(&mut self, link: usize) {
        let user = self.links[link].user;
        let invites: Vec<String> = self.oracle.lock().unwrap().invites.keys().cloned().collect();
        let newest = &invites[invites.len().saturating_sub(3)..];
        if self.chance.random_bool(0.15)
            && let Some(invite) = self.pick(newest).cloned()
        {
            let kind =
                ["accept", "accept", "invite_info", "cancel"][self.chance.random_range(0..4)];
            self.request(link, json!({"type": kind, "invite": invite}));
            return;
        }
        let open = self.oracle.lock().unwrap().users[user].challenges.clone();
        let Some(challenge) = self.pick(&open).cloned() else {
            self.act(link);
            return;
        };
        let kind = if self.chance.random_bool(0.9) { "accept" } else { "decline" };
        self.request(link, json!({"type": kind, "challenge": challenge}));
    }

    /// Watches, unwatches or reads a game.
    fn spectate(&mut self, link: usize) {
        let games = self.oracle.lock().unwrap().journal.order.clone();
        let recent = &games[games.len().saturating_sub(6)..];
        let Some(game) = self.pick(recent).cloned() else { return };
        let request = match self.chance.random_range(0..9) {
            0..3 => json!({"type": "watch", "game": game}),
            3..5 => json!({"type": "watch", "game": game, "from": 1}),
            5 => json!({"type": "unwatch", "game": game}),
            6 => json!({"type": "hints", "game": game, "sketch": {}}),
            7 => json!({"type": "games"}),
            _ => json!({"type": "live"}),
        };
        if request["type"] == "hints" && self.is_over(&game) {
            return;
        }
        self.request(link, request);
    }

    fn is_over(&self, game: &str) -> bool {
        let oracle = self.oracle.lock().unwrap();
        oracle.journal.table(game).is_none_or(|table| table.outcome().is_some())
    }

    /// Acts in a game: mostly a move by the player to move.
    fn act(&mut self, link: usize) {
        let me = self.me(link);
        let oracle = Arc::clone(&self.oracle);
        let oracle = oracle.lock().unwrap();
        let live = oracle.journal.live();
        let mine: Vec<&String> =
            live.iter().filter(|game| oracle.journal.plays(game, &me)).collect();
        let due: Vec<&String> = mine
            .iter()
            .copied()
            .filter(|game| {
                let table = oracle.journal.table(game).expect("a live game");
                table.to_move() == table.seat_of(&me)
            })
            .collect();
        let moves = self.chance.random_bool(0.7);
        let among = if moves && !due.is_empty() { &due } else { &mine };
        let Some(&game) = self.pick(among) else { return };
        let table = oracle.journal.table(game).expect("a live game").clone();
        let game = game.clone();
        drop(oracle);
        let request = if moves { self.play(&table) } else { self.offer_or_answer(&table, &me) };
        let Some(request) = request else { return };
        self.request(link, crate::harness::with(request, json!({"game": game})));
    }

    fn play(&mut self, table: &Table) -> Option<Value> {
        let chance = &mut self.chance;
        let moves = table.position().sample_moves(2, &mut |below| chance.random_range(0..below));
        let notation = moves.first()?.to_string();
        let late = self.chance.random_bool(0.05);
        let turn = if late { table.turn().saturating_sub(1) } else { table.turn() };
        let wrong = self.chance.random_bool(0.03);
        let notation = if wrong { "a1-a1".to_owned() } else { notation };
        Some(json!({"type": "move", "turn": turn, "move": notation}))
    }

    fn offer_or_answer(&mut self, table: &Table, me: &str) -> Option<Value> {
        let seat: Seat = table.seat_of(me)?;
        let offers: Vec<(String, bool)> = table
            .offers()
            .iter()
            .map(|open| (format!("o_{}", open.offer.0), open.by == seat))
            .collect();
        if let Some((offer, own)) = self.pick(&offers).cloned()
            && self.chance.random_bool(0.7)
        {
            if own {
                return Some(json!({"type": "withdraw", "offer": offer}));
            }
            let accept = self.chance.random_bool(0.6);
            return Some(json!({"type": "answer", "offer": offer, "accept": accept}));
        }
        Some(match self.chance.random_range(0..100) {
            0..40 => json!({"type": "offer", "what": "takeback"}),
            40..50 => json!({"type": "offer", "what": "draw"}),
            50..54 => json!({"type": "offer", "what": "abort"}),
            54..60 => json!({"type": "resign"}),
            60..63 => json!({"type": "abort"}),
            63..80 => json!({"type": "claim", "what": "abandoned"}),
            _ => json!({"type": "say", "room": "players", "text": "well, well"}),
        })
    }
}

/// The values of the setting for who may challenge a user.
const WHO: [&str; 5] = ["all", "all", "all", "accounts", "none"];

impl Workload {
    /// How a user logs in: mostly with the latest token, and always if it must succeed.
    fn choose_log_in(&mut self, user: usize, must_succeed: bool) -> LogIn {
        let other = if must_succeed { 9 } else { self.chance.random_range(0..10) };
        let oracle = self.oracle.lock().unwrap();
        let (user, account) = (&oracle.users[user], &oracle.users[user].account);
        let with = |secret: &str| {
            let has_ended = account.ended.contains(secret);
            LogIn::Token { secret: secret.to_owned(), has_ended }
        };
        match (&user.token, other) {
            (Some(_), 0) if account.exists => LogIn::Password { is_right: true },
            (Some(_), 1) if account.exists => LogIn::Password { is_right: false },
            (Some(_), 2) if !account.spare.is_empty() => with(&account.spare[0].0),
            (Some(_), 3) if !account.ended.is_empty() => {
                with(account.ended.last().expect("it is not empty"))
            }
            (Some(token), _) => with(token),
            (None, _) if account.password.is_some() => LogIn::Password { is_right: true },
            (None, _) => LogIn::Guest,
        }
    }

    fn auth(&self, user: usize, log_in: &LogIn) -> Value {
        let oracle = self.oracle.lock().unwrap();
        let user = &oracle.users[user];
        match log_in {
            LogIn::Guest => json!({"guest": user.name}),
            LogIn::Token { secret, .. } => json!({"token": secret}),
            LogIn::Password { is_right } => {
                let right = user.account.password.as_deref().unwrap_or_default();
                let password = if *is_right { right } else { "not the password" };
                json!({"user": user.name, "password": password})
            }
        }
    }

    /// Signs up, creates, lists or revokes a token, blocks a user, or changes the settings.
    fn change_account(&mut self, link: usize) {
        let what = self.chance.random_range(0..12);
        let other = self.chance.random_range(0..NAMES.len());
        let request = {
            let oracle = self.oracle.lock().unwrap();
            if !oracle.links[self.links[link].number].welcomed {
                return;
            }
            let user = &oracle.users[self.links[link].user];
            let account = &user.account;
            match (what, account.spare.first()) {
                // Often, because only games between accounts are rated.
                (0 | 8.., _) if account.password.is_none() => {
                    let password = format!("the password of {}", user.name);
                    json!({"type": "signup", "user": user.name, "password": password})
                }
                (1, _) if account.spare.len() < 3 => {
                    json!({"type": "token_create", "label": "spare"})
                }
                (2, Some((_, id))) => json!({"type": "token_revoke", "token": id}),
                (3, _) => json!({"type": "block", "user": NAMES[other]}),
                (4, _) => json!({"type": "unblock", "user": NAMES[other]}),
                (5, _) => json!({"type": "blocks"}),
                (6, _) => json!({"type": "settings_set", "challenges": WHO[other % WHO.len()]}),
                _ => json!({"type": "token_list"}),
            }
        };
        self.request(link, request);
    }
}
