//! A user with a session on each of two nodes, which act against each other. It survives every
//! fault: a session that is lost goes to another node, resumes with its cursors, and sends its
//! unanswered requests again.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use adamant_engine::choice::Level;
use adamant_rules::{Seat, Table};
use rand::{RngExt as _, rngs::SmallRng};
use serde_json::{Value, json};
use tokio::{
    sync::watch,
    time::{Instant, interval},
};
use tokio_util::sync::CancellationToken;

use super::{
    fault::Answer,
    hand::{HandOrder, Hands, Operation, Seen},
    sight::{Game, HANDS},
    stage::Address,
};
use crate::durability::crash::checker::{Ack, History, ReceivedEvent};

/// How often a rival looks at what waits for too long.
const TICK: Duration = Duration::from_millis(20);

/// How long a rival waits for both of its sessions to be at different nodes and to know a position
/// before it acts nevertheless.
const TOGETHER_MAX: Duration = Duration::from_millis(200);

/// Time before a request that the server was too busy for is sent again.
const AGAIN_AFTER: Duration = Duration::from_millis(50);

/// How long a rival waits for the game of a challenge before it makes another one.
const CHALLENGE_MAX: Duration = Duration::from_secs(5);

/// Errors that need no fault: another request came first.
const LATE: [&str; 6] =
    ["stale_turn", "not_your_turn", "game_over", "no_such_offer", "forbidden", "illegal_move"];

#[derive(Debug, Clone)]
pub(super) struct Shared {
    pub(super) addresses: Vec<Address>,
    /// The number of acknowledged requests.
    pub(super) acked: watch::Sender<u64>,
    /// Cancelled when rivals start nothing more and return once all requests are answered.
    pub(super) stop: CancellationToken,
}

struct Request {
    game: String,
    asked: Value,
    frame: String,
    invoked: Instant,
    known: u64,
    is_acked: bool,
    refusal: Option<String>,
}

/// What a rival has done and received.
pub(super) struct Record {
    pub(super) history: History,
    pub(super) operations: Vec<Operation>,
    /// The acknowledgements of each session.
    pub(super) answers: Vec<Vec<Answer>>,
    pub(super) complaints: Vec<String>,
    /// Requests that were sent again.
    pub(super) resent: u64,
    /// Requests that had been carried out before.
    pub(super) done_before: u64,
}

pub(super) struct Rival {
    name: String,
    /// The user that it challenges, and the number of their games.
    guest: Option<(String, usize)>,
    challenged_at: Option<Instant>,
    shared: Shared,
    rng: SmallRng,
    hands: Hands,
    sessions: [Session; HANDS],
    games: BTreeMap<String, Game>,
    requests: BTreeMap<String, Request>,
    last_id: u64,
    record: Record,
}

impl Rival {
    /// A user with this token, whose sessions belong to this node and the next.
    pub(super) fn new(
        name: &str,
        token: &Value,
        node: usize,
        guest: Option<(String, usize)>,
        shared: Shared,
        rng: SmallRng,
    ) -> Self {
        let nodes = shared.addresses.len();
        let session = |hand| Session::new((node + hand) % nodes);
        Self {
            name: name.to_owned(),
            guest,
            challenged_at: None,
            shared,
            rng,
            hands: Hands::start(HANDS, token),
            sessions: std::array::from_fn(session),
            games: BTreeMap::new(),
            requests: BTreeMap::new(),
            last_id: 0,
            record: Record {
                history: History::default(),
                operations: Vec::new(),
                answers: Vec::new(),
                complaints: Vec::new(),
                resent: 0,
                done_before: 0,
            },
        }
    }

    /// Plays until the stop, and until all requests are answered.
    pub(super) async fn run(mut self) -> Record {
        let mut tick = interval(TICK);
        loop {
            let is_stopping = self.shared.stop.is_cancelled();
            if is_stopping && self.sessions.iter().all(|session| session.unanswered.is_empty()) {
                self.record.answers =
                    self.sessions.into_iter().map(|session| session.answers).collect();
                return self.record;
            }
            let mut changed = BTreeSet::new();
            tokio::select! {
                (hand, seen) = self.hands.next() => changed.extend(self.see(hand, seen)),
                _ = tick.tick() => {
                    self.look_after_sessions();
                    changed.extend(self.games.keys().cloned());
                }
            }
            while let Some((hand, seen)) = self.hands.waiting() {
                changed.extend(self.see(hand, seen));
            }
            if !is_stopping {
                for game in &changed {
                    self.act(game);
                }
                self.challenge();
            }
        }
    }

    fn complain(&mut self, what: &str) {
        self.record.complaints.push(format!("{}: {what}", self.name));
    }

    /// Opens sessions that are lost, sends again what is due, and leaves nodes that do not answer.
    fn look_after_sessions(&mut self) {
        for hand in 0..HANDS {
            let session = &mut self.sessions[hand];
            match session.line {
                LineState::Down => self.open(hand),
                LineState::Open => {
                    if session.must_leave(&self.shared.addresses) {
                        session.line = LineState::Cut;
                        self.hands.order(hand, HandOrder::Cut);
                        continue;
                    }
                    for id in session.due() {
                        self.send(hand, &id);
                    }
                }
                LineState::Opening | LineState::Cut => {}
            }
        }
    }

    fn open(&mut self, hand: usize) {
        let addresses = &self.shared.addresses;
        let Some(node) = self.sessions[hand].choose_node(addresses) else { return };
        let Some(address) = *addresses[node].borrow() else { return };
        let cursors = self.games.iter().filter_map(|(id, game)| Some((id, game.cursor(hand)?)));
        let resume: serde_json::Map<String, Value> =
            cursors.map(|(id, cursor)| (id.clone(), cursor)).collect();
        let session = &mut self.sessions[hand];
        (session.node, session.line) = (node, LineState::Opening);
        self.hands.order(hand, HandOrder::Open { address, resume: resume.into() });
    }

    /// Takes what a session has seen. Returns the game that it is about.
    fn see(&mut self, hand: usize, seen: Seen) -> Option<String> {
        let session = &mut self.sessions[hand];
        match seen {
            Seen::Opened(welcome) => {
                session.line = LineState::Open;
                self.resume(hand, &welcome);
                None
            }
            Seen::Lost => {
                session.lose();
                self.games.values_mut().for_each(|game| game.views[hand].lose());
                self.open(hand);
                None
            }
            Seen::Frame(text) if session.is_open() => self.receive(hand, text),
            Seen::Frame(_) => None,
        }
    }

    /// The server must know every event that it has sent. Then unanswered requests are sent again.
    fn resume(&mut self, hand: usize, welcome: &Value) {
        for told in welcome["games"].as_array().unwrap() {
            let id = told["game"].as_str().unwrap().to_owned();
            let view = &mut self.games.entry(id.clone()).or_insert_with(Game::new).views[hand];
            if view.seq == 0 {
                view.replay_until = Some(u64::MAX);
                let watch =
                    json!({"type": "watch", "id": format!("w:{id}"), "game": id, "from": 1});
                self.hands.order(hand, HandOrder::Send(watch.to_string()));
                continue;
            }
            let next = view.seq + 1;
            if told["resume"] != "tail" || told["from"] != next {
                self.complain(&format!("had all before {next}, and resumes as {told}"));
            }
        }
        let unanswered: Vec<String> = self.sessions[hand].unanswered.keys().cloned().collect();
        for id in unanswered {
            self.record.resent += 1;
            self.send(hand, &id);
        }
    }

    fn receive(&mut self, hand: usize, text: String) -> Option<String> {
        let frame: Value = serde_json::from_str(&text).unwrap();
        match frame["type"].as_str().unwrap() {
            "event" => Some(self.on_event(hand, &frame, text)),
            "ok" => self.on_ok(hand, &frame),
            "error" => self.on_error(hand, &frame),
            "challenged" if frame["by"] != self.name.as_str() => {
                self.last_id += 1;
                let id = format!("accept:{}", self.last_id);
                let accept = json!({"type": "accept", "id": id, "challenge": frame["challenge"]});
                self.hands.order(hand, HandOrder::Send(accept.to_string()));
                None
            }
            "challenge_closed" => {
                self.challenged_at = None;
                None
            }
            _ => None,
        }
    }

    fn on_event(&mut self, hand: usize, frame: &Value, text: String) -> String {
        let id = frame["game"].as_str().unwrap().to_owned();
        let seq = frame["seq"].as_u64().unwrap();
        let game = self.games.entry(id.clone()).or_insert_with(Game::new);
        for wrong in game.receive(hand, seq, frame, &text) {
            self.complain(&format!("{id}: {wrong}"));
        }
        self.record.history.games.insert(id.clone());
        self.record.history.events.push(ReceivedEvent { game: id.clone(), seq, text });
        id
    }

    fn on_ok(&mut self, hand: usize, frame: &Value) -> Option<String> {
        let re = frame["re"].as_str().unwrap();
        if let Some(game) = re.strip_prefix("w:").and_then(|game| self.games.get_mut(game)) {
            game.views[hand].replay_until = frame["seq"].as_u64();
            return None;
        }
        let Some(request) = self.requests.get_mut(re) else {
            // The reply to an accepted challenge: from now on the game must exist.
            self.record.history.games.extend(frame["game"].as_str().map(str::to_owned));
            return None;
        };
        let contradiction =
            request.refusal.as_ref().map(|refusal| format!("{refusal}, then {frame}"));
        let now = Instant::now();
        let seq = frame["seq"].as_u64().unwrap();
        let id = request.game.clone();
        self.record.done_before += u64::from(frame["dup"] == true);
        self.record.history.acks.push(Ack {
            game: id.clone(),
            user: self.name.clone(),
            req: re.to_owned(),
            seq,
            asked: request.asked.clone(),
        });
        if !request.is_acked {
            request.is_acked = true;
            self.record.operations.push(Operation {
                game: id.clone(),
                req: re.to_owned(),
                seq,
                invoked: request.invoked,
                acknowledged: now,
                known: request.known,
            });
            self.shared.acked.send_modify(|acked| *acked += 1);
        }
        let game = self.games.get_mut(&id).expect("it is played in");
        game.awaited = game.awaited.max(seq);
        let node = self.sessions[hand].node;
        self.sessions[hand].answers.push(Answer { node, at: now });
        self.settle(hand, re);
        if let Some(contradiction) = contradiction {
            self.complain(&contradiction);
        }
        Some(id)
    }

    fn on_error(&mut self, hand: usize, frame: &Value) -> Option<String> {
        let re = frame["re"].as_str().unwrap_or_default();
        let request = self.requests.get_mut(re)?;
        let code = frame["code"].as_str().unwrap();
        if matches!(frame["retry"].as_str(), Some("after" | "same")) {
            if let Some(asked) = self.sessions[hand].unanswered.get_mut(re) {
                asked.again_at = Some(Instant::now() + AGAIN_AFTER);
            }
            return None;
        }
        let id = request.game.clone();
        let mut wrong = Vec::new();
        // An offer that one node refuses may be possible by the time that the other one decides.
        if request.asked["type"] == "move" {
            Arc::make_mut(&mut self.record.history.refused).insert(re.to_owned());
            wrong.extend(request.is_acked.then(|| format!("{re} was done, then {frame}")));
            request.refusal = Some(frame.to_string());
        }
        wrong.extend((!LATE.contains(&code)).then(|| frame.to_string()));
        for wrong in wrong {
            self.complain(&wrong);
        }
        self.settle(hand, re);
        Some(id)
    }

    fn settle(&mut self, hand: usize, re: &str) {
        if self.sessions[hand].unanswered.remove(re).is_some() {
            self.games.get_mut(&self.requests[re].game).expect("it is played in").settle();
        }
    }

    /// Acts in a game if that is due.
    fn act(&mut self, id: &str) {
        let Some(game) = self.games.get_mut(id) else { return };
        let Some(table) = game.replay.table() else { return };
        let seq = game.replay.seq();
        if game.pending > 0 || game.is_over() || game.considered == seq || game.awaited > seq {
            return;
        }
        let knows = |hand: usize| game.views[hand].seq == seq;
        let is_open = |hand: usize| self.sessions[hand].is_open();
        let is_together = (0..HANDS).all(|hand| is_open(hand) && knows(hand))
            && self.sessions[0].node != self.sessions[1].node;
        if !is_together && game.changed_at.elapsed() < TOGETHER_MAX {
            return;
        }
        let mut open: Vec<usize> = (0..HANDS).filter(|hand| is_open(*hand)).collect();
        if open.is_empty() {
            return;
        }
        if self.rng.random() {
            open.reverse();
        }
        let Some(me) = table.seat_of(&self.name) else { return };
        game.considered = seq;
        if !table.seat_in(me) {
            return;
        }
        match choose(table, me, &mut self.rng) {
            Tactic::Wait => {}
            Tactic::One(request) => self.ask(id, request, &open[..1]),
            Tactic::Same(request) => self.ask(id, request, &open),
            Tactic::Different(request, other) => {
                self.ask(id, request, &open[..1]);
                self.ask(id, other, &open[open.len() - 1..]);
            }
        }
    }

    /// Sends a request at these sessions.
    fn ask(&mut self, id: &str, mut asked: Value, hands: &[usize]) {
        self.last_id += 1;
        let req = format!("{}:{}", self.name, self.last_id);
        asked["id"] = json!(req);
        asked["game"] = json!(id);
        let game = self.games.get_mut(id).expect("it is played in");
        game.pending += hands.len();
        let request = Request {
            game: id.to_owned(),
            frame: asked.to_string(),
            asked,
            invoked: Instant::now(),
            known: game.replay.seq(),
            is_acked: false,
            refusal: None,
        };
        self.requests.insert(req.clone(), request);
        for hand in hands {
            self.send(*hand, &req);
        }
    }

    fn send(&mut self, hand: usize, req: &str) {
        let frame = self.requests[req].frame.clone();
        let sent = Unanswered { since: Instant::now(), again_at: None };
        self.sessions[hand].unanswered.insert(req.to_owned(), sent);
        self.hands.order(hand, HandOrder::Send(frame));
    }

    /// Starts a game if there are too few.
    fn challenge(&mut self) {
        let Some((guest, wanted)) = &self.guest else { return };
        let waits = self.challenged_at.is_some_and(|at| at.elapsed() < CHALLENGE_MAX);
        if waits || self.games.values().filter(|game| !game.is_over()).count() >= *wanted {
            return;
        }
        let Some(hand) = (0..HANDS).find(|hand| self.sessions[*hand].is_open()) else { return };
        self.last_id += 1;
        let challenge = json!({
            "type": "challenge",
            "id": format!("challenge:{}", self.last_id),
            "rules": "adamas",
            "seats": [self.name, guest],
            "rated": self.rng.random_ratio(1, 2),
        });
        self.challenged_at = Some(Instant::now());
        self.hands.order(hand, HandOrder::Send(challenge.to_string()));
    }
}

/// Requests of one moment.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tactic {
    /// Nothing.
    Wait,
    /// One request at one node.
    One(Value),
    /// The same request, with the same id, at both nodes.
    Same(Value),
    /// Different requests, one at each node.
    Different(Value, Value),
}

/// Chooses what to do in a game in which the user has a seat.
fn choose(table: &Table, me: Seat, rng: &mut SmallRng) -> Tactic {
    let lot = rng.random_range(0..1000);
    let open = table.offers().first();
    if let Some(open) = open.filter(|open| open.needs.contains(me)) {
        let offer = format!("o_{}", open.offer.0);
        let answer = |accept: bool| json!({"type": "answer", "offer": offer, "accept": accept});
        match lot {
            0..10 => return Tactic::Different(answer(true), answer(false)),
            10..300 => return Tactic::Different(answer(false), answer(false)),
            300..400 => return Tactic::Same(answer(false)),
            _ => {}
        }
    }
    if let Some(open) = open.filter(|open| open.by == me && lot < 600) {
        let withdraw = json!({"type": "withdraw", "offer": format!("o_{}", open.offer.0)});
        return if lot < 100 {
            Tactic::Same(withdraw)
        } else {
            Tactic::Different(withdraw.clone(), withdraw)
        };
    }
    let offer = json!({"type": "offer", "what": "draw"});
    if table.to_move() != Some(me) {
        // The opponent moves at the same moment, at other nodes.
        let takeback = json!({"type": "offer", "what": "takeback"});
        return match lot {
            _ if open.is_some() => Tactic::Wait,
            0..350 => Tactic::Different(offer.clone(), offer),
            350..450 => Tactic::Same(offer),
            450..550 => Tactic::Different(offer, takeback),
            _ => Tactic::Wait,
        };
    }
    let Some(play) = a_move(table, rng) else { return Tactic::Wait };
    match lot {
        0..2 => Tactic::Different(json!({"type": "resign"}), play),
        2..150 if open.is_none() => Tactic::Different(play, offer),
        150..300 => Tactic::Same(play),
        300..330 => Tactic::One(play),
        _ => a_move(table, rng).map_or(Tactic::Wait, |other| Tactic::Different(play, other)),
    }
}

fn a_move(table: &Table, rng: &mut SmallRng) -> Option<Value> {
    let play = adamant_engine::choice::choose(table.position(), Level::Random, rng)?;
    Some(json!({"type": "move", "turn": table.turn(), "move": play.to_string()}))
}

/// A session whose request is unanswered for longer goes to another node.
const PATIENT_FOR: Duration = Duration::from_secs(2);

/// How long a session avoids a node that was silent.
const SILENT_FOR: Duration = Duration::from_secs(3);

/// How long a session avoids a node that ended it.
const LOST_FOR: Duration = Duration::from_secs(1);

/// The state of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineState {
    /// There is none.
    Down,
    /// The session is connecting.
    Opening,
    /// It is welcome.
    Open,
    /// The rival has cut it, and what it still sees does not count.
    Cut,
}

/// A request that a session has sent and that is not answered there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unanswered {
    since: Instant,
    /// When it is to be sent again.
    again_at: Option<Instant>,
}

#[derive(Debug)]
pub(super) struct Session {
    home: usize,
    pub(super) node: usize,
    line: LineState,
    avoided: BTreeMap<usize, Instant>,
    /// Requests without an answer, by their ids.
    unanswered: BTreeMap<String, Unanswered>,
    pub(super) answers: Vec<Answer>,
}

impl Session {
    /// A session that belongs to a node.
    pub(super) fn new(home: usize) -> Self {
        Self {
            home,
            node: home,
            line: LineState::Down,
            avoided: BTreeMap::new(),
            unanswered: BTreeMap::new(),
            answers: Vec::new(),
        }
    }

    /// Whether requests can be sent.
    fn is_open(&self) -> bool {
        self.line == LineState::Open
    }

    /// The node to connect to: its home, unless that is down or did not answer.
    fn choose_node(&self, addresses: &[Address]) -> Option<usize> {
        let now = Instant::now();
        let runs = |node: &usize| addresses[*node].borrow().is_some();
        let nodes = addresses.len();
        let mut running = (0..nodes).map(|n| (self.home + n) % nodes).filter(runs);
        let is_avoided = |node: &usize| self.avoided.get(node).is_some_and(|until| *until > now);
        running.clone().find(|node| !is_avoided(node)).or_else(|| running.next())
    }

    /// Whether the session is to leave its node: it is silent, or not the session's own.
    fn must_leave(&mut self, addresses: &[Address]) -> bool {
        let now = Instant::now();
        if self.unanswered.values().any(|asked| now - asked.since > PATIENT_FOR) {
            self.avoided.insert(self.node, now + SILENT_FOR);
            return true;
        }
        self.node != self.home && self.choose_node(addresses) == Some(self.home)
    }

    /// The connection is no more.
    pub(super) fn lose(&mut self) {
        if self.line != LineState::Cut {
            self.avoided.insert(self.node, Instant::now() + LOST_FOR);
        }
        self.line = LineState::Down;
    }

    /// The requests that are to be sent again now.
    fn due(&self) -> Vec<String> {
        let now = Instant::now();
        let is_due = |asked: &Unanswered| asked.again_at.is_some_and(|at| at <= now);
        let due = self.unanswered.iter().filter(|(_, asked)| is_due(asked));
        due.map(|(id, _)| id.clone()).collect()
    }
}
